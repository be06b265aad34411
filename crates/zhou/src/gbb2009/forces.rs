//! Forces of the deformation stored in each particle, through the neighbourhoods of now (Zhou 2013, Eq. 8 with
//! the pose of the step before as rest pose: Gerszewski 2009).
//!
//! The energy that a motion `q → q + u` changes is `Σ V Ψ(G F)`, with G the fit of the motion over the present
//! neighbourhood. Its derivative at `u = 0` is the force: `f_i = Σ_j (w_ij S_i + w_ji S_j) p_ij`, `S = V τ N`.

use super::neighbourhoods::{Edge, Neighbourhoods};
use super::{Gbb2009, Gbb2009Settings};
use pliant_geometry::kernel;
use pliant_material::elastic::LinearCorotated;
use pliant_math::{Mat, Vect, parallel, principal};
use pliant_world::World;

/// A neighbourhood whose narrowest extent is below this share of its widest has no reliable direction there.
const FLAT: f64 = 0.02;

/// What a particle contributes to the forces, and the fit its increment is taken with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local<const D: usize> {
    /// `N = (Σ w p pᵀ)⁻¹`; the pseudo-inverse where neighbours lie in a plane or on a line.
    pub inverse_moment: Mat<D>,
    /// Projector onto the directions the neighbours span, if not all.
    pub covered: Option<Mat<D>>,
    /// `S = V τ N` [N/m].
    flux: Mat<D>,
    /// `V p / n⁰`, for the SPH pressure [J].
    push: f64,
    /// `η D (D + 2) V / Σ w |p|²`, for the SPH viscosity [kg/s].
    drag: f64,
}

impl<const D: usize> Local<D> {
    pub fn none() -> Self {
        let (inverse_moment, flux) = (Mat::zeros(), Mat::zeros());
        Self { inverse_moment, covered: Some(Mat::zeros()), flux, push: 0.0, drag: 0.0 }
    }

    /// Number of directions the neighbours span.
    pub fn rank(&self) -> usize {
        self.covered.map_or(D, |covered| covered.trace().round() as usize)
    }

    fn fit(row: &[Edge<D>]) -> Self {
        let moment: Mat<D> = row.iter().map(|edge| edge.offset * edge.offset.transpose() * edge.weight).sum();
        let inverse = moment.try_inverse();
        // The product of the norms bounds the ratio of the extents: most neighbourhoods need no decomposition.
        if let Some(inverse_moment) = inverse.filter(|inverse| inverse.norm() * moment.norm() < 1.0 / FLAT) {
            return Self { inverse_moment, covered: None, ..Self::none() };
        }
        let axes = principal(&moment);
        let spans = |k: usize| axes.sigma[k] > FLAT * axes.sigma[0];
        if let Some(inverse_moment) = inverse.filter(|_| spans(D - 1)) {
            return Self { inverse_moment, covered: None, ..Self::none() };
        }
        let (mut inverse_moment, mut covered) = (Mat::zeros(), Mat::zeros());
        for k in (0..D).filter(|&k| spans(k)) {
            let square = axes.v.column(k) * axes.v.column(k).transpose();
            inverse_moment += square / axes.sigma[k];
            covered += square;
        }
        Self { inverse_moment, covered: Some(covered), ..Self::none() }
    }
}

impl<const D: usize> Gbb2009<D> {
    /// Fit and stress of every particle in the present neighbourhoods.
    pub(super) fn stress_particles(
        &self,
        near: &Neighbourhoods<D>,
        elastic: &[Mat<D>],
        locals: &mut Vec<Local<D>>,
    ) {
        locals.resize(elastic.len(), Local::none());
        parallel::fill(locals, |i| {
            let (row, volume) = (near.row(i), self.matter[i].rest_volume);
            let mut local = Local::fit(row);
            local.flux = self.kirchhoff(i, &elastic[i]) * local.inverse_moment * volume;
            let Gbb2009Settings { pressure, viscosity, .. } = self.settings;
            if pressure > 0.0 {
                let excess = (near.crowding(i) / self.rest_crowding[i] - 1.0).max(0.0);
                local.push = volume * pressure * excess / self.rest_crowding[i];
            }
            if viscosity > 0.0 && local.rank() > 0 {
                let spread: f64 = row.iter().map(|edge| edge.weight * edge.offset.norm_squared()).sum();
                local.drag = viscosity * (D * (D + 2)) as f64 * volume / spread;
            }
            local
        });
    }

    /// Kirchhoff stress `τ = P Fᵀ` [Pa], with small principal stresses clamped to zero (Zhou 2013 §5).
    fn kirchhoff(&self, i: usize, f: &Mat<D>) -> Mat<D> {
        let parts = principal(f);
        let lame = self.matter[i].lame;
        let floor = self.settings.stress_clamp * lame.young();
        let piola = LinearCorotated(lame).piola(&parts.sigma);
        let clamped = piola.map(|stress| if stress.abs() < floor { 0.0 } else { stress });
        parts.u * Mat::from_diagonal(&clamped.component_mul(&parts.sigma)) * parts.u.transpose()
    }

    /// Symplectic Euler, first half: velocities after the forces of now have acted for `dt` (Zhou 2013, Eq. 10).
    pub(super) fn accelerate(
        &self,
        world: &World<D>,
        near: &Neighbourhoods<D>,
        locals: &[Local<D>],
        (x, v): (&[Vect<D>], &[Vect<D>]),
        (time, dt): (f64, f64),
    ) -> Vec<Vect<D>> {
        let has_fluid_forces = self.settings.pressure > 0.0 || self.settings.viscosity > 0.0;
        let mut velocity = vec![Vect::zeros(); v.len()];
        parallel::fill(&mut velocity, |i| {
            let mut force = Vect::zeros();
            for edge in near.row(i) {
                let there = &locals[edge.neighbour];
                force += (locals[i].flux * edge.weight + there.flux * edge.reverse) * edge.offset;
                if has_fluid_forces {
                    force += fluid_force(edge, (i, near), (&locals[i], there), v);
                }
            }
            let external = world.acceleration_at(&x[i], world.particles.body[i], time);
            v[i] + (force / world.particles.mass[i] + external) * dt
        });
        velocity
    }
}

/// SPH pressure and viscosity between two particles, along the line that joins them: both keep momentum and
/// angular momentum [N].
fn fluid_force<const D: usize>(
    edge: &Edge<D>,
    (i, near): (usize, &Neighbourhoods<D>),
    (here, there): (&Local<D>, &Local<D>),
    v: &[Vect<D>],
) -> Vect<D> {
    let distance = edge.offset.norm();
    if distance == 0.0 {
        return Vect::zeros();
    }
    let toward = edge.offset / distance;
    let slope = |support: f64| kernel::cosine_slope(distance, support);
    let push = here.push * slope(near.support(i)) + there.push * slope(near.support(edge.neighbour));
    let parting = toward.dot(&(v[edge.neighbour] - v[i]));
    toward * (push + (here.drag * edge.weight + there.drag * edge.reverse) * parting)
}
