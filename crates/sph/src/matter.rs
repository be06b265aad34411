//! What the particles of a world are to the method.

use crate::kernel::Kernel;
use crate::settings::{SolidPressure, SphSettings};
use crate::solid::{Solids, is_fluid};
use pliant_material::{Law, Material};
use pliant_math::Vec3;
use pliant_world::World;

/// Density of a particle in the flat surface of a lattice: what one touched by a lattice has beside it. Solid particles
/// that only feel contacts all have it, so that edges and corners resist where a flat surface does.
const SURFACE: f32 = 0.85;

/// Parts of a body that are farther apart at rest than so many kernel supports may touch each other. Nearer ones come close
/// when a body is squeezed, which is no contact.
const SELF_CONTACT: f64 = 2.0;

/// What particles are, by index in the world.
#[derive(Debug)]
pub(crate) struct Matter {
    /// Elastic body; fluids have none.
    pub body: Vec<Option<u32>>,
    /// Positions at the start [m].
    pub start: Vec<Vec3>,
    /// Positions at rest, for telling neighbours in a body from contacts [m].
    rest: Vec<[f32; 3]>,
    /// Edges of cubes of the volume at rest [m].
    pub spacing: Vec<f32>,
    /// Density that a particle and its neighbours at rest make.
    pub base: Vec<f32>,
    /// Viscosity of fluids [Pa s]; negative for solids.
    pub viscosity: Vec<f32>,
    /// Friction of solids; negative for fluids.
    pub friction: Vec<f32>,
    pub pinned: Vec<bool>,
    /// Which belong to rigid bodies.
    pub rigid: Vec<bool>,
    /// Fastest pressure wave over its spacing [1/s].
    pub wave_rate: f64,
}

impl Matter {
    pub fn new(world: &World<3>, settings: &SphSettings, kernel: &Kernel, solids: &Solids) -> Self {
        let p = &world.particles;
        let count = p.len();
        let own = |i: usize| (p.rest_volume[i] * kernel.value(0.0)) as f32;
        let mut matter = Self {
            body: vec![None; count],
            start: p.position.clone(),
            rest: p.position.iter().map(|x| [x.x as f32, x.y as f32, x.z as f32]).collect(),
            spacing: p.rest_volume.iter().map(|volume| volume.cbrt() as f32).collect(),
            base: (0..count).map(own).collect(),
            viscosity: vec![-1.0; count],
            friction: vec![-1.0; count],
            pinned: vec![false; count],
            rigid: vec![false; count],
            wave_rate: 0.0,
        };
        world.pins.iter().flat_map(|pin| &pin.particles).for_each(|&i| matter.pinned[i as usize] = true);
        for (i, material) in (0..count).map(|i| (i, &world.materials[usize::from(p.material[i])])) {
            match material.law {
                Some(Law::Fluid(fluid)) => matter.viscosity[i] = fluid.viscosity as f32,
                _ => matter.friction[i] = material.friction as f32,
            }
        }
        for index in 0..solids.bodies.len() {
            matter.take_rest_pose(settings, (index, solids));
        }
        for (index, body) in world.bodies.iter().enumerate().filter(|(_, body)| body.rigid) {
            for i in body.particles.clone() {
                // Elastic bodies are counted from below.
                matter.body[i] = Some(u32::MAX - index as u32);
                (matter.rigid[i], matter.rest[i], matter.base[i]) = (true, [0.0; 3], SURFACE);
            }
        }
        for body in world.bodies.iter().filter(|body| !body.rigid) {
            let materials = body.particles.clone().map(|i| &world.materials[usize::from(p.material[i])]);
            let fastest = materials.filter(|material| !is_fluid(material)).map(Material::sound_speed);
            matter.wave_rate = matter.wave_rate.max(fastest.fold(0.0, f64::max) / body.spacing);
        }
        matter
    }

    /// Who is a neighbour at rest in a body.
    pub fn take_rest_pose(&mut self, settings: &SphSettings, (index, solids): (usize, &Solids)) {
        let body = &solids.bodies[index];
        let shape = &body.shape;
        for place in 0..shape.rest.len() {
            let i = body.particle(place);
            let rest = shape.rest.position[place];
            self.body[i] = Some(index as u32);
            self.rest[i] = [rest.x as f32, rest.y as f32, rest.z as f32];
            if settings.solid_pressure == SolidPressure::Contact {
                self.base[i] = SURFACE;
            }
        }
    }

    /// Whether there is nothing that keeps neighbours.
    pub fn is_all_fluid(&self) -> bool {
        self.body.iter().all(Option::is_none)
    }

    pub fn label(&self, i: usize) -> Label {
        Label { rest: self.rest[i], body: self.body[i], is_rigid: self.rigid[i] }
    }
}

/// Where a particle lies at rest in its body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Label {
    rest: [f32; 3],
    body: Option<u32>,
    /// Whether its body is rigid; all of it is then at one place.
    pub is_rigid: bool,
}

impl Label {
    /// Whether elasticity looks after two particles, and the pressure does not.
    #[inline]
    pub fn is_near(&self, other: &Self, support: f64) -> bool {
        if self.body.is_none() || self.body != other.body {
            return false;
        }
        let square: f32 = (0..3).map(|axis| (self.rest[axis] - other.rest[axis]).powi(2)).sum();
        let apart = SELF_CONTACT * support;
        square < (apart * apart) as f32
    }
}
