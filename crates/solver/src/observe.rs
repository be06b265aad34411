//! Snapshots of a simulation: what caches, exporters and pictures get to see.

use crate::Totals;
use crate::simulation::{Simulation, Tally};
use pliant_math::{Vect, embed};
use pliant_world::{Column, Field, Snapshot};
use sha2::{Digest, Sha256};

impl<const D: usize> Simulation<D> {
    /// What observers see now.
    pub(crate) fn observe(&self) -> Snapshot {
        let mut fields = self.common_fields();
        fields.extend(self.solver.fields(&self.world));
        if let Some(present) = self.world.particles.present(self.clock.time()) {
            fields.iter_mut().for_each(|field| field.column = field.column.of(&present));
        }
        Snapshot {
            frame: self.clock.frame(),
            step: self.steps,
            time: self.clock.time(),
            state_hash: self.state_hash(),
            quantities: self.quantities(),
            fields,
        }
    }

    /// SHA-256 of the exact positions and velocities.
    fn state_hash(&self) -> String {
        let mut hash = Sha256::new();
        for column in [&self.world.particles.position, &self.world.particles.velocity] {
            for component in column.iter().flat_map(|v| v.iter()) {
                hash.update(component.to_le_bytes());
            }
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn quantities(&self) -> Vec<(String, f64)> {
        let totals = Totals::at(&self.world, self.clock.time());
        let elastic = self.solver.elastic_energy(&self.world);
        let Tally { steps, iterations, solves, rejected, contacts, yielding, smallest_dt } = self.tally;
        let per_step = |sum: u64| if steps > 0 { sum as f64 / f64::from(steps) } else { 0.0 };
        let total = totals.kinetic_energy + totals.potential_energy + elastic;
        let axes = ["x", "y", "z"];
        let vectors = [
            ("momentum", totals.momentum),
            ("angular_momentum", totals.angular_momentum),
            ("center", totals.center),
        ];
        let scalars = [
            ("mass", totals.mass),
            ("kinetic_energy", totals.kinetic_energy),
            ("elastic_energy", elastic),
            ("potential_energy", totals.potential_energy),
            ("total_energy", total),
            ("volume", self.solver.volume(&self.world)),
            ("dt", smallest_dt),
            ("steps", f64::from(steps)),
            ("rejected_steps", f64::from(rejected)),
            ("iterations", per_step(iterations)),
            ("solves", per_step(solves)),
            ("contacts", per_step(contacts)),
            ("yielding", per_step(yielding)),
        ];
        let scalars = scalars.map(|(name, value)| (name.to_owned(), value));
        let components = vectors.iter().flat_map(|(name, vector)| {
            axes.iter().zip(vector.iter()).map(move |(axis, value)| (format!("{name}_{axis}"), *value))
        });
        scalars.into_iter().chain(components).collect()
    }

    fn common_fields(&self) -> Vec<Field> {
        let (world, p) = (&self.world, &self.world.particles);
        let vectors = |values: &[Vect<D>]| {
            Column::Vector(values.iter().map(|v| embed(v).map(|c| c as f32).into()).collect())
        };
        let scalars = |values: Vec<f64>| Column::Scalar(values.iter().map(|value| *value as f32).collect());
        let body = |i: usize| &world.bodies[p.body[i] as usize];
        let indices = 0..p.len();
        let density = indices.clone().map(|i| p.mass[i] / p.rest_volume[i]).collect();
        let mut colors: Vec<[f32; 3]> = indices.clone().map(|i| body(i).color).collect();
        for own in &world.colors {
            colors[own.particles.clone()].copy_from_slice(&own.values);
        }
        let columns = [
            (Snapshot::POSITION, vectors(&p.position)),
            (Snapshot::VELOCITY, vectors(&p.velocity)),
            ("id", Column::Integer((0u32..).take(p.len()).collect())),
            (Snapshot::RADIUS, scalars(indices.clone().map(|i| 0.5 * body(i).spacing).collect())),
            ("mass", scalars(p.mass.clone())),
            ("density", scalars(density)),
            ("body", Column::Integer(p.body.clone())),
            ("material", Column::Integer(p.material.iter().map(|&m| u32::from(m)).collect())),
            ("color", Column::Vector(colors)),
        ];
        columns.into_iter().map(|(name, column)| Field { name: name.to_owned(), column }).collect()
    }
}
