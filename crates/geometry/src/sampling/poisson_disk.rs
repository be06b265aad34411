//! Random points that keep their distance: Bridson's dart throwing, restarted wherever there is still room.

use super::SamplingError;
use super::forecast::Domain;
use super::lattice;
use crate::rng::SplitMix64;
use pliant_math::Vec3;

/// Darts thrown around a particle before it is given up (Bridson 2007).
const ATTEMPTS: usize = 30;
/// Search cells at most, four bytes each.
const CELL_LIMIT: f64 = 64e6;
/// End of a chain of particles in a search cell.
const NONE: u32 = u32::MAX;

/// Particles in a grid of cells one minimum distance wide, chained within each cell.
struct Darts<'a> {
    domain: &'a Domain<'a>,
    minimum: f64,
    counts: [usize; 3],
    first: Vec<u32>,
    next: Vec<u32>,
    points: Vec<Vec3>,
}

/// How far inside the surface particles stay, in spacings. They crowd along a surface as nothing repels them from
/// beyond it; this compensates for it, so that the number of particles is right as well as their density (measured).
const INSET: f64 = 0.2;

/// The minimum distance in spacings at which the filling has one particle per spacing^dimension.
///
/// Bridson's filling has a measured number density of `0.615 / r²` and `0.578 / r³`. Nilles 2020 takes
/// `r = spacing / 1.7^(1/d)`, that is `0.588 / r^d`, in both dimensions.
fn minimum_distance(dimension: usize) -> f64 {
    if dimension == 2 { 0.615_f64.sqrt() } else { 0.578_f64.cbrt() }
}

/// Fills the domain; stops with an error at more than `limit` particles.
pub(super) fn fill(domain: &Domain, seed: u64, limit: usize) -> Result<Vec<Vec3>, SamplingError> {
    let mut darts = Darts::new(domain, limit)?;
    let mut rng = SplitMix64::new(seed);
    for start in lattice::fill(domain, 1.0, rng.next_u64()) {
        darts.grow_from(start, &mut rng);
        if darts.points.len() > limit {
            break; // the caller reports it
        }
    }
    Ok(darts.points)
}

impl<'a> Darts<'a> {
    fn new(domain: &'a Domain<'a>, limit: usize) -> Result<Self, SamplingError> {
        let minimum = domain.spacing * minimum_distance(domain.dimension);
        let across = domain.bounds.size().map(|length| (length / minimum).floor() + 1.0);
        let cells = across.product();
        if cells > CELL_LIMIT {
            let spacing = domain.spacing * domain.scale;
            let suggestion = spacing * (cells / CELL_LIMIT).powf(1.0 / domain.dimension as f64);
            return Err(SamplingError::TooSparse { spacing, cells, limit, suggestion });
        }
        let counts = [across.x as usize, across.y as usize, across.z as usize];
        let first = vec![NONE; counts.iter().product()];
        Ok(Self { domain, minimum, counts, first, next: Vec::new(), points: Vec::new() })
    }

    /// Bridson's algorithm from one particle, if there is room for it.
    fn grow_from(&mut self, start: Vec3, rng: &mut SplitMix64) {
        if !self.try_add(start) {
            return;
        }
        let mut active = vec![start];
        while !active.is_empty() {
            let chosen = rng.below(active.len());
            let origin = active[chosen];
            let dart = (0..ATTEMPTS).map(|_| self.throw(&origin, rng)).find(|dart| self.is_free(dart));
            match dart {
                Some(dart) if self.try_add(dart) => active.push(dart),
                Some(_) => {}
                None => {
                    active.swap_remove(chosen);
                }
            }
        }
    }

    /// A uniform point between one and two minimum distances from `origin`.
    fn throw(&self, origin: &Vec3, rng: &mut SplitMix64) -> Vec3 {
        loop {
            let mut offset = Vec3::from_fn(|_, _| rng.between(-2.0, 2.0));
            if self.domain.dimension == 2 {
                offset.z = 0.0;
            }
            if (1.0..4.0).contains(&offset.norm_squared()) {
                return origin + offset * self.minimum;
            }
        }
    }

    fn try_add(&mut self, p: Vec3) -> bool {
        let free = self.is_free(&p);
        if free {
            let cell = self.cell_number(self.cell_of(&p));
            self.next.push(self.first[cell]);
            self.first[cell] = self.points.len() as u32;
            self.points.push(p);
        }
        free
    }

    /// Whether `p` lies in the shape and no particle is closer than the minimum distance.
    fn is_free(&self, p: &Vec3) -> bool {
        if !self.domain.bounds.contains(p) {
            return false;
        }
        let cell = self.cell_of(p);
        let range = |axis: usize| cell[axis].saturating_sub(1)..(cell[axis] + 2).min(self.counts[axis]);
        for k in range(2) {
            for j in range(1) {
                for i in range(0) {
                    if self.crowded([i, j, k], p) {
                        return false;
                    }
                }
            }
        }
        self.domain.shape.distance(p) < -INSET * self.domain.spacing
    }

    fn crowded(&self, cell: [usize; 3], p: &Vec3) -> bool {
        let mut index = self.first[self.cell_number(cell)];
        while index != NONE {
            if (self.points[index as usize] - p).norm_squared() < self.minimum * self.minimum {
                return true;
            }
            index = self.next[index as usize];
        }
        false
    }

    fn cell_of(&self, p: &Vec3) -> [usize; 3] {
        let offset = (p - self.domain.bounds.min) / self.minimum;
        [0, 1, 2].map(|axis| (offset[axis].max(0.0) as usize).min(self.counts[axis] - 1))
    }

    fn cell_number(&self, cell: [usize; 3]) -> usize {
        (cell[2] * self.counts[1] + cell[1]) * self.counts[0] + cell[0]
    }
}
