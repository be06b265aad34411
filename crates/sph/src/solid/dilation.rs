//! The resistance to changes of volume (Kugelstadt 2021 §3.4 and Eq. 30): two loops over neighbours, no matrix.
//!
//! `s_i = tr(R_iᵀF_i) = Σ_j x_ji · e_ij` with `e_ij = V_j R_i L_i ∇W_ij`; a particle pulls with `q_i = λ_i V_i (s_i − tr T_i)`.

use super::gradients::Operator;
use super::lanes::{Lane, sum};
use super::rest::Rest;
use super::strain::{Moduli, Strain};
use super::sums::lanes;
use nalgebra::{Matrix3, Vector3};
use pliant_math::parallel;
use rayon::prelude::*;
use wide::f32x4;

/// An edge that points at a neighbour with a vector of its own.
#[derive(Clone, Copy, Debug)]
struct Arrow {
    vector: [f32; 3],
    to: u32,
}

impl Arrow {
    const NONE: Self = Self { vector: [0.0; 3], to: 0 };

    #[inline(always)]
    fn lanes(&self) -> f32x4 {
        let [x, y, z] = self.vector;
        f32x4::from([x, y, z, 0.0])
    }
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
    resistance: Vec<f32>,
    turned: Vec<Matrix3<f32>>,
}

/// What does not change with the rotations.
#[derive(Debug)]
pub(crate) struct Resistance {
    /// `λ_i V_i` [Pa m³].
    pub stiffness: Vec<f32>,
    /// `Σ λ V |e|²` over all that pulls at a particle, the mean of the three axes [N/m].
    diagonal: Vec<f32>,
}

/// `M + Δt² Bᵀ λV B`, without the equations of pinned particles.
pub(crate) struct DilationSystem<'a> {
    pub rest: &'a Rest,
    pub dilation: &'a mut Dilation,
    pub constant: &'a Resistance,
    pub mass: &'a [f32],
    pub pinned: &'a [bool],
    pub dt_squared: f32,
}

impl Resistance {
    /// Lengths of `e_ij` do not depend on rotations.
    pub fn new(rest: &Rest, moduli: &Moduli) -> Self {
        let stiffness: Vec<f32> = moduli
            .dilation
            .iter()
            .zip(&rest.volume)
            .map(|(lambda, volume)| (lambda * volume) as f32)
            .collect();
        let mut diagonal = vec![0.0; rest.len()];
        parallel::fill(&mut diagonal, |i| {
            let own = rest.correction[i] * Vector3::from(rest.slope[i]);
            let mut sum = stiffness[i] * own.norm_squared();
            for edge in rest.row(i) {
                let j = edge.to as usize;
                let share = (rest.volume[i] / rest.volume[j]) as f32;
                let arm = rest.correction[j] * Vector3::from(edge.offset) * (edge.steepness * share);
                sum += stiffness[j] * arm.norm_squared();
            }
            sum / 3.0
        });
        Self { stiffness, diagonal }
    }
}

impl Dilation {
    /// Takes up the rotations of `strain`.
    pub fn update(&mut self, rest: &Rest, strain: &Strain) {
        let count = rest.len();
        self.turned.resize(count, Matrix3::zeros());
        parallel::fill(&mut self.turned, |i| strain.turn[i] * rest.correction[i]);
        self.out.resize(rest.edges.len(), Arrow::NONE);
        self.back.resize(rest.edges.len(), Arrow::NONE);
        self.own.resize(count, [0.0; 4]);
        let Self { out, back, own, turned, .. } = self;
        let mut blocks = Vec::new();
        let (mut out, mut back) = (out.as_mut_slice(), back.as_mut_slice());
        for (block, own) in own.chunks_mut(parallel::BLOCK).enumerate() {
            let first = block * parallel::BLOCK;
            let size = (rest.starts[first + own.len()] - rest.starts[first]) as usize;
            let (out_block, out_left) = out.split_at_mut(size);
            let (back_block, back_left) = back.split_at_mut(size);
            blocks.push((first, own, out_block, back_block));
            (out, back) = (out_left, back_left);
        }
        blocks.into_par_iter().for_each(|(first, own, out, back)| {
            let mut arrows = out.iter_mut().zip(back);
            for (i, own) in (first..).zip(own) {
                let mut sum = Vector3::zeros();
                for (edge, (out, back)) in rest.row(i).iter().zip(&mut arrows) {
                    let j = edge.to as usize;
                    let arm = Vector3::from(edge.offset) * edge.steepness;
                    let share = (rest.volume[i] / rest.volume[j]) as f32;
                    let (forth, from) = (turned[i] * arm, turned[j] * (arm * share));
                    *out = Arrow { vector: forth.into(), to: edge.to };
                    *back = Arrow { vector: from.into(), to: edge.to };
                    sum += forth;
                }
                *own = [sum.x, sum.y, sum.z, 0.0];
            }
        });
    }

    /// `q_i` at the positions of `strain`: the stiffness times the change of `tr F` from its target.
    pub fn resist(
        &self,
        (rest, constant): (&Rest, &Resistance),
        strain: &Strain,
        target: Option<&[Matrix3<f64>]>,
        out: &mut Vec<f32>,
    ) {
        out.resize(rest.len(), 0.0);
        parallel::fill(out, |i| {
            let mut trace = f32x4::ZERO;
            for arrow in row(rest, &self.out, i) {
                trace += strain.apart(i, arrow.to as usize) * arrow.lanes();
            }
            let mut relaxed = target.map_or(3.0, |target| target[i].trace());
            if let Some(flat) = rest.flat_directions(i) {
                relaxed -= target.map_or(flat.trace(), |target| (target[i] * flat).trace());
            }
            constant.stiffness[i] * (sum(trace) - relaxed as f32)
        });
    }

    /// How fast `tr F` grows with velocities `x` [1/s].
    #[inline(always)]
    fn rate(&self, rest: &Rest, x: &[Lane], i: usize) -> f32 {
        let mut sums = [f32x4::ZERO; 2];
        let arrows = row(rest, &self.out, i);
        let pairs = arrows.chunks_exact(2);
        let rest_of = pairs.remainder();
        for pair in pairs {
            sums[0] += f32x4::from(x[pair[0].to as usize]) * pair[0].lanes();
            sums[1] += f32x4::from(x[pair[1].to as usize]) * pair[1].lanes();
        }
        for arrow in rest_of {
            sums[0] += f32x4::from(x[arrow.to as usize]) * arrow.lanes();
        }
        sum(sums[0] + sums[1] - f32x4::from(x[i]) * f32x4::from(self.own[i]))
    }

    /// Force of the resistances on particle `i` [N].
    #[inline(always)]
    fn pull(&self, rest: &Rest, resistance: &[f32], i: usize) -> f32x4 {
        let mut force = f32x4::from(self.own[i]) * f32x4::splat(resistance[i]);
        for arrow in row(rest, &self.back, i) {
            force += arrow.lanes() * f32x4::splat(resistance[arrow.to as usize]);
        }
        force
    }

    /// Adds the forces of resistances `q` to `out` [N].
    pub fn add_forces(&self, rest: &Rest, resistance: &[f32], out: &mut [Lane]) {
        parallel::update(out, |i, out| {
            *out = (f32x4::from(*out) + self.pull(rest, resistance, i)).to_array();
        });
    }

    /// What a change of velocity over a time [s] adds to the resistances.
    pub fn add_change(
        &self,
        (rest, constant): (&Rest, &Resistance),
        change: &[Lane],
        dt: f32,
        out: &mut [f32],
    ) {
        parallel::update(out, |i, out| *out += constant.stiffness[i] * dt * self.rate(rest, change, i));
    }
}

impl Operator for DilationSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        let mut resistance = std::mem::take(&mut self.dilation.resistance);
        resistance.resize(x.len(), 0.0);
        let (rest, dilation) = (self.rest, &*self.dilation);
        parallel::fill(&mut resistance, |i| self.constant.stiffness[i] * dilation.rate(rest, x, i));
        parallel::fill(out, |i| {
            if self.pinned[i] {
                return x[i];
            }
            let force = dilation.pull(rest, &resistance, i);
            (lanes(&x[i]) * f32x4::splat(self.mass[i]) - force * f32x4::splat(self.dt_squared)).to_array()
        });
        self.dilation.resistance = resistance;
    }
}

/// One over the diagonal of a [`DilationSystem`], the mean of the three axes.
pub(crate) struct Diagonal(Vec<f32>);

impl Diagonal {
    pub fn of(system: &DilationSystem<'_>) -> Self {
        let mut inverse = vec![0.0; system.mass.len()];
        parallel::fill(&mut inverse, |i| {
            let own = system.mass[i] + system.dt_squared * system.constant.diagonal[i];
            if system.pinned[i] { 1.0 } else { 1.0 / own }
        });
        Self(inverse)
    }
}

impl Operator for Diagonal {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) {
        parallel::fill(out, |i| x[i].map(|value| value * self.0[i]));
    }
}

#[inline(always)]
fn row<'a>(rest: &Rest, arrows: &'a [Arrow], i: usize) -> &'a [Arrow] {
    &arrows[rest.starts[i] as usize..rest.starts[i + 1] as usize]
}
