//! Explicit pressure and cohesion, after the blue-noise sampling of Jiang 2015.
//!
//! Kugelstadt 2021 compares with it and says what it consists of: an explicit SPH pressure, and cohesion with a
//! correction where particles are few. Cohesion and correction are those of Akinci 2013, which it builds upon.

use super::relax::{Cloud, Interaction};
use pliant_math::{Vec3, parallel};

/// The two forces.
pub(super) struct BlueNoise;

/// Strength of the pressure: half of what an explicit step of one spacing bears.
const PRESSURE: f64 = 0.5;
/// Strength of the cohesion: as much as holds a surface together without crumpling it (measured).
const COHESION: f64 = 0.005;

/// Density over that at rest, and the surface normal times a spacing.
#[derive(Clone, Copy)]
struct Local {
    density: f64,
    normal: Vec3,
}

impl Interaction for BlueNoise {
    fn moves(&self, cloud: &Cloud<'_>) -> Vec<Vec3> {
        let nothing = Local { density: 0.0, normal: Vec3::zeros() };
        let mut locals = vec![nothing; cloud.positions.len()];
        parallel::fill(&mut locals, |i| Local::of(cloud, i));
        let mut moves = vec![Vec3::zeros(); cloud.positions.len()];
        parallel::fill(&mut moves, |i| {
            cloud.near(i).map(|near| pull(cloud, [&locals[i], &locals[near.0]], near.1, near.2)).sum()
        });
        moves
    }
}

impl Local {
    fn of(cloud: &Cloud<'_>, i: usize) -> Self {
        let volume = cloud.volume();
        let own = Self { density: volume * cloud.kernel.value(0.0), normal: Vec3::zeros() };
        cloud.near(i).fold(own, |sum, (_, from, distance)| Self {
            density: sum.density + volume * cloud.kernel.value(distance),
            normal: sum.normal
                + from * (volume * cloud.domain.spacing * cloud.kernel.slope(distance) / distance),
        })
    }
}

/// What a neighbour does to a particle `[m]`.
fn pull(cloud: &Cloud<'_>, [own, other]: [&Local; 2], from: Vec3, distance: f64) -> Vec3 {
    let (volume, spacing) = (cloud.volume(), cloud.domain.spacing);
    let excess = |local: &Local| (local.density - 1.0).max(0.0);
    let slope = volume * cloud.kernel.slope(distance);
    let pressure = -PRESSURE * spacing * spacing * (excess(own) + excess(other)) * slope / distance;
    let correction = 2.0 / (own.density + other.density); // Akinci 2013, Eq. 5
    let reach = distance / cloud.kernel.support;
    let cohesion = -COHESION * correction * spacing * cohesion_spline(reach) / distance;
    // Flattens the surface (Akinci 2013, Eq. 3).
    let flattening = (own.normal - other.normal) * (COHESION * correction * spacing * 0.1);
    from * (pressure + cohesion) - flattening
}

/// The spline of Akinci 2013, Eq. 2, with a largest value of one: repels below half of the support, attracts above.
fn cohesion_spline(reach: f64) -> f64 {
    let hump = ((1.0 - reach) * reach).powi(3) * 64.0;
    if reach > 0.5 { hump } else { 2.0 * hump - 1.0 }
}
