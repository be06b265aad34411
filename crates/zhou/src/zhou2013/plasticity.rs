//! Plastic flow at the end of a step (Zhou 2013, Eq. 12–13).

use super::Zhou2013;
use super::elasticity::flowing_stretch;
use pliant_material::plastic::Trial;
use pliant_math::{Mat, Principal, Vect, parallel};
use pliant_world::World;

/// Plastic part of one particle's deformation in this step.
struct Flow<const D: usize> {
    plastic: Mat<D>,
    inverse: Mat<D>,
    strain: f64,
}

impl<const D: usize> Zhou2013<D> {
    /// Splits `F = Fe Fp` where the material yields and keeps Fe; returns how many particles flowed.
    pub(super) fn split_plastic_flow(&mut self, world: &World<D>, dt: f64) -> usize {
        if self.matter.iter().all(|matter| matter.plastic.is_none()) {
            return 0;
        }
        self.work.forget_relaxed_bodies(); // moduli are softened where matter yields, and may be in the next step where it does not
        let x = &world.particles.position;
        let mut flows: Vec<Option<Flow<D>>> = Vec::new();
        flows.resize_with(x.len(), || None);
        parallel::fill(&mut flows, |i| self.flow(i, x, dt));
        let state = &mut self.state;
        let mut count = 0;
        for (i, flow) in flows.into_iter().enumerate() {
            if let Some(Flow { plastic, inverse, strain }) = flow {
                let (relaxed, deformed) = (&mut state.rest_from_relaxed, &mut state.plastic_deformation);
                relaxed.set(i, relaxed.of(i) * inverse); // p ← Fp p, written for the inverse map
                deformed.set(i, plastic * deformed.of(i));
                state.plastic_strain[i] += strain;
                state.recent_strain[i] += strain;
                count += 1;
            }
        }
        count
    }

    fn flow(&self, i: usize, x: &[Vect<D>], dt: f64) -> Option<Flow<D>> {
        let plastic = self.matter[i].plastic?;
        let Principal { sigma, v, .. } = self.elasticity().deformation(i, x);
        let sigma = flowing_stretch(&sigma, &self.state.neighbourhoods.fits[i]);
        let (lame, plastic_strain) = (&self.matter[i].lame, self.state.plastic_strain[i]);
        let flow = plastic.flow(&Trial { lame, sigma: &sigma, plastic_strain, dt })?;
        let turned = |stretch: Vect<D>| v * Mat::from_diagonal(&stretch) * v.transpose(); // Fp = V F̂p Vᵀ
        let inverse = turned(flow.stretch.map(|stretch| 1.0 / stretch));
        Some(Flow { plastic: turned(flow.stretch), inverse, strain: flow.strain })
    }
}
