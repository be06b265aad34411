//! Bodies and loads that several cases share.

use pliant_geometry::Shape;
use pliant_material::{Lame, Material};
use pliant_math::{Vec3, parallel};
use pliant_solver::{Care, Solver, Span, StepError};
use pliant_world::{Acceleration, Collider, Column, Motion, Pin, World};
use pliant_zhou::{Zhou2013, Zhou2013Settings};

/// Standard gravity of the references [m/s²].
pub(crate) const GRAVITY: f64 = 9.81;

/// An elastic material: density [kg/m³], Young's modulus [Pa] and Poisson's ratio.
pub(crate) fn elastic(density: f64, young: f64, poisson: f64) -> Material {
    Material {
        name: "matter".to_owned(),
        density,
        law: None,
        lame: Lame::new(young, poisson).expect("cases use stable moduli"),
        plastic: None,
        friction: 0.5,
        stickiness: 0.0,
        tear_stretch: f64::INFINITY,
        diffusivity: 0.0,
        merges: false,
        color: [0.5; 3],
    }
}

/// Cell-centred lattice points of a block whose lower corner is the origin.
pub(crate) fn lattice(counts: [usize; 3], spacing: f64) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    let at =
        |x: usize, y: usize, z: usize| Vec3::new(x as f64 + 0.5, y as f64 + 0.5, z as f64 + 0.5) * spacing;
    (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| at(x, y, z)))).collect()
}

/// A world with one body.
pub(crate) fn world_of(positions: &[Vec3], spacing: f64, material: Material) -> World<3> {
    let mut world = World::empty();
    world.materials.push(material);
    world.add_body("body", positions, spacing, 0);
    world
}

/// Adds a uniform acceleration [m/s²].
pub(crate) fn accelerate(world: &mut World<3>, acceleration: Vec3) {
    world.accelerations.push(Acceleration::uniform(acceleration));
}

/// Adds a plate that fills the half space below a plane.
pub(crate) fn add_plate(world: &mut World<3>, outward: Vec3, point: Vec3, friction: f64, motion: Motion) {
    world.colliders.push(Collider {
        name: "plate".to_owned(),
        shape: Shape::half_space(outward, point).expect("the normal has a direction"),
        motion,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    });
}

/// Holds the selected particles where `place` puts them.
pub(crate) fn hold(world: &mut World<3>, select: impl Fn(&Vec3) -> bool, place: impl Fn(&Vec3) -> Vec3) {
    let positions = &world.particles.position;
    let particles: Vec<u32> = (0u32..).zip(positions).filter(|(_, x)| select(x)).map(|(i, _)| i).collect();
    let initial = particles.iter().map(|&i| place(&positions[i as usize])).collect();
    world.pins.push(Pin { particles, initial, motion: Motion::Static });
}

/// Steps of fixed length.
pub(crate) struct Run {
    pub world: World<3>,
    pub solver: Zhou2013<3>,
    pub time: f64,
}

impl Run {
    pub fn new(world: World<3>, settings: Zhou2013Settings) -> Self {
        let solver = Zhou2013::new(&world, settings);
        Self { world, solver, time: 0.0 }
    }

    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        let span = Span { time: self.time, dt, care: Care::LastResort };
        parallel::inside(|| self.solver.step(&mut self.world, span))?;
        self.time += dt;
        Ok(())
    }

    pub fn steps(&mut self, count: usize, dt: f64) -> Result<(), StepError> {
        (0..count).try_for_each(|_| self.step(dt))
    }

    /// Mean Cauchy stress along an axis over the present volume of the selected particles [Pa].
    pub fn mean_stress(&self, axis: usize, select: impl Fn(usize) -> bool) -> f64 {
        let columns = self.solver.fields(&self.world);
        let column = |name: &str| columns.iter().find(|field| field.name == name).map(|field| &field.column);
        let (Some(Column::Tensor(stress)), Some(Column::Scalar(ratio))) = (column("stress"), column("J"))
        else {
            unreachable!("the method has a stress tensor and a volume ratio")
        };
        let chosen = (0..ratio.len()).filter(|&i| select(i));
        let (force, volume) = chosen.fold((0.0, 0.0), |(force, volume), i| {
            let j = f64::from(ratio[i]);
            (force + f64::from(stress[i][4 * axis]) * j, volume + j)
        });
        force / volume
    }
}

/// Distance between the outermost particles along an axis [m].
pub(crate) fn size(positions: &[Vec3], axis: usize) -> f64 {
    let values = positions.iter().map(|x| x[axis]);
    values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
}
