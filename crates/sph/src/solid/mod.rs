//! Elastic solids: total-Lagrangian, kernel-corrected, corotated (Kugelstadt 2021 §3–5).

mod baselines;
mod body;
mod coarse;
mod copies;
mod correct;
mod dilation;
mod factor;
mod flow;
mod gradients;
mod held;
mod lanes;
mod matrix;
mod ordering;
mod panel;
mod polar;
mod product;
mod rest;
mod shape;
mod solve;
mod strain;
mod sums;
mod sweep;
mod system;
#[cfg(test)]
mod tests;
mod turns;
mod volume;
mod whole;

pub(crate) use body::{Body, Course, State};
pub(crate) use gradients::{Operator, Stop, Workspace, dot};
pub(crate) use lanes::Lane;

use crate::settings::SphSettings;
use nalgebra::UnitQuaternion;
use pliant_material::{Law, Material};
use pliant_math::Vec3;
use pliant_world::World;
use shape::Shape;
use std::sync::Arc;
use system::System;

/// Plastic strain after which a body takes its present pose as rest pose.
const REBASE_STRAIN: f64 = 0.4;

/// All elastic bodies of a world.
#[derive(Debug)]
pub(crate) struct Solids {
    pub bodies: Vec<Body>,
    /// Spacing and materials of the particles of each body, in the order of its rest pose.
    details: Vec<Details>,
}

#[derive(Debug)]
struct Details {
    spacing: f64,
    /// Materials by place; empty for elastic bodies.
    materials: Vec<Material>,
    name: String,
}

/// Whether a material is a fluid.
pub(crate) fn is_fluid(material: &Material) -> bool {
    matches!(material.law, Some(Law::Fluid(_)))
}

impl Solids {
    pub fn new(world: &World<3>, settings: &SphSettings) -> Self {
        let mut pinned = vec![false; world.particles.len()];
        world.pins.iter().flat_map(|pin| &pin.particles).for_each(|&i| pinned[i as usize] = true);
        let mut solids = Self { bodies: Vec::new(), details: Vec::new() };
        for body in &world.bodies {
            let range = body.particles.clone();
            if range.is_empty()
                || body.rigid
                || is_fluid(&world.materials[usize::from(world.particles.material[range.start])])
            {
                continue;
            }
            let (shape, rotation) = match solids.copy_of(world, range.clone(), &pinned) {
                Some((of, rotation)) => (Arc::clone(&solids.bodies[of].shape), rotation),
                None => {
                    let shape =
                        Shape::of(world, range.clone(), &pinned[range.clone()], body.spacing, settings);
                    (Arc::new(shape), UnitQuaternion::identity())
                }
            };
            let plastic = range.clone().any(|i| world.material_of(i).plastic.is_some());
            let state = State::new(range.len(), rotation, plastic);
            solids.bodies.push(Body::new(range.start, shape, state));
            solids.details.push(Details {
                spacing: body.spacing,
                materials: Vec::new(),
                name: body.name.clone(),
            });
            solids.sort_materials(world, solids.bodies.len() - 1);
        }
        solids
    }

    /// Materials of a plastic body in the order of its rest pose.
    fn sort_materials(&mut self, world: &World<3>, index: usize) {
        let body = &self.bodies[index];
        if !body.state.relaxed.is_empty() {
            let places = 0..body.shape.rest.len();
            self.details[index].materials =
                places.map(|place| world.material_of(body.particle(place))).collect();
        }
    }

    /// Plastic flow at the end of a step, and new rest poses where there was much; returns how many particles flowed, and
    /// the bodies with a new rest pose.
    pub fn flow(&mut self, world: &World<3>, settings: &SphSettings, dt: f64) -> (usize, Vec<usize>) {
        let x = &world.particles.position;
        let (mut count, mut rebased) = (0, Vec::new());
        for index in (0..self.bodies.len()).filter(|&i| self.bodies[i].is_present).collect::<Vec<_>>() {
            let (body, details) = (&mut self.bodies[index], &self.details[index]);
            count += body.flow(x, &details.materials, dt);
            if body.flow_since_base() > REBASE_STRAIN {
                body.rebase(x, details.spacing, settings);
                self.sort_materials(world, index);
                rebased.push(index);
            }
        }
        (count, rebased)
    }

    /// Entries of all factors; copies share theirs.
    pub fn factor_entries(&self) -> usize {
        let is_first = |index: usize| {
            (0..index).all(|other| !Arc::ptr_eq(&self.bodies[other].shape, &self.bodies[index].shape))
        };
        let first = (0..self.bodies.len()).filter(|&index| is_first(index));
        first.filter_map(|index| self.bodies[index].shape.system.as_ref()).map(System::entries).sum()
    }

    /// What all bodies remember.
    pub fn states(&self) -> Vec<State> {
        self.bodies.iter().map(|body| body.state.clone()).collect()
    }

    /// Takes back what bodies remembered before a step that failed.
    pub fn put_back(&mut self, states: Vec<State>) {
        self.bodies.iter_mut().zip(states).for_each(|(body, state)| body.state = state);
    }

    /// Elastic energy at given positions, the zero-energy term included [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        self.bodies.iter().map(|body| body.energy_at(x)).map(|(stored, penalty)| stored + penalty).sum()
    }

    /// Takes up saved states; rest poses that had been replaced are built again.
    pub fn restore(
        &mut self,
        states: Vec<State>,
        world: &World<3>,
        settings: &SphSettings,
    ) -> Result<(), String> {
        if states.len() != self.bodies.len() {
            return Err(format!("it has {} elastic bodies, the scene {}", states.len(), self.bodies.len()));
        }
        for (index, state) in states.into_iter().enumerate() {
            let body = &mut self.bodies[index];
            let lengths = [state.rotation.len(), state.change.len()];
            if lengths.iter().any(|&length| length != body.shape.rest.len()) {
                return Err(format!(
                    "the body `{}` has another number of particles",
                    self.details[index].name
                ));
            }
            if !state.base.is_empty() {
                body.take_base(&state, self.details[index].spacing, settings);
            }
            body.state = state;
            self.sort_materials(world, index);
        }
        Ok(())
    }

    /// What a user should know before the run.
    pub fn warnings(&self, settings: &SphSettings) -> Vec<String> {
        let mut notes = Vec::new();
        for (body, Details { name, .. }) in self.bodies.iter().zip(&self.details) {
            let (rest, shape) = (&body.shape.rest, &body.shape);
            if !rest.flat.is_empty() {
                notes.push(format!(
                    "{} of {} particles of `{name}` have flat neighbourhoods and no stiffness across; sample it finer",
                    rest.flat.len(),
                    rest.len()
                ));
            }
            match &shape.system {
                Some(system) if !system.is_direct() => notes.push(format!(
                    "`{name}` has more than {} particles: its matrix is factorised in {} parts that help conjugate gradients",
                    settings.direct_limit,
                    rest.parts.len()
                )),
                _ => {}
            }
        }
        notes
    }
}
