//! What is seen: from snapshots to pictures on the graphics processor, in a window or without one.
//!
//! `camera`, `look`, `drawing`, `cull`, `grid`, `obstacles` and `scenery` are plain calculations that tests reach without any
//! device; `gpu`, `renderer` and `readback` are the device.

pub mod camera;
pub mod canvas;
pub mod cull;
pub mod drawing;
pub mod gpu;
pub mod grid;
pub mod look;
mod nets;
pub mod obstacles;
mod overlays;
mod plan;
pub mod readback;
pub mod renderer;
pub mod scenery;
mod upload;

pub use camera::{Bounds, Camera, Lens};
pub use canvas::Canvas;
pub use gpu::{Device, NoAdapter};
pub use look::Look;
pub use readback::Pixels;
pub use renderer::{Renderer, Shot, Stage};
pub use scenery::{Scenery, State};
