//! What copies of a body share: its rest pose, its moduli, and the factorised system.

use super::dilation::Resistance;
use super::gradients::{Excess, dot};
use super::lanes::Lane;
use super::matrix::Coefficients;
use super::rest::Rest;
use super::strain::Moduli;
use super::system::System;
use super::{correct, held};
use crate::settings::{Elasticity, SphSettings, ZeroEnergy};
use pliant_material::Lame;
use pliant_math::Vec3;
use pliant_world::World;
use std::ops::Range;

/// A body at rest.
#[derive(Debug)]
pub(crate) struct Shape {
    pub rest: Rest,
    /// Moduli of the materials.
    pub lame: Vec<Lame>,
    pub moduli: Moduli,
    pub resistance: Resistance,
    pub mass: Vec<f64>,
    pub mass_single: Vec<f32>,
    pub pinned: Vec<bool>,
    /// None if it is not needed, or if the matrix is not positive definite.
    pub system: Option<System>,
}

impl Shape {
    pub fn new(
        rest: Rest,
        (mass, lame): (Vec<f64>, Vec<Lame>),
        pinned: Vec<bool>,
        settings: &SphSettings,
    ) -> Self {
        let strength = match settings.zero_energy {
            ZeroEnergy::Implicit(strength) => strength,
            ZeroEnergy::None | ZeroEnergy::Explicit(_) => 0.0,
        };
        let factors = held::factors(&rest, &pinned, strength);
        let moduli = Moduli::new(&lame, &factors, strength, volume_share(settings));
        let implicit =
            !matches!(settings.elasticity, Elasticity::Peer2018 | Elasticity::Becker2009) && rest.len() > 0;
        let system = implicit.then(|| {
            let with =
                Coefficients { mass: &mass, moduli: &moduli, dt: settings.elastic_step, pinned: &pinned };
            System::new(&rest, &with)
        });
        let mass_single = mass.iter().map(|&mass| mass as f32).collect();
        let resistance = Resistance::new(&rest, &moduli);
        Self { rest, lame, moduli, resistance, mass, mass_single, pinned, system: system.flatten() }
    }

    /// The shape of particles of a world that lie at rest.
    pub fn of(
        world: &World<3>,
        range: Range<usize>,
        pinned: &[bool],
        spacing: f64,
        settings: &SphSettings,
    ) -> Self {
        let p = &world.particles;
        let rest = Rest::new(&p.position[range.clone()], &p.rest_volume[range.clone()], spacing, settings);
        let place = |i: &u32| range.start + *i as usize;
        let lame = rest.order.iter().map(|i| world.material_of(place(i)).lame).collect();
        let mass = rest.order.iter().map(|i| p.mass[place(i)]).collect();
        let pinned = rest.order.iter().map(|&i| pinned[i as usize]).collect();
        Self::new(rest, (mass, lame), pinned, settings)
    }

    /// The same body with another rest pose: positions and volumes in the order of the body.
    pub fn with_base(&self, base: &[(Vec3, f64)], spacing: f64, settings: &SphSettings) -> Self {
        let (positions, volumes): (Vec<Vec3>, Vec<f64>) = base.iter().copied().unzip();
        let rest = Rest::new(&positions, &volumes, spacing, settings);
        let mut place = vec![0u32; rest.len()];
        self.rest.order.iter().zip(0u32..).for_each(|(&own, at)| place[own as usize] = at);
        let from: Vec<u32> = rest.order.iter().map(|&own| place[own as usize]).collect();
        let of = (sorted(&self.mass, &from), sorted(&self.lame, &from));
        Self::new(rest, of, sorted(&self.pinned, &from), settings)
    }

    /// Solves Eq. 29 for several right-hand sides, in place; returns the iterations.
    pub fn solve(&self, sides: &mut [&mut [Lane]], effort: &Effort) -> Result<usize, Excess> {
        let system = self.system.as_ref().ok_or(Excess { iterations: 0, ratio: f64::INFINITY })?;
        system.solve(sides, (|side: &[Lane]| effort.residual(self, side), effort.max_iterations))
    }
}

/// How much of the resistance to changes of volume the constant matrix has.
fn volume_share(settings: &SphSettings) -> f64 {
    if settings.elasticity == Elasticity::Corrected { correct::VOLUME_SHARE } else { 0.0 }
}

/// What the elastic step needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub dt: f64,
    pub tolerance: f64,
    pub max_iterations: usize,
    /// Acceleration that matters to the stopping rules [m/s²].
    pub acceleration: f64,
}

impl Effort {
    /// The norm of the residual at which a system is solved: a small share of the right-hand side, or of what the
    /// acceleration that matters does in a step.
    pub fn residual(&self, shape: &Shape, side: &[Lane]) -> f64 {
        let mass: f64 = shape.mass.iter().map(|mass| mass * mass).sum();
        let floor = 1e-2 * mass.sqrt() * self.acceleration * self.dt;
        self.tolerance * dot(side, side).sqrt().max(floor)
    }
}

/// Values in another order.
pub(super) fn sorted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&i| values[i as usize]).collect()
}
