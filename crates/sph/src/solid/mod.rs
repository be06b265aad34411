//! Elastic solids: total-Lagrangian, kernel-corrected, corotated (Kugelstadt 2021 §3–5).

mod baselines;
mod body;
mod copies;
mod correct;
mod dilation;
mod factor;
mod flow;
mod gradients;
mod lanes;
mod matrix;
mod ordering;
mod panel;
mod polar;
mod rest;
mod shape;
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
pub(crate) use lanes::Lane;

use crate::settings::{Elasticity, SphSettings};
use nalgebra::UnitQuaternion;
use pliant_material::{Law, Material};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_world::World;
use shape::{Effort, Shape};
use std::collections::BTreeMap;
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

    /// Lines 3 to 11 of Algorithm 1: the elastic acceleration of every solid particle, added to `acceleration` [m/s²];
    /// returns solves and iterations.
    pub fn accelerate(
        &mut self,
        course: &Course<'_>,
        (settings, gravity): (&SphSettings, f64),
        acceleration: &mut [Vec3],
    ) -> Result<(usize, usize), StepError> {
        let effort = Effort {
            dt: settings.elastic_step,
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            acceleration: gravity.max(1e-3),
        };
        let iterations = match settings.elasticity {
            Elasticity::Corrected => self.solve_by_corrections(course, settings, &effort),
            Elasticity::Split => self.solve_split(course, settings, &effort),
            Elasticity::Unsplit => self.solve_unsplit(course, settings, &effort),
            Elasticity::Peer2018 => self.solve_each(course, settings, |body| body.solve_peer(&effort)),
            Elasticity::Becker2009 => self.solve_each(course, settings, |body| {
                body.solve_explicit();
                Ok(0)
            }),
        };
        let iterations = iterations.map_err(|excess| StepError::NotConverged {
            iterations: excess.iterations,
            excess: excess.ratio,
        })?;
        for body in self.present() {
            body.share_change(course.position, effort.dt, acceleration); // 10, 11
        }
        Ok((self.bodies.len(), iterations))
    }

    fn solve_by_corrections(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, gradients::Excess> {
        let mut iterations = 0;
        self.present().for_each(|body| body.set_out(course, effort.dt));
        for _ in 0..correct::CORRECTIONS {
            self.present().for_each(|body| body.miss(settings));
            iterations += self.solve_stretch(effort)?;
            self.present().for_each(|body| body.go_on(effort.dt));
        }
        self.present().for_each(Body::arrive);
        Ok(iterations)
    }

    /// The same with one correction by the whole matrix.
    fn solve_unsplit(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, gradients::Excess> {
        let mut iterations = 0;
        for body in self.present() {
            body.set_out(course, effort.dt);
            body.miss(settings);
            iterations += body.solve_unsplit(effort)?;
            body.go_on(effort.dt);
            body.arrive();
        }
        Ok(iterations)
    }

    /// Lines 3 to 9 as printed.
    fn solve_split(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, gradients::Excess> {
        self.present().for_each(|body| body.predict(course, settings)); // 3, 4
        let mut iterations = self.solve_stretch(effort)?; // 5
        for body in self.present() {
            iterations += body.keep_volume(effort)?; // 6 to 9
        }
        Ok(iterations)
    }

    /// Ways to solve that look at one body at a time.
    fn solve_each(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        solve: impl Fn(&mut Body) -> Result<usize, gradients::Excess>,
    ) -> Result<usize, gradients::Excess> {
        let mut iterations = 0;
        for body in self.present() {
            body.predict(course, settings);
            iterations += solve(body)?;
        }
        Ok(iterations)
    }

    fn present(&mut self) -> impl Iterator<Item = &mut Body> {
        self.bodies.iter_mut().filter(|body| body.is_present)
    }

    /// Eq. 29 for all bodies; copies of one shape are solved together, so that its factor is read once.
    fn solve_stretch(&mut self, effort: &Effort) -> Result<usize, gradients::Excess> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in (0..self.bodies.len()).filter(|&i| self.bodies[i].is_present) {
            let shape = &self.bodies[index].shape;
            let first = (0..index).find(|&i| Arc::ptr_eq(&self.bodies[i].shape, shape)).unwrap_or(index);
            groups.entry(first).or_default().push(index);
        }
        let mut iterations = 0;
        for (first, members) in groups {
            let shape = Arc::clone(&self.bodies[first].shape);
            let mut sides: Vec<Vec<Lane>> =
                members.iter().map(|&i| std::mem::take(&mut self.bodies[i].side)).collect();
            let mut views: Vec<&mut [Lane]> = sides.iter_mut().map(|side| &mut side[..]).collect();
            iterations += shape.solve(&mut views, effort)?;
            for (i, side) in members.into_iter().zip(sides) {
                self.bodies[i].side = side;
            }
        }
        Ok(iterations)
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
