//! How matter answers to being deformed: step 7 of the paper, and the stress of the next step.

use super::grain::{Grain, narrow, widen};
use super::scalar::Scalar;
use nalgebra::SMatrix;
use pliant_material::elastic::{Fluid, Law};
use pliant_material::{History, Lame, Material, Plastic};
use pliant_math::{Mat, Principal, Vect, determinant, principal, symmetric};

/// What a particle is made of, as the grid method sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matter {
    pub law: Law,
    pub lame: Lame,
    pub plastic: Option<Plastic>,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Stretch at which elastic matter tears; infinite if it never does.
    pub tear_stretch: f64,
    /// How fast what it carries spreads in it [m²/s].
    pub diffusivity: f64,
}

/// What a particle reports of its step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Response {
    /// Speed at which pressure travels through it, against the grid [m/s].
    pub wave_speed: f64,
    /// Whether it flowed.
    pub yielded: bool,
}

/// Volume ratios of fluids stay in this range. Below it the equation of state means nothing; above it a fluid would pull,
/// and free surfaces would clump.
pub(crate) const FLUID_RANGE: (f64, f64) = (0.1, 1.0);

impl Matter {
    pub fn of(material: &Material) -> Self {
        Self {
            law: material.law_for_mpm(),
            lame: material.lame,
            plastic: material.plastic,
            density: material.density,
            tear_stretch: material.tear_stretch,
            diffusivity: material.diffusivity,
        }
    }

    /// What a particle remembers at the start.
    pub fn initial(&self) -> History {
        match self.law {
            Law::Fluid(_) => History { volume: 1.0, strain: 0.0 },
            _ => self.plastic.map_or_else(History::default, |plastic| plastic.initial()),
        }
    }

    /// Deforms a particle by the velocity gradient `L` over a step and finds its stress (Nilles 2020, step 7 and §5).
    pub fn respond<T: Scalar, const D: usize>(
        &self,
        grain: &mut Grain<T, D>,
        l: &Mat<D>,
        dt: f64,
    ) -> Response {
        match self.law {
            Law::Fluid(fluid) => self.flow(&fluid, grain, l, dt),
            law => self.deform(law, grain, l, dt),
        }
    }

    /// `J ← (1 + dt tr L) J` (Nilles 2020, Eq. 83)
    fn flow<T: Scalar, const D: usize>(
        &self,
        fluid: &Fluid,
        grain: &mut Grain<T, D>,
        l: &Mat<D>,
        dt: f64,
    ) -> Response {
        let (least, most) = FLUID_RANGE;
        let j = (grain.memory_volume.wide() * (1.0 + dt * l.trace())).clamp(least, most);
        grain.memory_volume = T::of(j);
        let stress = fluid_stress(fluid, j, l);
        grain.stress = narrow(&(stress * grain.volume.wide()));
        // Friction spreads like a wave that crosses a cell in `h² ρ/(2 η)`: the time step looks at it separately.
        Response { wave_speed: self.fluid_wave_speed(fluid, j), yielded: false }
    }

    fn fluid_wave_speed(&self, fluid: &Fluid, j: f64) -> f64 {
        (fluid.stiffness(j).max(self.law.wave_modulus(&self.lame)) / self.density).sqrt()
    }

    /// `F ← (I + dt L) F`, then what flows is taken out of it (Nilles 2020, step 7).
    fn deform<T: Scalar, const D: usize>(
        &self,
        law: Law,
        grain: &mut Grain<T, D>,
        l: &Mat<D>,
        dt: f64,
    ) -> Response {
        let trial = widen(&grain.elastic) + l * widen(&grain.elastic) * dt;
        let mut parts = principal(&trial);
        let (lame, yielded) = match self.plastic {
            None => (self.lame, self.tear(grain, &mut parts.sigma)),
            Some(plastic) => {
                let mut history = grain.history();
                let yielded = plastic.project(law, &self.lame, &mut parts.sigma, &mut history, dt);
                grain.set_history(&history);
                (plastic.moduli(&self.lame, &history), yielded)
            }
        };
        grain.elastic = narrow(&if yielded { parts.compose() } else { trial });
        grain.stress = narrow(&(kirchhoff(law, &lame, &parts) * grain.volume.wide()));
        let modulus = law.wave_modulus(&lame) * stiffening(law, &parts.sigma);
        Response { wave_speed: (modulus / self.density).sqrt(), yielded }
    }

    /// Elastic matter that was stretched beyond its limit is torn: from then on it pushes and does not pull. That it is
    /// torn is remembered as a strain of one. Returns whether stretches were changed.
    fn tear<T: Scalar, const D: usize>(&self, grain: &mut Grain<T, D>, sigma: &mut Vect<D>) -> bool {
        let is_torn = grain.memory_strain > T::zero() || sigma.max() > self.tear_stretch;
        if self.tear_stretch.is_infinite() || !is_torn {
            return false;
        }
        grain.memory_strain = T::one();
        let stretched = *sigma;
        *sigma = stretched.map(|stretch| stretch.min(1.0));
        *sigma != stretched
    }

    /// Stress of a particle as it stands; sets it without deforming.
    pub fn settle<T: Scalar, const D: usize>(&self, grain: &mut Grain<T, D>) -> Response {
        self.respond(grain, &Mat::zeros(), 0.0)
    }

    /// Energy stored in a particle [J].
    pub fn energy<T: Scalar, const D: usize>(&self, grain: &Grain<T, D>) -> f64 {
        let volume = grain.volume.wide();
        match self.law {
            Law::Fluid(_) => {
                let mut sigma = Vect::<D>::repeat(1.0);
                sigma[0] = grain.memory_volume.wide();
                volume * self.law.energy(&self.lame, &sigma)
            }
            law => volume * law.energy(&self.moduli(grain), &principal(&widen(&grain.elastic)).sigma),
        }
    }

    fn moduli<T: Scalar, const D: usize>(&self, grain: &Grain<T, D>) -> Lame {
        self.plastic.map_or(self.lame, |plastic| plastic.moduli(&self.lame, &grain.history()))
    }

    /// How many times as stiff as at rest a particle with this history is; none where stiffness never changes.
    pub fn hardening(&self, history: &History) -> Option<f64> {
        self.plastic.and_then(|plastic| plastic.hardening(history))
    }

    /// Ratio of the present volume to that at rest.
    pub fn volume_ratio<T: Scalar, const D: usize>(&self, grain: &Grain<T, D>) -> f64 {
        match (self.law, self.plastic) {
            (Law::Fluid(_), _) => grain.memory_volume.wide(),
            (_, Some(Plastic::Snow(_))) => determinant(&widen(&grain.elastic)) * grain.memory_volume.wide(),
            _ => determinant(&widen(&grain.elastic)),
        }
    }

    /// Gives a particle this ratio of its present volume to that at rest: hardening of snow, compression of others.
    pub fn set_volume<T: Scalar, const D: usize>(&self, grain: &mut Grain<T, D>, ratio: f64) {
        grain.elastic = SMatrix::identity();
        match (self.law, self.plastic) {
            (Law::Fluid(_), _) | (_, Some(Plastic::Snow(_))) => grain.memory_volume = T::of(ratio),
            _ => grain.elastic *= T::of(ratio.max(0.0).powf(1.0 / D as f64)),
        }
    }

    /// Kinematic viscosity of a fluid [m²/s]; 0 for solids.
    pub fn kinematic_viscosity(&self) -> f64 {
        match self.law {
            Law::Fluid(fluid) => fluid.viscosity / self.density,
            _ => 0.0,
        }
    }
}

/// `τ = −p J I + J η (L + Lᵀ − ⅔ tr L I)` [Pa]: pressure, and the friction of a Newtonian fluid.
fn fluid_stress<const D: usize>(fluid: &Fluid, j: f64, l: &Mat<D>) -> Mat<D> {
    let pressure = Mat::identity() * (-fluid.pressure(j) * j);
    if fluid.viscosity == 0.0 {
        return pressure;
    }
    let shear = symmetric(l) * 2.0 - Mat::identity() * (2.0 / 3.0 * l.trace());
    pressure + shear * (j * fluid.viscosity)
}

/// Kirchhoff stress `U diag(τ̂) Uᵀ` [Pa].
fn kirchhoff<const D: usize>(law: Law, lame: &Lame, parts: &Principal<D>) -> Mat<D> {
    parts.u * Mat::from_diagonal(&law.kirchhoff(lame, &parts.sigma)) * parts.u.transpose()
}

/// How much faster waves are in stretched matter than at rest, squared: `∂τ/∂ln σ` over its value at 1.
fn stiffening<const D: usize>(law: Law, sigma: &Vect<D>) -> f64 {
    let stretch = sigma.max();
    match law {
        Law::Hencky | Law::Fluid(_) => 1.0,
        Law::NeoHookean => (stretch * stretch).max(1.0),
        Law::LinearCorotated | Law::FixedCorotated => {
            let volume = sigma.product();
            (2.0 * stretch * stretch - stretch).max(2.0 * volume * volume - volume).max(1.0)
        }
        Law::StVenantKirchhoff => (2.0 * stretch.powi(4) - stretch * stretch).max(1.0),
    }
}
