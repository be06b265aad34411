//! Stress of a particle at the end of a step, and how it changes with the motion of the step.
//!
//! Laws and flows are isotropic: in the frames of the singular vectors their differentials are a small matrix for the
//! stretches and two numbers for each pair of axes (Stomakhin 2012, §4; Irving 2004).

use crate::constitutive::{FLUID_RANGE, Matter};
use pliant_material::elastic::{Fluid, Law};
use pliant_material::{History, Lame};
use pliant_math::{Mat, Principal, Vect, principal, symmetric};

/// A particle at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<const D: usize> {
    /// Elastic deformation gradient `F`.
    pub elastic: Mat<D>,
    /// Volume at rest [m³].
    pub volume: f64,
    pub history: History,
    pub matter: Matter,
}

/// `d(V P Fᵀ)` for a change `dG` of the displacement gradient `G = Δt ∇v` of the step, with `F` that of the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tangent<const D: usize> {
    /// Left singular vectors of the end.
    left: Mat<D>,
    /// `F V`: right singular vectors of the end, pushed to the start.
    right: Mat<D>,
    /// `∂P̂ᵢ/∂σⱼ`, times the volume [J].
    along: Mat<D>,
    /// For each pair of axes, stiffness against shear and against turning, times the volume [J].
    across: [(f64, f64); 3],
}

/// Stretches nearer to each other than this share have the same stress but for rounding.
const EQUAL: f64 = 1e-5;
/// Growth of volume up to which a fluid that does not push is taken for one that does.
const NEARLY: f64 = 0.5;
/// Share of a stretch by which it is moved to see what a flow does.
const NUDGE: f64 = 1e-6;

impl<const D: usize> Point<D> {
    /// `V P Fᵀ` after a step with the displacement gradient `G`: what a slope of the grid's velocity meets [J].
    pub fn stress(&self, g: &Mat<D>, dt: f64) -> Mat<D> {
        if let Law::Fluid(fluid) = self.matter.law {
            return self.fluid_stress(&fluid, g, dt) * self.volume;
        }
        let end = principal(&(self.elastic + g * self.elastic));
        let (piola, _) = self.piola(&end.sigma, dt);
        let right = self.elastic * end.v;
        end.u * Mat::from_diagonal(&(piola * self.volume)) * right.transpose()
    }

    /// The stress and its differential, as it is.
    pub fn linearise(&self, g: &Mat<D>, dt: f64) -> (Mat<D>, Tangent<D>) {
        if let Law::Fluid(fluid) = self.matter.law {
            return (self.stress(g, dt), self.fluid_tangent(&fluid, g, dt));
        }
        let end = principal(&(self.elastic + g * self.elastic));
        let (piola, moduli) = self.piola(&end.sigma, dt);
        let stiffness = match moduli {
            Some(lame) => self.matter.law.stiffness(&lame, &end.sigma),
            None => self.yielding_stiffness(&end.sigma, dt),
        };
        let right = self.elastic * end.v;
        let stress = end.u * Mat::from_diagonal(&(piola * self.volume)) * right.transpose();
        let across = across(&end, &(piola * self.volume), &(stiffness * self.volume));
        (stress, Tangent { left: end.u, right, along: stiffness * self.volume, across })
    }

    /// Principal Piola stresses after what flows has been taken out [Pa]; and the moduli while nothing flows.
    fn piola(&self, sigma: &Vect<D>, dt: f64) -> (Vect<D>, Option<Lame>) {
        let Matter { law, lame, plastic, .. } = self.matter;
        let Some(plastic) = plastic else { return (law.piola(&lame, sigma), Some(lame)) };
        let (mut kept, mut history) = (*sigma, self.history);
        let yielded = plastic.project(law, &lame, &mut kept, &mut history, dt);
        let moduli = plastic.moduli(&lame, &history);
        if !yielded {
            return (law.piola(&moduli, sigma), Some(moduli));
        }
        (law.kirchhoff(&moduli, &kept).component_div(&sigma.map(not_flat)), None)
    }

    /// `∂P̂ᵢ/∂σⱼ` by differences, symmetric part: flows bring their own slopes, and those of friction are not symmetric.
    fn yielding_stiffness(&self, sigma: &Vect<D>, dt: f64) -> Mat<D> {
        let mut stiffness = Mat::<D>::zeros();
        for axis in 0..D {
            let mut nudge = Vect::zeros();
            nudge[axis] = NUDGE * sigma[axis].abs().max(NUDGE);
            let rise = self.piola(&(sigma + nudge), dt).0 - self.piola(&(sigma - nudge), dt).0;
            stiffness.set_column(axis, &(rise / (2.0 * nudge[axis])));
        }
        symmetric(&stiffness)
    }

    /// Volume ratio of a fluid at the end.
    fn fluid_volume(&self, g: &Mat<D>) -> f64 {
        let (least, most) = FLUID_RANGE;
        (self.history.volume * (1.0 + g.trace())).clamp(least, most)
    }

    /// `−p(J) Jⁿ I` and friction: the differential of the energy by `G` (Nilles 2020, Eq. 82–83).
    fn fluid_stress(&self, fluid: &Fluid, g: &Mat<D>, dt: f64) -> Mat<D> {
        let start = self.history.volume;
        let pressure = fluid.pressure(self.fluid_volume(g)) * start;
        let friction = symmetric(g) * 2.0 - Mat::identity() * (2.0 / 3.0 * g.trace());
        friction * (start * fluid.viscosity / dt) - Mat::identity() * pressure
    }

    fn fluid_tangent(&self, fluid: &Fluid, g: &Mat<D>, dt: f64) -> Tangent<D> {
        let (start, j) = (self.history.volume, self.fluid_volume(g));
        // A fluid that has come apart does not pull; one that has hardly may push at the next iterate.
        let is_apart = start * (1.0 + g.trace()) > FLUID_RANGE.1 + NEARLY;
        let slope = if is_apart { 0.0 } else { fluid.pressure_slope(j) };
        let friction = 2.0 * start * fluid.viscosity / dt * self.volume;
        let bulk = slope * start * start * self.volume - friction / 3.0;
        Tangent {
            left: Mat::identity(),
            right: Mat::identity(),
            along: Mat::repeat(bulk) + Mat::identity() * friction,
            across: [(friction, 0.0); 3],
        }
    }
}

fn not_flat(stretch: f64) -> f64 {
    if stretch.abs() < NUDGE { NUDGE.copysign(stretch) } else { stretch }
}

/// `(P̂ᵢ − P̂ⱼ)/(σᵢ − σⱼ)` against shear and `(P̂ᵢ + P̂ⱼ)/(σᵢ + σⱼ)` against turning (Stomakhin 2012, §4).
fn across<const D: usize>(end: &Principal<D>, piola: &Vect<D>, stiffness: &Mat<D>) -> [(f64, f64); 3] {
    let mut across = [(0.0, 0.0); 3];
    for (pair, (i, j)) in across.iter_mut().zip(pairs::<D>()) {
        let (a, b) = (end.sigma[i], end.sigma[j]);
        let shear = if (a - b).abs() < EQUAL * (a.abs() + b.abs()) {
            0.5 * (stiffness[(i, i)] + stiffness[(j, j)]) - stiffness[(i, j)]
        } else {
            (piola[i] - piola[j]) / (a - b)
        };
        *pair = (shear, (piola[i] + piola[j]) / not_flat(a + b));
    }
    across
}

/// Pairs of axes.
fn pairs<const D: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..D).flat_map(|i| (i + 1..D).map(move |j| (i, j)))
}

impl<const D: usize> Tangent<D> {
    /// The nearest differential that never gives energy back: solves with it go downhill.
    pub fn positive(mut self) -> Self {
        // |A| = V |Σ| Vᵀ of a symmetric matrix; the mean of the two has the positive eigenvalues alone.
        let parts = principal(&self.along);
        let size = parts.v * Mat::from_diagonal(&parts.sigma.abs()) * parts.v.transpose();
        self.along = symmetric(&(self.along + size)) * 0.5;
        self.across = self.across.map(|(shear, turn)| (shear.max(0.0), turn.max(0.0)));
        self
    }

    /// The change of stress for a change of `G` [J].
    #[inline]
    pub fn apply(&self, g: &Mat<D>) -> Mat<D> {
        let x = self.left.tr_mul(&(g * self.right));
        let mut y = Mat::from_diagonal(&(self.along * x.diagonal()));
        for ((shear, turn), (i, j)) in self.across.into_iter().zip(pairs::<D>()) {
            let (even, odd) = (0.5 * shear * (x[(i, j)] + x[(j, i)]), 0.5 * turn * (x[(i, j)] - x[(j, i)]));
            (y[(i, j)], y[(j, i)]) = (even + odd, even - odd);
        }
        self.left * y * self.right.transpose()
    }

    /// A stiffness that none of its own exceeds [J].
    #[cfg(test)]
    fn largest(&self) -> f64 {
        let across = self.across.iter().map(|(shear, turn)| shear.max(*turn)).fold(0.0, f64::max);
        (0..D).map(|i| self.along.row(i).abs().sum()).fold(across, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_material::{Material, PRESETS};
    use pliant_math::Random;

    fn random<const D: usize>(random: &mut Random, size: f64) -> Mat<D> {
        Mat::from_fn(|_, _| size * random.number())
    }

    fn points<const D: usize>(material: &Material) -> Vec<Point<D>> {
        let matter = Matter::of(material);
        let mut seed = Random(3);
        (0..40)
            .map(|_| {
                let mut history = matter.initial();
                if matches!(matter.law, Law::Fluid(_)) {
                    history.volume = 0.9;
                }
                Point { elastic: Mat::identity() + random(&mut seed, 0.02), volume: 2.0, history, matter }
            })
            .collect()
    }

    /// The differential against central differences of the stress, where no corner of a flow lies between.
    fn agrees<const D: usize>(material: &Material, accepted: f64) {
        let mut seed = Random(5);
        let (mut checked, size) = (0, 1e-6);
        for point in points::<D>(material) {
            let (g, direction) = (random::<D>(&mut seed, 0.02), random::<D>(&mut seed, 1.0));
            let (_, tangent) = point.linearise(&g, 1e-3);
            let at = |step: f64| point.stress(&(g + direction * step), 1e-3);
            let (forth, back) = (at(size) - at(0.0), at(0.0) - at(-size));
            let scale = tangent.largest().max(1e-3 * point.matter.law.wave_modulus(&point.matter.lame));
            if (forth - back).amax() > 1e-4 * size * scale {
                continue;
            }
            checked += 1;
            let error = (forth + back) / (2.0 * size) - tangent.apply(&direction);
            // The slopes of flows are not symmetric: what work they do says whether their symmetric part is right.
            let error =
                if point.matter.plastic.is_some() { error.dot(&direction).abs() } else { error.amax() };
            assert!(error < accepted * scale, "{}: {:e}", material.name, error / scale);
        }
        assert!(checked > 20, "{}: corners everywhere", material.name);
    }

    #[test]
    fn differentials_of_every_law_and_flow_are_those_of_the_stress() {
        for preset in PRESETS {
            let material = preset.material();
            agrees::<2>(&material, 1e-2);
            agrees::<3>(&material, 1e-2);
            for law in [Law::LinearCorotated, Law::NeoHookean, Law::StVenantKirchhoff, Law::Hencky] {
                if !matches!(material.law, Some(Law::Fluid(_))) {
                    agrees::<3>(&Material { law: Some(law), plastic: None, ..material.clone() }, 1e-5);
                }
            }
        }
    }

    #[test]
    fn positive_differentials_never_give_energy_back() {
        let mut seed = Random(9);
        for preset in PRESETS {
            for point in points::<3>(&preset.material()) {
                let tangent = point.linearise(&random::<3>(&mut seed, 0.3), 1e-3).1.positive();
                let direction = random::<3>(&mut seed, 1.0);
                let energy = tangent.apply(&direction).dot(&direction);
                assert!(energy >= -1e-9 * tangent.largest(), "{}: {energy}", preset.name);
            }
        }
    }

    #[test]
    fn sand_that_is_torn_apart_neither_pulls_nor_resists() {
        let sand = pliant_material::preset("sand").unwrap().material();
        let matter = Matter::of(&sand);
        let point = Point { elastic: Mat::<2>::identity(), volume: 1.0, history: matter.initial(), matter };
        let (stress, tangent) = point.linearise(&(Mat::identity() * 0.01), 1e-2);
        assert!(stress.amax() < 1e-9 * matter.lame.mu, "{stress}");
        assert!(tangent.largest() < 1e-6 * matter.lame.mu, "{tangent:?}");
    }
}
