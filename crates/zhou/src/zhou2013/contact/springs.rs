//! The contacts of a linear solve, applied in every iteration by all threads.

use super::Touch;
use pliant_math::{Mat, Vect, parallel};

/// The loaded contacts as springs between particles. A contact acts on a particle with share 1 and on its support with
/// shares that add up to −1.
#[derive(Debug)]
pub(crate) struct Springs<const D: usize> {
    /// Stiffness of each, times β² [kg].
    stiffness: Vec<Mat<D>>,
    /// Particles of each spring, by spring.
    ends: Shares,
    /// Springs of each particle, by particle; no rows if there are none.
    at: Shares,
    force: Vec<Vect<D>>,
}

/// Rows of indices with shares.
#[derive(Debug, Default)]
struct Shares {
    starts: Vec<u32>,
    entries: Vec<(u32, f64)>,
}

impl Shares {
    #[inline(always)]
    fn row(&self, row: usize) -> &[(u32, f64)] {
        match self.starts.get(row..row + 2) {
            Some(range) => &self.entries[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    /// The same shares by what they point at, of which there are `count`; rows stay in order.
    fn reversed(&self, count: usize) -> Self {
        let mut slots = vec![0; count + 1];
        for (end, _) in &self.entries {
            slots[*end as usize + 1] += 1;
        }
        for k in 0..count {
            slots[k + 1] += slots[k];
        }
        let starts = slots.clone();
        let mut entries = vec![(0, 0.0); self.entries.len()];
        for row in 0..self.starts.len().saturating_sub(1) {
            for &(end, share) in self.row(row) {
                let slot: &mut u32 = &mut slots[end as usize];
                entries[*slot as usize] = (row as u32, share);
                *slot += 1;
            }
        }
        Self { starts, entries }
    }
}

impl<const D: usize> Springs<D> {
    /// What `touches` resist to motions of `count` particles, times β².
    pub fn new(touches: &[Touch<D>], beta_squared: f64, count: usize) -> Self {
        let (mut stiffness, mut ends) = (Vec::new(), Shares { starts: vec![0], entries: Vec::new() });
        for touch in touches.iter().filter(|touch| touch.is_loaded()) {
            stiffness.push(touch.stiffness_matrix() * beta_squared);
            ends.entries.push((touch.particle, 1.0));
            ends.entries.extend(touch.support.iter().map(|&(j, share)| (j, -share)));
            ends.starts.push(ends.entries.len() as u32);
        }
        let at = if stiffness.is_empty() { Shares::default() } else { ends.reversed(count) };
        let force = vec![Vect::zeros(); stiffness.len()];
        Self { stiffness, ends, at, force }
    }

    /// Forces of the motion `u`; [`Springs::force_on`] then tells what acts on a particle.
    pub fn strain(&mut self, u: &[Vect<D>]) {
        let Self { stiffness, ends, force, .. } = self;
        parallel::fill(force, |k| {
            let apart: Vect<D> = ends.row(k).iter().map(|&(j, share)| u[j as usize] * share).sum();
            stiffness[k] * apart
        });
    }

    /// What the springs resist at particle i, of the motion last seen.
    #[inline(always)]
    pub fn force_on(&self, i: usize) -> Vect<D> {
        self.at.row(i).iter().map(|&(k, share)| self.force[k as usize] * share).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Target;
    use super::*;

    fn touch(particle: u32, support: Vec<(u32, f64)>, gap: f64) -> Touch<2> {
        Touch {
            particle,
            target: Target::Body(1),
            support,
            normal: Vect::from([0.6, 0.8]),
            gap,
            slip: Vect::from([0.8, -0.6]) * 0.02,
            surface_velocity: Vect::zeros(),
            stiffness: 50.0,
            friction: 0.5,
            adhesion: 0.0,
            restitution: 0.0,
        }
    }

    #[test]
    fn springs_push_apart_what_touches_and_nothing_else() {
        let touches = [
            touch(0, vec![(2, 0.25), (3, 0.75)], -0.01),
            touch(1, vec![], -0.02),
            touch(2, vec![(0, 1.0)], 0.3),
        ];
        let u: Vec<Vect<2>> = (0..5).map(|i| Vect::from([f64::from(i).sin(), f64::from(i).cos()])).collect();
        let mut springs = Springs::new(&touches, 0.1, u.len());
        springs.strain(&u);
        let found: Vec<Vect<2>> = (0..5).map(|i| springs.force_on(i)).collect();
        let [first, second] = [0, 1].map(|k| touches[k].stiffness_matrix() * touches[k].relative(&u) * 0.1);
        let wanted = [first, second, first * -0.25, first * -0.75, Vect::zeros()];
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!((found - wanted).norm() < 1e-12, "{found} {wanted}");
        }
        assert_eq!(Springs::<2>::new(&[], 0.1, 5).force_on(4), Vect::<2>::zeros());
    }
}
