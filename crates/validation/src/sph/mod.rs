//! Cases of Smoothed Particle Hydrodynamics. Bounds are what was measured with a margin; where the wanted error is smaller,
//! the source says so.

mod bending;
mod fluids;
mod solids;

use crate::{Case, Measure, Refinement, Tolerance};
use pliant_solver::{Care, Solver, Span, StepError};
use pliant_sph::{Sph, SphSettings};
use pliant_world::{Column, World};

const METHOD: &str = "sph";

/// All of them.
pub(crate) const CASES: [Case; 10] = [
    Case {
        name: "sph-hanging-bar",
        method: METHOD,
        summary: "A bar hangs from its upper end, in steps of 0.5 to 10 ms.",
        source: "Timoshenko's field; the goal was 2 % whatever the step",
        refinement: Refinement::ReducesError,
        run: solids::hanging_bar,
    },
    Case {
        name: "sph-uniaxial-bar",
        method: METHOD,
        summary: "Bars between ends that contract freely are stretched and compressed by 10 %.",
        source: "Hooke's law: lateral strain -ν e; the goal is 1 % of the strain",
        refinement: Refinement::ReducesError,
        run: solids::uniaxial_bar,
    },
    Case {
        name: "sph-cantilever",
        method: METHOD,
        summary: "A beam ten times as long as thick bends a little under its own weight.",
        source: "Timoshenko's beam; the goal is 3 %, which a penalty of 10 reaches",
        refinement: Refinement::ReducesError,
        run: bending::cantilever,
    },
    Case {
        name: "sph-cantilever-relaxed",
        method: METHOD,
        summary: "The same beam, filled by the relaxed sampler.",
        source: "Timoshenko's beam; the goal is 3 % with 8 particles across. How thin the filling is and how much the mean of neighbours loses have opposite signs",
        refinement: Refinement::ChangesLittle,
        run: bending::relaxed_cantilever,
    },
    Case {
        name: "sph-elastica",
        method: METHOD,
        summary: "The same beam, soft enough to bend by a third of its length.",
        source: "the elastica, integrated numerically; the goal is 3 %, with a penalty of 10",
        refinement: Refinement::ChangesLittle,
        run: bending::elastica,
    },
    Case {
        name: "sph-bar",
        method: METHOD,
        summary: "A bar of 25 m that is held at one end vibrates along its axis.",
        source: "quarter-wave mode; frequency of backward Euler, atan(ω dt)/dt; the goal is 0.2 %",
        refinement: Refinement::ReducesError,
        run: solids::bar,
    },
    Case {
        name: "sph-spin",
        method: METHOD,
        summary: "A free cube spins; momentum and angular momentum stay.",
        source: "conservation of momentum",
        refinement: Refinement::ChangesLittle,
        run: solids::spin,
    },
    Case {
        name: "sph-dam",
        method: METHOD,
        summary: "A column of water twice as high as wide collapses on a dry floor to which it sticks, between walls a few particles apart.",
        source: "front by time of Martin and Moyce 1952, whose gate took its time to open; the goal is 10 %, and never above 2 √(gH)",
        refinement: Refinement::ChangesLittle,
        run: fluids::dam,
    },
    Case {
        name: "sph-poiseuille",
        method: METHOD,
        summary: "Honey is driven along between two plates to which it sticks.",
        source: "the parabola of Poiseuille",
        refinement: Refinement::ChangesLittle,
        run: fluids::poiseuille,
    },
    Case {
        name: "sph-tank",
        method: METHOD,
        summary: "Half a metre of water in a tank settles for eight seconds.",
        source: "hydrostatics: p = ρ g (H - y); the goals are 2 % of pressure, 0.001 √(gH) and 1 % of the level",
        refinement: Refinement::ChangesLittle,
        run: fluids::tank,
    },
];

fn measure(quantity: &str, unit: &'static str, value: f64, reference: f64, tolerance: Tolerance) -> Measure {
    Measure { quantity: quantity.to_owned(), unit, value, reference, tolerance }
}

/// A world in steps as long as the method takes them.
struct Run {
    world: World<3>,
    solver: Sph,
    time: f64,
}

impl Run {
    fn new(world: World<3>, settings: SphSettings) -> Self {
        let solver = Sph::new(&world, settings);
        Self { world, solver, time: 0.0 }
    }

    fn step(&mut self) -> Result<f64, StepError> {
        let dt = self.solver.longest_step().unwrap_or(1e-3);
        self.solver.step(&mut self.world, Span { time: self.time, dt, care: Care::LastResort })?;
        self.time += dt;
        Ok(dt)
    }

    fn until(&mut self, end: f64) -> Result<(), StepError> {
        while self.time < end {
            self.step()?;
        }
        Ok(())
    }

    /// What gauges at the particles show [Pa].
    fn pressures(&self) -> Vec<f32> {
        let fields = self.solver.fields(&self.world);
        let pressure = fields.into_iter().find(|field| field.name == "pressure").map(|field| field.column);
        match pressure {
            Some(Column::Scalar(values)) => values,
            _ => unreachable!("every method has the pressure of its particles"),
        }
    }

    /// Steps in which velocities are braked at a rate [1/s], so that bodies come to rest.
    fn settle(&mut self, end: f64, rate: f64) -> Result<(), StepError> {
        while self.time < end {
            let dt = self.step()?;
            let keep = (-rate * dt).exp();
            self.world.particles.velocity.iter_mut().for_each(|v| *v *= keep);
        }
        Ok(())
    }
}
