//! What a run will take, before it starts: particles, memory, time, and what is likely to go wrong.

use pliant_material::Material;
use pliant_mpm::{Gradient, Kernel, MpmSettings, Precision};
use pliant_solver::{AnySimulation, Simulation, Solver, Stepping};
use pliant_world::{Column, World};
use pliant_zhou::explicit;
use pliant_zhou::zhou2013::{Integrator, Rest};

use crate::build::AnyWorld;
use crate::error::SceneError;
use crate::scene::{Method, Scene};
use crate::warnings;

/// What a run will take.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Bodies and their numbers of particles.
    pub bodies: Vec<(String, usize)>,
    /// All particles.
    pub particle_count: usize,
    /// Frames after the initial one.
    pub frame_count: u32,
    /// Full steps; more if some must be halved.
    pub step_count: u64,
    /// Explicit sub-steps of a full step; 1 for an implicit method.
    pub substeps: f64,
    /// How long a step may be and what bounds it, for a method that chooses its steps.
    pub step_limit: Option<String>,
    /// Peak memory of the process while it simulates, pictures not included [bytes]; an estimate.
    pub memory_bytes: u64,
    /// Wall time of the steps on `threads` idle cores [s]; a rough estimate that ignores halved steps.
    pub wall_time: f64,
    /// Cores the wall time is for.
    pub threads: usize,
    /// What is likely to go wrong, one sentence each.
    pub warnings: Vec<String>,
}

// Fitted to the peak memory of the twenty runs of `pliant-proof memory`, in space and in the plane, of 1,000 to 14,000
// particles with 16 to 75 neighbours, which it met within 25 % on the machine it was fitted on; on another they took as little as 0.64 of it. An edge leads from a particle to a neighbour: between 30
// bytes on a lattice, whose repeated edges are kept once, and 83 off it.
const PROCESS_BYTES: f64 = 18e6;
const BYTES_PER_EDGE: f64 = 55.0;
/// In the plane and in space.
const BYTES_PER_PARTICLE: [f64; 2] = [1600.0, 2600.0];
// The explicit method keeps whole edges, twice while a frame is written: within 20 % of two runs of 1,000 and 8,000
// particles at the default radius; at 4.5 spacings it foretells up to 1.7 times what small bodies take.
const BYTES_PER_WHOLE_EDGE: f64 = 150.0;
/// What an edge takes besides where neighbourhoods are taken anew: the new lists beside the old, their reverse, and both in order
/// of places.
const BYTES_PER_NEW_EDGE: f64 = 310.0;
/// One edge in one application of the linear operator on one core, its share of the rest of a step included [s].
/// Chosen between three runs whose CPU time it misses by factors of 1.5 to 1.7, two above and one below.
const SECONDS_PER_EDGE: f64 = 15e-9;
/// An explicit sub-step in applications of the linear operator: most of it is the search for neighbours.
const PASSES_PER_SUBSTEP: f64 = 5.0;

/// One particle in one step of the Material Point Method on one core, in the plane and in space [s]; measured with
/// `pliant bench mpm` on two cores.
const SECONDS_PER_GRAIN: [f64; 2] = [29e-9, 66e-9];
/// How much longer it takes where particles go one at a time; measured there too.
const ONE_AT_A_TIME: f64 = 7.0;
/// One particle of the Material Point Method while a frame is written: its state, the world and the columns [bytes].
const BYTES_PER_GRAIN: f64 = 800.0;
/// One particle in one step of Smoothed Particle Hydrodynamics on one core [s]; measured with `pliant bench sph`.
const SECONDS_PER_SPH_PARTICLE: f64 = 5e-6;
/// One particle of Smoothed Particle Hydrodynamics: neighbours, and the factor of a body of some thousands [bytes].
const BYTES_PER_SPH_PARTICLE: f64 = 8000.0;

/// One particle in one step of the Material Point Method on one core [s].
fn seconds_per_grain(settings: &MpmSettings, dimension: usize) -> f64 {
    let in_packs = settings.precision == Precision::Single
        && settings.gradient == Gradient::MovingLeastSquares
        && settings.kernel != Kernel::Linear
        && settings.mixed.is_none();
    SECONDS_PER_GRAIN[usize::from(dimension == 3)] * if in_packs { 1.0 } else { ONE_AT_A_TIME }
}

impl Scene {
    /// A simulation at time 0.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn simulation(&self) -> Result<Box<dyn AnySimulation>, SceneError> {
        Ok(match self.build()? {
            AnyWorld::Plane(world) => Box::new(self.simulation_of(world)),
            AnyWorld::Space(world) => Box::new(self.simulation_of(world)),
        })
    }

    fn simulation_of<const D: usize>(&self, world: World<D>) -> Simulation<D> {
        let solver = self.solver_of(&world);
        Simulation::new(world, solver, self.stepping())
    }

    /// A simulation at time 0 and what it will take on `threads` cores, from one build of the scene.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn prepare(&self, threads: usize) -> Result<(Box<dyn AnySimulation>, Forecast), SceneError> {
        Ok(match self.build()? {
            AnyWorld::Plane(world) => self.prepared(world, threads),
            AnyWorld::Space(world) => self.prepared(world, threads),
        })
    }

    fn prepared<const D: usize>(
        &self,
        world: World<D>,
        threads: usize,
    ) -> (Box<dyn AnySimulation>, Forecast) {
        let solver = self.solver_of(&world);
        let forecast = self.forecast(&world, &*solver, threads.max(1));
        (Box::new(Simulation::new(world, solver, self.stepping())), forecast)
    }

    pub(crate) fn solver_of<const D: usize>(&self, world: &World<D>) -> Box<dyn Solver<D>> {
        match &self.method {
            Method::Zhou2013(settings) => pliant_zhou::solver(world, settings),
            Method::Gbb2009(settings) => pliant_zhou::baseline(world, settings),
            Method::Mpm(settings) => pliant_mpm::solver(world, settings.clone()),
            Method::Sph(settings) => {
                pliant_sph::solver(world, settings.clone()).expect("scenes in the plane are refused")
            }
        }
    }

    /// How time is divided.
    pub fn stepping(&self) -> Stepping {
        Stepping { frame_time: 1.0 / self.time.fps, dt: self.time.dt, frames: self.time.frame_count }
    }

    /// Builds the scene and looks at what it will take on `threads` cores, without taking a step.
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn check(&self, threads: usize) -> Result<Forecast, SceneError> {
        Ok(self.prepare(threads)?.1)
    }

    fn forecast<const D: usize>(&self, world: &World<D>, solver: &dyn Solver<D>, threads: usize) -> Forecast {
        let particle_count = world.particles.len();
        let steps_per_frame = (1.0 / self.time.fps / self.time.dt * (1.0 - 1e-9)).ceil().max(1.0);
        let step_count = u64::from(self.time.frame_count) * steps_per_frame as u64;
        let edges = self.method.neighbours_per_particle(self.dimension) * particle_count as f64;
        let substeps = self.substeps(world, solver);
        let per_step = match &self.method {
            Method::Mpm(settings) => {
                particle_count as f64 * substeps * seconds_per_grain(settings, self.dimension)
            }
            Method::Sph(_) => particle_count as f64 * substeps * SECONDS_PER_SPH_PARTICLE,
            _ => edges * self.passes_per_step(world, substeps) * SECONDS_PER_EDGE,
        };
        let work = per_step * step_count as f64;
        let memory_bytes = self.memory_of(world, solver) as u64;
        let mut notes = self.warnings.clone();
        // Methods that choose their steps by the speeds they see need no advice about them.
        let contact_dt = match self.method {
            Method::Mpm(_) | Method::Sph(_) => 0.0,
            Method::Zhou2013(_) | Method::Gbb2009(_) => self.time.dt / substeps,
        };
        notes.extend(warnings::of(self, world, contact_dt));
        let bodies = world.bodies.iter().map(|body| (body.name.clone(), body.particles.len())).collect();
        notes.extend(solver.warnings());
        Forecast {
            bodies,
            particle_count,
            frame_count: self.time.frame_count,
            step_count,
            substeps,
            step_limit: solver.step_limit(),
            memory_bytes,
            wall_time: work / threads as f64,
            threads,
            warnings: notes,
        }
    }

    /// Explicit sub-steps of one step.
    fn substeps<const D: usize>(&self, world: &World<D>, solver: &dyn Solver<D>) -> f64 {
        match &self.method {
            Method::Zhou2013(settings) if settings.integrator == Integrator::Explicit => {
                explicit::substeps(self.time.dt, settings.longest_substep(world))
            }
            Method::Zhou2013(_) => 1.0,
            Method::Gbb2009(settings) => explicit::substeps(self.time.dt, settings.longest_substep(world)),
            Method::Mpm(_) | Method::Sph(_) => {
                explicit::substeps(self.time.dt, solver.longest_step().unwrap_or(self.time.dt))
            }
        }
    }

    /// How often a step goes over all edges, counted in applications of the linear operator.
    fn passes_per_step<const D: usize>(&self, world: &World<D>, substeps: f64) -> f64 {
        match &self.method {
            Method::Zhou2013(settings) if settings.integrator == Integrator::Explicit => {
                substeps * if settings.rest == Rest::Updated { PASSES_PER_SUBSTEP } else { 8.0 }
            }
            // Their number grows with the spacings a pressure wave crosses in a step, a little slower than its root.
            Method::Zhou2013(settings) => {
                let crossed = warnings::spacings_crossed(world, self.time.dt);
                let first = (9.0 * crossed.powf(0.42)).max(2.0);
                // Later solves of a step start close to their solution.
                first * (1.0 + 0.5 * (settings.relinearisations as f64 - 1.0)) + 4.0
            }
            Method::Gbb2009(_) => PASSES_PER_SUBSTEP * substeps,
            Method::Mpm(_) | Method::Sph(_) => 0.0,
        }
    }

    /// Peak memory of a run, from the neighbourhoods it really has [bytes].
    fn memory_of<const D: usize>(&self, world: &World<D>, solver: &dyn Solver<D>) -> f64 {
        match self.method {
            Method::Mpm(_) => return PROCESS_BYTES + world.particles.len() as f64 * BYTES_PER_GRAIN,
            Method::Sph(_) => return PROCESS_BYTES + world.particles.len() as f64 * BYTES_PER_SPH_PARTICLE,
            Method::Zhou2013(_) | Method::Gbb2009(_) => {}
        }
        let per_edge = |material: &Material| match &self.method {
            Method::Gbb2009(_) => BYTES_PER_WHOLE_EDGE,
            Method::Mpm(_) | Method::Sph(_) => 0.0,
            Method::Zhou2013(_) if material.plastic.is_some() || material.tear_stretch.is_finite() => {
                BYTES_PER_EDGE + BYTES_PER_NEW_EDGE
            }
            Method::Zhou2013(_) => BYTES_PER_EDGE,
        };
        let per_edge: Vec<f64> = world.materials.iter().map(per_edge).collect();
        let materials = world.particles.material.iter().map(|&material| usize::from(material));
        let fields = solver.fields(world);
        let counts = fields.iter().find_map(|field| match &field.column {
            Column::Integer(counts) if field.name == "neighbour_count" => Some(counts.as_slice()),
            _ => None,
        });
        let counts = counts.unwrap_or_default().iter();
        let edges: f64 = counts.zip(materials).map(|(&count, m)| f64::from(count) * per_edge[m]).sum();
        PROCESS_BYTES + edges + world.particles.len() as f64 * BYTES_PER_PARTICLE[D - 2]
    }
}
