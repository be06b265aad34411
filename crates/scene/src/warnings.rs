//! What is likely to go wrong in a scene that is right in form.

use std::collections::{BTreeMap, BTreeSet};

use pliant_geometry::neighbours::Cells;
use pliant_math::{Vec3, Vect, embed};
use pliant_world::{Body, VectorField, World};
use pliant_zhou::zhou2013::Integrator;

use crate::scene::{Emission, Method, Object, Scene};

/// Spacings a particle may move in a step before contacts seen where particles are need halved steps.
const MAX_TRAVEL: f64 = 0.5;
/// The same for contacts seen along the way of particles past other bodies.
const MAX_PASS: f64 = 2.0;
/// Spacings a pressure wave may cross in a step before stiff parts lose accuracy.
const MAX_CROSSED: f64 = 1000.0;
/// Particles of two bodies closer than this, in spacings, overlap.
const OVERLAP: f64 = 0.6;
/// So far around it a particle is asked whether it is inside another body [spacings].
const AROUND: f64 = 1.2;
/// Mean of the directions of others, as a vector, above which they lie on one side.
const ONE_SIDED: f64 = 0.4;
/// A drop longer than this is a fall out of the scene [m].
const MAX_DROP: f64 = 1e3;

/// All warnings, one sentence each. `contact_dt` is the longest step that contacts see [s].
pub(crate) fn of<const D: usize>(scene: &Scene, world: &World<D>, contact_dt: f64) -> Vec<String> {
    let mut notes = Vec::new();
    if world.particles.is_empty() {
        notes.push("there is nothing to simulate: add an object".to_owned());
    }
    notes.extend(scene.objects.iter().filter_map(|object| never_seen(scene, object)));
    if matches!(scene.method, Method::Zhou2013(_)) {
        notes.extend(stiff_step(scene, world));
    }
    notes.extend(world.bodies.iter().flat_map(|body| inside_colliders(world, body)));
    notes.extend(overlaps(world));
    let mut falls: Vec<String> =
        world.bodies.iter().filter_map(|body| fall(scene, world, body, contact_dt)).collect();
    let hidden = falls.len().saturating_sub(5);
    falls.truncate(5);
    notes.extend(falls);
    if hidden > 0 {
        notes.push(format!("and {hidden} more bodies like these"));
    }
    notes
}

/// An object that would appear after the end.
fn never_seen(scene: &Scene, object: &Object) -> Option<String> {
    let (Emission::Bursts { start, .. } | Emission::Stream { start, .. }) = object.emission?;
    (start > scene.time.duration).then(|| {
        let (name, end) = (&object.name, scene.time.duration);
        format!("`{name}` would appear at {start} s, after the end of the run at {end} s; start it earlier")
    })
}

/// Spacings a pressure wave crosses in a step, in the stiffest body.
pub(crate) fn spacings_crossed<const D: usize>(world: &World<D>, dt: f64) -> f64 {
    let crossed = |body: &Body| {
        let particles = body.particles.clone();
        // Every particle only where a parameter varies; one stands for all otherwise.
        let varies = world.variations.iter().any(|variation| variation.particles == particles);
        let step = if varies { 1 } else { particles.len().max(1) };
        let fastest = particles.step_by(step).map(|i| world.material_of(i).sound_speed()).fold(0.0, f64::max);
        fastest * dt / body.spacing
    };
    world.bodies.iter().map(crossed).fold(0.0, f64::max)
}

fn stiff_step<const D: usize>(scene: &Scene, world: &World<D>) -> Option<String> {
    let crossed = spacings_crossed(world, scene.time.dt);
    (crossed > MAX_CROSSED).then(|| {
        let better = scene.time.dt * MAX_CROSSED / crossed;
        format!(
            "time.dt = {} s is long for the stiffest material: a pressure wave crosses {crossed:.0} particles in a \
             step; try {better:.1e} s or a softer material",
            scene.time.dt
        )
    })
}

fn inside_colliders<const D: usize>(world: &World<D>, body: &Body) -> Vec<String> {
    let mut notes = Vec::new();
    for collider in &world.colliders {
        let pose = collider.world_from_initial(0.0);
        let depth = |i: usize| -collider.distance(&pose, &embed(&world.particles.position[i]));
        let count = body.particles.clone().filter(|&i| depth(i) > 0.0).count();
        if count > 0 {
            let (name, other, all) = (&body.name, &collider.name, body.particles.len());
            notes.push(format!(
                "{count} of {all} particles of `{name}` start inside the collider `{other}`; move it"
            ));
        }
    }
    notes
}

/// Pairs of bodies of which one has particles inside the other.
fn overlaps<const D: usize>(world: &World<D>) -> Vec<String> {
    let positions = &world.particles.position;
    let largest = world.bodies.iter().map(|body| body.spacing).fold(0.0, f64::max);
    if world.bodies.len() < 2 || largest <= 0.0 {
        return Vec::new();
    }
    let cells = Cells::new(positions, AROUND * largest);
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    for (i, position) in positions.iter().enumerate() {
        let body = world.particles.body[i];
        let mut around: BTreeMap<u32, Around<D>> = BTreeMap::new();
        cells.for_each_near(position, |j, there| {
            let other = world.particles.body[j as usize];
            let spacing = world.bodies[body as usize].spacing.min(world.bodies[other as usize].spacing);
            let are_together = world.particles.birth_of(i) == world.particles.birth_of(j as usize);
            let way = (there - position) / spacing;
            if other != body && are_together && way.norm() < AROUND {
                around.entry(other).or_default().add(&way);
            }
        });
        let inside = around.into_iter().filter(|(_, around)| around.is_inside());
        pairs.extend(inside.map(|(other, _)| (body.min(other), body.max(other))));
    }
    let name = |body: u32| &world.bodies[body as usize].name;
    pairs
        .iter()
        .take(5)
        .map(|&(a, b)| format!("`{}` and `{}` overlap; move one of them", name(a), name(b)))
        .collect()
}

/// Particles of another body around a particle.
struct Around<const D: usize> {
    count: usize,
    /// Sum of the directions they lie in.
    directions: Vect<D>,
    /// Distance of the nearest one [spacings].
    nearest: f64,
}

impl<const D: usize> Default for Around<D> {
    fn default() -> Self {
        Self { count: 0, directions: Vect::zeros(), nearest: f64::INFINITY }
    }
}

impl<const D: usize> Around<D> {
    fn add(&mut self, way: &Vect<D>) {
        self.count += 1;
        self.directions += way / way.norm().max(f64::MIN_POSITIVE);
        self.nearest = self.nearest.min(way.norm());
    }

    /// Whether the particle is in their midst. A lattice leaves room for another one, whose particles come no nearer than
    /// most of a spacing; but bodies that touch lie on one side of each other.
    fn is_inside(&self) -> bool {
        let surrounded = self.count > D && self.directions.norm() < ONE_SIDED * self.count as f64;
        self.nearest < OVERLAP || surrounded
    }
}

/// What happens to a body that falls: it leaves the scene, or lands too fast for the time step.
/// `contact_dt` is the longest step that contacts see [s].
fn fall<const D: usize>(scene: &Scene, world: &World<D>, body: &Body, contact_dt: f64) -> Option<String> {
    let VectorField::Constant(gravity) = &scene.gravity.field else { return None };
    let held =
        world.pins.iter().any(|pin| pin.particles.iter().any(|&i| body.particles.contains(&(i as usize))));
    let strength = gravity.norm();
    let fastest = body.particles.clone().map(|i| world.particles.velocity[i].norm()).fold(0.0, f64::max);
    let mut speed = fastest;
    if strength > 0.0 && !held {
        let lowest = body
            .particles
            .clone()
            .map(|i| embed(&world.particles.position[i]))
            .max_by(|a, b| gravity.dot(a).total_cmp(&gravity.dot(b)))?;
        let reach = 0.5 * strength * scene.time.duration.powi(2) + fastest * scene.time.duration;
        match drop_height(world, &lowest, &(gravity / strength)) {
            Some(height) => speed = (fastest.powi(2) + 2.0 * strength * height.min(reach)).sqrt(),
            None if world.bodies.len() == 1 && fastest == 0.0 && !has_walls(scene) => {
                return Some(format!("nothing is below `{}`: it falls for ever; add a collider", body.name));
            }
            None => {}
        }
    }
    let travel = speed * contact_dt / body.spacing;
    let longest = longest_way(scene, world);
    (travel > longest).then(|| {
        let better = contact_dt * longest / travel;
        format!(
            "`{}` reaches about {speed:.1} m/s and moves {travel:.1} spacings in a step, so steps will be halved at \
             contact; try time.dt = {better:.1e} s",
            body.name
        )
    })
}

/// Spacings a particle may move in a step before it has to be halved. The implicit method finds colliders at any speed.
fn longest_way<const D: usize>(scene: &Scene, world: &World<D>) -> f64 {
    match &scene.method {
        Method::Zhou2013(settings) if settings.integrator != Integrator::Explicit => {
            if world.bodies.len() > 1 { MAX_PASS } else { f64::INFINITY }
        }
        _ => MAX_TRAVEL,
    }
}

/// Whether everything is in a box.
fn has_walls(scene: &Scene) -> bool {
    matches!(&scene.method, Method::Mpm(settings) if settings.domain.is_some())
}

/// How far a point falls before it meets a collider [m]; none if it meets none.
fn drop_height<const D: usize>(world: &World<D>, start: &Vec3, down: &Vec3) -> Option<f64> {
    let mut fallen = 0.0;
    for _ in 0..1000 {
        let point = start + down * fallen;
        let nearest = world
            .colliders
            .iter()
            .map(|collider| collider.distance(&collider.world_from_initial(0.0), &point))
            .fold(f64::INFINITY, f64::min);
        if nearest <= 1e-3 {
            return Some(fallen);
        }
        fallen += nearest;
        if fallen > MAX_DROP {
            return None;
        }
    }
    Some(fallen)
}
