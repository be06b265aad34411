//! Plastic flow: particles that yield get another stretch at which they have no stress, and a body that has flowed far
//! takes its pose as rest pose.

use super::body::{Body, State};
use super::shape::sorted;
use super::strain::Strain;
use crate::settings::SphSettings;
use nalgebra::{Matrix3, UnitQuaternion};
use pliant_material::{History, Material};
use pliant_math::{Vec3, parallel};
use std::sync::Arc;

impl Body {
    /// Elastic deformation of a particle: its stretch less what plastic flow has relaxed.
    pub fn elastic(&self, strain: &Strain, place: usize) -> Matrix3<f64> {
        let (turn, whole) = (strain.turn[place].cast::<f64>(), strain.gradient[place].cast::<f64>());
        match self.state.relaxed.get(place) {
            None => whole,
            Some(relaxed) => whole + turn * (Matrix3::identity() - relaxed),
        }
    }

    /// Lets yielding particles flow; returns how many did.
    pub fn flow(&mut self, x: &[Vec3], materials: &[Material], dt: f64) -> usize {
        if self.state.relaxed.is_empty() {
            return 0;
        }
        let (strain, _) = self.strain_at(x);
        let mut flowed = vec![0.0; self.state.relaxed.len()];
        let State { relaxed, history, .. } = &mut self.state;
        parallel::update_triple(relaxed, history, &mut flowed, |i, relaxed, (history, flowed)| {
            let material = &materials[i];
            let Some(plastic) = &material.plastic else { return };
            let local = strain.turn[i].cast::<f64>().tr_mul(&strain.gradient[i].cast::<f64>());
            let elastic = pliant_math::symmetric(&local) - *relaxed + Matrix3::identity();
            let eigen = elastic.symmetric_eigen();
            let mut sigma = eigen.eigenvalues;
            let before = history.strain;
            let law = pliant_material::Law::LinearCorotated;
            if plastic.project(law, &material.lame, &mut sigma, history, dt) {
                let axes = eigen.eigenvectors;
                let kept = axes * Matrix3::from_diagonal(&sigma) * axes.transpose();
                *relaxed += elastic - kept;
                // Flow keeps volume; the sum of stretches does so only to first order.
                *relaxed /= relaxed.determinant().max(0.01).cbrt();
                *flowed = history.strain - before;
            }
        });
        for (since, flowed) in self.state.since_base.iter_mut().zip(&flowed) {
            *since += flowed;
        }
        flowed.iter().filter(|&&flowed| flowed > 0.0).count()
    }

    /// The largest plastic strain since the rest pose was taken.
    pub fn flow_since_base(&self) -> f64 {
        self.state.since_base.iter().copied().fold(0.0, f64::max)
    }

    /// Takes the present pose as rest pose; what is left of elastic strain stays as the stretch at which particles have
    /// no stress.
    pub fn rebase(&mut self, x: &[Vec3], spacing: f64, settings: &SphSettings) {
        let (strain, here) = self.strain_at(x);
        let count = self.shape.rest.len();
        let (mut base, mut relaxed) = (vec![(Vec3::zeros(), 0.0); count], vec![Matrix3::zeros(); count]);
        let mut history = vec![History::default(); count];
        for (place, position) in here.iter().enumerate() {
            let own = self.shape.rest.order[place] as usize;
            let turn = strain.turn[place].cast::<f64>();
            let local = turn.tr_mul(&strain.gradient[place].cast());
            let elastic = pliant_math::symmetric(&local) - self.state.relaxed[place];
            relaxed[own] = Matrix3::identity() - turn * elastic * turn.transpose();
            base[own] = (*position, self.shape.rest.volume[place]);
            history[own] = self.state.history[place];
        }
        let mut state = State::new(count, UnitQuaternion::identity(), true);
        (state.relaxed, state.history, state.base) = (relaxed, history, base);
        self.take_base(&state, spacing, settings);
        state.relaxed = sorted(&state.relaxed, &self.shape.rest.order);
        state.history = sorted(&state.history, &self.shape.rest.order);
        self.state = state;
    }

    /// Builds the shape of a rest pose that replaces the present one.
    pub fn take_base(&mut self, state: &State, spacing: f64, settings: &SphSettings) {
        self.shape = Arc::new(self.shape.with_base(&state.base, spacing, settings));
    }
}
