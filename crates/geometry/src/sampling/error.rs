//! Why a shape could not be filled.

/// A filling that was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SamplingError {
    /// The spacing is zero, negative, infinite or not a number.
    #[error("the particle spacing must be positive and finite, got {spacing} m")]
    BadSpacing {
        /// As given `[m]`.
        spacing: f64,
    },
    /// The dimension is neither 2 nor 3.
    #[error("the dimension must be 2 or 3, got {dimension}")]
    BadDimension {
        /// As given.
        dimension: usize,
    },
    /// The jitter is not a fraction.
    #[error("the jitter must lie between 0 (lattice) and 1 (anywhere in the cell), got {amount}")]
    BadJitter {
        /// As given.
        amount: f64,
    },
    /// The strength of cohesion or adhesion is negative or not a number.
    #[error("cohesion and adhesion must be zero or positive, got {value}; the paper takes 4 and 0.2")]
    BadStrength {
        /// As given.
        value: f64,
    },
    /// A mesh with holes bounds the shape, so that particles would run out of it.
    #[error(
        "a mesh of this shape is not closed, so there is no surface to relax particles against; \
         close its holes, or fill it by `lattice` or `poisson_disk`"
    )]
    NotClosed,
    /// Whoever listened to the progress asked to stop.
    #[error("the filling was stopped")]
    Stopped,
    /// The shape reaches to infinity, or its bounds are not numbers.
    #[error("the shape has no end and cannot be filled; intersect it with a box, or use it as a collider")]
    Unbounded,
    /// More particles than allowed.
    #[error(
        "spacing {spacing} m gives about {predicted:.3e} particles, more than the limit of {limit}; \
         try a spacing of {suggestion:.3} m or raise the limit"
    )]
    TooMany {
        /// As given `[m]`.
        spacing: f64,
        /// The expected number of particles.
        predicted: f64,
        /// As given.
        limit: usize,
        /// A spacing that fits `[m]`.
        suggestion: f64,
    },
    /// The shape fills so little of its box that the search would take too long.
    #[error(
        "spacing {spacing} m means {cells:.3e} cells to search, too many for a limit of {limit} particles; \
         try a spacing of {suggestion:.3} m or split the shape into parts"
    )]
    TooSparse {
        /// As given `[m]`.
        spacing: f64,
        /// Cells in the shape's bounds.
        cells: f64,
        /// As given.
        limit: usize,
        /// A spacing that fits `[m]`.
        suggestion: f64,
    },
    /// No particle fits.
    #[error(
        "no particle fits into the shape at spacing {spacing} m (its box is {thinnest:.3} m at the thinnest); \
         try a spacing of {:.3} m or less, or check that the shape is closed and not empty", 0.5 * thinnest.min(*spacing)
    )]
    Nothing {
        /// As given `[m]`.
        spacing: f64,
        /// The smallest extent of the shape's bounds `[m]`.
        thinnest: f64,
    },
}
