//! Snapshots as files other programs read: ParaView, Houdini, Blender, NumPy, spreadsheets.
//!
//! An [`Exporter`] is fed one snapshot at a time, during a run or from its frames afterwards, and writes
//! `NAME.0000.EXT`, `NAME.0001.EXT`, … into one folder a format. Files appear under their name only when they are
//! complete. A new format is one file here and one line in [`Format`].

mod column;
mod csv;
mod error;
mod exporter;
mod format;
mod houdini;
mod names;
mod npz;
mod ply;
mod pvd;
mod up_axis;
mod vtp;

pub use error::ExportError;
pub use exporter::{Exporter, Options};
pub use format::Format;
pub use up_axis::UpAxis;
