//! Particle columns for observers.

use crate::solver::Sph;
use pliant_material::Lame;
use pliant_math::{Mat, principal};
use pliant_solver::columns::Columns;
use pliant_world::{Column, Field, World};

impl Sph {
    /// Present volume of everything [m³].
    pub(crate) fn present_volume(&self, world: &World<3>) -> f64 {
        let p = &world.particles;
        let fluids = (0..p.len()).filter(|&i| self.is_fluid(i) && self.is_present(i));
        let fluid: f64 = fluids.map(|i| p.rest_volume[i] / f64::from(self.density(i)).max(1.0)).sum();
        let solid = self.solids().bodies.iter().filter(|body| body.is_present).map(|body| {
            let (strain, _) = body.strain_at(&p.position);
            let volume = |place: usize| {
                body.shape.rest.volume[place] * f64::from(strain.gradient[place].determinant())
            };
            (0..body.shape.rest.len()).map(volume).sum::<f64>()
        });
        fluid + solid.sum::<f64>()
    }

    pub(crate) fn columns(&self, world: &World<3>) -> Vec<Field> {
        let count = world.particles.len();
        let mut deformation = vec![principal(&Mat::<3>::identity()); count];
        let mut lame = vec![Lame { mu: 0.0, lambda: 0.0 }; count];
        let (mut plastic_strain, mut neighbours) = (vec![0.0; count], vec![0; count]);
        for body in &self.solids().bodies {
            let (strain, _) = body.strain_at(&world.particles.position);
            for place in 0..body.shape.rest.len() {
                let i = body.particle(place);
                deformation[i] = principal(&body.elastic(&strain, place));
                lame[i] = body.shape.lame[place];
                plastic_strain[i] = body.state.history.get(place).map_or(0.0, |history| history.strain);
                neighbours[i] = body.shape.rest.row(place).len() as u32;
            }
        }
        let mut fields = Columns {
            rest_position: self.rest_position(),
            deformation,
            lame,
            plastic_strain: &plastic_strain,
            neighbour_count: neighbours,
        }
        .fields();
        let gauges = self.gauges(world);
        for field in &mut fields {
            if let ("pressure", Column::Scalar(values)) = (field.name.as_str(), &mut field.column) {
                for (i, value) in values.iter_mut().enumerate().filter(|(i, _)| self.is_fluid(*i)) {
                    *value = gauges[i];
                }
            }
        }
        fields
    }
}
