//! The resistance to changes of volume (Kugelstadt 2021 §3.4 and Eq. 30): two loops over neighbours, no matrix.
//!
//! `s_i = tr(R_iᵀF_i) = Σ_j x_ji · e_ij` with `e_ij = V_j R_i L_i ∇W_ij`; a particle pulls with `q_i = λ_i V_i (s_i − tr T_i)`.

use super::gradients::{Lane, Operator};
use super::rest::Rest;
use super::strain::Strain;
use nalgebra::{Matrix3, Vector3};
use pliant_math::{Vec3, parallel};

/// An edge that points at a neighbour with a vector of its own.
#[derive(Clone, Copy, Debug)]
struct Arrow {
    vector: [f32; 3],
    to: u32,
}

/// The operator at given rotations.
#[derive(Debug, Default)]
pub(crate) struct Dilation {
    /// `e_ij`.
    out: Vec<Arrow>,
    /// `−e_ji`: how the neighbour's resistance acts on this particle.
    back: Vec<Arrow>,
    /// `Σ_j e_ij`.
    own: Vec<Lane>,
    /// `λ_i V_i` [Pa m³].
    stiffness: Vec<f32>,
    resistance: Vec<f32>,
    turned: Vec<Matrix3<f32>>,
}

/// `M + Δt² Bᵀ λV B`, without the equations of pinned particles.
pub(crate) struct DilationSystem<'a> {
    pub rest: &'a Rest,
    pub dilation: &'a mut Dilation,
    pub mass: &'a [f32],
    pub pinned: &'a [bool],
    pub dt_squared: f32,
}

impl Dilation {
    /// Takes up the rotations of `strain`.
    pub fn update(&mut self, rest: &Rest, strain: &Strain, lambda: &[f64]) {
        let count = rest.len();
        self.turned.resize(count, Matrix3::zeros());
        parallel::fill(&mut self.turned, |i| strain.turn[i] * rest.correction[i]);
        self.stiffness.resize(count, 0.0);
        parallel::fill(&mut self.stiffness, |i| (lambda[i] * rest.volume[i]) as f32);
        let turned = &self.turned;
        let arrows = |back: bool| {
            move |i: usize, arrows: &mut [Arrow]| {
                for (arrow, edge) in arrows.iter_mut().zip(rest.row(i)) {
                    let (frame, share) = if back {
                        let j = edge.to as usize;
                        (&turned[j], (rest.volume[i] / rest.volume[j]) as f32)
                    } else {
                        (&turned[i], 1.0)
                    };
                    let vector = frame * Vector3::from(edge.offset) * (edge.steepness * share);
                    *arrow = Arrow { vector: vector.into(), to: edge.to };
                }
            }
        };
        rows(rest, &mut self.out, arrows(false));
        rows(rest, &mut self.back, arrows(true));
        self.own.resize(count, [0.0; 4]);
        let out = &self.out;
        parallel::fill(&mut self.own, |i| {
            let mut sum = [0.0; 4];
            for arrow in row(rest, out, i) {
                for axis in 0..3 {
                    sum[axis] += arrow.vector[axis];
                }
            }
            sum
        });
    }

    /// `q_i` at `positions`: the stiffness times the change of `tr F` from its target.
    pub fn resist(
        &self,
        rest: &Rest,
        positions: &[Vec3],
        target: Option<&[Matrix3<f64>]>,
        out: &mut Vec<f32>,
    ) {
        out.resize(rest.len(), 0.0);
        parallel::fill(out, |i| {
            let mut trace = 0.0;
            for arrow in row(rest, &self.out, i) {
                let apart = positions[arrow.to as usize] - positions[i];
                trace += apart.dot(&Vector3::from(arrow.vector).cast());
            }
            let mut relaxed = target.map_or(3.0, |target| target[i].trace());
            if let Some(flat) = rest.flat_directions(i) {
                relaxed -= target.map_or(flat.trace(), |target| (target[i] * flat).trace());
            }
            self.stiffness[i] * (trace - relaxed) as f32
        });
    }

    /// Force of the resistances on particle `i` [N].
    fn pull(&self, rest: &Rest, resistance: &[f32], i: usize) -> [f32; 3] {
        let own = resistance[i];
        let mut force = [own * self.own[i][0], own * self.own[i][1], own * self.own[i][2]];
        for arrow in row(rest, &self.back, i) {
            let other = resistance[arrow.to as usize];
            for axis in 0..3 {
                force[axis] += other * arrow.vector[axis];
            }
        }
        force
    }

    /// Adds the forces of resistances `q` to `out` [N].
    pub fn add_forces(&self, rest: &Rest, resistance: &[f32], out: &mut [Lane]) {
        parallel::update(out, |i, out| {
            let force = self.pull(rest, resistance, i);
            for axis in 0..3 {
                out[axis] += force[axis];
            }
        });
    }
}

impl Operator for DilationSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        let mut resistance = std::mem::take(&mut self.dilation.resistance);
        resistance.resize(x.len(), 0.0);
        let (rest, dilation) = (self.rest, &*self.dilation);
        parallel::fill(&mut resistance, |i| {
            let (mut trace, own, here) = (0.0, dilation.own[i], x[i]);
            for arrow in row(rest, &dilation.out, i) {
                let other = x[arrow.to as usize];
                trace += other[0] * arrow.vector[0] + other[1] * arrow.vector[1] + other[2] * arrow.vector[2];
            }
            trace -= here[0] * own[0] + here[1] * own[1] + here[2] * own[2];
            dilation.stiffness[i] * trace
        });
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return x[i];
            }
            let force = dilation.pull(rest, &resistance, i);
            let mut image = [0.0; 4];
            for axis in 0..3 {
                image[axis] = self.mass[i] * x[i][axis] - self.dt_squared * force[axis];
            }
            image
        });
        self.dilation.resistance = resistance;
    }
}

/// One over the diagonal of a [`DilationSystem`], the mean of the three axes.
pub(crate) struct Diagonal(pub Vec<f32>);

impl Diagonal {
    pub fn of(system: &DilationSystem<'_>) -> Self {
        let (rest, dilation) = (system.rest, &*system.dilation);
        let mut inverse = vec![0.0; rest.len()];
        parallel::fill(&mut inverse, |i| {
            if system.pinned[i] {
                return 1.0;
            }
            let own = dilation.own[i];
            let mut sum = dilation.stiffness[i] * (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
            for arrow in row(rest, &dilation.back, i) {
                let square: f32 = arrow.vector.iter().map(|v| v * v).sum();
                sum += dilation.stiffness[arrow.to as usize] * square;
            }
            1.0 / (system.mass[i] + system.dt_squared * sum / 3.0)
        });
        Self(inverse)
    }
}

impl Operator for Diagonal {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        parallel::fill(out, |i| x[i].map(|value| value * self.0[i]));
    }
}

fn row<'a>(rest: &Rest, arrows: &'a [Arrow], i: usize) -> &'a [Arrow] {
    &arrows[rest.starts[i] as usize..rest.starts[i + 1] as usize]
}

/// Fills rows of arrows, in parallel over blocks of particles.
fn rows(rest: &Rest, arrows: &mut Vec<Arrow>, fill: impl Fn(usize, &mut [Arrow]) + Sync) {
    use rayon::prelude::*;
    arrows.resize(rest.edges.len(), Arrow { vector: [0.0; 3], to: 0 });
    let mut blocks = Vec::new();
    let mut left = arrows.as_mut_slice();
    for first in (0..rest.len()).step_by(parallel::BLOCK) {
        let last = rest.len().min(first + parallel::BLOCK);
        let (block, rest_of) = left.split_at_mut((rest.starts[last] - rest.starts[first]) as usize);
        blocks.push((first..last, block));
        left = rest_of;
    }
    blocks.into_par_iter().for_each(|(particles, mut block)| {
        for i in particles {
            let (row, rest_of) = block.split_at_mut((rest.starts[i + 1] - rest.starts[i]) as usize);
            fill(i, row);
            block = rest_of;
        }
    });
}
