//! The pressure solve that fluids, solids and walls share: DFSPH (Bender and Koschier 2017) in the form of pressures, so
//! that particles of different mass push each other with equal force. Density is relative to that at rest.
//!
//! `ρ_i = ρ⁰_i + Σ_j V_j W_ij + wall`, `ρ̇_i = Σ_j V_j ∇W_ij · (v_i − v_j) + wall`, and the pressures accelerate by
//! `a_i = −V_i/m_i [Σ_j (p_i + p_j) V_j ∇W_ij + p_i wall]`. The solve is Jacobi's, with pressures that never pull.

use crate::near::Near;
use crate::solid::Lane;
use crate::walls::Wall;
use nalgebra::Vector2;
use pliant_math::parallel;

/// Share of Jacobi's correction that is taken.
const RELAXATION: f32 = 0.5;
/// Share of the last step's pressures that the next solve starts from.
const WARM: f32 = 0.5;
/// Iterations of a solve at least: the first one only sees the last step's pressures.
const LEAST: usize = 2;

/// Particles as the pressure sees them, by place.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    pub velocity: Vec<Lane>,
    /// `V_i` [m³].
    pub volume: Vec<f32>,
    /// `1/m_i` [1/kg]; zero for pinned particles.
    pub inverse_mass: Vec<f32>,
    /// Density of the particle itself and of neighbours that elasticity looks after.
    pub base: Vec<f32>,
    /// Relative density.
    pub density: Vec<f32>,
    pub walls: Vec<Wall>,
    /// How strongly a particle's own pressure lowers its density [1/(kg m)].
    diagonal: Vec<f32>,
    acceleration: Vec<Lane>,
}

/// How a solve is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    pub dt: f32,
    /// Mean error of the density that is left.
    pub error: f32,
    pub max_iterations: usize,
}

/// What is solved for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solve {
    /// A density not above that of rest at the end of the step.
    Density,
    /// A density that does not rise now.
    Divergence,
}

impl Crowd {
    /// Densities and diagonals, after the neighbours have changed. `value` is the kernel.
    pub fn weigh(&mut self, near: &Near, value: impl Fn(f32) -> f32 + Sync) {
        let count = self.volume.len();
        self.density.resize(count, 0.0);
        self.diagonal.resize(count, 0.0);
        self.acceleration.resize(count, [0.0; 4]);
        let Self { density, diagonal, volume, base, walls, inverse_mass, .. } = self;
        parallel::update_pair(density, diagonal, |i, density, diagonal| {
            *density = base[i] + walls[i].density;
            let mut sum = walls[i].gradient;
            let mut others = 0.0;
            for (edge, distance) in near.measured(i) {
                let j = edge.to as usize;
                *density += volume[j] * value(distance);
                let square: f32 = edge.gradient.iter().map(|g| g * g).sum();
                others += square * inverse_mass[j];
                for axis in 0..3 {
                    sum[axis] += edge.gradient[axis];
                }
            }
            let own = sum.iter().map(|g| g * g).sum::<f32>() * inverse_mass[i];
            *diagonal = volume[i] * (own + others);
        });
    }

    /// How fast the density of a particle rises with velocities `v` [1/s].
    #[inline]
    fn rise(&self, near: &Near, v: &[Lane], i: usize) -> f32 {
        let wall = &self.walls[i].gradient;
        let mut sum = [wall[0], wall[1], wall[2]];
        let mut others = 0.0;
        for edge in near.row(i) {
            let (g, other) = (&edge.gradient, &v[edge.to as usize]);
            others += g[0] * other[0] + g[1] * other[1] + g[2] * other[2];
            sum[0] += g[0];
            sum[1] += g[1];
            sum[2] += g[2];
        }
        v[i][0] * sum[0] + v[i][1] * sum[1] + v[i][2] * sum[2] - others
    }

    /// Finds pressures that keep the density and adds their accelerations to the velocities; returns the iterations.
    /// `pressure` holds what to start from, and what was found.
    pub fn solve(&mut self, near: &Near, solve: Solve, goal: Goal, pressure: &mut [f32]) -> usize {
        let (count, dt) = (self.volume.len(), goal.dt);
        let mut source = vec![0.0; count];
        parallel::fill(&mut source, |i| {
            let rise = dt * (self.rise(near, &self.velocity, i) - self.walls[i].departure);
            match solve {
                Solve::Density => self.density[i] + rise - 1.0,
                // Below its rest density a particle may be compressed before it resists.
                Solve::Divergence => rise.max(0.0) + (self.density[i] - 1.0).min(0.0),
            }
        });
        parallel::update(pressure, |i, p| *p = if self.diagonal[i] > 0.0 { WARM * *p } else { 0.0 });
        if !source.iter().any(|&s| s > 0.0) {
            pressure.fill(0.0);
            return 0;
        }
        let mut acceleration = std::mem::take(&mut self.acceleration);
        let mut iterations = 0;
        while iterations < goal.max_iterations {
            iterations += 1;
            self.accelerate(near, pressure, &mut acceleration);
            let (error, pressed) = self.correct(near, (&source, &acceleration), dt, pressure);
            if iterations >= LEAST && error <= goal.error * pressed {
                break;
            }
        }
        self.accelerate(near, pressure, &mut acceleration);
        parallel::update(&mut self.velocity, |i, v| {
            for axis in 0..3 {
                v[axis] += dt * acceleration[i][axis];
            }
        });
        self.acceleration = acceleration;
        iterations
    }

    /// Accelerations by pressures [m/s²].
    fn accelerate(&self, near: &Near, pressure: &[f32], out: &mut [Lane]) {
        parallel::fill(out, |i| {
            let (own, wall) = (pressure[i], &self.walls[i].gradient);
            let mut sum = [own * wall[0], own * wall[1], own * wall[2], 0.0];
            for edge in near.row(i) {
                let p = own + pressure[edge.to as usize];
                sum[0] += p * edge.gradient[0];
                sum[1] += p * edge.gradient[1];
                sum[2] += p * edge.gradient[2];
            }
            let scale = -self.volume[i] * self.inverse_mass[i];
            [scale * sum[0], scale * sum[1], scale * sum[2], 0.0]
        });
    }

    /// One correction of the pressures; returns the sum of errors before it and the number of particles under pressure.
    fn correct(
        &self,
        near: &Near,
        (source, acceleration): (&[f32], &[Lane]),
        dt: f32,
        pressure: &mut [f32],
    ) -> (f32, f32) {
        let dt_squared = dt * dt;
        let sums = parallel::update_and_sum(pressure, Vector2::zeros(), |i, p| {
            let scale = dt_squared * self.diagonal[i];
            if scale <= 0.0 {
                return Vector2::zeros();
            }
            let error = source[i] + dt_squared * self.rise(near, acceleration, i);
            let corrected = (*p + RELAXATION * error / scale).max(0.0);
            *p = corrected;
            if corrected > 0.0 { Vector2::new(error.abs(), 1.0) } else { Vector2::zeros() }
        });
        (sums.x, sums.y)
    }

    /// Impulse by which the wall pushes a particle away in a step, over its mass [m/s].
    pub fn wall_push(&self, pressure: &[f32], i: usize, dt: f32) -> f32 {
        let gradient: f32 = self.walls[i].gradient.iter().map(|g| g * g).sum();
        dt * pressure[i] * self.volume[i] * self.inverse_mass[i] * gradient.sqrt()
    }
}
