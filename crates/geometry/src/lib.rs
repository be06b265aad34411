//! Shapes as signed distances, meshes, samplers, neighbour search and kernels.

mod aabb;
pub mod clamp;
mod error;
pub mod kernel;
pub mod mesh;
pub mod models;
pub mod neighbours;
mod picture;
mod placement;
pub mod points;
pub mod rng;
pub mod sampling;
pub mod shape;
pub mod skin;

pub use aabb::Aabb;
pub use error::GeometryError;
pub use picture::ColorPicture;
pub use placement::Placement;
pub use sampling::{Sampler, SamplingError, sample};
pub use shape::Shape;
