//! What fluids do beside pressure: viscosity, surface tension, and spin of their particles.

use crate::kernel::Kernel;
use crate::near::{Edge, Near, Weights};
use crate::pressure::{Crowd, sum};
use crate::solid::Lane;
use pliant_math::parallel;
use wide::f32x4;

/// One over the microinertia Θ of Bender 2019 [1/m²].
const INVERSE_MICROINERTIA: f32 = 0.5;

/// Share of what viscosity changes in a step that its solve may leave.
const CHANGE_LEFT: f64 = 0.01;
/// Viscosity in a step over the square of a spacing up to which forces may be explicit. In dense fluid a particle then loses
/// a third of its velocity against its neighbours: `Σ_j 10 V_j |∇W|/r` is 22 over the square of a spacing, and a third of it acts
/// along each axis.
const MILD: f64 = 0.05;
/// Smallest change of velocities that single precision resolves, over their size.
const SINGLE: f64 = 1e-7;

/// Fluid properties, by place.
pub(crate) struct Fluids {
    /// Dynamic viscosity [Pa s]; negative for solids.
    pub viscosity: Vec<f32>,
    pub kernel: Kernel,
    pub dt: f32,
}

impl Fluids {
    fn is_fluid(&self, i: usize) -> bool {
        self.viscosity[i] >= 0.0
    }

    /// The implicit viscosity of Weiler 2018: `(m − Δt 10 μ V Σ_j V_j (v_ij·x_ij)/(r² + 0.01 H²) ∇W) v = m v⁰`, solved by
    /// conjugate gradients from the velocity there is; returns the iterations.
    pub fn diffuse(&self, crowd: &mut Crowd, near: &Near, (tolerance, most): (f64, usize)) -> usize {
        if !self.viscosity.iter().any(|&mu| mu > 0.0) {
            return 0;
        }
        if self.is_mild(crowd) {
            self.diffuse_explicitly(crowd, near);
            return 1;
        }
        let count = crowd.velocity.len();
        let mut x = crowd.velocity.clone();
        let mut residual = vec![[0.0; 4]; count];
        let ties = Weights::new(near, |i, edge, r| self.tie(crowd, i, (edge, r)));
        self.apply(crowd, (near, &ties), &x, &mut residual);
        let mass = |i: usize| if crowd.inverse_mass[i] > 0.0 { 1.0 / crowd.inverse_mass[i] } else { 0.0 };
        let load = |i: usize| -> Lane {
            let (wall, tie) = (&crowd.walls[i], self.wall_tie(crowd, i));
            let of = |axis: usize| mass(i) * x[i][axis] + tie * wall.velocity[axis];
            [of(0), of(1), of(2), 0.0]
        };
        let norm = parallel::sum(count, 0.0, |i| squared(&load(i))).sqrt();
        parallel::update(&mut residual, |i, r| {
            let load = load(i);
            (0..3).for_each(|axis| r[axis] = load[axis] - r[axis]);
        });
        let mut diagonal = vec![0.0; count];
        parallel::fill(&mut diagonal, |i| {
            let terms = near.edges(i).zip(ties.row(near, i)).map(|(edge, tie)| tie * square(&edge.gradient));
            1.0 / (mass(i) + self.wall_tie(crowd, i) + terms.sum::<f32>() / 3.0).max(f32::MIN_POSITIVE)
        });
        let (mut direction, mut image) = (vec![[0.0; 4]; count], vec![[0.0; 4]; count]);
        parallel::fill(&mut direction, |i| residual[i].map(|r| r * diagonal[i]));
        let slope_of =
            |residual: &[Lane]| parallel::sum(count, 0.0, |i| squared(&residual[i]) * f64::from(diagonal[i]));
        let mut slope = slope_of(&residual);
        let mut iterations = 0;
        let rest_of = |residual: &[Lane]| parallel::sum(count, 0.0, |i| squared(&residual[i])).sqrt();
        // Of what viscosity changes, not of the velocity there is: in small steps that is much more.
        let goal = (tolerance * norm).min(CHANGE_LEFT * rest_of(&residual)).max(SINGLE * norm);
        while iterations < most && rest_of(&residual) > goal {
            iterations += 1;
            self.apply(crowd, (near, &ties), &direction, &mut image);
            let curvature = parallel::sum(count, 0.0, |i| {
                (0..3).map(|axis| f64::from(direction[i][axis] * image[i][axis])).sum::<f64>()
            });
            let step = (slope / curvature) as f32;
            if !(curvature > 0.0 && step.is_finite()) {
                break;
            }
            parallel::update_pair(&mut x, &mut residual, |i, x, r| {
                for axis in 0..3 {
                    x[axis] += step * direction[i][axis];
                    r[axis] -= step * image[i][axis];
                }
            });
            let before = std::mem::replace(&mut slope, slope_of(&residual));
            let ratio = (slope / before) as f32;
            parallel::update(&mut direction, |i, d| {
                for axis in 0..3 {
                    d[axis] = residual[i][axis] * diagonal[i] + ratio * d[axis];
                }
            });
        }
        crowd.velocity = x;
        iterations
    }

    /// Whether a step changes velocities by a small part of their differences only, so that the forces of its start are
    /// as good as those of its end.
    fn is_mild(&self, crowd: &Crowd) -> bool {
        let rate = |i: usize| {
            let spacing = crowd.volume[i].cbrt();
            let kinematic = self.viscosity[i].max(0.0) * crowd.volume[i] * crowd.inverse_mass[i];
            f64::from(self.dt * kinematic / (spacing * spacing))
        };
        parallel::max(crowd.volume.len(), rate).is_some_and(|(_, rate)| rate < MILD)
    }

    /// The same with the forces of the velocities there are.
    fn diffuse_explicitly(&self, crowd: &mut Crowd, near: &Near) {
        let before = crowd.velocity.clone();
        let mut velocity = std::mem::take(&mut crowd.velocity);
        parallel::update(&mut velocity, |i, v| {
            if !self.is_fluid(i) || crowd.inverse_mass[i] <= 0.0 {
                return;
            }
            let (here, wall) = (f32x4::from(before[i]), &crowd.walls[i]);
            let [x, y, z] = wall.velocity;
            let mut pull = (f32x4::from([x, y, z, 0.0]) - here) * f32x4::splat(self.wall_tie(crowd, i));
            for (edge, r) in near.measured(i) {
                let [x, y, z] = edge.gradient;
                let gradient = f32x4::from([x, y, z, 0.0]);
                let apart = sum((f32x4::from(before[edge.to as usize]) - here) * gradient);
                pull += gradient * f32x4::splat(self.tie(crowd, i, (&edge, r)) * apart);
            }
            *v = (here + pull * f32x4::splat(crowd.inverse_mass[i])).to_array();
        });
        crowd.velocity = velocity;
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
                *viscosity += strength * jostle * crowd.volume[i].cbrt() * (density * pressure[i]).sqrt();
            }
        });
    }

    /// How strongly viscosity ties two particles along the line between them, over the square of the gradient [kg m²].
    fn tie(&self, crowd: &Crowd, i: usize, (edge, r): (&Edge, f32)) -> f32 {
        let j = edge.to as usize;
        let slope = square(&edge.gradient).sqrt();
        if !self.is_fluid(i) || !self.is_fluid(j) || slope <= 0.0 {
            return 0.0;
        }
        let viscosity = 0.5 * (self.viscosity[i] + self.viscosity[j]);
        let support = self.kernel.support as f32;
        10.0 * self.dt * viscosity * crowd.volume[i] * r / (slope * (r * r + 0.01 * support * support))
    }

    /// The same towards a wall to which fluids stick.
    fn wall_tie(&self, crowd: &Crowd, i: usize) -> f32 {
        self.dt * self.viscosity[i].max(0.0) * crowd.volume[i] * crowd.walls[i].grip
    }

    fn apply(&self, crowd: &Crowd, (near, ties): (&Near, &Weights), x: &[Lane], out: &mut [Lane]) {
        parallel::fill(out, |i| {
            if crowd.inverse_mass[i] <= 0.0 {
                return [0.0; 4];
            }
            let kept = 1.0 / crowd.inverse_mass[i] + self.wall_tie(crowd, i);
            let here = f32x4::from(x[i]);
            if !self.is_fluid(i) {
                return (here * f32x4::splat(kept)).to_array();
            }
            let drag = near.row(i).weighted_sum(ties.row(near, i), |j, gradient, tie| {
                gradient * f32x4::splat(tie * sum((here - f32x4::from(x[j])) * gradient))
            });
            (here * f32x4::splat(kept) + drag).to_array()
        });
    }

    /// Cohesion and minimisation of the surface (Akinci 2013), with the coefficient γ of that paper.
    pub fn contract(&self, crowd: &mut Crowd, near: &Near, coefficient: f32) {
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
            for (edge, r) in near.measured(i).filter(|(edge, _)| self.is_fluid(edge.to as usize)) {
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

fn square(vector: &[f32; 3]) -> f32 {
    vector.iter().map(|v| v * v).sum()
}

fn squared(lane: &Lane) -> f64 {
    lane[..3].iter().map(|&v| f64::from(v) * f64::from(v)).sum()
}
