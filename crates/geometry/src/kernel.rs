//! Radial weighting kernels.

use std::f64::consts::PI;

/// The cosine kernel of Solenthaler 2007 that Zhou 2013 §3.1 weighs neighbours with: `1 + cos(π r/h)` inside
/// the support `h`, zero outside. Not normalised: only ratios of weights matter in a least-squares fit.
pub fn cosine(distance: f64, support: f64) -> f64 {
    if distance < support { 1.0 + (PI * distance / support).cos() } else { 0.0 }
}

/// Slope of [`cosine`] with distance: `−π/h sin(π r/h)` inside the support, zero outside [1/m].
pub fn cosine_slope(distance: f64, support: f64) -> f64 {
    if distance < support { -PI / support * (PI * distance / support).sin() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_the_derivative_of_the_cosine() {
        for distance in [0.0, 0.3, 1.1, 1.9, 2.5] {
            let step = 1e-6;
            let change = cosine(distance + step, 2.0) - cosine((distance - step).abs(), 2.0);
            assert!((change / (2.0 * step) - cosine_slope(distance, 2.0)).abs() < 1e-9, "at {distance}");
        }
    }

    #[test]
    fn cosine_falls_smoothly_to_zero_at_the_support() {
        assert_eq!(cosine(0.0, 2.0), 2.0);
        assert!((cosine(1.0, 2.0) - 1.0).abs() < 1e-15);
        assert!(cosine(1.999_999, 2.0) < 1e-11, "value and slope vanish at the support");
        assert_eq!(cosine(2.0, 2.0), 0.0);
        let falls = (0..200).map(|k| cosine(0.01 * f64::from(k), 2.0)).collect::<Vec<_>>();
        assert!(falls.windows(2).all(|pair| pair[0] > pair[1]));
    }
}
