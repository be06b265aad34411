//! What fluids do beside pressure and viscosity: what calms them, surface tension, and spin of their particles.

use crate::kernel::Kernel;
use crate::near::Near;
use crate::pressure::Crowd;
use crate::solid::Lane;
use crate::sorting::Sorting;
use pliant_math::parallel;

/// One over the microinertia Θ of Bender 2019 [1/m²].
const INVERSE_MICROINERTIA: f32 = 0.5;

/// Fluid properties, by place.
pub(crate) struct Fluids {
    /// Dynamic viscosity [Pa s]; negative for solids.
    pub viscosity: Vec<f32>,
    pub kernel: Kernel,
    pub dt: f32,
}

impl Fluids {
    pub fn is_fluid(&self, i: usize) -> bool {
        self.viscosity[i] >= 0.0
    }

    /// Artificial viscosity `α d √(p ρ)` where particles jostle: without it their disorder would never die out, and where
    /// they move together it would only thicken the fluid.
    pub fn calm(&mut self, crowd: &Crowd, near: &Near, (strength, pressure): (f32, &[f32])) {
        if strength <= 0.0 {
            return;
        }
        parallel::update(&mut self.viscosity, |i, viscosity| {
            if *viscosity >= 0.0 && pressure[i] > 0.0 && crowd.inverse_mass[i] > 0.0 {
                let density = 1.0 / (crowd.inverse_mass[i] * crowd.volume[i]);
                let jostle = near.weight(i).jostle;
                *viscosity += strength * jostle * crowd.spacing[i] * (density * pressure[i]).sqrt();
            }
        });
    }

    /// Cohesion and minimisation of the surface (Akinci 2013), with the coefficient γ of that paper.
    pub fn contract(&self, crowd: &mut Crowd, (near, sorting): (&Near, &Sorting), coefficient: f32) {
        if coefficient <= 0.0 {
            return;
        }
        let support = self.kernel.support as f32;
        let mut normals = vec![[0.0; 3]; crowd.velocity.len()];
        parallel::fill(&mut normals, |i| {
            let mut normal = [0.0; 3];
            for edge in near.edges(i).filter(|edge| self.is_fluid(edge.to as usize)) {
                for (normal, gradient) in normal.iter_mut().zip(&edge.gradient) {
                    *normal += support * gradient / crowd.density[edge.to as usize].max(0.1);
                }
            }
            normal
        });
        let mut velocity = std::mem::take(&mut crowd.velocity);
        parallel::update(&mut velocity, |i, v| {
            if !self.is_fluid(i) || crowd.inverse_mass[i] <= 0.0 {
                return;
            }
            let mut pull = [0.0; 3];
            for (edge, r) in near.measured(sorting, i).filter(|(edge, _)| self.is_fluid(edge.to as usize)) {
                let j = edge.to as usize;
                let slope = square(&edge.gradient).sqrt().max(f32::MIN_POSITIVE);
                let symmetry = 2.0 / (crowd.density[i] + crowd.density[j]).max(0.2);
                let attraction =
                    cohesion(r, support) / (slope * crowd.inverse_mass[j].max(f32::MIN_POSITIVE));
                for axis in 0..3 {
                    let flatten = normals[j][axis] - normals[i][axis];
                    pull[axis] += symmetry * (attraction * edge.gradient[axis] + flatten);
                }
            }
            for axis in 0..3 {
                v[axis] += self.dt * coefficient * pull[axis];
            }
        });
        crowd.velocity = velocity;
    }

    /// Micropolar fluid (Bender 2019): vorticity becomes spin of the particles, and spin drives the flow, both at the
    /// kinematic transfer viscosity `transfer` [m²/s].
    pub fn spin(&self, crowd: &mut Crowd, near: &Near, transfer: f32, spin: &mut [Lane]) {
        if transfer <= 0.0 {
            return;
        }
        let rate = self.dt * transfer;
        let mut turned = vec![[0.0; 4]; spin.len()];
        parallel::fill(&mut turned, |i| curl(near, &crowd.velocity, i, |j| self.is_fluid(j)));
        parallel::update(spin, |i, spin| {
            if self.is_fluid(i) {
                for axis in 0..3 {
                    spin[axis] += INVERSE_MICROINERTIA * rate * (turned[i][axis] - 2.0 * spin[axis]);
                }
            }
        });
        let mut velocity = std::mem::take(&mut crowd.velocity);
        parallel::update(&mut velocity, |i, v| {
            if self.is_fluid(i) && crowd.inverse_mass[i] > 0.0 {
                let push = curl(near, spin, i, |j| self.is_fluid(j));
                for axis in 0..3 {
                    v[axis] += rate * push[axis];
                }
            }
        });
        crowd.velocity = velocity;
    }
}

/// `∇ × v` from differences [1/s].
fn curl(near: &Near, v: &[Lane], i: usize, related: impl Fn(usize) -> bool) -> Lane {
    let mut sum = [0.0; 4];
    for edge in near.edges(i).filter(|edge| related(edge.to as usize)) {
        let (g, other) = (&edge.gradient, &v[edge.to as usize]);
        let d = [other[0] - v[i][0], other[1] - v[i][1], other[2] - v[i][2]];
        sum[0] += g[1] * d[2] - g[2] * d[1];
        sum[1] += g[2] * d[0] - g[0] * d[2];
        sum[2] += g[0] * d[1] - g[1] * d[0];
    }
    sum
}

/// The cohesion spline of Akinci 2013: attracts beyond half the support, repels inside [1/m³].
fn cohesion(r: f32, support: f32) -> f32 {
    let scale = 32.0 / (std::f32::consts::PI * support.powi(9));
    let shape = ((support - r) * r).powi(3);
    if 2.0 * r > support { scale * shape } else { scale * (2.0 * shape - support.powi(6) / 64.0) }
}

pub(crate) fn square(vector: &[f32; 3]) -> f32 {
    vector.iter().map(|v| v * v).sum()
}
