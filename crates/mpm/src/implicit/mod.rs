//! Step 6 of the paper: velocities of the grid at which inertia and the forces at the *end* of the step balance (backward
//! Euler), so that steps are as long as motion allows, however stiff matter is.
//!
//! Newton's method on the velocities of the nodes. Forces are those of matter that has flowed: sand that comes apart
//! pulls at no iterate, and no cohesion is added (Nilles 2020, §5.2.2 on Klár 2016 and Tampubolon 2017). Differentials are
//! made positive, so that every linear system is solved by conjugate gradients, without a matrix.

mod balance;
mod supports;
mod tangent;
#[cfg(test)]
mod tests;
mod web;

use crate::Mpm;
use crate::constitutive::Matter;
use crate::grain::Grain;
use crate::grid::node_position;
use crate::interaction::Change;
use crate::layout::block_size;
use crate::obstacles::{Footing, Obstacles};
use crate::scalar::Scalar;
use crate::transfer::node_of;
use balance::{Balance, Found};
use pliant_math::{Vect, parallel};
use pliant_solver::{Span, StepError};
use pliant_world::World;
use supports::Support;
use tangent::Point;
use web::{Nodes, Site, Web};

/// A node of which more than this share of the mass is held is held itself.
const HELD: f64 = 0.5;

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// Gives the nodes, which hold mass and momentum without forces, the momentum of the end of the step without gravity.
    pub(super) fn balance<const W: usize>(
        &mut self,
        world: &World<D>,
        span: Span,
        obstacles: &Obstacles<'_>,
        changes: &[Change],
    ) -> Result<Found<D>, StepError> {
        let (grains, nodes) = (self.present(), Nodes::<D>::of::<T>(&self.grid.nodes));
        let site = Site {
            mesh: &self.mesh,
            blocks: &self.layout.nodes,
            species: self.layout.species(),
            by_kernel: self.by_kernel::<W>(),
        };
        let goal = self.pushed::<W>(world, span, (&site, &grains, &nodes));
        let balance = Balance {
            web: Web::of::<T, W>(&site, &grains, &nodes),
            points: self.points(&grains, changes),
            goal: &goal,
            mass: &nodes.mass,
            dt: span.dt,
            spacing: self.mesh.spacing,
            care: span.care,
        };
        let mut supports = self.supports(obstacles, &nodes);
        supports.extend(self.held::<W>(world, span, (&site, &grains, &nodes)));
        let mut found = balance.solve(supports)?;
        found.speed = fastest_way::<T, D, W>((&site, &grains, &nodes), &found.velocity);
        let gravity = self.gravity.unwrap_or_else(Vect::zeros) * span.dt;
        for ((place, mass), velocity) in nodes.places.iter().zip(&nodes.mass).zip(&found.velocity) {
            let momentum = (velocity - gravity) * *mass;
            self.grid.nodes[*place as usize] = node_of(&momentum.map(T::of), T::of(*mass));
        }
        Ok(found)
    }

    /// Velocities of the nodes under gravity and fields of force alone.
    fn pushed<const W: usize>(
        &self,
        world: &World<D>,
        span: Span,
        (site, grains, nodes): Parts<'_, T, D>,
    ) -> Vec<Vect<D>> {
        if let Some(gravity) = self.gravity {
            return nodes.velocity.iter().map(|velocity| velocity + gravity * span.dt).collect();
        }
        let mut goal = nodes.velocity.clone();
        for grain in grains {
            let body = world.particles.body[grain.id as usize];
            let push =
                world.acceleration_at(&grain.position, body, span.time) * (grain.mass.wide() * span.dt);
            site.visit::<T, W>(grain, nodes, |link| {
                goal[link.node as usize] += push * (link.weight / nodes.mass[link.node as usize]);
            });
        }
        goal
    }

    fn points(&self, grains: &[Grain<T, D>], changes: &[Change]) -> Vec<Point<D>> {
        let point = |i: usize| {
            let grain = &grains[i];
            let matter: Matter = match changes.get(i) {
                Some(Change::Parameters(matter)) => *matter,
                Some(Change::Become(other)) => self.matters[*other as usize],
                _ => self.matters[grain.matter as usize],
            };
            let elastic = grain.elastic.map(T::wide);
            Point { elastic, volume: grain.volume.wide(), history: grain.history(), matter }
        };
        (0..grains.len()).map(point).collect()
    }

    /// The nodes inside obstacles.
    fn supports(&self, obstacles: &Obstacles<'_>, nodes: &Nodes<D>) -> Vec<Support<D>> {
        let (size, species) = (block_size(D), self.layout.species());
        let near: Vec<Vec<usize>> =
            self.layout.nodes.iter().map(|place| obstacles.near(place, 0.0)).collect();
        let mut feet = vec![Vec::new(); nodes.len()];
        parallel::fill(&mut feet, |i| {
            let place = nodes.places[i] as usize;
            let block = place / (size * species);
            if near[block].is_empty() {
                return Vec::new();
            }
            let x = node_position(self.mesh.spacing, &self.layout.nodes[block], place % size);
            obstacles.footings(&near[block], &x, place / size % species)
        });
        let some = feet.into_iter().enumerate().filter(|(_, feet)| !feet.is_empty());
        some.map(|(node, feet)| Support::new(node, feet)).collect()
    }

    /// Nodes that move with particles which are held or driven.
    fn held<const W: usize>(
        &self,
        world: &World<D>,
        span: Span,
        (site, grains, nodes): Parts<'_, T, D>,
    ) -> Vec<Support<D>> {
        if world.pins.is_empty() {
            return Vec::new();
        }
        let mut place = vec![usize::MAX; world.particles.len()];
        grains.iter().enumerate().for_each(|(number, grain)| place[grain.id as usize] = number);
        let mut sums = vec![(0.0, Vect::<D>::zeros()); nodes.len()];
        let ends = world.pinned_positions(span.time + span.dt);
        for ((i, start), (_, target)) in world.pinned_positions(span.time).zip(ends) {
            let Some(grain) = grains.get(place[i]) else { continue };
            let (mass, velocity) = (grain.mass.wide(), (target - start) / span.dt);
            site.visit::<T, W>(grain, nodes, |link| {
                let sum = &mut sums[link.node as usize];
                *sum = (sum.0 + mass * link.weight, sum.1 + velocity * (mass * link.weight));
            });
        }
        let held = sums.into_iter().enumerate().filter(|(node, (mass, _))| *mass > HELD * nodes.mass[*node]);
        held.map(|(node, (mass, momentum))| Support::new(node, vec![Footing::glue(momentum / mass)]))
            .collect()
    }
}

/// What a step knows of particles and nodes.
type Parts<'a, T, const D: usize> = (&'a Site<'a, D>, &'a [Grain<T, D>], &'a Nodes<D>);

/// Speed of the fastest particle on the grid [m/s]. Nodes with hardly any mass may be faster: they move nothing.
fn fastest_way<T: Scalar, const D: usize, const W: usize>(
    (site, grains, nodes): Parts<'_, T, D>,
    velocity: &[Vect<D>],
) -> f64 {
    let speed = |i: usize| {
        let mut sum = Vect::<D>::zeros();
        site.visit::<T, W>(&grains[i], nodes, |link| sum += velocity[link.node as usize] * link.weight);
        sum.amax()
    };
    parallel::max(grains.len(), speed).map_or(0.0, |(_, speed)| speed)
}
