//! The world of a simulation in `D` dimensions.

use crate::{Acceleration, Collider, Motion, Particles};
use pliant_material::{Material, Parameter};
use pliant_math::{Mat, Vec3, Vect, embed};
use std::ops::Range;

/// All that a scene describes. Solvers change `particles.position` and `particles.velocity`, nothing else.
#[derive(Clone, Debug)]
pub struct World<const D: usize> {
    /// Particle columns.
    pub particles: Particles<D>,
    /// Bodies; their particle ranges tile the columns in order.
    pub bodies: Vec<Body>,
    /// Materials by index.
    pub materials: Vec<Material>,
    /// Parameters that vary inside a body.
    pub variations: Vec<Variation>,
    /// Volume that particles start with, over that at rest: the determinant of the deformation of Nilles 2020; 1 where nothing is
    /// said.
    pub volume_ratios: Vec<Values>,
    /// What particles carry at the start, such as heat or dye; 0 where nothing is said.
    pub concentrations: Vec<Values>,
    /// How velocities change around particles at the start; not at all where nothing is said.
    pub velocity_gradients: Vec<VelocityGradient<D>>,
    /// Colours that differ inside a body.
    pub colors: Vec<Colors>,
    /// Particles that start away from where they are at rest.
    pub displacements: Vec<Displacement<D>>,
    /// Obstacles.
    pub colliders: Vec<Collider>,
    /// Particles that are held or driven.
    pub pins: Vec<Pin<D>>,
    /// Gravity and force fields; they add up.
    pub accelerations: Vec<Acceleration>,
    /// What ties rigid bodies.
    pub joints: Vec<Joint>,
}

/// A connected piece of matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, as the scene gives it.
    pub name: String,
    /// Its particles.
    pub particles: Range<usize>,
    /// Its species, for methods that give each species a grid of its own.
    pub species: u8,
    /// Spacing its shape was sampled with [m].
    pub spacing: f64,
    /// Colour in pictures, linear red, green, blue in 0..1.
    pub color: [f32; 3],
    /// Whether it keeps its shape whatever happens, for methods that know rigid bodies.
    pub rigid: bool,
}

/// What ties two rigid bodies, or one of them to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// How they may move against each other.
    pub kind: JointKind,
    /// Index of the bodies; none for the world.
    pub bodies: [Option<usize>; 2],
    /// Where it is at the start [m].
    pub anchor: Vec3,
    /// Axis of hinges and sliders, of length 1.
    pub axis: Vec3,
}

/// How bodies that are tied may move against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// They turn about a point.
    Ball,
    /// They turn about an axis.
    Hinge,
    /// They slide along an axis.
    Slider,
    /// Not at all.
    Fixed,
}

/// A material parameter given particle by particle.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Which parameter.
    pub parameter: Parameter,
    /// Which particles.
    pub particles: Range<usize>,
    /// Its value for each of them.
    pub values: Vec<f64>,
}

/// A number of the start, particle by particle.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Which particles.
    pub particles: Range<usize>,
    /// The number of each of them.
    pub values: Vec<f64>,
}

/// How the initial velocity changes around particles, for methods whose particles carry that: a body that spins has it.
#[derive(Clone, Debug, PartialEq)]
pub struct VelocityGradient<const D: usize> {
    /// Which particles.
    pub particles: Range<usize>,
    /// `∂v/∂x` at each of them [1/s].
    pub values: Vec<Mat<D>>,
}

/// Colours particle by particle, in place of that of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct Colors {
    /// Which particles.
    pub particles: Range<usize>,
    /// Linear red, green, blue in 0..1 of each.
    pub values: Vec<[f32; 3]>,
}

/// How far particles start from where they are at rest: methods that remember the shape at rest see them deformed.
#[derive(Clone, Debug, PartialEq)]
pub struct Displacement<const D: usize> {
    /// Which particles.
    pub particles: Range<usize>,
    /// How far each of them is moved [m].
    pub values: Vec<Vect<D>>,
}

/// Particles that follow a prescribed motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin<const D: usize> {
    /// Which particles, in rising order.
    pub particles: Vec<u32>,
    /// Where each was at time 0 [m].
    pub initial: Vec<Vect<D>>,
    /// How they move.
    pub motion: Motion,
}

impl<const D: usize> World<D> {
    /// A world without anything in it.
    pub fn empty() -> Self {
        Self {
            particles: Particles::default(),
            bodies: Vec::new(),
            materials: Vec::new(),
            variations: Vec::new(),
            volume_ratios: Vec::new(),
            concentrations: Vec::new(),
            velocity_gradients: Vec::new(),
            colors: Vec::new(),
            displacements: Vec::new(),
            colliders: Vec::new(),
            pins: Vec::new(),
            accelerations: Vec::new(),
            joints: Vec::new(),
        }
    }

    /// Adds a body of particles at rest, each standing for a cube (square) of edge `spacing` [m]; returns its
    /// particles.
    pub fn add_body(
        &mut self,
        name: &str,
        positions: &[Vect<D>],
        spacing: f64,
        material: u16,
    ) -> Range<usize> {
        let (start, volume) = (self.particles.len(), spacing.powi(D as i32));
        let range = start..start + positions.len();
        let Material { density, color, .. } = self.materials[usize::from(material)];
        let p = &mut self.particles;
        p.position.extend_from_slice(positions);
        p.velocity.resize(range.end, Vect::zeros());
        p.mass.resize(range.end, density * volume);
        p.rest_volume.resize(range.end, volume);
        p.body.resize(range.end, self.bodies.len() as u32);
        p.material.resize(range.end, material);
        self.bodies.push(Body {
            name: name.to_owned(),
            particles: range.clone(),
            species: 0,
            spacing,
            color,
            rigid: false,
        });
        range
    }

    /// The material of particle `i`, with what varies inside its body. Values were checked by the scene.
    pub fn material_of(&self, i: usize) -> Material {
        let material = self.materials[usize::from(self.particles.material[i])].clone();
        self.variations.iter().filter(|variation| variation.particles.contains(&i)).fold(
            material,
            |material, variation| {
                let value = variation.values[i - variation.particles.start];
                material.with(variation.parameter, value).expect("the scene checks varying parameters")
            },
        )
    }

    /// Volume of particle `i` at the start over that at rest, if the scene gives one.
    pub fn initial_volume_ratio(&self, i: usize) -> Option<f64> {
        let ratio = self.volume_ratios.iter().find(|ratio| ratio.particles.contains(&i))?;
        Some(ratio.values[i - ratio.particles.start])
    }

    /// How the velocity changes around particle `i` at the start [1/s].
    pub fn initial_velocity_gradient(&self, i: usize) -> Mat<D> {
        let gradient = self.velocity_gradients.iter().find(|gradient| gradient.particles.contains(&i));
        gradient.map_or_else(Mat::zeros, |gradient| gradient.values[i - gradient.particles.start])
    }

    /// External acceleration of a particle of `body` at `position` [m/s²].
    pub fn acceleration_at(&self, position: &Vect<D>, body: u32, time: f64) -> Vect<D> {
        self.accelerations.iter().map(|field| field.at(position, body, time)).sum()
    }

    /// Where the pins want their particles at time `t` [s].
    pub fn pinned_positions(&self, t: f64) -> impl Iterator<Item = (usize, Vect<D>)> + '_ {
        self.pins.iter().flat_map(move |pin| {
            let pose = pin.motion.world_from_initial(t);
            pin.particles.iter().zip(&pin.initial).map(move |(&i, initial)| {
                let moved = pose.transform_point(&embed(initial).into()).coords;
                (i as usize, pliant_math::flatten(&moved))
            })
        })
    }
}
