//! Elastic solids: total-Lagrangian, kernel-corrected, corotated (Kugelstadt 2021 §3–5).

mod body;
mod dilation;
mod factor;
mod gradients;
mod matrix;
mod ordering;
mod polar;
mod rest;
mod strain;
mod system;
#[cfg(test)]
mod tests;

pub(crate) use body::{Body, State};

use crate::settings::{Elasticity, SphSettings, ZeroEnergy};
use body::{Effort, Shape, lane_to_vector};
use nalgebra::{Matrix3, UnitQuaternion};
use pliant_material::{Law, Material};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_world::World;
use rest::Rest;
use std::collections::BTreeMap;
use std::sync::Arc;
use strain::Moduli;

/// Plastic strain after which a body takes its present pose as rest pose.
const REBASE_STRAIN: f64 = 0.4;
/// Positions that differ by less than this share of a spacing make copies of a body.
const COPY: f64 = 1e-6;

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
                || is_fluid(&world.materials[usize::from(world.particles.material[range.start])])
            {
                continue;
            }
            let (shape, rotation) = match solids.copy_of(world, range.clone(), &pinned) {
                Some((of, rotation)) => (Arc::clone(&solids.bodies[of].shape), rotation),
                None => {
                    let shape =
                        shape_of(world, range.clone(), &pinned[range.clone()], body.spacing, settings);
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

    /// The body that particles are a moved and turned copy of, and by how much they are turned.
    fn copy_of(
        &self,
        world: &World<3>,
        range: std::ops::Range<usize>,
        pinned: &[bool],
    ) -> Option<(usize, UnitQuaternion<f64>)> {
        let p = &world.particles;
        (0..self.bodies.len()).find_map(|of| {
            let first = self.bodies[of].first;
            if self.bodies[of].shape.rest.len() != range.len() {
                return None;
            }
            let spacing = self.details[of].spacing;
            let rotation =
                turn_between(&p.position[first..first + range.len()], &p.position[range.clone()], spacing)?;
            let same = range.clone().zip(first..).all(|(i, j)| {
                p.material[i] == p.material[j]
                    && pinned[i] == pinned[j]
                    && (p.rest_volume[i] - p.rest_volume[j]).abs() <= 1e-9 * p.rest_volume[j]
                    && (p.mass[i] - p.mass[j]).abs() <= 1e-9 * p.mass[j]
            });
            let varies = world
                .variations
                .iter()
                .any(|v| v.particles.start < range.end && range.start < v.particles.end);
            (same && !varies).then_some((of, rotation))
        })
    }

    /// Lines 3 to 11 of Algorithm 1: the elastic acceleration of every solid particle, added to `acceleration` [m/s²];
    /// returns solves and iterations.
    pub fn accelerate(
        &mut self,
        (x, v): (&[Vec3], &[Vec3]),
        (settings, gravity): (&SphSettings, f64),
        acceleration: &mut [Vec3],
    ) -> Result<(usize, usize), StepError> {
        let effort = Effort {
            dt: settings.elastic_step,
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            acceleration: gravity.max(1e-3),
        };
        let mut iterations = 0;
        self.present().for_each(|body| body.predict(x, v, settings)); // 3, 4
        let failed = |excess: gradients::Excess| StepError::NotConverged {
            iterations: excess.iterations,
            excess: excess.ratio,
        };
        match settings.elasticity {
            Elasticity::Corrected | Elasticity::Split => {
                iterations += self.solve_stretch(settings).map_err(failed)?; // 5
                for body in self.present() {
                    iterations += body.keep_volume(x, v, &effort).map_err(failed)?; // 6 to 9
                }
            }
            Elasticity::Unsplit => {
                for body in self.present() {
                    iterations += body.solve_unsplit(&effort).map_err(failed)?;
                }
            }
            Elasticity::Peer2018 => {
                for body in self.present() {
                    iterations += body.solve_peer(&effort).map_err(failed)?;
                }
            }
            Elasticity::Becker2009 => self.present().for_each(Body::solve_explicit),
        }
        for body in self.present() {
            body.share_change(effort.dt, acceleration); // 10, 11
        }
        Ok((self.bodies.len(), iterations))
    }

    fn present(&mut self) -> impl Iterator<Item = &mut Body> {
        self.bodies.iter_mut().filter(|body| body.is_present)
    }

    /// Eq. 29 for all bodies; copies of one shape are solved together, so that its factor is read once.
    fn solve_stretch(&mut self, settings: &SphSettings) -> Result<usize, gradients::Excess> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in (0..self.bodies.len()).filter(|&i| self.bodies[i].is_present) {
            let shape = &self.bodies[index].shape;
            let first = (0..index).find(|&i| Arc::ptr_eq(&self.bodies[i].shape, shape)).unwrap_or(index);
            groups.entry(first).or_default().push(index);
        }
        let mut iterations = 0;
        for (first, members) in groups {
            let shape = Arc::clone(&self.bodies[first].shape);
            let mut sides: Vec<Vec<gradients::Lane>> =
                members.iter().map(|&i| std::mem::take(&mut self.bodies[i].side)).collect();
            let mut views: Vec<&mut [gradients::Lane]> = sides.iter_mut().map(|side| &mut side[..]).collect();
            iterations += shape.solve(&mut views, (settings.tolerance, settings.max_iterations))?;
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
            if state.rotation.len() != body.shape.rest.len() {
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

impl Shape {
    fn solve(
        &self,
        sides: &mut [&mut [gradients::Lane]],
        limits: (f64, usize),
    ) -> Result<usize, gradients::Excess> {
        let system = self.system.as_ref().ok_or(gradients::Excess { iterations: 0, ratio: f64::INFINITY })?;
        system.solve(&mut self.stretch(), sides, limits)
    }
}

impl Body {
    /// Adds the change of velocity, as an acceleration. What rounding did to the momentum of a free body is taken back.
    fn share_change(&self, dt: f64, acceleration: &mut [Vec3]) {
        let shape = &self.shape;
        let mut drift = Vec3::zeros();
        if !shape.pinned.iter().any(|&pinned| pinned) {
            let (mut momentum, mut mass) = (Vec3::zeros(), 0.0);
            for (side, &m) in self.side.iter().zip(&shape.mass) {
                momentum += lane_to_vector(side) * m;
                mass += m;
            }
            drift = momentum / mass;
        }
        for (place, side) in self.side.iter().enumerate() {
            acceleration[self.particle(place)] += (lane_to_vector(side) - drift) / dt;
        }
    }
}

fn shape_of(
    world: &World<3>,
    range: std::ops::Range<usize>,
    pinned: &[bool],
    spacing: f64,
    settings: &SphSettings,
) -> Shape {
    let p = &world.particles;
    let rest = Rest::new(&p.position[range.clone()], &p.rest_volume[range.clone()], spacing, settings);
    let place = |i: &u32| range.start + *i as usize;
    let lame: Vec<_> = rest.order.iter().map(|i| world.material_of(place(i)).lame).collect();
    let moduli = Moduli {
        shear: lame.iter().map(|lame| lame.mu).collect(),
        dilation: lame.iter().map(|lame| lame.lambda).collect(),
        zero_energy: match settings.zero_energy {
            ZeroEnergy::Implicit(strength) => strength,
            _ => 0.0,
        },
    };
    let mass = rest.order.iter().map(|i| p.mass[place(i)]).collect();
    let pinned = rest.order.iter().map(|&i| pinned[i as usize]).collect();
    Shape::new(rest, (mass, moduli), pinned, settings)
}

/// The rotation that takes one set of points to another, up to a translation; none if there is none.
fn turn_between(from: &[Vec3], to: &[Vec3], spacing: f64) -> Option<UnitQuaternion<f64>> {
    let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len() as f64;
    let (a, b) = (center(from), center(to));
    let covariance: Matrix3<f64> =
        from.iter().zip(to).map(|(from, to)| (to - b) * (from - a).transpose()).sum();
    let rotation = polar::rotation(&covariance, &UnitQuaternion::identity());
    let close = |(from, to): (&Vec3, &Vec3)| ((to - b) - rotation * (from - a)).norm() < COPY * spacing;
    from.iter().zip(to).all(close).then_some(rotation)
}
