//! Signed distances of a bitmap, in linear time (Felzenszwalb and Huttenlocher 2012).

/// Distances from the centres of samples to the outline between inside and outside, half a sample from either;
/// `None` if nothing is inside.
pub(super) fn signed(mask: &[bool], counts: [usize; 2], sample: f64) -> Option<Vec<f64>> {
    if !mask.contains(&true) {
        return None;
    }
    let to_inside = squared(mask, counts, true);
    let to_outside = squared(mask, counts, false);
    let signed = |(inside, outside): (&f64, &f64)| {
        let steps = if *inside > 0.0 { inside.sqrt() - 0.5 } else { 0.5 - outside.sqrt() };
        steps * sample
    };
    Some(to_inside.iter().zip(&to_outside).map(signed).collect())
}

/// Squared distances, in samples, to the nearest sample whose mask is `wanted`.
fn squared(mask: &[bool], counts: [usize; 2], wanted: bool) -> Vec<f64> {
    // Not infinity: differences of two such values must stay numbers.
    let far = 1e12;
    let mut field: Vec<f64> = mask.iter().map(|inside| if *inside == wanted { 0.0 } else { far }).collect();
    let mut line = Envelope::default();
    for row in field.chunks_exact_mut(counts[0]) {
        line.transform(row);
    }
    let mut column = vec![0.0; counts[1]];
    for i in 0..counts[0] {
        column.iter_mut().enumerate().for_each(|(j, value)| *value = field[j * counts[0] + i]);
        line.transform(&mut column);
        column.iter().enumerate().for_each(|(j, value)| field[j * counts[0] + i] = *value);
    }
    field
}

/// The lower envelope of parabolas over a line: each begins at `start` and has its tip at `tip`.
#[derive(Default)]
struct Envelope {
    tips: Vec<(f64, f64)>,
    starts: Vec<f64>,
}

impl Envelope {
    fn transform(&mut self, values: &mut [f64]) {
        self.tips.clear();
        self.starts.clear();
        for (index, value) in values.iter().enumerate() {
            self.push(index as f64, *value);
        }
        let mut current = 0;
        for (index, value) in values.iter_mut().enumerate() {
            let x = index as f64;
            while self.starts.get(current + 1).is_some_and(|start| *start < x) {
                current += 1;
            }
            let (tip, height) = self.tips[current];
            *value = (x - tip) * (x - tip) + height;
        }
    }

    fn push(&mut self, x: f64, height: f64) {
        while let (Some((tip, tip_height)), Some(start)) = (self.tips.last(), self.starts.last()) {
            let crossing = ((height + x * x) - (tip_height + tip * tip)) / (2.0 * (x - tip));
            if crossing > *start {
                self.tips.push((x, height));
                self.starts.push(crossing);
                return;
            }
            self.tips.pop();
            self.starts.pop();
        }
        self.tips.push((x, height));
        self.starts.push(f64::NEG_INFINITY);
    }
}
