//! Deformation gradients, rotations and the forces that follow from them, never assembled.
//!
//! With `a = −V_j W'/r`, `o = X_j − X_i` and `L_i` the gradients of Eq. 7 are `a L_i o`, and the force of Eq. 14, 18 and 24
//! on particle `i` is `V_i Σ_j [a (h_i + h_j) o − α w (μ_i F_i + μ_j F_j) o + α w (μ_i + μ_j) x_ji]`, where
//! `h_i = (∂Ψ/∂F + α μ (F S − B)) L_i`.

use super::gradients::Lane;
use super::polar;
use super::rest::Rest;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use pliant_math::{Vec3, parallel};

/// Moduli of a body, particle by particle, in the order of the rest pose.
#[derive(Clone, Debug)]
pub(crate) struct Moduli {
    /// `μ_i` [Pa].
    pub shear: Vec<f64>,
    /// `λ_i` [Pa].
    pub dilation: Vec<f64>,
    /// Strength of the implicit zero-energy term.
    pub zero_energy: f64,
}

/// The deformation of a body at given positions.
#[derive(Debug, Default)]
pub(crate) struct Strain {
    /// `F_i`, completed by the rotation where a neighbourhood is flat.
    pub gradient: Vec<Matrix3<f32>>,
    /// `B_i = Σ_j w x_ji oᵀ`.
    excess: Vec<Matrix3<f32>>,
    /// `R_i`.
    pub turn: Vec<Matrix3<f32>>,
    /// `h_i` [Pa].
    flux: Vec<Matrix3<f32>>,
}

impl Strain {
    /// `F_i` (Eq. 9) and `R_i` at `positions`; rotations start from the last ones.
    pub fn measure(&mut self, rest: &Rest, positions: &[Vec3], rotation: &mut [UnitQuaternion<f64>]) {
        let count = rest.len();
        for matrices in [&mut self.gradient, &mut self.excess, &mut self.turn] {
            matrices.resize(count, Matrix3::identity());
        }
        parallel::update_triple(
            &mut self.gradient,
            &mut self.excess,
            rotation,
            |i, gradient, (excess, turned)| {
                let (mut f, mut b) = (Matrix3::zeros(), Matrix3::zeros());
                let here = positions[i];
                for edge in rest.row(i) {
                    let apart: Vector3<f32> = (positions[edge.to as usize] - here).cast();
                    let product = apart * Vector3::from(edge.offset).transpose();
                    f += product * edge.steepness;
                    b += product * edge.weight;
                }
                f *= rest.correction[i];
                let mut whole = f.cast::<f64>();
                if let Some(flat) = rest.flat_directions(i) {
                    whole += turned.to_rotation_matrix().matrix() * flat;
                }
                *turned = polar::rotation(&whole, turned);
                (*gradient, *excess) = (whole.cast(), b);
            },
        );
        parallel::fill(&mut self.turn, |i| rotation[i].to_rotation_matrix().matrix().cast());
    }

    /// Forces of stretch and zero-energy terms, and of the pressures `q_i/V_i` that resist changes of volume [N].
    /// `target` is the stretch at which each particle has no stress; none for the identity.
    pub fn forces(
        &mut self,
        (rest, positions): (&Rest, &[Vec3]),
        moduli: &Moduli,
        target: Option<&[Matrix3<f64>]>,
        resistance: &[f32],
        out: &mut [Lane],
    ) {
        let Self { gradient, excess, turn, flux } = self;
        flux.resize(rest.len(), Matrix3::zeros());
        let alpha = moduli.zero_energy as f32;
        parallel::fill(flux, |i| {
            let relaxed = target.map_or(turn[i], |target| turn[i] * target[i].cast::<f32>());
            let shear = moduli.shear[i] as f32;
            let stretch = (gradient[i] - relaxed) * (2.0 * shear);
            let penalty = (gradient[i] * rest.spread[i] - excess[i]) * (alpha * shear);
            let pressure = turn[i] * (resistance[i] / rest.volume[i] as f32);
            (stretch + penalty + pressure) * rest.correction[i]
        });
        parallel::fill(out, |i| {
            let (mut force, here) = (Vector3::zeros(), positions[i]);
            let (own, shear) = (flux[i], moduli.shear[i] as f32);
            let stiff = gradient[i] * shear;
            for edge in rest.row(i) {
                let j = edge.to as usize;
                let offset = Vector3::from(edge.offset);
                let weight = alpha * edge.weight;
                let other = moduli.shear[j] as f32;
                let through = (own + flux[j]) * edge.steepness - (stiff + gradient[j] * other) * weight;
                let apart: Vector3<f32> = (positions[j] - here).cast();
                force += through * offset + apart * (weight * (shear + other));
            }
            force *= rest.volume[i] as f32;
            [force.x, force.y, force.z, 0.0]
        });
    }

    /// Elastic energy, with and without the zero-energy term [J].
    pub fn energy(
        &self,
        (rest, positions): (&Rest, &[Vec3]),
        moduli: &Moduli,
        target: Option<&[Matrix3<f64>]>,
    ) -> (f64, f64) {
        let zero = nalgebra::Vector2::zeros();
        let both = parallel::sum(rest.len(), zero, |i| {
            let (f, r) = (self.gradient[i].cast::<f64>(), self.turn[i].cast::<f64>());
            let relaxed = target.map_or_else(Matrix3::identity, |target| target[i]);
            let (mu, lambda) = (moduli.shear[i], moduli.dilation[i]);
            let dilation = (r.transpose() * f - relaxed).trace();
            let stored = mu * (f - r * relaxed).norm_squared() + 0.5 * lambda * dilation * dilation;
            let mut penalty = 0.0;
            for edge in rest.row(i) {
                let error = f * edge.offset() - (positions[edge.to as usize] - positions[i]);
                penalty += f64::from(edge.weight) * error.norm_squared();
            }
            penalty *= 0.5 * moduli.zero_energy * mu;
            nalgebra::Vector2::new(stored, penalty) * rest.volume[i]
        });
        (both.x, both.y)
    }
}
