//! Neighbours in the world as it is, searched anew in every sub-step.

use super::settings::Neighbours;
use crate::zhou2013::contact::Bonds;
use pliant_geometry::kernel;
use pliant_geometry::neighbours::Cells;
use pliant_math::{Vect, parallel};
use pliant_world::World;

/// The nearest particles are looked for out to these many times the radius they fill inside a body: at a face,
/// an edge and a corner they reach 1.3, 1.6 and 2 times as far. What is farther is no neighbour, so that a
/// particle that flew off does not make everything its neighbour.
const SEARCHES: [f64; 3] = [1.3, 2.0, 3.0];

/// A neighbour as one particle sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<const D: usize> {
    pub neighbour: usize,
    /// `p = q_j − q_i` [m].
    pub offset: Vect<D>,
    /// Weight in the fit of this particle.
    pub weight: f64,
    /// Weight of this particle in the fit of the neighbour; differs only where supports do.
    pub reverse: f64,
}

/// The neighbourhoods of all particles. Rows are symmetric: who has a neighbour is one.
#[derive(Debug, Default)]
pub(super) struct Neighbourhoods<const D: usize> {
    rows: Vec<Vec<Edge<D>>>,
    /// Kernel radius of each particle [m].
    support: Vec<f64>,
}

impl<const D: usize> Neighbourhoods<D> {
    /// Searches the neighbours of every particle at `x`.
    pub fn search(&mut self, world: &World<D>, x: &[Vect<D>], neighbours: Neighbours) {
        let related = |i: usize, j: usize| are_related(world, i, j);
        self.support = match neighbours {
            Neighbours::Within(radius) => spacings(world).map(|spacing| radius * spacing).collect(),
            Neighbours::Nearest(count) => nearest_supports(world, x, count, &related),
        };
        let support = &self.support;
        let cells = Cells::new(x, widest(support));
        self.rows.resize_with(x.len(), Vec::new);
        parallel::update(&mut self.rows, |i, row| {
            row.clear();
            cells.for_each_near(&x[i], |j, there| {
                let neighbour = j as usize;
                let offset = there - x[i];
                let (mine, theirs) = (support[i], support[neighbour]);
                let distance_squared = offset.norm_squared();
                if distance_squared >= mine.max(theirs).powi(2) || neighbour == i || !related(i, neighbour) {
                    return;
                }
                let distance = distance_squared.sqrt();
                let weight = kernel::cosine(distance, mine);
                let reverse = if mine == theirs { weight } else { kernel::cosine(distance, theirs) };
                row.push(Edge { neighbour, offset, weight, reverse });
            });
        });
    }

    /// Neighbours of particle i, in a fixed order.
    pub fn row(&self, i: usize) -> &[Edge<D>] {
        &self.rows[i]
    }

    /// Kernel radius of particle i [m].
    pub fn support(&self, i: usize) -> f64 {
        self.support[i]
    }

    /// `Σ_j w` with the particle itself: how crowded it is.
    pub fn crowding(&self, i: usize) -> f64 {
        kernel::cosine(0.0, self.support[i]) + self.rows[i].iter().map(|edge| edge.weight).sum::<f64>()
    }
}

impl<const D: usize> Bonds for Neighbourhoods<D> {
    fn leave_free(&self, i: usize, others: &mut Vec<u32>) {
        others.retain(|j| self.rows[i].iter().all(|edge| edge.neighbour != *j as usize));
    }
}

fn spacings<const D: usize>(world: &World<D>) -> impl Iterator<Item = f64> + '_ {
    world.particles.body.iter().map(|&body| world.bodies[body as usize].spacing)
}

fn widest(support: &[f64]) -> f64 {
    support.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}

/// Particles of one body, and pieces of a material that merges.
fn are_related<const D: usize>(world: &World<D>, i: usize, j: usize) -> bool {
    let p = &world.particles;
    p.body[i] == p.body[j]
        || p.material[i] == p.material[j] && world.materials[usize::from(p.material[i])].merges
}

/// Radius in spacings of the ball that `count` neighbours and the particle fill inside a body.
pub(super) fn filled_radius<const D: usize>(count: usize) -> f64 {
    let unit_ball = if D == 2 { std::f64::consts::PI } else { 4.0 / 3.0 * std::f64::consts::PI };
    ((count + 1) as f64 / unit_ball).powf(1.0 / D as f64)
}

/// Kernel radii that just hold the `count` nearest: the kernel vanishes at the one after them.
fn nearest_supports<const D: usize>(
    world: &World<D>,
    x: &[Vect<D>],
    count: usize,
    related: &(impl Fn(usize, usize) -> bool + Sync),
) -> Vec<f64> {
    let full: Vec<f64> = spacings(world).map(|spacing| spacing * filled_radius::<D>(count)).collect();
    let mut supports: Vec<Option<f64>> = vec![None; x.len()];
    for reach in SEARCHES {
        if supports.iter().all(Option::is_some) {
            break;
        }
        let cells = Cells::new(x, reach * widest(&full));
        parallel::update(&mut supports, |i, support| {
            if support.is_some() {
                return;
            }
            let mut distances = Vec::new();
            cells.for_each_near(&x[i], |j, there| {
                let distance = (there - x[i]).norm();
                if j as usize != i && distance < reach * full[i] && related(i, j as usize) {
                    distances.push(distance);
                }
            });
            if distances.len() > count {
                *support = Some(*distances.select_nth_unstable_by(count, f64::total_cmp).1);
            }
        });
    }
    let farthest = SEARCHES[SEARCHES.len() - 1];
    supports.iter().zip(&full).map(|(support, full)| support.unwrap_or(farthest * full)).collect()
}
