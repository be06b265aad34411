//! From a checked scene to a world of particles.

use std::ops::ControlFlow;

use pliant_geometry::rng::SplitMix64;
use pliant_geometry::sampling::{Filling, Observer, Progress};
use pliant_geometry::{Sampler, sample};
use pliant_math::{Mat, Vec3, Vect, flatten};
use pliant_world::{
    Acceleration, Body, Colors, Displacement, Motion, Particles, Pin, Values, Variation, VectorField,
    VelocityGradient, World,
};

use crate::emission::Appearance;
use crate::error::{Fault, SceneError, locate};
use crate::file::quantity::{LARGEST_ACCELERATION, LARGEST_LENGTH, LARGEST_SPEED};
use crate::scene::{Matter, Method, Object, ObjectPin, Scene};

/// A world in the dimension of its scene.
#[derive(Clone, Debug)]
pub enum AnyWorld {
    /// In the plane.
    Plane(World<2>),
    /// In space.
    Space(World<3>),
}

impl Scene {
    /// Fills the objects with particles and gives them their initial state.
    ///
    /// # Errors
    /// When a shape cannot be filled, there are too many particles, a pin holds nothing, or an expression has no
    /// usable value at some particle; the message names the place in the scene file.
    pub fn build(&self) -> Result<AnyWorld, SceneError> {
        let result = match self.dimension {
            2 => self.world::<2>().map(AnyWorld::Plane),
            _ => self.world::<3>().map(AnyWorld::Space),
        };
        result.map_err(|fault| locate(&self.assets.sources, vec![fault]))
    }

    fn world<const D: usize>(&self) -> Result<World<D>, Fault> {
        let mut world = World {
            particles: Particles::default(),
            bodies: Vec::new(),
            materials: self.materials.iter().map(|entry| entry.material.clone()).collect(),
            variations: Vec::new(),
            volume_ratios: Vec::new(),
            concentrations: Vec::new(),
            velocity_gradients: Vec::new(),
            colors: Vec::new(),
            displacements: Vec::new(),
            colliders: self.colliders.clone(),
            pins: Vec::new(),
            accelerations: Vec::new(),
            joints: Vec::new(),
        };
        let mut bodies_of = Vec::with_capacity(self.objects.len());
        for object in &self.objects {
            let first = world.bodies.len();
            self.add_object(object, &mut world)?;
            bodies_of.push(first..world.bodies.len());
        }
        let body_of = |object: usize| bodies_of[object].start;
        world.joints = self.joints.iter().map(|joint| joint.joint(body_of)).collect();
        self.check_domain(&world)?;
        world.accelerations = self.accelerations(&bodies_of);
        self.check_accelerations(&world)?;
        Ok(world)
    }

    /// A bounded domain must hold something: walls push out what is behind them.
    fn check_domain<const D: usize>(&self, world: &World<D>) -> Result<(), Fault> {
        let Method::Mpm(settings) = &self.method else { return Ok(()) };
        let (Some(domain), Some(first)) = (settings.domain, self.objects.first()) else { return Ok(()) };
        let is_inside =
            |x: &Vect<D>| (0..D).all(|axis| (domain.min[axis]..=domain.max[axis]).contains(&x[axis]));
        if world.particles.position.iter().any(is_inside) {
            return Ok(());
        }
        let message = "no particle is inside `method.mpm.domain`: move the objects there or make it larger";
        Err(Fault::new(first.span.clone(), message.to_owned()))
    }

    /// Adds every appearance of an object as a body of its own.
    fn add_object<const D: usize>(&self, object: &Object, world: &mut World<D>) -> Result<(), Fault> {
        let points = self.points(object, world.particles.len())?;
        let volume = self.particle_volume(object, points.len());
        let pins_before = world.pins.len();
        for (copy, appearance) in object.appearances(&points, self.time.duration).enumerate() {
            let Appearance { offset, points: placed, births } = appearance;
            check_size(&placed, LARGEST_LENGTH, "is at a coordinate", "m", object)?;
            let name = match copy {
                0 => object.name.clone(),
                _ => format!("{}.{}", object.name, copy + 1),
            };
            let start = world.particles.len();
            self.add_body(object, volume, &placed, world)?;
            if !births.is_empty() {
                world.particles.birth.resize(start, 0.0);
                world.particles.birth.extend(births);
            }
            let particles = start..world.particles.len();
            if let Some(paint) = &object.paint {
                let own: Vec<Vec3> = placed.iter().map(|point| point - offset).collect();
                world.colors.push(Colors { particles: particles.clone(), values: paint.colors(&own) });
            }
            world.bodies.push(Body {
                name,
                particles,
                species: object.species,
                spacing: object.spacing,
                color: object.color,
                rigid: object.rigid,
            });
            for pin in &object.pins {
                add_pin(pin, &offset, start, &placed, world);
            }
            if object.scatter > 0.0 {
                scatter(object, start, world);
            }
        }
        check_pins(object, &world.pins[pins_before..])
    }

    /// The particles of the first copy, if all copies fit.
    fn points(&self, object: &Object, present: usize) -> Result<Vec<Vec3>, Fault> {
        let free = self.max_particles.saturating_sub(present);
        let points = match &object.matter {
            Matter::Points(points) => points.clone(),
            Matter::Filled { .. } => {
                self.filled(object, free / object.copies.len(), &mut |_| ControlFlow::Continue(()))?.to_vec()
            }
        };
        let copies = object.multiplicity(&points, self.time.duration);
        if points.len() as f64 * copies > free as f64 {
            let message = format!(
                "`{}` has {} particles in {copies} copies, more than `max_particles` = {} leaves room for",
                object.name,
                points.len(),
                self.max_particles
            );
            return Err(Fault::new(object.span.clone(), message));
        }
        Ok(points)
    }

    /// Fills the shapes of all objects. [`Scene::build`] does it too; here `observe` hears the name of each object and
    /// how far its filling is, and may stop it.
    ///
    /// # Errors
    /// When a shape cannot be filled or the observer stops; the message names the place in the scene file.
    pub fn fill(&self, observe: &mut dyn FnMut(&str, Progress) -> ControlFlow<()>) -> Result<(), SceneError> {
        for object in self.objects.iter().filter(|object| matches!(object.matter, Matter::Filled { .. })) {
            let most = self.max_particles / object.copies.len();
            self.filled(object, most, &mut |progress| observe(&object.name, progress))
                .map_err(|fault| locate(&self.assets.sources, vec![fault]))?;
        }
        Ok(())
    }

    /// The particles of an object's shape, found once.
    fn filled<'a>(
        &self,
        object: &'a Object,
        limit: usize,
        observe: &mut Observer<'_>,
    ) -> Result<&'a [Vec3], Fault> {
        let Matter::Filled { shape, sampler, seed } = &object.matter else { return Ok(&[]) };
        if let Some(points) = object.filled.get() {
            return Ok(points);
        }
        let (sampler, seed) = (*sampler, *seed);
        let filling =
            Filling { shape, sampler, spacing: object.spacing, dimension: self.dimension, seed, limit };
        let points =
            filling.points(observe).map_err(|error| Fault::new(object.span.clone(), error.to_string()))?;
        Ok(object.filled.get_or_init(|| points))
    }

    /// Adds the particles of one body with their initial state.
    fn add_body<const D: usize>(
        &self,
        object: &Object,
        volume: f64,
        points: &[Vec3],
        world: &mut World<D>,
    ) -> Result<(), Fault> {
        let material = &self.materials[object.material];
        let start = world.particles.len();
        let density = object.density.as_ref().unwrap_or(&material.density).values(points)?;
        let masses: Vec<f64> = density.iter().map(|density| density * volume).collect();
        let velocity = initial_velocity(object, points, &masses)?;
        check_size(&velocity, LARGEST_SPEED, "has a velocity", "m/s", object)?;
        for (parameter, field) in &material.varying {
            let (parameter, values) = (*parameter, field.values(points)?);
            world.variations.push(Variation { parameter, particles: start..start + points.len(), values });
        }
        if let Some(field) = &object.volume_ratio {
            let particles = start..start + points.len();
            world.volume_ratios.push(Values { particles, values: field.values(points)? });
        }
        if let Some(field) = &object.concentration {
            let particles = start..start + points.len();
            world.concentrations.push(Values { particles, values: field.values(points)? });
        }
        if let Some(values) = velocity_gradient(object, points) {
            let particles = start..start + points.len();
            world.velocity_gradients.push(VelocityGradient { particles, values });
        }
        let body = u32::try_from(world.bodies.len()).expect("copies and objects are limited");
        let particles = &mut world.particles;
        particles.position.extend(points.iter().map(flatten::<D>));
        particles.velocity.extend(velocity.iter().map(flatten::<D>));
        particles.mass.extend(masses);
        particles.rest_volume.extend(std::iter::repeat_n(volume, points.len()));
        particles.body.extend(std::iter::repeat_n(body, points.len()));
        let material = u16::try_from(object.material).expect("the number of materials is limited");
        particles.material.extend(std::iter::repeat_n(material, points.len()));
        Ok(())
    }

    /// Volume a particle stands for: its share of the lattice [m³], or of the plane [m²].
    ///
    /// Samplers that draw one point from every cell keep their share of the box around a shape, so that each point
    /// stands for a cell (Nilles 2020, Eq. 124). Poisson disks are as many as fit: the cells inside are shared out.
    fn particle_volume(&self, object: &Object, count: usize) -> f64 {
        let cell = object.spacing.powi(if self.dimension == 2 { 2 } else { 3 });
        let Matter::Filled { shape, sampler: Sampler::PoissonDisk, seed } = &object.matter else {
            return cell;
        };
        let cells =
            sample(shape, &Sampler::Lattice, object.spacing, self.dimension, *seed, self.max_particles);
        cells.map_or(cell, |cells| cell * cells.len() as f64 / count as f64)
    }

    /// Gravity first, then the others.
    fn all_forces(&self) -> impl Iterator<Item = &crate::scene::Force> {
        std::iter::once(&self.gravity).chain(&self.forces)
    }

    fn accelerations(&self, bodies_of: &[std::ops::Range<usize>]) -> Vec<Acceleration> {
        let numbers = |objects: &Vec<usize>| {
            let bodies = objects.iter().flat_map(|&object| bodies_of[object].clone());
            bodies.filter_map(|body| u32::try_from(body).ok()).collect()
        };
        let force = |force: &crate::scene::Force| Acceleration {
            field: force.field.clone(),
            region: force.region.clone(),
            bodies: force.objects.as_ref().map(numbers),
        };
        self.all_forces().map(force).collect()
    }

    /// Expressions of forces must have values where the particles are, at the start and at the end.
    fn check_accelerations<const D: usize>(&self, world: &World<D>) -> Result<(), Fault> {
        for (acceleration, force) in world.accelerations.iter().zip(self.all_forces()) {
            if matches!(acceleration.field, VectorField::Constant(_)) {
                continue;
            }
            for time in [0.0, self.time.duration] {
                for (position, body) in world.particles.position.iter().zip(&world.particles.body) {
                    let value = acceleration.at(position, *body, time);
                    if let Some(wrong) =
                        value.iter().find(|component| !is_within(**component, LARGEST_ACCELERATION))
                    {
                        let place: Vec<String> = position.iter().map(|c| format!("{c:.4}")).collect();
                        let problem = match wrong.is_finite() {
                            true => format!("{wrong:.3e} m/s², above {LARGEST_ACCELERATION:e} m/s²,"),
                            false => "not finite".to_owned(),
                        };
                        let message = format!(
                            "the acceleration is {problem} at ({}) m, t = {time} s",
                            place.join(", ")
                        );
                        return Err(Fault::new(force.span.clone(), message));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Object {
    /// The particles that fill its shape, where the original stands [m]; none before [`Scene::fill`] or for an object
    /// of given points.
    pub fn filling(&self) -> Option<&[Vec3]> {
        self.filled.get().map(Vec::as_slice)
    }
}

/// Whether a component is a number of at most that size.
fn is_within(component: f64, largest: f64) -> bool {
    component.abs() <= largest
}

/// Refuses what copies, files and spins make too large.
fn check_size(values: &[Vec3], largest: f64, what: &str, unit: &str, object: &Object) -> Result<(), Fault> {
    let is_wrong = |value: &&Vec3| value.iter().any(|component| !is_within(*component, largest));
    match values.iter().find(is_wrong) {
        None => Ok(()),
        Some(value) => {
            let message = format!(
                "a particle of `{}` {what} of {:.3e} {unit}, at most {largest:e} {unit}",
                object.name,
                value.amax()
            );
            Err(Fault::new(object.span.clone(), message))
        }
    }
}

/// Velocity plus spin about the centre of mass [m/s].
fn initial_velocity(object: &Object, points: &[Vec3], masses: &[f64]) -> Result<Vec<Vec3>, Fault> {
    let mut velocity = vec![Vec3::zeros(); points.len()];
    if let Some(components) = &object.velocity {
        for (axis, component) in components.iter().enumerate() {
            for (velocity, value) in velocity.iter_mut().zip(component.values(points)?) {
                velocity[axis] = value;
            }
        }
    }
    if object.spin != Vec3::zeros() {
        let total: f64 = masses.iter().sum();
        let center = points.iter().zip(masses).map(|(point, mass)| point * *mass).sum::<Vec3>() / total;
        for (velocity, point) in velocity.iter_mut().zip(points) {
            *velocity += object.spin.cross(&(point - center));
        }
    }
    Ok(velocity)
}

/// How the initial velocity changes around each particle [1/s]; none where it is the same everywhere.
fn velocity_gradient<const D: usize>(object: &Object, points: &[Vec3]) -> Option<Vec<Mat<D>>> {
    let varies = object.velocity.iter().flatten().any(|field| field.constant().is_none());
    if object.spin == Vec3::zeros() && !varies {
        return None;
    }
    let spin = object.spin.cross_matrix();
    let mut gradients = vec![Mat::<D>::from_fn(|row, column| spin[(row, column)]); points.len()];
    for (row, field) in object.velocity.iter().flatten().enumerate().take(D) {
        for column in 0..D {
            let step = Vec3::from_fn(|axis, _| if axis == column { 0.5 * object.spacing } else { 0.0 });
            let beside =
                |sign: f64| field.values(&points.iter().map(|x| x + step * sign).collect::<Vec<_>>());
            // An expression may have no value outside the object; its particles then start without a gradient.
            if let (Ok(before), Ok(after)) = (beside(-1.0), beside(1.0)) {
                for (gradient, (before, after)) in gradients.iter_mut().zip(before.iter().zip(after)) {
                    gradient[(row, column)] += (after - before) / object.spacing;
                }
            }
        }
    }
    Some(gradients)
}

/// Moves the particles of the last body, those that are pinned excepted, each anywhere within a ball.
fn scatter<const D: usize>(object: &Object, start: usize, world: &mut World<D>) {
    let pinned: Vec<u32> = world.pins.iter().flat_map(|pin| pin.particles.iter().copied()).collect();
    let particles = start..world.particles.len();
    let mut values = Vec::with_capacity(particles.len());
    for i in particles.clone() {
        let mut rng = SplitMix64::for_stream(object.scatter_seed, i as u64);
        let value = loop {
            let dart = Vect::<D>::from_fn(|_, _| rng.between(-1.0, 1.0));
            if dart.norm_squared() < 1.0 {
                break dart * object.scatter;
            }
        };
        let is_pinned = pinned.iter().any(|&pin| pin as usize == i);
        values.push(if is_pinned { Vect::zeros() } else { value });
    }
    world.displacements.push(Displacement { particles, values });
}

/// Pins the particles of one copy that lie in the region, moved with the copy.
fn add_pin<const D: usize>(
    pin: &ObjectPin,
    offset: &Vec3,
    start: usize,
    points: &[Vec3],
    world: &mut World<D>,
) {
    let inside = |(_, point): &(usize, &Vec3)| pin.region.contains(&(*point - offset));
    let (particles, initial): (Vec<u32>, Vec<Vect<D>>) = points
        .iter()
        .enumerate()
        .filter(inside)
        .filter_map(|(index, point)| Some((u32::try_from(start + index).ok()?, flatten(point))))
        .unzip();
    world.pins.push(Pin { particles, initial, motion: moved(&pin.motion, offset) });
}

/// A motion whose centre of rotation goes along with a copy.
fn moved(motion: &Motion, offset: &Vec3) -> Motion {
    let mut motion = motion.clone();
    match &mut motion {
        Motion::Static | Motion::Linear { .. } => {}
        Motion::Rotating { center, .. } => *center += offset,
        Motion::Keyframes(frames) => frames.iter_mut().for_each(|frame| frame.center += offset),
    }
    motion
}

/// A pin that holds nothing is a mistake.
fn check_pins<const D: usize>(object: &Object, pins: &[Pin<D>]) -> Result<(), Fault> {
    match pins.iter().position(|pin| pin.particles.is_empty()) {
        None => Ok(()),
        Some(index) => {
            let pin = &object.pins[index % object.pins.len()];
            let message = format!("this pin holds no particle of `{}`", object.name);
            Err(Fault::new(pin.span.clone(), message).help("move or enlarge its region"))
        }
    }
}
