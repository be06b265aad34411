//! The resistance to changes of volume (Kugelstadt 2021 §3.4 and Eq. 30): two loops over neighbours, no matrix.
//!
//! `s_i = tr(R_iᵀF_i) = Σ_j x_ji · e_ij` with `e_ij = V_j R_i L_i ∇W_ij`; a particle pulls with `q_i = λ_i V_i (s_i − tr T_i)`.

use super::gradients::Operator;
use super::lanes::{Lane, sum};
use super::rest::Rest;
use super::strain::{Moduli, Strain};
use crate::arrows::{Row, SLACK};
use nalgebra::{Matrix3, Vector3};
use pliant_math::parallel;
use rayon::prelude::*;
use wide::f32x4;

/// The operator at given rotations.
#[derive(Debug, Default)]
pub(crate) struct Dilation {
    /// `e_ij`.
    out: Arrows,
    /// `−e_ji`: how the neighbour's resistance acts on this particle.
    back: Arrows,
    /// `Σ_j e_ij`.
    own: Vec<Lane>,
    resistance: Vec<f32>,
    turned: Vec<Matrix3<f32>>,
}

/// A vector for each edge; most of the time goes into reading them.
#[derive(Debug, Default)]
struct Arrows(Vec<f32>);

impl Arrows {
    fn resize(&mut self, edges: usize) {
        self.0.resize(3 * edges + SLACK, 0.0);
    }

    #[inline(always)]
    fn row<'a>(&'a self, rest: &'a Rest, i: usize) -> Row<'a, f32> {
        Row::new(&rest.to, &self.0, rest.starts[i] as usize..rest.starts[i + 1] as usize)
    }
}

/// What does not change with the rotations.
#[derive(Debug)]
pub(crate) struct Resistance {
    /// `λ_i V_i` [Pa m³].
    pub stiffness: Vec<f32>,
    /// `Σ λ V |e|²` over all that pulls at a particle, the mean of the three axes [N/m].
    diagonal: Vec<f32>,
    /// `V_i` [m³] and one over it.
    volume: Vec<[f32; 2]>,
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
        let volume = rest.volume.iter().map(|&volume| [volume as f32, (1.0 / volume) as f32]).collect();
        Self { stiffness, diagonal, volume }
    }
}

impl Dilation {
    /// Takes up the rotations of `strain`.
    pub fn update(&mut self, (rest, constant): (&Rest, &Resistance), strain: &Strain) {
        let count = rest.len();
        self.turned.resize(count, Matrix3::zeros());
        let volume = &constant.volume;
        // Without the volume, which the arms of the neighbours have.
        parallel::fill(&mut self.turned, |i| strain.turn[i] * (rest.correction[i] * volume[i][1]));
        self.out.resize(rest.edges.len());
        self.back.resize(rest.edges.len());
        self.own.resize(count, [0.0; 4]);
        let Self { out, back, own, turned, .. } = self;
        let mut blocks = Vec::new();
        let (mut out, mut back) = (out.0.as_mut_slice(), back.0.as_mut_slice());
        for (block, own) in own.chunks_mut(parallel::BLOCK).enumerate() {
            let first = block * parallel::BLOCK;
            let size = 3 * (rest.starts[first + own.len()] - rest.starts[first]) as usize;
            let (out_block, out_left) = out.split_at_mut(size);
            let (back_block, back_left) = back.split_at_mut(size);
            blocks.push((first, own, out_block, back_block));
            (out, back) = (out_left, back_left);
        }
        blocks.into_par_iter().for_each(|(first, own, out, back)| {
            let mut arrows = out.chunks_exact_mut(3).zip(back.chunks_exact_mut(3));
            for (i, own) in (first..).zip(own) {
                let (here, mut sum) = (turned[i], Vector3::zeros());
                for (edge, (out, back)) in rest.row(i).iter().zip(&mut arrows) {
                    let arm = Vector3::from(edge.offset) * (edge.steepness * volume[i][0]);
                    let (forth, from) = (here * arm, turned[edge.to as usize] * arm);
                    out.copy_from_slice(forth.as_slice());
                    back.copy_from_slice(from.as_slice());
                    sum += forth;
                }
                *own = [sum.x, sum.y, sum.z, 0.0];
            }
        });
    }

    /// How fast `tr F` grows with velocities `x` [1/s].
    #[inline(always)]
    fn rate(&self, rest: &Rest, x: &[Lane], i: usize) -> f32 {
        let total = self.out.row(rest, i).sum(|j, arrow| f32x4::from(x[j]) * arrow);
        sum(total - f32x4::from(x[i]) * f32x4::from(self.own[i]))
    }

    /// Force of the resistances on particle `i` [N]; the fourth lane means nothing.
    #[inline(always)]
    fn pull(&self, rest: &Rest, resistance: &[f32], i: usize) -> f32x4 {
        let others = self.back.row(rest, i).sum(|j, arrow| arrow * f32x4::splat(resistance[j]));
        others + f32x4::from(self.own[i]) * f32x4::splat(resistance[i])
    }

    /// Forces of resistances `q` times `scale` [N].
    pub fn forces(
        &self,
        rest: &Rest,
        resistance: &[f32],
        scale: impl Fn(usize) -> f32 + Sync,
        out: &mut [Lane],
    ) {
        parallel::fill(out, |i| three(self.pull(rest, resistance, i) * f32x4::splat(scale(i))));
    }
}

impl Operator for DilationSystem<'_> {
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        let mut resistance = std::mem::take(&mut self.dilation.resistance);
        resistance.resize(x.len(), 0.0);
        let (rest, dilation) = (self.rest, &*self.dilation);
        parallel::fill(&mut resistance, |i| self.constant.stiffness[i] * dilation.rate(rest, x, i));
        let curvature = parallel::update_and_sum(out, 0.0, |i, out| {
            let here = f32x4::from(x[i]);
            let image = if self.pinned[i] {
                here
            } else {
                let force = dilation.pull(rest, &resistance, i);
                here * f32x4::splat(self.mass[i]) - force * f32x4::splat(self.dt_squared)
            };
            *out = three(image);
            f64::from(sum(here * image))
        });
        self.dilation.resistance = resistance;
        curvature
    }
}

/// The first three lanes.
#[inline(always)]
fn three(lanes: f32x4) -> Lane {
    let [x, y, z, _] = lanes.to_array();
    [x, y, z, 0.0]
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
    fn apply(&mut self, x: &[Lane], out: &mut [Lane]) -> f64 {
        parallel::update_and_sum(out, 0.0, |i, out| {
            let (here, inverse) = (f32x4::from(x[i]), f32x4::splat(self.0[i]));
            *out = (here * inverse).to_array();
            f64::from(sum(here * here * inverse))
        })
    }
}
