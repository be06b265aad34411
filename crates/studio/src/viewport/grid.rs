//! The grid of the Material Point Method, seen from the particles of a snapshot: mass, velocity and pressure gradient
//! of its nodes. Methods without a grid get one of two spacings, so that they can be looked at the same way.

use nalgebra::Vector3;
use pliant_mpm::Kernel;
use pliant_scene::{Method, Scene};
use pliant_world::Snapshot;

use super::bounds::Bounds;

type V3 = Vector3<f32>;

/// Most nodes a grid may have; a scene that is larger is looked at on a coarser one.
const MOST_NODES: f32 = 3e6;

/// Nodes around all particles.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeGrid {
    /// Place of the first node [m].
    pub origin: V3,
    /// Distance between nodes [m].
    pub spacing: f32,
    /// Nodes along each axis.
    pub counts: [usize; 3],
    /// Mass of each node [kg].
    pub mass: Vec<f32>,
    /// Momentum of each node [kg m/s].
    pub momentum: Vec<V3>,
    /// Slope of the pressure at each node [Pa/m].
    pub pressure_gradient: Vec<V3>,
    kernel: Kernel,
    is_flat: bool,
}

/// The spline that carries from particles to nodes, at a distance in cells, and its slope.
pub fn spline(kernel: Kernel, x: f32) -> (f32, f32) {
    let (a, sign) = (x.abs(), x.signum());
    match kernel {
        Kernel::Linear if a < 1.0 => (1.0 - a, -sign),
        Kernel::Quadratic if a < 0.5 => (0.75 - a * a, -2.0 * x),
        Kernel::Quadratic if a < 1.5 => (0.5 * (1.5 - a).powi(2), -sign * (1.5 - a)),
        Kernel::Cubic if a < 1.0 => (0.5 * a.powi(3) - a * a + 2.0 / 3.0, sign * (1.5 * a * a - 2.0 * a)),
        Kernel::Cubic if a < 2.0 => ((2.0 - a).powi(3) / 6.0, -sign * 0.5 * (2.0 - a).powi(2)),
        _ => (0.0, 0.0),
    }
}

/// Spacing and spline of a scene's grid.
pub fn grid_of(scene: &Scene) -> (f32, Kernel) {
    let spacing = scene.objects.iter().map(|object| object.spacing).fold(f64::INFINITY, f64::min);
    let spacing = if spacing.is_finite() { 2.0 * spacing } else { 0.1 };
    match &scene.method {
        Method::Mpm(settings) => (settings.spacing.unwrap_or(spacing) as f32, settings.kernel),
        _ => (spacing as f32, Kernel::Quadratic),
    }
}

/// The nodes within reach of a particle along one axis: number, weight and slope.
fn reach(place: f32, count: usize, kernel: Kernel) -> impl Iterator<Item = (usize, f32, f32)> {
    let first = (place - 1.5).floor().max(0.0) as usize;
    (first..(first + 5).min(count)).filter_map(move |node| {
        let (weight, slope) = spline(kernel, node as f32 - place);
        (weight > 0.0).then_some((node, weight, slope))
    })
}

impl NodeGrid {
    /// The nodes of a snapshot.
    pub fn of(snapshot: &Snapshot, scene: &Scene) -> Self {
        let (wished, kernel) = grid_of(scene);
        let is_flat = scene.dimension == 2;
        let bounds = Bounds::of(snapshot.positions(), 0.0);
        let size = if bounds.is_empty() { V3::zeros() } else { bounds.max - bounds.min };
        let nodes = |h: f32| {
            [0, 1, 2].map(|axis| if is_flat && axis == 2 { 1.0 } else { (size[axis] / h).ceil() + 6.0 })
        };
        let mut spacing = wished.max(1e-6);
        while nodes(spacing).iter().product::<f32>() > MOST_NODES {
            spacing *= 1.26;
        }
        let counts = nodes(spacing).map(|count| count as usize);
        let start = if bounds.is_empty() { V3::zeros() } else { bounds.min };
        // Nodes stand at whole multiples of the spacing, as in the method itself.
        let mut origin = start.map(|x| ((x / spacing).floor() - 2.0) * spacing);
        if is_flat {
            origin.z = 0.0;
        }
        let total = counts.iter().product();
        let mut grid = Self {
            origin,
            spacing,
            counts,
            mass: vec![0.0; total],
            momentum: vec![V3::zeros(); total],
            pressure_gradient: vec![V3::zeros(); total],
            kernel,
            is_flat,
        };
        grid.scatter(snapshot);
        grid
    }

    fn scatter(&mut self, snapshot: &Snapshot) {
        let masses = snapshot.scalars("mass").unwrap_or_default();
        let densities = snapshot.scalars("density").unwrap_or_default();
        let velocities = snapshot.vectors(Snapshot::VELOCITY).unwrap_or_default();
        let pressures = snapshot.scalars("pressure").unwrap_or_default();
        let dimension = if self.is_flat { 2 } else { 3 };
        let cell = self.spacing.powi(dimension);
        for (i, position) in snapshot.positions().iter().enumerate() {
            let mass = masses.get(i).copied().unwrap_or(1.0);
            let velocity = V3::from(velocities.get(i).copied().unwrap_or_default());
            let volume = mass / densities.get(i).copied().unwrap_or(1000.0).max(1e-9);
            let share = volume * pressures.get(i).copied().unwrap_or(0.0) / (cell * self.spacing);
            self.each_node(position, |grid, node, weight, slope| {
                grid.mass[node] += weight * mass;
                grid.momentum[node] += velocity * (weight * mass);
                grid.pressure_gradient[node] += slope * share;
            });
        }
    }

    /// Takes mass and velocity from the nodes of the method itself, a node a row.
    pub fn take_nodes(&mut self, nodes: &Snapshot) {
        self.mass.fill(0.0);
        self.momentum.fill(V3::zeros());
        let masses = nodes.scalars("mass").unwrap_or_default();
        let velocities = nodes.vectors(Snapshot::VELOCITY).unwrap_or_default();
        for ((position, mass), velocity) in nodes.positions().iter().zip(masses).zip(velocities) {
            let place = ((V3::from(*position) - self.origin) / self.spacing).map(f32::round);
            let is_here = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] < self.counts[axis] as f32);
            if is_here {
                let [i, j, k] = [place.x, place.y, place.z].map(|x| x as usize);
                let node = i + self.counts[0] * (j + self.counts[1] * k);
                self.mass[node] += mass;
                self.momentum[node] += V3::from(*velocity) * *mass;
            }
        }
    }

    /// Calls `visit` with each node near a place, its weight and the slope of the weight in cells.
    fn each_node(&mut self, position: &[f32; 3], mut visit: impl FnMut(&mut Self, usize, f32, V3)) {
        let place = (V3::from(*position) - self.origin) / self.spacing;
        if place.iter().any(|x| !x.is_finite() || *x < 0.0) {
            return;
        }
        let [nx, ny, nz] = self.counts;
        let kernel = self.kernel;
        let depths: Vec<(usize, f32, f32)> =
            if self.is_flat { vec![(0, 1.0, 0.0)] } else { reach(place.z, nz, kernel).collect() };
        for (k, wz, dz) in depths {
            for (j, wy, dy) in reach(place.y, ny, kernel) {
                for (i, wx, dx) in reach(place.x, nx, kernel) {
                    let slope = V3::new(dx * wy * wz, wx * dy * wz, wx * wy * dz);
                    visit(self, i + nx * (j + ny * k), wx * wy * wz, slope);
                }
            }
        }
    }

    /// Unit vectors out of the matter, against the slope of the mass (Nilles 2020, Eq. 120); zero deep inside.
    pub fn normals(&mut self, positions: &[[f32; 3]]) -> Vec<[f32; 4]> {
        let heaviest = self.mass.iter().copied().fold(0.0, f32::max).max(1e-30);
        let normal = |position: &[f32; 3]| {
            let mut slope = V3::zeros();
            self.each_node(position, |grid, node, _, weight_slope| slope -= weight_slope * grid.mass[node]);
            let steepness = slope.norm() / heaviest;
            // Minus: weights fall away from the node, and mass falls towards the outside.
            let out = if steepness > 0.02 { -slope.normalize() } else { V3::zeros() };
            [out.x, out.y, out.z, 0.0]
        };
        positions.iter().map(normal).collect()
    }

    /// Place of a node [m].
    pub fn place(&self, node: usize) -> V3 {
        let [nx, ny, _] = self.counts;
        let cell = V3::new((node % nx) as f32, (node / nx % ny) as f32, (node / (nx * ny)) as f32);
        self.origin + cell * self.spacing
    }

    /// Velocity of a node; none where there is no mass [m/s].
    pub fn velocity(&self, node: usize) -> Option<V3> {
        (self.mass[node] > 0.0).then(|| self.momentum[node] / self.mass[node])
    }

    /// The nodes of the layer across an axis, `share` of the way from the first to the last, row by row: how many a
    /// row has, and their numbers.
    pub fn layer(&self, axis: usize, share: f32) -> (usize, Vec<usize>) {
        let axis = if self.is_flat { 2 } else { axis.min(2) };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let deep = ((self.counts[axis] - 1) as f32 * share.clamp(0.0, 1.0)).round() as usize;
        let strides = [1, self.counts[0], self.counts[0] * self.counts[1]];
        let mut nodes = Vec::with_capacity(self.counts[u] * self.counts[v]);
        for row in 0..self.counts[v] {
            nodes.extend(
                (0..self.counts[u])
                    .map(|column| column * strides[u] + row * strides[v] + deep * strides[axis]),
            );
        }
        (self.counts[u], nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::{Kernel, NodeGrid, Scene, spline};
    use std::path::Path;

    #[test]
    fn weights_add_up_to_one_and_slopes_are_their_derivative() {
        for kernel in [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic] {
            for step in 0..20 {
                let x = 0.013 + step as f32 / 20.0;
                let sum: f32 = (-3..=3).map(|node| spline(kernel, node as f32 - x).0).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{kernel:?}");
                let (up, down) = (spline(kernel, x + 1e-3).0, spline(kernel, x - 1e-3).0);
                assert!(((up - down) / 2e-3 - spline(kernel, x).1).abs() < 2e-3, "{kernel:?} at {x}");
            }
        }
    }

    #[test]
    fn nodes_hold_all_mass_and_momentum() {
        for (dimension, position) in [(2, "[0, 0]"), (3, "[0, 0, 0]")] {
            let text = format!(
                "pliant = 1\ndimension = {dimension}\nspacing = 0.05\n[method.mpm]\n[materials.a]\npreset = \"jello\"\n\
                 [[objects]]\nmaterial = \"a\"\nshape.ball.radius = 0.3\nvelocity = {}\nposition = {position}\n",
                position.replacen('0', "2", 1)
            );
            let scene = Scene::from_text(&text, Path::new("."), &[]).unwrap();
            let snapshot = scene.simulation().unwrap().snapshot();
            let mut grid = NodeGrid::of(&snapshot, &scene);
            let mass: f32 = grid.mass.iter().sum();
            let expected = snapshot.quantity("mass").unwrap() as f32;
            assert!((mass / expected - 1.0).abs() < 1e-4, "{mass} {expected}");
            let momentum: f32 = grid.momentum.iter().map(|p| p.x).sum();
            assert!((momentum / (2.0 * expected) - 1.0).abs() < 1e-4);
            let positions = snapshot.positions().to_vec();
            let normals = grid.normals(&positions);
            let outward = positions.iter().zip(&normals).filter(|(p, _)| p[0].hypot(p[1]).hypot(p[2]) > 0.26);
            for (p, n) in outward {
                let radial: f32 = (0..3).map(|a| p[a] * n[a]).sum::<f32>() / 0.28;
                assert!(radial > 0.6, "{p:?} {n:?}");
            }
        }
    }
}
