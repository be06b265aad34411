//! Leaves out particles nobody can see: those deep inside dense, opaque matter.

/// Layers of full cells that hide what is inside them: through two layers of touching balls nothing shines.
const DEPTH: usize = 2;
/// Scenes with fewer particles are drawn whole.
const FEW: usize = 20_000;
/// Boxes with more cells are not looked at: matter in them is not dense.
const MOST_CELLS: f64 = 3e7;

/// Which particles can be seen from somewhere outside; all if there are few. `order` are the candidates, all opaque.
pub fn visible(positions: &[[f32; 3]], radii: &[f32], order: &[u32]) -> Vec<u32> {
    let radius = radii.first().copied().unwrap_or(0.0);
    if order.len() < FEW || !(radius.is_finite() && radius > 0.0) {
        return order.to_vec();
    }
    let place = |i: u32| positions[i as usize].map(|x| (x / (2.0 * radius)).floor());
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for place in order.iter().map(|i| place(*i)).filter(|place| place.iter().all(|x| x.is_finite())) {
        for axis in 0..3 {
            (low[axis], high[axis]) = (low[axis].min(place[axis]), high[axis].max(place[axis]));
        }
    }
    let counts = [0, 1, 2].map(|axis| f64::from(high[axis] - low[axis]) + 1.0);
    if low[0] > high[0] || counts.iter().product::<f64>() > MOST_CELLS {
        return order.to_vec();
    }
    let counts = counts.map(|count| count as usize);
    let cell = |i: u32| {
        let place = place(i);
        let is_there = place.iter().all(|x| x.is_finite());
        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] - low[axis]) as usize);
        is_there.then_some(x + counts[0] * (y + counts[1] * z))
    };
    let mut full = vec![false; counts.iter().product()];
    let mut cells: Vec<usize> = order.iter().filter_map(|i| cell(*i)).collect();
    cells.retain(|&cell| !std::mem::replace(&mut full[cell], true));
    let strides = [1, counts[0], counts[0] * counts[1]];
    for axis in 0..3 {
        // Only full cells can be deep, and there are no more of them than particles.
        cells.retain(|&cell| is_deep(&full, cell, counts[axis], strides[axis]));
        full.fill(false);
        cells.iter().for_each(|&cell| full[cell] = true);
    }
    order.iter().filter(|i| cell(**i).is_none_or(|cell| !full[cell])).copied().collect()
}

/// Whether the neighbours of a cell along one axis, `DEPTH` to either side, are all full.
fn is_deep(full: &[bool], cell: usize, count: usize, stride: usize) -> bool {
    let along = cell / stride % count;
    let is_inner = along >= DEPTH && along + DEPTH < count;
    is_inner && (0..=2 * DEPTH).all(|step| full[cell + step * stride - DEPTH * stride])
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn the_shell_of_a_block_stays_and_its_inside_goes() {
        let side = 40_i32;
        let mut positions = Vec::new();
        for x in 0..side {
            for y in 0..side {
                for z in 0..side {
                    positions.push([x, y, z].map(|k| k as f32 + 0.5));
                }
            }
        }
        let order: Vec<u32> = (0..positions.len() as u32).collect();
        let seen = visible(&positions, &vec![0.5; positions.len()], &order);
        let inside = (side - 4).pow(3) as usize;
        assert_eq!(seen.len(), positions.len() - inside);
        let is_near = |i: &u32| positions[*i as usize].iter().any(|x| *x < 2.0 || *x > (side - 2) as f32);
        assert!(seen.iter().all(is_near));
    }

    #[test]
    fn few_particles_are_all_seen() {
        let positions = vec![[0.0; 3]; 100];
        let order: Vec<u32> = (0..100).collect();
        assert_eq!(visible(&positions, &[0.5; 100], &order).len(), 100);
    }
}
