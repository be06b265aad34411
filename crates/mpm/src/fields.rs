//! Particle columns of the Material Point Method.

use super::Mpm;
use super::grain::widen;
use super::scalar::Scalar;
use pliant_math::Mat;
use pliant_world::{Column, Field, World};

impl<T: Scalar, const D: usize> Mpm<T, D> {
    /// The columns observers see, in the order of the world.
    pub(super) fn columns(&self, world: &World<D>) -> Vec<Field> {
        let count = world.particles.len();
        let grain = |i: usize| self.state.get(self.slot[i]);
        let scalar = |name: &str, value: &dyn Fn(usize) -> f64| Field {
            name: name.to_owned(),
            column: Column::Scalar((0..count).map(|i| value(i) as f32).collect()),
        };
        let ratio = |i: usize| {
            let grain = grain(i);
            self.matters[grain.matter as usize].volume_ratio(&grain)
        };
        // Found anew for each column: a list of them would be the largest thing there is while a frame is written.
        let stress = |i: usize| match ratio(i) {
            // Crushed flat, or inside out: there is no volume to carry a stress.
            ratio if ratio < 1e-6 => Mat::zeros(),
            ratio => widen(&grain(i).stress) / (grain(i).volume.wide() * ratio),
        };
        let tensor = |name: &str, value: &dyn Fn(usize) -> Mat<D>, rest: f32| Field {
            name: name.to_owned(),
            column: Column::Tensor(
                (0..count).map(|i| pliant_solver::columns::padded(&value(i), rest)).collect(),
            ),
        };
        let padded = |x: &[f32; D]| std::array::from_fn(|axis| x.get(axis).copied().unwrap_or_default());
        let rest = self.rest_position.iter().map(padded).collect();
        let mut fields = vec![
            Field { name: "rest_position".to_owned(), column: Column::Vector(rest) },
            tensor("F", &|i| widen(&grain(i).elastic), 1.0),
            scalar("J", &ratio),
            scalar("Jp", &|i| grain(i).memory_volume.wide()),
            scalar("plastic_strain", &|i| grain(i).memory_strain.wide()),
            scalar("pressure", &|i| -stress(i).trace() / D as f64),
            scalar("von_mises", &|i| f64::from(pliant_solver::columns::von_mises(&stress(i)))),
            tensor("stress", &stress, 0.0),
        ];
        let hardening = |i: usize| {
            let grain = grain(i);
            self.matters[grain.matter as usize].hardening(&grain.history())
        };
        if self.matters.iter().any(|matter| matter.hardening(&matter.initial()).is_some()) {
            fields.push(scalar("hardening", &|i| hardening(i).unwrap_or(1.0)));
        }
        if self.settings.mixture.species.len() > 1 {
            fields.push(scalar("saturation", &|i| grain(i).saturation.wide()));
        }
        if !self.state.carried.concentration.is_empty() {
            fields.push(scalar("concentration", &|i| self.state.carried.concentration[i]));
        }
        fields
    }
}
