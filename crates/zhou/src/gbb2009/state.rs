//! What the solver remembers from step to step: all of it goes into a checkpoint.

use super::neighbourhoods::Neighbourhoods;
use super::{Gbb2009, Gbb2009Settings, Matter, Workspace};
use crate::zhou2013::contact::{Detector, History};
use pliant_math::{Mat, parallel};
use pliant_solver::RestoreError;
use pliant_world::World;
use serde::{Deserialize, Serialize};

/// The rest pose is forgotten: the elastic deformation is all there is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct State<const D: usize> {
    /// Elastic deformation gradient: the product of all increments without what flowed.
    pub elastic: Vec<Mat<D>>,
    /// Plastic strain since the start.
    pub plastic_strain: Vec<f64>,
    pub history: History<D>,
}

impl<const D: usize> State<D> {
    pub fn from_bytes(bytes: &[u8], count: usize) -> Result<Self, RestoreError> {
        let state: Self = postcard::from_bytes(bytes).map_err(|error| RestoreError(error.to_string()))?;
        if state.elastic.len() == count && state.plastic_strain.len() == count {
            Ok(state)
        } else {
            Err(RestoreError(format!("it has {} particles, the scene {count}", state.elastic.len())))
        }
    }
}

impl<const D: usize> Gbb2009<D> {
    /// A solver for `world` as it stands, without stress.
    pub fn new(world: &World<D>, settings: Gbb2009Settings) -> Self {
        let particles = &world.particles;
        let count = particles.len();
        let matter = (0..count).map(|i| {
            let material = world.material_of(i);
            Matter { lame: material.lame, plastic: material.plastic, rest_volume: particles.rest_volume[i] }
        });
        let mut inverse_mass: Vec<f64> = particles.mass.iter().map(|mass| 1.0 / mass).collect();
        for i in world.pins.iter().flat_map(|pin| &pin.particles) {
            inverse_mass[*i as usize] = 0.0;
        }
        let mut neighbourhoods = Neighbourhoods::default();
        neighbourhoods.search(world, &particles.position, settings.neighbours);
        let mut rest_crowding = vec![0.0; count];
        parallel::fill(&mut rest_crowding, |i| neighbourhoods.crowding(i));
        let elastic = vec![Mat::identity(); count];
        let mut solver = Self {
            longest_substep: settings.longest_substep(world),
            matter: matter.collect(),
            inverse_mass,
            rest_crowding,
            rest_position: particles.position.clone(),
            detector: Detector::new(world, false),
            state: State { elastic, plastic_strain: vec![0.0; count], history: History::default() },
            work: Workspace { neighbourhoods, locals: Vec::new() },
            settings,
        };
        let Workspace { neighbourhoods, mut locals } = std::mem::take(&mut solver.work);
        solver.stress_particles(&neighbourhoods, &solver.state.elastic, &mut locals);
        solver.work = Workspace { neighbourhoods, locals };
        solver
    }
}
