//! Worlds and runs of the Material Point Method that several cases share.

use pliant_geometry::Shape;
use pliant_material::{EquationOfState, Fluid, Law, Material};
use pliant_math::{Vec3, Vect};
use pliant_mpm::MpmSettings;
use pliant_mpm::{Precision, solver};
use pliant_solver::{Care, Solver, Span, StepError, Totals};
use pliant_world::{Acceleration, Collider, Column, Motion, World};

/// Cell-centred points of a box between two corners, `spacing` apart, that are `inside`.
pub(super) fn fill<const D: usize>(
    low: [f64; D],
    high: [f64; D],
    spacing: f64,
    inside: impl Fn(&Vect<D>) -> bool,
) -> Vec<Vect<D>> {
    let counts: [usize; D] =
        std::array::from_fn(|axis| ((high[axis] - low[axis]) / spacing).round() as usize);
    let place = |number: usize| {
        let mut rest = number;
        Vect::<D>::from_fn(|axis, _| {
            let cell = rest % counts[axis];
            rest /= counts[axis];
            low[axis] + (cell as f64 + 0.5) * spacing
        })
    };
    (0..counts.iter().product()).map(place).filter(inside).collect()
}

/// A world with one body.
pub(super) fn world_of<const D: usize>(points: &[Vect<D>], spacing: f64, material: Material) -> World<D> {
    let mut world = World::empty();
    world.materials.push(material);
    world.add_body("body", points, spacing, 0);
    world
}

/// Adds a uniform acceleration [m/s²].
pub(super) fn accelerate<const D: usize>(world: &mut World<D>, acceleration: Vec3) {
    world.accelerations.push(Acceleration::uniform(acceleration));
}

/// Adds a plate that fills the half space below a plane.
pub(super) fn add_plate<const D: usize>(world: &mut World<D>, outward: Vec3, point: Vec3, friction: f64) {
    world.colliders.push(Collider {
        name: "plate".to_owned(),
        shape: Shape::half_space(outward, point).expect("the normal has a direction"),
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    });
}

/// Adds a plane of symmetry through the origin: matter slides along it and neither enters nor leaves it.
pub(super) fn add_mirror<const D: usize>(world: &mut World<D>, outward: Vec3) {
    add_plate(world, outward, Vec3::zeros(), 0.0);
    if let Some(plate) = world.colliders.last_mut() {
        // Not infinite: that would hold sliding as well.
        plate.stickiness = f64::MAX;
    }
}

/// Water with pressure waves of a given speed [m/s], as stiff as a flow of a tenth of it needs.
pub(super) fn water(wave_speed: f64) -> Material {
    let exponent = 7.0;
    let density = 1000.0;
    let fluid = Fluid {
        state: EquationOfState::Tait { exponent },
        bulk_modulus: density * wave_speed * wave_speed / exponent,
        viscosity: 0.0,
    };
    Material { law: Some(Law::Fluid(fluid)), lame: fluid.lame(), ..crate::stage::elastic(density, 1.0, 0.0) }
}

/// Settings in double precision on a grid twice as coarse as the particles.
pub(super) fn double() -> MpmSettings {
    MpmSettings { precision: Precision::Double, ..MpmSettings::default() }
}

/// A world that is stepped as far as is stable.
pub(super) struct Run<const D: usize> {
    pub world: World<D>,
    pub solver: Box<dyn Solver<D>>,
    pub time: f64,
}

impl<const D: usize> Run<D> {
    pub fn new(world: World<D>, settings: MpmSettings) -> Self {
        // SCRATCH-BEGIN
        let mut settings = settings;
        let var = |n: &str| std::env::var(n).ok();
        if let Some(v) = var("AF") {
            settings.transfer = pliant_mpm::Transfer::AffineFlip(v.parse().unwrap());
        }
        if let Some(v) = var("FL") {
            settings.transfer = pliant_mpm::Transfer::Flip(v.parse().unwrap());
        }
        if let Some(v) = var("CO") {
            settings.courant = v.parse().unwrap();
        }
        if var("CUBIC").is_some() {
            settings.kernel = pliant_mpm::Kernel::Cubic;
        }
        if var("KG").is_some() {
            settings.gradient = pliant_mpm::Gradient::Kernel;
        }
        if var("DP").is_some() {
            settings.precision = Precision::Double;
        }
        if var("IMP").is_some() {
            settings.integrator = pliant_mpm::Integrator::Implicit;
        }
        // SCRATCH-END
        let solver = solver(&world, settings);
        Self { world, solver, time: 0.0 }
    }

    /// One step, at most to `end` [s].
    pub fn step(&mut self, end: f64) -> Result<(), StepError> {
        let longest = self.solver.longest_step().unwrap_or(1e-3);
        let rest = end - self.time;
        let dt = if rest < 1.5 * longest { rest.min(longest) } else { longest };
        self.solver.step(&mut self.world, Span { time: self.time, dt, care: Care::Strict })?;
        self.time += dt;
        Ok(())
    }

    /// Steps to `end` [s] and brings the world up to date.
    pub fn until(&mut self, end: f64) -> Result<(), StepError> {
        while self.time < end * (1.0 - 1e-12) {
            self.step(end)?;
        }
        self.solver.publish(&mut self.world);
        Ok(())
    }

    pub fn totals(&self) -> Totals {
        Totals::of(&self.world)
    }

    /// Kinetic and elastic energy [J].
    pub fn energy(&self) -> f64 {
        self.totals().kinetic_energy + self.solver.elastic_energy(&self.world)
    }

    /// A particle column of the method.
    pub fn scalars(&self, name: &str) -> Vec<f64> {
        let fields = self.solver.fields(&self.world);
        match fields.into_iter().find(|field| field.name == name).map(|field| field.column) {
            Some(Column::Scalar(values)) => values.into_iter().map(f64::from).collect(),
            _ => unreachable!("the method has a column {name}"),
        }
    }
}

/// The value that a share of all values is below.
pub(super) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * share).round() as usize]
}
