//! Run folders: what a simulation leaves on disk, and how it survives a crash.
//!
//! ```text
//! DIR/scene.toml (and the files it names)   manifest.json   journal.jsonl   log.txt   lock
//! DIR/frames/frame.0000.plf …               DIR/checkpoints/checkpoint.0000000120.plc (the last three)
//! ```
//!
//! Three rules carry the promise that nothing committed is ever lost:
//! every file is written under a temporary name, synced and renamed ([`commit`]); a frame exists only once the
//! [`journal`] lists it; and every byte of a frame or checkpoint is covered by a checksum ([`container`]).

pub mod checkpoint;
mod columns;
pub mod commit;
pub mod container;
pub mod disk;
mod error;
pub mod frame;
pub mod journal;
pub mod lock;
pub mod machine;
pub mod manifest;
mod run;
pub mod scene_files;
mod writer;

pub use checkpoint::{Checkpoint, CheckpointMeta, Recovered, Skipped};
pub use error::StoreError;
pub use manifest::{Manifest, Status};
pub use run::{Existing, RunFolder};
pub use scene_files::SceneFiles;
pub use writer::{FrameCommit, RunWriter};
