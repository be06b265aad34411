//! What is seen: from snapshots to pictures on the graphics processor, in a window or without one.
//!
//! `camera`, `look`, `drawing`, `cull`, `grid`, `obstacles` and `scenery` are plain calculations that tests reach without any
//! device; `gpu`, `renderer` and `readback` are the device.

pub mod camera;
pub mod cull;
pub mod drawing;
pub mod gpu;
pub mod grid;
pub mod look;
pub mod obstacles;
pub mod readback;
pub mod renderer;
pub mod scenery;

pub use camera::{Bounds, Camera, Lens};
pub use gpu::{Canvas, Device, NoAdapter};
pub use look::Look;
pub use readback::Pixels;
pub use renderer::{Renderer, Shot, Stage};
pub use scenery::{Scenery, State};
