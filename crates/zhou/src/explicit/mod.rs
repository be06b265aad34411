//! What explicit methods share: how long a step may be, and contacts as impulses.

mod impact;
mod time_step;

pub(crate) use impact::Impact;
pub(crate) use time_step::count_substeps;
pub use time_step::{MAX_SUBSTEPS, Resistance, substeps};
