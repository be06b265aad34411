//! Elastic laws in principal stretches, one file each.

mod linear_corotated;

pub use linear_corotated::LinearCorotated;
