//! Fine meshes that follow particles (Kugelstadt 2021, §8).
//!
//! Eq. 39 is printed with `X_ij`; the offset that makes it an interpolation is that from particle `j` to vertex `k`.
//! Deformation gradients are taken from the particles' positions alone, so that every method can be skinned, and matter
//! that has flowed too.

use crate::kernel::CubicSpline;
use crate::mesh::TriangleMesh;
use crate::neighbours::Cells;
use pliant_math::{Mat, Vec3, parallel};

/// Reach of the kernel in spacings.
const SUPPORT: f64 = 2.0;
/// A vertex further from all particles takes this many times its distance to the nearest as support.
const LEAST_REACH: f64 = 1.5;
/// Squared thickness over width of a neighbourhood below which it is widened: gradients across it would be noise.
const FLAT: f64 = 0.02;
/// How often a neighbourhood is widened, by half each time.
const WIDENINGS: usize = 5;
/// The same measure at which rounding would dominate: particles in one plane.
const USELESS: f64 = 1e-9;

/// How vertices hang on particles.
#[derive(Clone, Debug)]
pub struct Skin {
    vertices: Vec<Bond>,
    /// For each particle, its neighbours and what they contribute to the gradient there `[1/m]`; none where they lie in
    /// a plane.
    slopes: Vec<Vec<(u32, Vec3)>>,
}

/// What one vertex hangs on.
#[derive(Clone, Debug, Default)]
struct Bond {
    /// Particle, its share, and where the vertex is from there at rest `[m]`. Shares add up to one (Eq. 38).
    parts: Vec<(u32, f64, Vec3)>,
}

impl Skin {
    /// Hangs the vertices of a mesh on particles, both at rest; `spacing` is that of the particles `[m]`.
    pub fn bind(mesh: &TriangleMesh, particles: &[Vec3], spacing: f64) -> Self {
        let search = Search::new(particles, SUPPORT * spacing);
        let mut vertices = vec![Bond::default(); mesh.vertices.len()];
        parallel::fill(&mut vertices, |k| Bond::of(&mesh.vertices[k], &search));
        let mut slopes = vec![Vec::new(); particles.len()];
        parallel::fill(&mut slopes, |j| slopes_at(j, &search));
        Self { vertices, slopes }
    }

    /// Where the vertices are when particles are there `[m]` (Eq. 39).
    pub fn positions(&self, particles: &[Vec3]) -> Vec<Vec3> {
        self.carried(particles, &Mat::identity())
    }

    /// How fast the vertices move when particles move like this `[m/s]`: the rate of Eq. 39.
    pub fn velocities(&self, particles: &[Vec3]) -> Vec<Vec3> {
        self.carried(particles, &Mat::zeros())
    }

    /// The particles that a vertex hangs on, and their shares, which add up to one.
    pub fn shares(&self, vertex: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.vertices[vertex].parts.iter().map(|(particle, share, _)| (*particle as usize, *share))
    }

    /// Values of particles carried to first order; `otherwise` is the gradient where none can be found.
    fn carried(&self, values: &[Vec3], otherwise: &Mat<3>) -> Vec<Vec3> {
        let mut gradients = vec![*otherwise; values.len()];
        parallel::update(&mut gradients, |j, gradient| {
            let slopes = &self.slopes[j];
            if !slopes.is_empty() {
                let change = |(n, slope): &(u32, Vec3)| (values[*n as usize] - values[j]) * slope.transpose();
                *gradient = slopes.iter().map(change).sum();
            }
        });
        let mut carried = vec![Vec3::zeros(); self.vertices.len()];
        parallel::fill(&mut carried, |k| {
            let part = |(j, share, offset): &(u32, f64, Vec3)| {
                (gradients[*j as usize] * offset + values[*j as usize]) * *share
            };
            self.vertices[k].parts.iter().map(part).sum()
        });
        carried
    }
}

impl Bond {
    fn of(vertex: &Vec3, search: &Search<'_>) -> Self {
        let support = search.support.max(LEAST_REACH * search.nearest(vertex));
        let kernel = CubicSpline::new(support, 3);
        let mut parts: Vec<(u32, f64, Vec3)> = search
            .within(vertex, support)
            .into_iter()
            .map(|j| {
                let offset = vertex - search.points[j as usize];
                (j, kernel.value(offset.norm()), offset)
            })
            .collect();
        let total: f64 = parts.iter().map(|(_, weight, _)| weight).sum();
        parts.iter_mut().for_each(|(_, weight, _)| *weight /= total);
        Self { parts }
    }
}

/// What the neighbours of a particle contribute to gradients there, exact for affine fields. Where they lie in a plane,
/// or nearly so, more of them are asked.
fn slopes_at(j: usize, search: &Search<'_>) -> Vec<(u32, Vec3)> {
    let here = search.points[j];
    let (mut support, mut best, mut thickest) = (search.support, Vec::new(), USELESS);
    for _ in 0..=WIDENINGS {
        let kernel = CubicSpline::new(support, 3);
        let near = search.within(&here, support);
        let offsets = near.iter().filter(|n| **n as usize != j).map(|&n| {
            let offset = search.points[n as usize] - here;
            (n, offset, kernel.value(offset.norm()))
        });
        let moments: Mat<3> = offsets.clone().map(|(_, x, weight)| x * x.transpose() * weight).sum();
        let widths = moments.symmetric_eigenvalues();
        let thickness = widths.min() / widths.max();
        if thickness > thickest
            && let Some(inverse) = moments.try_inverse()
        {
            thickest = thickness;
            best = offsets.map(|(n, offset, weight)| (n, inverse * offset * weight)).collect();
        }
        if thickest > FLAT {
            break;
        }
        support *= 1.5;
    }
    best
}

/// Particles found by distance, however far.
struct Search<'a> {
    points: &'a [Vec3],
    support: f64,
    /// Cells of once, twice, four and eight times the support.
    levels: [Cells<3>; 4],
}

impl<'a> Search<'a> {
    fn new(points: &'a [Vec3], support: f64) -> Self {
        let levels = [1.0, 2.0, 4.0, 8.0].map(|factor| Cells::new(points, factor * support));
        Self { points, support, levels }
    }

    /// All particles closer than `radius` `[m]`, in rising order.
    fn within(&self, p: &Vec3, radius: f64) -> Vec<u32> {
        let mut found = Vec::new();
        let is_near = |point: &Vec3| (point - p).norm_squared() < radius * radius;
        match [0, 1, 2, 3].into_iter().find(|level| radius <= self.support * f64::from(1 << level)) {
            Some(level) => self.levels[level].for_each_near(p, |j, point| {
                if is_near(point) {
                    found.push(j);
                }
            }),
            None => {
                found.extend((0..self.points.len() as u32).filter(|j| is_near(&self.points[*j as usize])));
            }
        }
        found.sort_unstable();
        found
    }

    /// Distance to the nearest particle `[m]`.
    fn nearest(&self, p: &Vec3) -> f64 {
        for (level, cells) in self.levels.iter().enumerate() {
            let mut nearest = f64::INFINITY;
            cells.for_each_near(p, |_, point| nearest = nearest.min((point - p).norm()));
            // A particle within a cell's size cannot have been missed.
            if nearest <= self.support * f64::from(1 << level) {
                return nearest;
            }
        }
        self.points.iter().map(|point| (point - p).norm()).fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sampler, Shape, models, sample};
    use nalgebra::{Rotation3, Vector3};

    fn creature() -> (TriangleMesh, Vec<Vec3>) {
        let shape = models::by_name("bunny").unwrap();
        let particles = sample(&shape, &Sampler::Lattice, 0.05, 3, 0, 100_000).unwrap();
        (shape.triangulate(0.03).unwrap(), particles)
    }

    fn worst(a: &[Vec3], b: impl Iterator<Item = Vec3>) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn a_mesh_at_rest_stays_where_it_is_and_affine_maps_are_followed_exactly() {
        let (mesh, particles) = creature();
        let skin = Skin::bind(&mesh, &particles, 0.05);
        assert!(worst(&skin.positions(&particles), mesh.vertices.iter().copied()) < 1e-13);
        let turn = Rotation3::from_euler_angles(0.4, -1.1, 2.0).into_inner();
        let bent = Mat::<3>::new(1.3, 0.4, 0.0, -0.2, 0.7, 0.1, 0.3, 0.0, 1.1);
        for matrix in [turn, bent] {
            let map = |x: &Vec3| matrix * x + Vector3::new(3.0, -2.0, 0.5);
            let moved: Vec<Vec3> = particles.iter().map(map).collect();
            assert!(worst(&skin.positions(&moved), mesh.vertices.iter().map(map)) < 1e-12);
            let rates: Vec<Vec3> = particles.iter().map(|x| matrix * x).collect();
            assert!(worst(&skin.velocities(&rates), mesh.vertices.iter().map(|x| matrix * x)) < 1e-12);
        }
    }

    #[test]
    fn a_fine_mesh_keeps_its_corners_when_a_bar_is_bent() {
        // A box given by its eight corners: what rounds off corners would move them.
        let bar = Shape::cuboid(Vec3::new(0.5, 0.1, 0.1)).unwrap();
        let particles = sample(&bar, &Sampler::Lattice, 0.05, 3, 0, 10_000).unwrap();
        let corners = (0..8).map(|corner| {
            let sign = |bit: i32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            Vec3::new(0.5 * sign(0), 0.1 * sign(1), 0.1 * sign(2))
        });
        let mesh = TriangleMesh { vertices: corners.collect(), triangles: vec![[0, 1, 2]] };
        let skin = Skin::bind(&mesh, &particles, 0.05);
        // Bent to a circle of radius 1: exact for affine maps, second order in the spacing for this one.
        let bend = |x: &Vec3| {
            let radius = 1.0 + x.y;
            Vec3::new(radius * x.x.sin(), radius * x.x.cos(), x.z)
        };
        let moved: Vec<Vec3> = particles.iter().map(bend).collect();
        let error = worst(&skin.positions(&moved), mesh.vertices.iter().map(bend));
        assert!(error < 0.05 * 0.05, "corners are off by {error} m");
    }

    #[test]
    fn vertices_far_from_all_particles_are_carried_too() {
        let (_, particles) = creature();
        let far = [Vec3::new(0.0, 1.5, 0.0), Vec3::new(40.0, 0.0, 0.0)];
        let mesh = TriangleMesh { vertices: far.to_vec(), triangles: vec![] };
        let skin = Skin::bind(&mesh, &particles, 0.05);
        let map = |x: &Vec3| Rotation3::from_euler_angles(1.0, 0.0, 0.3) * x;
        let moved: Vec<Vec3> = particles.iter().map(map).collect();
        assert!(worst(&skin.positions(&moved), far.iter().map(map)) < 1e-9);
    }

    #[test]
    fn a_single_particle_carries_a_mesh_along() {
        let mesh = TriangleMesh { vertices: vec![Vec3::x()], triangles: vec![] };
        let skin = Skin::bind(&mesh, &[Vec3::zeros()], 0.5);
        assert_eq!(skin.positions(&[Vec3::y()]), vec![Vec3::new(1.0, 1.0, 0.0)]);
        assert_eq!(skin.velocities(&[Vec3::y()]), vec![Vec3::y()]);
    }
}
