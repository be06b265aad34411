//! Worlds that several physics tests share.

use pliant_geometry::Shape;
use pliant_material::plastic::{Bargteil2007, Plastic};
use pliant_material::{Lame, Material};
use pliant_math::{Mat, Vec3, Vect, parallel, principal};
use pliant_solver::{AnySimulation, Care, Solver, Span, StepReport};
use pliant_world::{Acceleration, Collider, Motion, World};
use pliant_zhou::{Zhou2013, Zhou2013Settings};

pub const DENSITY: f64 = 1000.0;

pub fn material(young: f64, poisson: f64) -> Material {
    Material {
        name: "test".to_owned(),
        density: DENSITY,
        law: None,
        lame: Lame::new(young, poisson).expect("tests use stable moduli"),
        plastic: None,
        friction: 0.5,
        stickiness: 0.0,
        tear_stretch: f64::INFINITY,
        diffusivity: 0.0,
        merges: false,
        color: [0.5; 3],
    }
}

pub fn plastic(young: f64, poisson: f64, yield_stress: f64) -> Material {
    let flow = Bargteil2007 { yield_stress, relaxation_time: 0.0, hardening: 0.0 };
    Material { plastic: Some(Plastic::Bargteil2007(flow)), ..material(young, poisson) }
}

/// Cell-centred lattice points of a block whose lower corner is the origin.
pub fn lattice(counts: [usize; 3], spacing: f64) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    let at =
        |x: usize, y: usize, z: usize| Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * spacing;
    (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| at(x, y, z)))).collect()
}

pub fn world_of(positions: &[Vec3], spacing: f64, material: Material) -> World<3> {
    let mut world = World::empty();
    world.materials.push(material);
    world.add_body("body", positions, spacing, 0);
    world
}

pub fn with_gravity(mut world: World<3>) -> World<3> {
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    world
}

/// Ground at height 0.
pub fn with_ground(mut world: World<3>, friction: f64) -> World<3> {
    world.colliders.push(Collider {
        name: "ground".to_owned(),
        shape: Shape::half_space(Vec3::y(), Vec3::zeros()).expect("y is a direction"),
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    });
    world
}

/// Steps of fixed length.
pub struct Run {
    pub world: World<3>,
    pub solver: Zhou2013<3>,
    pub time: f64,
    pub iterations: usize,
}

impl Run {
    pub fn new(world: World<3>, settings: Zhou2013Settings) -> Self {
        let solver = Zhou2013::new(&world, settings);
        Self { world, solver, time: 0.0, iterations: 0 }
    }

    pub fn step(&mut self, dt: f64) -> StepReport {
        let span = Span { time: self.time, dt, care: Care::LastResort };
        let report = parallel::inside(|| self.solver.step(&mut self.world, span)).expect("the step is taken");
        self.time += dt;
        self.iterations += report.iterations;
        report
    }

    pub fn steps(&mut self, count: usize, dt: f64) {
        for _ in 0..count {
            self.step(dt);
        }
    }
}

/// Runs a simulation to its end.
pub fn finish(simulation: &mut dyn AnySimulation) {
    while !simulation.is_finished() {
        simulation.step().expect("the step is taken");
    }
}

/// The rigid motion that fits best: rotation and the two centres.
pub fn rigid_fit(rest: &[Vec3], now: &[Vec3]) -> (Mat<3>, Vec3, Vec3) {
    let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (from, to) = (center(rest), center(now));
    let covariance: Mat<3> = rest.iter().zip(now).map(|(p, q)| (q - to) * (p - from).transpose()).sum();
    (principal(&covariance).rotation(), from, to)
}

/// Distance of each particle from where the best rigid motion of the rest pose would put it: rms and largest.
pub fn shape_error(rest: &[Vec3], now: &[Vec3]) -> (f64, f64) {
    let (rotation, from, to) = rigid_fit(rest, now);
    let errors = rest.iter().zip(now).map(|(p, q)| (q - to - rotation * (p - from)).norm());
    let (squares, largest) = errors.fold((0.0, 0.0f64), |(s, m), e| (s + e * e, m.max(e)));
    ((squares / rest.len() as f64).sqrt(), largest)
}

pub fn size(positions: &[Vec3], axis: usize) -> f64 {
    let values = positions.iter().map(|x| x[axis]);
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}

pub fn rotation_about(axis: Vec3, angle: f64) -> Mat<3> {
    *nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), angle).matrix()
}

pub fn rotated(positions: &[Vec3], rotation: &Mat<3>) -> Vec<Vec3> {
    let center = positions.iter().sum::<Vec3>() / positions.len() as f64;
    positions.iter().map(|x| center + rotation * (x - center)).collect()
}

pub fn moved(positions: &[Vec3], shift: Vect<3>) -> Vec<Vec3> {
    positions.iter().map(|x| x + shift).collect()
}
