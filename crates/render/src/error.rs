//! What can go wrong while making pictures.

use std::path::PathBuf;

/// Why a picture, movie, plot or surface could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A body that wears a skin has other particles than when it was put on, or none to tell where they were at rest.
    #[error(
        "the skin of body {body} cannot follow: it was bound to {bound} particles with rest positions and now there \
         are {now}; only bodies that appear whole can wear one"
    )]
    Skin {
        /// Number of the body.
        body: u32,
        /// Particles it was bound to.
        bound: usize,
        /// Particles there are now.
        now: usize,
    },
    /// A picture's size is zero or too large.
    #[error(
        "a picture of {width} × {height} pixels cannot be made: both sides must lie between 1 and {limit}"
    )]
    Size {
        /// Asked width [pixels].
        width: u32,
        /// Asked height [pixels].
        height: u32,
        /// Largest side [pixels].
        limit: u32,
    },
    /// A picture file that cannot be read.
    #[error("cannot read the picture {}: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        cause: String,
    },
    /// Colour by a field the snapshot does not have.
    #[error("there is no field `{name}` to colour by; this run has {available}")]
    UnknownField {
        /// The field asked for.
        name: String,
        /// What could be asked for.
        available: String,
    },
    /// A movie's size is one that H.264 cannot carry.
    #[error("a movie of {width} × {height} pixels cannot be made: sides must lie between 16 and 3840 × 2160")]
    MovieSize {
        /// Asked width [pixels].
        width: u32,
        /// Asked height [pixels].
        height: u32,
    },
    /// Frames of a movie must share one size.
    #[error(
        "frame {frame} is {width} × {height} pixels but the movie is {expected_width} × {expected_height}"
    )]
    FrameSize {
        /// Number of the frame, from 0.
        frame: u64,
        /// Its width [pixels].
        width: u32,
        /// Its height [pixels].
        height: u32,
        /// Width of the movie [pixels].
        expected_width: u32,
        /// Height of the movie [pixels].
        expected_height: u32,
    },
    /// A frame rate that is not a sensible number.
    #[error("a movie cannot play {fps} frames a second: choose between 1 and 240")]
    FrameRate {
        /// The asked rate [1/s].
        fps: f64,
    },
    /// A number that must be positive and finite is not.
    #[error("{what} must be positive and finite, got {value}")]
    NotPositive {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// The surface would not fit in memory.
    #[error(
        "a surface over {cells:.2e} cells of {cell} m is too large: choose a larger cell or cut off stray particles"
    )]
    SurfaceTooLarge {
        /// Cells in the box around the particles.
        cells: f64,
        /// Edge of a cell [m].
        cell: f64,
    },
    /// The surface library gave up.
    #[error("surface reconstruction failed: {0}")]
    Surface(String),
    /// The video encoder or the MP4 writer gave up.
    #[error("the movie cannot be encoded: {0}")]
    Movie(String),
    /// The plotting library gave up.
    #[error("the plot cannot be drawn: {0}")]
    Plot(String),
    /// The PNG encoder gave up.
    #[error("the picture cannot be encoded: {0}")]
    Png(String),
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
