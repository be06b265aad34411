//! The pressure solve that fluids, solids and walls share: DFSPH (Bender and Koschier 2017) in the form of pressures, so
//! that particles of different mass push each other with equal force. In that form its density solve is that of IISPH (Ihmsen
//! et al. 2014). Density is relative to that at rest.
//!
//! `ρ_i = ρ⁰_i + Σ_j V_j W_ij + wall`, `ρ̇_i = Σ_j V_j ∇W_ij · (v_i − v_j) + wall`, and the pressures accelerate by
//! `a_i = −V_i/m_i [Σ_j (p_i + p_j) V_j ∇W_ij + p_i wall]`. Pressures never pull. DFSPH solves by Jacobi's iteration with the momentum
//! of Nesterov, which is dropped whenever it leads uphill: as many iterations as a column has particles, not their square.

use crate::arrows::Sums;
use crate::near::Near;
use crate::registers::{self, Each};
use crate::rigid::Held;
use crate::solid::Lane;
use crate::sorting::Sorting;
use crate::walls::{Wall, Walls};
use nalgebra::{Matrix3, Vector3};
use pliant_math::parallel;
use wide::f32x4;

/// Share of Jacobi's correction that is taken until momentum leads uphill or errors grow. The largest eigenvalue of the scaled system
/// is 2.9 on a lattice: a few iterations do not let such modes grow, and smooth ones converge faster. It is the ω of IISPH too
/// (Ihmsen et al. 2014, relaxed Jacobi).
const BOLD: f32 = 0.5;
/// The share after that. No eigenvalue seen is above 5, in disorder twice as dense as at rest, and momentum stays stable up to
/// 4/3 over it.
const CAREFUL: f32 = 0.25;
/// Errors that grow to so many times the least one do so because bold corrections go too far: modes that grow change their sign
/// in every iteration, and do not count as uphill.
const GROWN: f32 = 1.2;
/// Iterations of a solve at least: the first one only sees the last step's pressures.
const LEAST: usize = 2;

/// Share of what a fluid particle lacks to be dense that it may gain in a step at least.
const LANDING: f32 = 0.1;
/// A fluid particle that lacks as much of its density may fall freely.
const SPARSE: f32 = 0.3;
/// What a particle in a flat surface lacks, over the slope of its density times the spacing: 0.15 by 0.51 on a lattice.
const OPEN: f32 = 0.3;
/// Density that a wall adds half a spacing before it.
const BESIDE: f32 = 0.15;

/// What a particle is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Fluid,
    Solid,
}

/// Particles as the pressure sees them, by place.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    pub velocity: Vec<Lane>,
    /// `V_i` [m³].
    pub volume: Vec<f32>,
    /// Edge of a cube of that volume [m].
    pub spacing: Vec<f32>,
    /// `1/m_i` [1/kg]; zero for pinned particles.
    pub inverse_mass: Vec<f32>,
    /// Density of the particle itself and of neighbours that elasticity looks after.
    pub base: Vec<f32>,
    pub kind: Vec<Kind>,
    /// Relative density.
    pub density: Vec<f32>,
    pub walls: Vec<Wall>,
    /// Bodies whose particles move as one.
    pub rigids: Vec<Held>,
    /// `Σ_j V_j ∇W_ij` and the slope of the walls [1/m].
    slope: Vec<Lane>,
    /// How strongly a particle's own pressure lowers its density [1/(kg m)].
    diagonal: Vec<f32>,
    acceleration: Vec<Lane>,
    scratch: Scratch,
}

/// Vectors reused from solve to solve.
#[derive(Debug, Default)]
struct Scratch {
    source: Vec<f32>,
    /// Pressures with momentum, and the ones after them.
    ahead: Vec<f32>,
    next: Vec<f32>,
    /// How fast densities rise by the accelerations of pressures [1/s²].
    rise: Vec<f32>,
    /// By how much densities rise in the step with the velocities there are.
    gain: Vec<f32>,
}

/// Whether the last solve knows how densities change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// Velocities are what the last solve left.
    Nothing,
    /// They have changed.
    Change,
}

/// How a solve is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub dt: f32,
    /// Mean error of the density that is left.
    pub error: f32,
    pub max_iterations: usize,
    pub iteration: Iteration,
    /// What has happened since the last solve.
    pub since: Since,
}

/// How pressures get from one iteration to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Iteration {
    /// Relaxed corrections alone.
    Jacobi,
    /// With momentum.
    Nesterov,
}

/// What is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solve {
    /// A density not above that of rest at the end of the step.
    Density,
    /// A density that does not rise now.
    Divergence,
}

/// Sum of the first three lanes.
#[inline(always)]
pub(crate) fn sum(v: f32x4) -> f32 {
    let [x, y, z, _] = v.to_array();
    x + y + z
}

impl Crowd {
    /// Densities and diagonals, after the neighbours have changed.
    pub fn weigh(&mut self, near: &Near) {
        let count = self.volume.len();
        self.density.resize(count, 0.0);
        self.diagonal.resize(count, 0.0);
        self.slope.resize(count, [0.0; 4]);
        self.acceleration.resize(count, [0.0; 4]);
        let Self { density, diagonal, slope, volume, base, walls, inverse_mass, .. } = self;
        parallel::update_triple(density, diagonal, slope, |i, density, (diagonal, slope)| {
            let (weight, wall) = (near.weight(i), &walls[i]);
            let of = |axis: usize| weight.slope[axis] + wall.gradient[axis];
            *slope = [of(0), of(1), of(2), 0.0];
            *density = base[i] + wall.density + weight.density;
            let total = f32x4::from(*slope);
            *diagonal = volume[i] * (sum(total * total) * inverse_mass[i] + weight.yielding);
        });
    }

    /// By how much the density of a particle may rise in a step before it resists. Fluids that are nearly dense land
    /// softly, a share of what they lack at a time, and what lacks because a surface is open is no room at all: particles
    /// of a surface at rest would fall into it for ever.
    fn room(&self, i: usize) -> f32 {
        let lack = 1.0 - self.density[i];
        match self.kind[i] {
            Kind::Solid => lack.max(0.0),
            Kind::Fluid => {
                let slope = f32x4::from(self.slope[i]);
                let open = OPEN * self.spacing[i] * sum(slope * slope).sqrt();
                let lack = (lack - open).max(0.0);
                lack * (lack / SPARSE).clamp(LANDING, 1.0)
            }
        }
    }

    /// What a gauge at a particle would show [Pa]: beside walls the stress across them, elsewhere the mean stress that pairs carry.
    /// Pressures alone are off by how regularly neighbours lie. Along a wall there are fewer pairs than across it, since images
    /// only push away from it.
    pub fn gauge(&self, (near, sorting): (&Near, &Sorting), walls: &Walls<'_>, pressure: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; pressure.len()];
        parallel::fill(&mut out, |i| {
            let beside = (self.walls[i].density / BESIDE).min(1.0);
            let mut wall = Matrix3::zeros();
            if beside > 0.0 {
                wall = walls.stress(&sorting.position(i), f64::from(self.spacing[i]));
            }
            let across = wall / wall.trace().max(f32::MIN_POSITIVE);
            let weights = across * beside + Matrix3::from_diagonal_element((1.0 - beside) / 3.0);
            let pairs = near.measured(sorting, i).map(|(edge, distance)| {
                let gradient = Vector3::from(edge.gradient);
                let Some(direction) = gradient.try_normalize(0.0) else { return 0.0 };
                let mean = 0.5 * (pressure[i] + pressure[edge.to as usize]);
                mean * distance * gradient.dot(&(weights * direction))
            });
            pairs.sum::<f32>() + pressure[i] * weights.dot(&wall)
        });
        out
    }

    /// Finds pressures that keep the density and adds their accelerations to the velocities; returns the iterations.
    /// `pressure` holds what to start from, and what was found.
    pub fn solve(&mut self, near: &Near, solve: Solve, goal: Goal, pressure: &mut [f32]) -> usize {
        let (count, dt) = (self.volume.len(), goal.dt);
        let Scratch { mut source, mut ahead, mut next, mut rise, mut gain } =
            std::mem::take(&mut self.scratch);
        for values in [&mut source, &mut ahead, &mut next, &mut rise, &mut gain] {
            values.resize(count, 0.0);
        }
        if goal.since == Since::Change {
            registers::fill(&mut gain, &Rise { near, slope: &self.slope, v: &self.velocity });
            parallel::update(&mut gain, |i, gain| *gain = dt * (*gain - self.walls[i].departure));
        }
        parallel::fill(&mut source, |i| match solve {
            Solve::Density => self.density[i] + gain[i] - 1.0,
            Solve::Divergence => gain[i] - self.room(i),
        });
        parallel::update(pressure, |i, p| *p = if self.diagonal[i] > 0.0 { *p } else { 0.0 });
        if !source.iter().any(|&s| s > 0.0) {
            pressure.fill(0.0);
            self.rigids.iter_mut().for_each(|held| held.gained = Default::default());
            self.scratch = Scratch { source, ahead, next, rise, gain };
            return 0;
        }
        let mut acceleration = std::mem::take(&mut self.acceleration);
        ahead.copy_from_slice(pressure);
        let (mut momentum, mut relaxation, mut iterations) = (1.0_f32, BOLD, 0);
        let mut least = f32::INFINITY;
        loop {
            iterations += 1;
            self.accelerate(near, &ahead, &mut acceleration);
            registers::fill(&mut rise, &Rise { near, slope: &self.slope, v: &acceleration });
            let pressures = (&ahead[..], &pressure[..], &mut next[..]);
            let found = self.correct((&source, &rise), (dt, relaxation), pressures);
            // What is found are the pressures ahead, whose accelerations and error are known.
            let solved = iterations >= LEAST && found.error <= goal.error * found.pressed;
            if solved || iterations >= goal.max_iterations {
                break;
            }
            let too_far = relaxation > CAREFUL && found.error > GROWN * least * found.pressed;
            least = least.min(found.error / found.pressed.max(1.0));
            let restart = found.uphill > 0.0 || too_far;
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = match goal.iteration {
                Iteration::Nesterov if !restart => (momentum - 1.0) / grown,
                _ => 0.0,
            };
            (momentum, relaxation) = if restart { (1.0, CAREFUL) } else { (grown, relaxation) };
            parallel::update_pair(&mut ahead, pressure, |i, ahead, pressure| {
                *ahead = (next[i] + share * (next[i] - *pressure)).max(0.0);
                *pressure = next[i];
            });
        }
        pressure.copy_from_slice(&ahead);
        self.rigids.iter_mut().for_each(|held| held.keep(f64::from(dt)));
        parallel::update_pair(&mut self.velocity, &mut gain, |i, v, gain| {
            *v = (f32x4::from(*v) + f32x4::from(acceleration[i]) * f32x4::splat(dt)).to_array();
            *gain += dt * dt * rise[i];
        });
        self.acceleration = acceleration;
        self.scratch = Scratch { source, ahead, next, rise, gain };
        iterations
    }

    /// Accelerations by pressures [m/s²].
    fn accelerate(&mut self, near: &Near, pressure: &[f32], out: &mut [Lane]) {
        registers::fill(out, &Push { near, crowd: self, pressure });
        self.rigids.iter_mut().for_each(|held| held.stiffen(out, &self.inverse_mass));
    }

    /// Lets rigid bodies move as one after something has changed velocities from what they were `before`.
    pub fn take_up(&mut self, before: &[Lane]) {
        let Self { rigids, velocity, inverse_mass, .. } = self;
        rigids.iter_mut().for_each(|held| held.take_up((velocity, before), inverse_mass));
    }

    /// One correction, from pressures `ahead` to the `next` ones; `last` are those before.
    fn correct(
        &self,
        (source, rise): (&[f32], &[f32]),
        (dt, relaxation): (f32, f32),
        (ahead, last, next): (&[f32], &[f32], &mut [f32]),
    ) -> Found {
        let dt_squared = dt * dt;
        let sums = parallel::update_and_sum(next, Vector3::zeros(), |i, next| {
            let scale = dt_squared * self.diagonal[i];
            *next = 0.0;
            if scale <= 0.0 {
                return Vector3::zeros();
            }
            let error = source[i] + dt_squared * rise[i];
            *next = (ahead[i] + relaxation * error / scale).max(0.0);
            let uphill = scale * (ahead[i] - *next) * (*next - last[i]);
            if *next > 0.0 { Vector3::new(error.abs(), 1.0, uphill) } else { Vector3::new(0.0, 0.0, uphill) }
        });
        Found { error: sums.x, pressed: sums.y, uphill: sums.z }
    }

    /// Impulse by which the wall pushes a particle away in a step, over its mass [m/s].
    pub fn wall_push(&self, pressure: &[f32], i: usize, dt: f32) -> f32 {
        let gradient: f32 = self.walls[i].gradient.iter().map(|g| g * g).sum();
        dt * pressure[i] * self.volume[i] * self.inverse_mass[i] * gradient.sqrt()
    }
}

/// How fast densities rise with velocities `v` [1/s].
struct Rise<'a> {
    near: &'a Near,
    slope: &'a [Lane],
    v: &'a [Lane],
}

impl Each for Rise<'_> {
    type Found = f32;

    #[inline(always)]
    fn of<P: Sums>(&self, sums: P, i: usize) -> f32 {
        let Self { near, slope, v } = self;
        let others = sums.sum(&near.row(i), |j| f32x4::from(v[j]));
        sum(f32x4::from(v[i]) * f32x4::from(slope[i]) - others * f32x4::splat(near.unit))
    }
}

/// Accelerations by pressures [m/s²].
struct Push<'a> {
    near: &'a Near,
    crowd: &'a Crowd,
    pressure: &'a [f32],
}

impl Each for Push<'_> {
    type Found = Lane;

    #[inline(always)]
    fn of<P: Sums>(&self, sums: P, i: usize) -> Lane {
        let Self { near, crowd, pressure } = self;
        let others = sums.sum(&near.row(i), |j| f32x4::splat(pressure[j]));
        let own = f32x4::from(crowd.slope[i]) * f32x4::splat(pressure[i]);
        let sum = others * f32x4::splat(near.unit) + own;
        (sum * f32x4::splat(-crowd.volume[i] * crowd.inverse_mass[i])).to_array()
    }
}

/// What a correction found.
struct Found {
    /// Sum of the errors before it.
    error: f32,
    /// Particles under pressure.
    pressed: f32,
    /// Positive when the momentum leads uphill.
    uphill: f32,
}
