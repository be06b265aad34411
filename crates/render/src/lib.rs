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
mod mesh_file;
mod movie;
mod paint;
mod picture;
mod plot;
mod ray;
mod series;
mod shade;
mod skin;
mod solids;
mod spheres;
mod stage;
mod surface;
mod text;
mod tile;

pub use camera::{Camera, Lens};
pub use colour::{ColourMap, NOT_A_NUMBER, body_colour};
pub use error::RenderError;
pub use framing::{Coverage, Framing};
pub use image::Image;
pub use legend::LegendText;
pub use mesh::SurfaceMesh;
pub use movie::Movie;
pub use paint::{ColourBy, FieldColours, ValueRange};
pub use picture::{Quality, Renderer, Style, View};
pub use plot::{Curve, Curves, Row, write_curves, write_plots};
pub use skin::{Skins, dressed};
pub use solids::Collider;
pub use surface::{SurfaceOptions, reconstruct, surface_of};
