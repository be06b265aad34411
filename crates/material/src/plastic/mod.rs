//! Plastic flow in principal stretches, one file each.
//!
//! A flow takes a trial state that was reached as if nothing yielded, and returns it to its yield surface.

mod bargteil2007;
mod cam_clay;
mod drucker_prager;
mod herschel_bulkley;
mod radial;
mod snow;
mod von_mises;

pub use bargteil2007::Bargteil2007;
pub use cam_clay::CamClay;
pub use drucker_prager::{Cohesion, Cone, DruckerPrager, Friction};
pub use herschel_bulkley::HerschelBulkley;
pub use snow::Snow;
pub use von_mises::VonMises;

use crate::{Lame, Law, Parameter};
use pliant_math::Vect;
use serde::{Deserialize, Serialize};

/// The flows a scene can name.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plastic {
    /// Volume-preserving flow above a yield stress (Bargteil 2007).
    Bargteil2007(Bargteil2007),
    /// Snow: packs, hardens and breaks (Stomakhin 2013).
    Snow(Snow),
    /// Sand: friction between grains (Klár 2016).
    DruckerPrager(DruckerPrager),
    /// Metal: yields at a von Mises stress that grows with the strain.
    VonMises(VonMises),
    /// Clay and slab snow: strong when compacted, falls apart when torn (Gaume 2018).
    CamClay(CamClay),
    /// Mud: flows like a thick fluid above a yield stress.
    HerschelBulkley(HerschelBulkley),
}

/// What a flow remembers of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Plastic change of volume, as the flow counts it: of snow the ratio `J_P`, of sand the logarithm `v_c` of
    /// the volume it has lost touch by, of Cam-Clay the logarithm `α`; 1 where the flow does not use it.
    pub volume: f64,
    /// Plastic strain so far: the equivalent strain, of sand the hardening state `q`. Never falls.
    pub strain: f64,
}

/// What elastic material remembers: no change of volume, no strain.
impl Default for History {
    fn default() -> Self {
        Self { volume: 1.0, strain: 0.0 }
    }
}

/// A trial state as a flow sees it.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a, const D: usize> {
    /// Elastic moduli.
    pub lame: &'a Lame,
    /// Principal stretches of the elastic trial.
    pub sigma: &'a Vect<D>,
    /// Plastic strain accumulated so far.
    pub plastic_strain: f64,
    /// Time step [s].
    pub dt: f64,
}

/// What flows in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yielding<const D: usize> {
    /// Principal plastic stretches; their product is 1.
    pub stretch: Vect<D>,
    /// Share γ of the deviator that flows away; `1 − γ` is the secant stiffness of shear.
    pub share: f64,
    /// Equivalent plastic strain added.
    pub strain: f64,
}

impl Plastic {
    /// The flow of this step as the methods for solids use it, or `None` while the state is elastic. Those
    /// methods have the flow of Bargteil 2007 only; scenes refuse them the others.
    pub fn flow<const D: usize>(&self, trial: &Trial<'_, D>) -> Option<Yielding<D>> {
        match self {
            Self::Bargteil2007(flow) => flow.flow(trial),
            _ => None,
        }
    }

    /// What a particle remembers before anything has flowed.
    pub fn initial(&self) -> History {
        match self {
            Self::DruckerPrager(_) => History { volume: 0.0, strain: 0.0 },
            Self::CamClay(clay) => History { volume: -clay.compaction, strain: 0.0 },
            _ => History::default(),
        }
    }

    /// The moduli of a particle with this history: snow stiffens as it packs.
    pub fn moduli(&self, lame: &Lame, history: &History) -> Lame {
        match self {
            Self::Snow(snow) => snow.moduli(lame, history),
            _ => *lame,
        }
    }

    /// Factor on the moduli of a particle with this history, for flows that harden the elastic matter itself.
    pub fn hardening(&self, history: &History) -> Option<f64> {
        match self {
            Self::Snow(snow) => Some(snow.factor(history)),
            _ => None,
        }
    }

    /// Returns the principal stretches of an elastic trial to the yield surface, in place, and remembers what
    /// flowed; whether anything did. `lame` are the moduli of this particle (`moduli`), `dt` is in seconds.
    pub fn project<const D: usize>(
        &self,
        law: Law,
        lame: &Lame,
        sigma: &mut Vect<D>,
        history: &mut History,
        dt: f64,
    ) -> bool {
        match self {
            Self::Bargteil2007(flow) => {
                let trial = Trial { lame, sigma, plastic_strain: history.strain, dt };
                let Some(yielding) = flow.flow(&trial) else { return false };
                sigma.component_div_assign(&yielding.stretch);
                history.strain += yielding.strain;
                true
            }
            Self::Snow(snow) => snow.project(sigma, history),
            Self::DruckerPrager(sand) => sand.project(lame, sigma, history),
            Self::VonMises(metal) => metal.project(law, lame, sigma, history),
            Self::CamClay(clay) => clay.project(lame, sigma, history),
            Self::HerschelBulkley(mud) => mud.project(law, lame, sigma, history, dt),
        }
    }

    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bargteil2007(_) => "bargteil2007",
            Self::Snow(_) => "snow",
            Self::DruckerPrager(_) => "drucker_prager",
            Self::VonMises(_) => "von_mises",
            Self::CamClay(_) => "cam_clay",
            Self::HerschelBulkley(_) => "herschel_bulkley",
        }
    }

    /// Whether its formulas hold for Hencky's law only.
    pub fn needs_hencky(&self) -> bool {
        matches!(self, Self::DruckerPrager(_) | Self::CamClay(_))
    }

    /// The law it is made for, which the Material Point Method takes unless another is named.
    pub(crate) fn usual_law(&self) -> Law {
        match self {
            Self::Bargteil2007(_) | Self::Snow(_) => Law::FixedCorotated,
            _ => Law::Hencky,
        }
    }

    /// What it is, in a word, if only the Material Point Method has it.
    pub(crate) fn needs_mpm(&self) -> Option<&'static str> {
        match self {
            Self::Bargteil2007(_) => None,
            Self::Snow(_) => Some("snow"),
            Self::DruckerPrager(_) => Some("sand"),
            Self::VonMises(_) => Some("von Mises flow"),
            Self::CamClay(_) => Some("Cam-Clay flow"),
            Self::HerschelBulkley(_) => Some("Herschel-Bulkley flow"),
        }
    }

    /// Sets a parameter, if the flow has it.
    pub(crate) fn set(&mut self, parameter: Parameter, value: f64) {
        match (self, parameter) {
            (Self::Bargteil2007(flow), Parameter::YieldStress) => flow.yield_stress = value,
            (Self::Bargteil2007(flow), Parameter::Hardening) => flow.hardening = value,
            (Self::Snow(snow), Parameter::Hardening) => snow.hardening = value,
            (Self::Snow(snow), Parameter::CriticalCompression) => snow.critical_compression = value,
            (Self::Snow(snow), Parameter::CriticalStretch) => snow.critical_stretch = value,
            (Self::DruckerPrager(sand), Parameter::FrictionAngle) => sand.friction = Friction::Angle(value),
            (Self::DruckerPrager(sand), Parameter::Cohesion) => sand.cohesion.set(value),
            (Self::VonMises(metal), Parameter::YieldStress) => metal.yield_stress = value,
            (Self::VonMises(metal), Parameter::Hardening) => metal.hardening = value,
            (Self::CamClay(clay), Parameter::Hardening) => clay.hardening = value,
            (Self::CamClay(clay), Parameter::Cohesion) => clay.cohesion = value,
            (Self::HerschelBulkley(mud), Parameter::YieldStress) => mud.yield_stress = value,
            _ => {}
        }
    }
}

/// Equivalent strain `√(2/3) |ε|` of a deviatoric change of logarithmic strain.
fn equivalent<const D: usize>(strain: &Vect<D>) -> f64 {
    (2.0 / 3.0f64).sqrt() * strain.norm()
}
