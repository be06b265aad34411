//! What is simulated: particles, bodies, colliders, and the snapshots observers see.

pub mod snapshot;

pub use snapshot::{Column, Field, Snapshot};
