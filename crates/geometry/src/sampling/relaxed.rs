//! Pressure, cohesion and adhesion of Kugelstadt 2021, §7.

use super::relax::{Cloud, Interaction};
use pliant_math::{Vec3, parallel};

/// The strengths `β` and `γ`.
pub(super) struct Relaxed {
    pub cohesion: f64,
    pub adhesion: f64,
}

/// Density over that at rest, and the stiffness `κ/ρ` of Eq. 34.
#[derive(Clone, Copy, Default)]
struct Crowding {
    density: f64,
    stiffness: f64,
}

impl Interaction for Relaxed {
    fn moves(&self, cloud: &Cloud<'_>) -> Vec<Vec3> {
        let mut crowding = vec![Crowding::default(); cloud.positions.len()];
        parallel::fill(&mut crowding, |i| Crowding::of(cloud, i));
        let mut moves = vec![Vec3::zeros(); cloud.positions.len()];
        parallel::fill(&mut moves, |i| self.of_others(cloud, &crowding, i) + self.of_surface(cloud, i));
        moves
    }
}

impl Crowding {
    fn of(cloud: &Cloud<'_>, i: usize) -> Self {
        let volume = cloud.volume();
        let (mut density, mut sum, mut squares) = (volume * cloud.kernel.value(0.0), Vec3::zeros(), 0.0);
        for (_, from, distance) in cloud.near(i) {
            density += volume * cloud.kernel.value(distance); // Eq. 32
            let gradient = from * (volume * cloud.kernel.slope(distance) / distance);
            sum += gradient;
            squares += gradient.norm_squared();
        }
        // A surface lacks neighbours beyond it: what is too thin is left to cohesion and adhesion.
        let excess = (density - 1.0).max(0.0);
        let resistance = sum.norm_squared() + squares;
        Self { density, stiffness: if resistance > 0.0 { excess / resistance } else { 0.0 } } // Eq. 34
    }
}

impl Relaxed {
    /// Pressure (Eq. 33) and cohesion (Eq. 35).
    fn of_others(&self, cloud: &Cloud<'_>, crowding: &[Crowding], i: usize) -> Vec3 {
        let (volume, spacing) = (cloud.volume(), cloud.domain.spacing);
        let own = crowding[i].stiffness;
        cloud
            .near(i)
            .map(|(j, from, distance)| {
                let pressure =
                    -volume * (own + crowding[j].stiffness) * cloud.kernel.slope(distance) / distance;
                let share = volume / crowding[j].density * cloud.kernel.value(distance);
                let cohesion = -self.cohesion * share * (distance - spacing) / distance;
                from * (pressure + cohesion)
            })
            .sum()
    }

    /// Adhesion (Eq. 36).
    fn of_surface(&self, cloud: &Cloud<'_>, i: usize) -> Vec3 {
        let site = &cloud.sites[i];
        if !site.is_near() {
            return Vec3::zeros();
        }
        let depth = -site.distance(&cloud.positions[i]);
        site.normal * (self.adhesion * cloud.volume() * depth * cloud.kernel.value(depth.abs()))
    }
}
