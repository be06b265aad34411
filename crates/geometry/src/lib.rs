//! Shapes as signed distances, meshes, samplers, neighbour search and kernels.

mod aabb;
mod error;
mod placement;
pub mod rng;
pub mod sampling;
pub mod shape;

pub use aabb::Aabb;
pub use error::GeometryError;
pub use placement::Placement;
pub use sampling::{Sampler, SamplingError, sample};
pub use shape::Shape;
