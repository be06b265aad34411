//! Colliders as boundaries of the pressure: they mirror the layer of particles before them, smeared out along the surface.
//! Surfaces are taken for planes within the reach of a kernel, for which the sums are known in closed form; that needs no
//! table (volume maps of Bender 2019, which the paper uses), also for colliders that move. Images, not a filled half space:
//! density *and* slope are those of a lattice that ends half a spacing from the wall, and an image carries the pressure of
//! its particle, so water against a wall is in balance where a lattice has it.

use crate::kernel::Kernel;
use crate::sorting::Sorting;
use nalgebra::{Isometry3, Matrix3, Point3};
use pliant_math::{Vec3, parallel};
use pliant_world::{Collider, Contact};
use rayon::prelude::*;

/// Particles keep this share of a spacing away from surfaces, whatever the pressure does.
const SKIN: f64 = 0.1;
/// Particles nearer to a wall than this share of a spacing feel no more shear than there.
const CLOSE: f64 = 0.25;
/// Steps a particle takes to a surface in its way; distances are safe to march along.
const MARCH: usize = 32;

/// What a particle feels of all walls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wall {
    /// Density that the walls add.
    pub density: f32,
    /// Slope of that density [1/m]; zero away from walls.
    pub gradient: [f32; 3],
    /// How fast the walls' own motion lowers it [1/s].
    pub departure: f32,
    /// Velocity of the walls, the nearest counting most [m/s].
    pub velocity: [f32; 3],
    pub friction: f32,
    /// Shear that walls to which fluids stick exert, over viscosity, speed and volume [1/m²].
    pub grip: f32,
    /// Mean velocity of these walls, by what they exert [m/s].
    pub pace: [f32; 3],
    /// Distance to the nearest wall, at most the support of the kernel [m].
    pub clearance: f32,
}

/// The colliders over one step.
pub(crate) struct Walls<'a> {
    all: Vec<Posed<'a>>,
    kernel: Kernel,
    spacing: f64,
}

struct Posed<'a> {
    collider: &'a Collider,
    before: Isometry3<f64>,
    after: Isometry3<f64>,
    dt: f64,
}

impl Posed<'_> {
    /// Velocity of the collider at a point of its first pose [m/s].
    fn velocity(&self, point: &Vec3) -> Vec3 {
        if self.collider.motion.is_static() {
            return Vec3::zeros();
        }
        let local = self.before.inverse_transform_point(&Point3::from(*point));
        (self.after * local - Point3::from(*point)) / self.dt
    }
}

impl<'a> Walls<'a> {
    pub fn new(colliders: &'a [Collider], (kernel, spacing): (Kernel, f64), (time, dt): (f64, f64)) -> Self {
        let pose = |collider: &'a Collider| Posed {
            collider,
            before: collider.world_from_initial(time),
            after: collider.world_from_initial(time + dt),
            dt,
        };
        Self { all: colliders.iter().map(pose).collect(), kernel, spacing }
    }

    /// What every particle feels, by place.
    pub fn feel(&self, sorting: &Sorting, (positions, spacings): (&[Vec3], &[f32]), out: &mut Vec<Wall>) {
        out.resize(sorting.len(), Wall::default());
        if self.all.is_empty() {
            return;
        }
        let size = self.kernel.support;
        let reach = size * (1.0 + 0.5 * 3f64.sqrt());
        let mut chunks = Vec::new();
        let mut left = out.as_mut_slice();
        for (center, places) in sorting.cells() {
            let (chunk, rest) = left.split_at_mut(places.len());
            chunks.push((center, places, chunk));
            left = rest;
        }
        chunks.into_par_iter().for_each(|(center, places, chunk)| {
            let near: Vec<&Posed<'_>> = self
                .all
                .iter()
                .filter(|posed| posed.collider.distance(&posed.before, &center) < reach)
                .collect();
            if near.is_empty() {
                chunk.fill(Wall { clearance: size as f32, ..Wall::default() });
                return;
            }
            for (place, wall) in places.zip(chunk) {
                let i = sorting.order[place] as usize;
                *wall = self.wall(&near, &positions[i], f64::from(spacings[place]));
            }
        });
    }

    /// Stress that images carry across the walls around a point, over the pressure.
    pub fn stress(&self, x: &Vec3, spacing: f64) -> Matrix3<f32> {
        let contact = |posed: &Posed<'_>| posed.collider.contact(&posed.before, x, self.kernel.support);
        let across = |contact: Contact| {
            let carried = self.kernel.stress_of_wall(contact.distance, spacing);
            contact.normal * contact.normal.transpose() * carried
        };
        self.all.iter().filter_map(contact).map(across).sum::<Matrix3<f64>>().cast()
    }

    fn wall(&self, near: &[&Posed<'_>], x: &Vec3, spacing: f64) -> Wall {
        let (mut free, mut gradient, mut departure) = (1.0, Vec3::zeros(), 0.0);
        let (mut velocity, mut friction, mut nearest) = (Vec3::zeros(), 0.0, self.kernel.support);
        let (mut grip, mut pull) = (0.0, Vec3::zeros());
        for posed in near {
            let Some(contact) = posed.collider.contact(&posed.before, x, self.kernel.support) else {
                continue;
            };
            let (share, fall) = self.kernel.of_wall(contact.distance, spacing);
            let slope = contact.normal * -fall;
            let moving = posed.velocity(x);
            // Walls that meet in a corner share what lies behind both: densities combine like probabilities.
            gradient = gradient * (1.0 - share) + slope * free;
            departure = departure * (1.0 - share) + slope.dot(&moving) * free;
            free *= 1.0 - share;
            if contact.distance < nearest {
                (nearest, velocity, friction) = (contact.distance, moving, posed.collider.friction);
                if posed.collider.stickiness.is_infinite() {
                    friction = f64::INFINITY;
                }
            }
            if posed.collider.stickiness > 0.0 && contact.distance < spacing {
                let shear = 1.0 / (spacing * contact.distance.max(CLOSE * spacing));
                grip += shear;
                pull += moving * shear;
            }
        }
        let single = |v: Vec3| [v.x as f32, v.y as f32, v.z as f32];
        Wall {
            density: (1.0 - free) as f32,
            gradient: single(gradient),
            departure: departure as f32,
            velocity: single(velocity),
            friction: friction as f32,
            grip: grip as f32,
            pace: single(if grip > 0.0 { pull / grip } else { pull }),
            clearance: nearest as f32,
        }
    }

    /// Keeps particles that moved from `before` to `after` out of the colliders, whatever the pressure did; those that
    /// `may_move` only. Their `clearance` was that before they moved [m].
    pub fn keep_out(
        &self,
        before: &[Vec3],
        (after, velocity): (&mut [Vec3], &mut [Vec3]),
        (may_move, clearance): (impl Fn(usize) -> bool + Sync, impl Fn(usize) -> f64 + Sync),
    ) {
        if self.all.is_empty() {
            return;
        }
        let skin = SKIN * self.spacing;
        let stand = self.all.iter().all(|posed| posed.collider.motion.is_static());
        parallel::update_pair(after, velocity, |i, x, v| {
            if !may_move(i) || stand && (*x - before[i]).norm() < clearance(i) - skin {
                return;
            }
            for posed in &self.all {
                posed.stop(&before[i], (x, v), skin);
            }
        });
    }
}

impl Posed<'_> {
    fn stop(&self, before: &Vec3, (x, v): (&mut Vec3, &mut Vec3), skin: f64) {
        // In the frame of the collider, which may itself have moved.
        let from = self.before.inverse_transform_point(&Point3::from(*before)).coords;
        let to = self.after.inverse_transform_point(&Point3::from(*x)).coords;
        let travel = to - from;
        let shape = &self.collider.shape;
        let start = shape.distance(&from);
        if start > travel.norm() + skin {
            return;
        }
        let (mut gone, length) = (0.0, travel.norm());
        let mut at = to;
        if start > 0.0 && length > 0.0 {
            for _ in 0..MARCH {
                let point = from + travel * (gone / length);
                let distance = shape.distance(&point);
                if distance < 0.5 * skin {
                    at = point;
                    break;
                }
                gone += distance;
                if gone >= length {
                    break;
                }
            }
        }
        let distance = shape.distance(&at);
        if distance >= skin && at == to {
            return;
        }
        let normal = shape.normal(&at);
        let placed = at + normal * (skin - distance).max(0.0);
        let normal = self.after.rotation * normal;
        let moved = self.velocity(before);
        *x = (self.after * Point3::from(placed)).coords;
        let approach = (*v - moved).dot(&normal);
        if approach < 0.0 {
            *v -= normal * approach;
        }
    }
}
