//! Cases of the Material Point Method. Bounds are what was measured with a margin; where the wanted error is smaller, the
//! source says so.

mod diffusion;
mod fluids;
mod granular;
mod impact;
mod mixtures;
mod solids;
mod stage;

use crate::{Case, Measure, Refinement, Tolerance};

const METHOD: &str = "mpm";

/// All of them.
pub(crate) const CASES: [Case; 14] = [
    Case {
        name: "mpm-bar",
        method: METHOD,
        summary: "A bar of 25 m vibrates along its axis for ten periods; it is half of one that is free at both ends.",
        source: "quarter-wave mode, T = 10 s; the goal is 2 % of the amplitude at 40 cells",
        refinement: Refinement::ReducesError,
        run: solids::bar,
    },
    Case {
        name: "mpm-spin",
        method: METHOD,
        summary: "A free disc of 1 m turns ten times.",
        source: "energy stays, and a disc that has stretched turns 0.8 % slower; the goal is 0.5 % of the energy in ten turns",
        refinement: Refinement::ReducesError,
        run: solids::spin,
    },
    Case {
        name: "mpm-disks",
        method: METHOD,
        summary: "Two elastic disks meet and part (Sulsky et al. 1994).",
        source: "first touch by geometry; momentum is 0; the goal is 95 % of the energy at 40 cells",
        refinement: Refinement::ReducesError,
        run: impact::disks,
    },
    Case {
        name: "mpm-taylor",
        method: METHOD,
        summary: "A copper bar hits a smooth wall at 227 m/s; a quarter of it is simulated for 80 µs.",
        source: "axisymmetric finite elements; the goal is 1 % of the length and 3 % of the radius",
        refinement: Refinement::ReducesError,
        run: impact::taylor,
    },
    Case {
        name: "mpm-incline",
        method: METHOD,
        summary: "A block slides down a plane inclined by 0.5 rad, or rests on it.",
        source: "Coulomb's law, a = g (sin θ - μ cos θ), and rest where tan θ ≤ μ; the goal is no creep in ten seconds, 0.001 cells",
        refinement: Refinement::ChangesLittle,
        run: solids::incline,
    },
    Case {
        name: "mpm-column",
        method: METHOD,
        summary: "Columns of sand in the plane collapse beside a smooth wall.",
        source: "run-out 1.2 a below a = 2.3 (Lube et al. 2005), for sand that rests at 31 degrees; the goal is 15 %",
        refinement: Refinement::ChangesLittle,
        run: granular::column,
    },
    Case {
        name: "mpm-bars",
        method: METHOD,
        summary: "Aluminium bars of 19.8 degrees of friction collapse beside a wall, from 0.2 m by 0.1 m.",
        source: "surface of the experiment (Bui et al. 2008); the goal is two cells everywhere",
        refinement: Refinement::ChangesLittle,
        run: granular::bars,
    },
    Case {
        name: "mpm-round-column",
        method: METHOD,
        summary: "Round columns of sand collapse in space; a quarter of each is simulated.",
        source: "run-out 1.24 a below a = 1.7 and 1.6 √a above (Lube et al. 2004), for sand that rests at 31 degrees; the goal is 15 %",
        refinement: Refinement::ChangesLittle,
        run: granular::round_column,
    },
    Case {
        name: "mpm-repose",
        method: METHOD,
        summary: "Sand runs out through a slot in the floor; the slope that is left beside it. A heap lies on a floor for a minute.",
        source: "the friction angle of the plane; the goal is 2 degrees from 20 to 40, and no creep in a minute",
        refinement: Refinement::ChangesLittle,
        run: granular::repose,
    },
    Case {
        name: "mpm-dam",
        method: METHOD,
        summary: "A column of water twice as high as wide collapses on a dry floor.",
        source: "front by time of Martin and Moyce 1952; the goal is 10 %, and never above 2 √(gH)",
        refinement: Refinement::ChangesLittle,
        run: fluids::dam,
    },
    Case {
        name: "mpm-tank",
        method: METHOD,
        summary: "Water in a tank comes to rest under its weight.",
        source: "p = ρ g (H - y); the goals are 2 % of the pressure of single particles, 0.001 √(gH) of speed, 1 % of the level",
        refinement: Refinement::ChangesLittle,
        run: fluids::tank,
    },
    Case {
        name: "mpm-relaxation",
        method: METHOD,
        summary: "Two species that overlap everywhere come to one velocity by drag.",
        source: "(1 + dt/τ)^-n with τ of the partial densities, on any grid",
        refinement: Refinement::ChangesLittle,
        run: mixtures::relaxation,
    },
    Case {
        name: "mpm-darcy",
        method: METHOD,
        summary: "Water is driven through a heavy skeleton by a gradient of head.",
        source: "Darcy's law, n (v_w - v_s) = k i",
        refinement: Refinement::ChangesLittle,
        run: mixtures::darcy,
    },
    Case {
        name: "mpm-diffusion",
        method: METHOD,
        summary: "Heat spreads along a bar of 1 m: a wave fades, a step is blurred.",
        source: "exp(-κ (π/L)² t) without flux through the ends; √(κ t/π) across a step in an endless bar",
        refinement: Refinement::ReducesError,
        run: diffusion::diffusion,
    },
];

fn measure(quantity: &str, unit: &'static str, value: f64, reference: f64, tolerance: Tolerance) -> Measure {
    Measure { quantity: quantity.to_owned(), unit, value, reference, tolerance }
}
