//! Points with neighbourhoods: the implicit method of Zhou et al. 2013, the baseline it is compared to (Gerszewski et
//! al. 2009), and what explicit steps share.

pub mod explicit;
pub mod gbb2009;
pub mod zhou2013;

pub use gbb2009::{Gbb2009, Gbb2009Settings};
pub use zhou2013::{Zhou2013, Zhou2013Settings};
