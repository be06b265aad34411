//! Tests of the solver as a whole, and what they share.

mod conservation;
mod diffusion;
mod lanes;
mod mixtures;
mod obstacles;
mod state;
mod tearing;

use super::*;
use crate::grain::{Bunch, Grain, widen};
use crate::layout::tile_size;
use crate::to_grid::Scatter;
use crate::to_particles::Gather;
use crate::transfer::Node;
use grain::Pack;
use nalgebra::{SMatrix, SVector};
use pliant_geometry::Shape;
use pliant_material::elastic::Law;
use pliant_material::{Material, preset};
use pliant_math::Random;
use pliant_math::{Mat, Vec3};
use pliant_solver::{AnySimulation, Care, Simulation, Stepping};
use pliant_world::{Acceleration, Column, Motion};
use pulp::{Simd, WithSimd};
use registers::{Registers, Run, Task};
use to_grid::ScatterPack;
use to_particles::{Source, Taken};

impl<T: Scalar, const D: usize> Mpm<T, D> {
    fn grains(&self) -> impl Iterator<Item = Grain<T, D>> {
        self.state.bunches.iter().flat_map(Bunch::iter)
    }
}

pub(crate) fn material(name: &str) -> Material {
    preset(name).unwrap().material()
}

fn double() -> MpmSettings {
    MpmSettings { precision: Precision::Double, ..MpmSettings::default() }
}

/// Cells of edge `spacing` whose centres are inside.
pub(crate) fn lattice<const D: usize>(
    half: f64,
    spacing: f64,
    inside: impl Fn(&Vect<D>) -> bool,
) -> Vec<Vect<D>> {
    let count = (2.0 * half / spacing).round() as usize;
    let place = |number: usize| {
        let mut rest = number;
        Vect::<D>::from_fn(|_, _| {
            let cell = rest % count;
            rest /= count;
            (cell as f64 + 0.5) * spacing - half
        })
    };
    (0..count.pow(D as u32)).map(place).filter(|x| inside(x)).collect()
}

/// A ball of jello, off the grid's lattice.
pub(crate) fn ball<const D: usize>(radius: f64, spacing: f64) -> World<D> {
    let mut world = World::empty();
    world.materials.push(material("rubber"));
    let shift = Vect::<D>::from_fn(|axis, _| 0.37 * spacing * (axis as f64 + 1.0));
    let points: Vec<_> =
        lattice::<D>(radius, spacing, |x| x.norm() < radius).iter().map(|x| x + shift).collect();
    world.add_body("ball", &points, spacing, 0);
    world
}

fn spin<const D: usize>(world: &mut World<D>, rate: f64) {
    for (x, v) in world.particles.position.iter().zip(&mut world.particles.velocity) {
        (v[0], v[1]) = (-rate * x[1], rate * x[0]);
    }
}

/// Takes steps of the length that the solver asks for.
fn run<const D: usize>(world: &mut World<D>, solver: &mut dyn Solver<D>, steps: usize) {
    let mut time = 0.0;
    for _ in 0..steps {
        let dt = solver.longest_step().unwrap();
        solver.step(world, Span { time, dt, care: Care::Strict }).unwrap();
        time += dt;
    }
    solver.publish(world);
}

pub(crate) fn floor(friction: f64) -> Collider {
    Collider {
        name: "floor".to_owned(),
        shape: Shape::HalfSpace { normal: Vec3::y(), offset: 0.0 },
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    }
}

/// A grain at rest.
pub(super) fn grain<T: Scalar, const D: usize>() -> Grain<T, D> {
    Grain {
        position: Vect::zeros(),
        velocity: SVector::zeros(),
        affine: SMatrix::zeros(),
        elastic: SMatrix::identity(),
        stress: SMatrix::zeros(),
        mass: T::one(),
        volume: T::one(),
        memory_volume: T::one(),
        memory_strain: T::zero(),
        saturation: T::zero(),
        id: 0,
        matter: 0,
        species: 0,
    }
}

/// Sand, snow, rubber and water of different warmth that fall side by side.
fn mixed_scene() -> World<2> {
    let mut world = World::empty();
    world.materials = ["sand", "nilles-snow", "rubber", "water"].map(material).to_vec();
    for (material, x) in [(0u16, -0.3_f64), (1, -0.1), (2, 0.1), (3, 0.3)] {
        let points: Vec<_> = lattice::<2>(0.05, 0.01, |_| true)
            .iter()
            .map(|p| p + Vect::from([x, 0.06 + 0.1 * x.abs()]))
            .collect();
        let particles = world.add_body("piece", &points, 0.01, material);
        let values = vec![x; particles.len()];
        world.concentrations.push(pliant_world::Values { particles, values });
    }
    world.materials.iter_mut().for_each(|material| material.diffusivity = 1e-3);
    for v in &mut world.particles.velocity {
        v[0] = -0.4 * v[1].signum();
    }
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    world.colliders.push(floor(0.4));
    world
}
