//! Cases of the implicit method of Zhou et al. 2013.

mod elastica;
mod explicit;
mod flow;
mod motion;
mod statics;
mod vibration;

use crate::{Case, Refinement};
pub(crate) use elastica::Elastica;
use pliant_zhou::Zhou2013Settings;
use pliant_zhou::zhou2013::Integrator;

const METHOD: &str = "zhou2013";

/// All of them.
pub(crate) const CASES: [Case; 11] = [
    Case {
        name: "hanging-bar",
        method: METHOD,
        summary: "A bar hung from its top layer stretches under its own weight.",
        source: "field of a hanging bar (Timoshenko), taken at the last layer of particles",
        refinement: Refinement::ReducesError,
        run: statics::hanging_bar,
    },
    Case {
        name: "cantilever",
        method: METHOD,
        summary: "A beam ten times as long as thick bends a little under its own weight.",
        source: "Timoshenko's beam; the method is known to be softer by 9.2 (d/b)², which is the bound",
        refinement: Refinement::ReducesError,
        run: statics::cantilever,
    },
    Case {
        name: "stiff-cantilever",
        method: METHOD,
        summary: "The same beam with a zero-energy penalty of 5, on a lattice and off it.",
        source: "Timoshenko's beam",
        refinement: Refinement::ReducesError,
        run: statics::stiff_cantilever,
    },
    Case {
        name: "elastica",
        method: METHOD,
        summary: "A beam ten times as long as thick bends by a third of its length under its own weight.",
        source: "inextensible elastica by shooting, checked against the end loads of Mattiasson 1981",
        refinement: Refinement::ReducesError,
        run: elastica::heavy_beam,
    },
    Case {
        name: "uniaxial-bar",
        method: METHOD,
        summary: "A bar with free sides is stretched and compressed by 10 %.",
        source: "lateral strain -νε and Cauchy stress Eε/(1 - νε)² of the corotated linear law, ε in the middle of the bar",
        refinement: Refinement::ChangesLittle,
        run: statics::uniaxial_bar,
    },
    Case {
        name: "axial-period",
        method: METHOD,
        summary: "A bar of 25 m, clamped at one end, vibrates along its axis.",
        source: "quarter-wave mode of a bar, T = 4L/c, between the clamped layer and the free end",
        refinement: Refinement::ReducesError,
        run: vibration::period,
    },
    Case {
        name: "axial-damping",
        method: METHOD,
        summary: "A bar of 0.4 m vibrates along its axis in steps of 1 ms.",
        source: "backward Euler damps a mode by ln(1 + ω²Δt²)/2Δt, BDF2 hardly at all",
        refinement: Refinement::ChangesLittle,
        run: vibration::damping,
    },
    Case {
        name: "spin",
        method: METHOD,
        summary: "A free cube spins at 5 turns a second for one second, in steps of 2 ms.",
        source: "backward Euler slows a spin to 1/√(1 + 2ω²Δt t), BDF2 should keep it; momentum is exact",
        refinement: Refinement::ChangesLittle,
        run: motion::spin,
    },
    Case {
        name: "incline",
        method: METHOD,
        summary: "A block slides down a plane inclined by 0.5 rad, or rests on it.",
        source: "Coulomb's law, a = g (sin θ - μ cos θ), and rest where tan θ ≤ μ",
        refinement: Refinement::ChangesLittle,
        run: motion::incline,
    },
    Case {
        name: "plastic-block",
        method: METHOD,
        summary: "A block is compressed by 20 % between smooth platens and released.",
        source: "uniaxial yield stress; the strain that stays lacks the elastic part Y/E; flow keeps volume",
        refinement: Refinement::ChangesLittle,
        run: flow::plastic_block,
    },
    Case {
        name: "explicit-limit",
        method: METHOD,
        summary: "A free block at rest but for noise is stepped explicitly, with longer and longer steps.",
        source: "largest eigenvalue of the stiffness of a lattice, by power iteration",
        refinement: Refinement::ChangesLittle,
        run: explicit::limit,
    },
];

/// The paper's time integration.
fn backward_euler() -> Zhou2013Settings {
    Zhou2013Settings { integrator: Integrator::BackwardEuler, ..Zhou2013Settings::default() }
}
