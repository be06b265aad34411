//! Pictures, movies, plots and surfaces from snapshots, on the CPU.
//!
//! [`Renderer::picture`] casts rays at particles, surfaces and colliders; [`Framing`] finds the camera that sees the
//! whole run. Everything is deterministic: the same snapshot gives the same bits on any number of threads.

mod bvh;
mod camera;
mod colour;
mod error;
mod flat;
mod framing;
mod image;
mod legend;
mod light;
mod mesh;
mod paint;
mod picture;
mod shade;
mod solids;
mod spheres;
mod stage;
mod text;
mod tile;

pub use camera::{Camera, Lens};
pub use colour::{ColourMap, NOT_A_NUMBER, body_colour};
pub use error::RenderError;
pub use framing::{Coverage, Framing};
pub use image::Image;
pub use mesh::TriangleMesh;
pub use paint::{ColourBy, FieldColours, ValueRange};
pub use picture::{Quality, Renderer, Style, View};
pub use solids::Collider;
