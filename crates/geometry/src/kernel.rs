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

/// The cubic spline of SPH in two or three dimensions: vanishes at its support, its integral is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicSpline {
    /// Where it vanishes [m].
    pub support: f64,
    /// Two over the support [1/m].
    inverse: f64,
    /// Its value in the middle [1/m²] or [1/m³].
    peak: f64,
}

impl CubicSpline {
    /// The spline with this support [m].
    pub fn new(support: f64, dimension: usize) -> Self {
        let inverse = 2.0 / support;
        let peak = if dimension == 2 { 10.0 / (7.0 * PI) * inverse.powi(2) } else { inverse.powi(3) / PI };
        Self { support, inverse, peak }
    }

    /// Its value at a distance [1/m²] or [1/m³].
    pub fn value(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let shape = if q < 1.0 {
            1.0 + q * q * (0.75 * q - 1.5)
        } else if q < 2.0 {
            0.25 * (2.0 - q).powi(3)
        } else {
            0.0
        };
        shape * self.peak
    }

    /// Its slope with distance, never positive.
    pub fn slope(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let shape = if q < 1.0 {
            q * (2.25 * q - 3.0)
        } else if q < 2.0 {
            -0.75 * (2.0 - q).powi(2)
        } else {
            0.0
        };
        shape * self.peak * self.inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splines_have_an_integral_of_one_and_the_right_slope() {
        for (dimension, shell) in [(2, 2.0 * PI), (3, 4.0 * PI)] {
            let kernel = CubicSpline::new(1.7, dimension);
            let step = 1e-4;
            let ring = |k: usize| {
                let r = (k as f64 + 0.5) * step;
                kernel.value(r) * shell * r.powi(dimension as i32 - 1) * step
            };
            let integral: f64 = (0..18_000).map(ring).sum();
            assert!((integral - 1.0).abs() < 1e-6, "{dimension} dimensions: {integral}");
            for distance in [0.1, 0.8, 0.9, 1.6, 1.8] {
                let change = kernel.value(distance + 1e-6) - kernel.value(distance - 1e-6);
                assert!((change / 2e-6 - kernel.slope(distance)).abs() < 1e-6, "at {distance}");
            }
        }
    }

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
