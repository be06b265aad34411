//! What is simulated: particles, bodies, colliders, and the snapshots observers see.
//!
//! A [`World`] holds what *is*: it is built from a scene, and only positions and velocities change. What a
//! method remembers (neighbour lists, plastic state) belongs to its solver; scratch is never saved.

mod acceleration;
mod collider;
mod motion;
mod particles;
pub mod snapshot;
mod world;

pub use acceleration::{Acceleration, VectorField};
pub use collider::{Collider, Contact};
pub use motion::{Keyframe, Motion, MotionError};
pub use particles::Particles;
pub use snapshot::{Column, Field, Snapshot};
pub use world::{
    Body, Colors, Displacement, Joint, JointKind, Pin, Values, Variation, VelocityGradient, World,
};
