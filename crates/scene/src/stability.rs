//! Whether a scene stays stable in steps of a given length (Zhou 2013, Table 1: "the largest possible").

use pliant_math::Vec3;
use pliant_solver::AnySimulation;
use pliant_world::{Snapshot, VectorField, World};
use pliant_zhou::zhou2013::Integrator;

use crate::build::AnyWorld;
use crate::error::SceneError;
use crate::scene::{Method, Scene, TimePlan};
use crate::warnings::spacings_crossed;

/// A particle this many times faster than falling could make it did not get there by physics; in an elastic
/// impact some reach twice.
const MAX_SPEED: f64 = 3.0;
/// Share of the energy set free so far that the total may gain; a symplectic step near its limit sways by less.
const MAX_GAIN: f64 = 0.25;
/// A body this many times larger than at the start has burst; a splash of clay reaches six.
const MAX_EXTENT: f64 = 10.0;
/// How often a trial is looked at: an explosion does not go away.
const LOOKS: u32 = 40;

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It reached its end.
    Stable,
    /// It did not.
    Unstable {
        /// When that was seen [s].
        time: f64,
        /// What was seen.
        cause: String,
    },
}

/// A scene that is simulated in steps of exactly one length, and watched.
pub struct StepTrial {
    simulation: Box<dyn AnySimulation>,
    judge: Judge,
    steps_between_looks: u64,
}

/// Numbers that the search for the largest stable step starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepScale {
    /// Time in which a pressure wave crosses one spacing, `d/c` of the stiffest body [s].
    pub crossing_time: f64,
    /// Where to begin: the limit of an explicit method, or the step of the scene [s].
    pub first_guess: f64,
}

impl Scene {
    /// Where a search for the largest stable step begins.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn step_scale(&self) -> Result<StepScale, SceneError> {
        Ok(match self.build()? {
            AnyWorld::Plane(world) => self.scale_of(&world),
            AnyWorld::Space(world) => self.scale_of(&world),
        })
    }

    fn scale_of<const D: usize>(&self, world: &World<D>) -> StepScale {
        let first_guess = match &self.method {
            Method::Zhou2013(settings) if settings.integrator == Integrator::Explicit => {
                settings.resistance().critical_step(world)
            }
            Method::Zhou2013(_) => self.time.dt,
            Method::Gbb2009(settings) => settings.resistance::<D>().critical_step(world),
            Method::Sph(_) => self.time.dt,
            Method::Mpm(_) => self.solver_of(world).longest_step().unwrap_or(self.time.dt),
        };
        StepScale { crossing_time: 1.0 / spacings_crossed(world, 1.0), first_guess }
    }

    /// The scene in steps of exactly `dt` [s] for at least `time` [s].
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn step_trial(&self, dt: f64, time: f64) -> Result<StepTrial, SceneError> {
        // The margin keeps a multiple of the step at that multiple, whatever the last bit says.
        let steps = (time / dt * (1.0 - 1e-9)).ceil().clamp(1.0, f64::from(u32::MAX)) as u32;
        let mut scene = self.clone();
        scene.time = TimePlan { duration: f64::from(steps) * dt, fps: 1.0 / dt, dt, frame_count: steps };
        match &mut scene.method {
            Method::Zhou2013(settings) => {
                (settings.substep, settings.step_error) = (Some(dt), None);
            }
            Method::Gbb2009(settings) => settings.substep = Some(dt),
            Method::Mpm(settings) => settings.substep = Some(dt),
            Method::Sph(settings) => settings.elastic_step = dt,
        }
        let mut simulation = scene.simulation()?;
        let judge = Judge::new(&scene, &simulation.snapshot());
        Ok(StepTrial { simulation, judge, steps_between_looks: u64::from(steps.div_ceil(LOOKS)) })
    }
}

impl StepTrial {
    /// Takes a step; the verdict once there is one.
    pub fn advance(&mut self) -> Option<Verdict> {
        let before = self.simulation.clock().time();
        let refused = match self.simulation.step() {
            Ok(status) => status.rejected.into_iter().next(),
            Err(error) => Some(error.cause),
        };
        if let Some(cause) = refused {
            return Some(Verdict::Unstable { time: before, cause: cause.to_string() });
        }
        let finished = self.simulation.is_finished();
        if finished || self.simulation.steps().is_multiple_of(self.steps_between_looks) {
            let snapshot = self.simulation.snapshot();
            if let Some(cause) = self.judge.fault(&snapshot) {
                return Some(Verdict::Unstable { time: snapshot.time, cause });
            }
        }
        finished.then_some(Verdict::Stable)
    }
}

/// What a trial is measured against.
struct Judge {
    gravity: Vec3,
    /// Whether nothing but a constant gravity feeds energy in: only then speed and energy have a bound.
    is_closed: bool,
    start: Vec<Vec3>,
    /// Fastest particle at the start [m/s].
    start_speed: f64,
    /// Largest distance from the centre of its body at the start, body by body [m].
    start_extent: Vec<f64>,
    start_total: f64,
    start_stored: f64,
    start_potential: f64,
    least_potential: f64,
}

impl Judge {
    fn new(scene: &Scene, first: &Snapshot) -> Self {
        let is_moved =
            scene.objects.iter().flat_map(|object| &object.pins).any(|pin| !pin.motion.is_static())
                || scene.colliders.iter().any(|collider| !collider.motion.is_static());
        let (gravity, is_constant) = match &scene.gravity.field {
            VectorField::Constant(value) => (*value, true),
            VectorField::Varying(_) => (Vec3::zeros(), false),
        };
        let potential = quantity(first, "potential_energy");
        Self {
            gravity,
            is_closed: is_constant && !is_moved && scene.forces.is_empty(),
            start: points(first, Snapshot::POSITION),
            start_speed: fastest(first),
            start_extent: extents(first),
            start_total: quantity(first, "total_energy"),
            start_stored: quantity(first, "kinetic_energy") + quantity(first, "elastic_energy"),
            start_potential: potential,
            least_potential: potential,
        }
    }

    /// What is wrong, if anything is.
    fn fault(&mut self, now: &Snapshot) -> Option<String> {
        for (body, (extent, before)) in extents(now).iter().zip(&self.start_extent).enumerate() {
            if *extent > MAX_EXTENT * before {
                return Some(format!("body {body} has burst to {:.0} times its size", extent / before));
            }
        }
        if !self.is_closed {
            return None;
        }
        let fallen = points(now, Snapshot::POSITION)
            .iter()
            .zip(&self.start)
            .map(|(x, start)| self.gravity.dot(&(x - start)))
            .fold(0.0, f64::max);
        let (speed, allowed) = (fastest(now), (self.start_speed.powi(2) + 2.0 * fallen).sqrt());
        if speed > MAX_SPEED * allowed && allowed > 0.0 {
            return Some(format!("a particle moves at {speed:.2} m/s where {allowed:.2} m/s can be reached"));
        }
        self.least_potential = self.least_potential.min(quantity(now, "potential_energy"));
        let free = self.start_stored + self.start_potential - self.least_potential;
        let gain = quantity(now, "total_energy") - self.start_total;
        (gain > MAX_GAIN * free && free > 0.0)
            .then(|| format!("the energy grew by {:.0} % of what was set free", 100.0 * gain / free))
    }
}

fn quantity(snapshot: &Snapshot, name: &str) -> f64 {
    snapshot.quantity(name).unwrap_or(f64::NAN)
}

fn points(snapshot: &Snapshot, name: &str) -> Vec<Vec3> {
    let rows = snapshot.vectors(name).unwrap_or_default();
    rows.iter().map(|row| Vec3::from_fn(|axis, _| f64::from(row[axis]))).collect()
}

fn fastest(snapshot: &Snapshot) -> f64 {
    points(snapshot, Snapshot::VELOCITY).iter().map(Vec3::norm).fold(0.0, f64::max)
}

/// Largest distance of a particle from the centre of its body, body by body, with its own radius [m].
fn extents(snapshot: &Snapshot) -> Vec<f64> {
    let (x, body) = (points(snapshot, Snapshot::POSITION), snapshot.integers("body").unwrap_or_default());
    let radius = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    let count = body.iter().max().map_or(0, |last| *last as usize + 1);
    let (mut center, mut members) = (vec![Vec3::zeros(); count], vec![0.0; count]);
    for (x, &body) in x.iter().zip(body) {
        center[body as usize] += x;
        members[body as usize] += 1.0;
    }
    let mut extent = vec![0.0_f64; count];
    for ((x, &body), &radius) in x.iter().zip(body).zip(radius) {
        let body = body as usize;
        extent[body] = extent[body].max((x - center[body] / members[body]).norm() + f64::from(radius));
    }
    extent
}
