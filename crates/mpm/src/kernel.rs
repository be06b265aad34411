//! B-splines that carry particles to the grid and back (Nilles 2020, Eq. 51–62).

use super::scalar::Scalar;
use std::ops::{Add, Mul, Sub};

/// What splines are made of: one number, or one of each particle of a pack.
pub(crate) trait Number: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The nearest number of the same kind.
    fn like(self, value: f64) -> Self;
}

/// Which spline; a particle sees `W` nodes along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Two nodes an axis: cheap, and noisy when particles cross cells.
    Linear,
    /// Three nodes an axis.
    Quadratic,
    /// Four nodes an axis: smoother, and about twice the work in space.
    Cubic,
}

impl Kernel {
    /// Nodes a particle sees along an axis.
    pub fn width(self) -> usize {
        match self {
            Self::Linear => 2,
            Self::Quadratic => 3,
            Self::Cubic => 4,
        }
    }
}

/// Cells from the first node of the stencil to the cell (or dual cell) that the particle is in: the first node is
/// `floor(x/h − shift)`.
#[inline(always)]
pub(crate) const fn shift<const W: usize>() -> f64 {
    match W {
        2 => 0.0,
        3 => 0.5,
        _ => 1.0,
    }
}

/// `Σ w (x_i − x_p)(x_i − x_p)ᵀ = h²/DISPERSION · I` (Nilles 2020, Eq. 69); linear splines have no such constant.
#[inline(always)]
pub(crate) const fn inverse_dispersion<const W: usize>() -> f64 {
    match W {
        3 => 4.0,
        _ => 3.0,
    }
}

/// Weights of the nodes for a particle `t` cells from the first one (Nilles 2020, Eq. 51–57).
#[inline(always)]
pub(crate) fn weights<N: Number, const W: usize>(t: N) -> [N; W] {
    let mut w = [t; W];
    match W {
        2 => {
            w[0] = t.like(1.0) - t;
            w[1] = t;
        }
        3 => {
            let (half, a, b, d) = (t.like(0.5), t.like(1.5) - t, t - t.like(1.0), t - t.like(0.5));
            w[0] = half * a * a;
            w[1] = t.like(0.75) - b * b;
            w[2] = half * d * d;
        }
        _ => {
            let t = t - t.like(1.0);
            let (s, sixth) = (t.like(1.0) - t, t.like(1.0 / 6.0));
            let (three, four, six) = (t.like(3.0), t.like(4.0), t.like(6.0));
            w[0] = sixth * s * s * s;
            w[1] = sixth * (four + t * t * (three * t - six));
            w[2] = sixth * (four + s * s * (three * s - six));
            w[3] = sixth * t * t * t;
        }
    }
    w
}

impl Kernel {
    /// The spline at a distance in cells, and its slope (Nilles 2020, Eq. 51–62).
    fn at(self, distance: f64) -> (f64, f64) {
        let (d, side) = (distance.abs(), distance.signum());
        let (value, slope) = match self {
            Self::Linear if d < 1.0 => (1.0 - d, -1.0),
            Self::Quadratic if d < 0.5 => (0.75 - d * d, -2.0 * d),
            Self::Quadratic if d < 1.5 => (0.5 * (1.5 - d).powi(2), d - 1.5),
            Self::Cubic if d < 1.0 => (2.0 / 3.0 + d * d * (0.5 * d - 1.0), d * (1.5 * d - 2.0)),
            Self::Cubic if d < 2.0 => ((2.0 - d).powi(3) / 6.0, -0.5 * (2.0 - d).powi(2)),
            _ => (0.0, 0.0),
        };
        (value, slope * side)
    }

    /// Its weights on a stencil that is as wide or wider: those of nodes that it does not reach are 0.
    pub(crate) fn weights<T: Scalar, const W: usize>(self, t: T) -> [T; W] {
        std::array::from_fn(|i| T::of(self.at(t.wide() - i as f64).0))
    }

    /// Slopes of [`Kernel::weights`].
    pub(crate) fn slopes<T: Scalar, const W: usize>(self, t: T) -> [T; W] {
        std::array::from_fn(|i| T::of(self.at(t.wide() - i as f64).1))
    }

    /// As [`inverse_dispersion`].
    pub(crate) fn inverse_dispersion(self) -> f64 {
        if self == Self::Quadratic { 4.0 } else { 3.0 }
    }
}

/// Derivatives of [`weights`] by the position of the particle, in cells (Nilles 2020, Eq. 58–62).
#[inline(always)]
pub(crate) fn slopes<T: Scalar, const W: usize>(t: T) -> [T; W] {
    let c = T::of;
    let mut w = [T::zero(); W];
    match W {
        2 => {
            w[0] = c(-1.0);
            w[1] = c(1.0);
        }
        3 => {
            w[0] = t - c(1.5);
            w[1] = c(-2.0) * (t - c(1.0));
            w[2] = t - c(0.5);
        }
        _ => {
            let t = t - c(1.0);
            let (s, half) = (c(1.0) - t, c(0.5));
            w[0] = -half * s * s;
            w[1] = half * t * (c(3.0) * t - c(4.0));
            w[2] = -half * s * (c(3.0) * s - c(4.0));
            w[3] = half * t * t;
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const W: usize>() {
        for k in 0..=20 {
            // Where a particle may be: the stencil starts `shift` before its cell.
            let t = shift::<W>() + f64::from(k) / 20.0;
            let (w, g) = (weights::<f64, W>(t), slopes::<f64, W>(t));
            let moment = |values: &[f64; W], power: i32| -> f64 {
                values.iter().enumerate().map(|(i, value)| value * (i as f64 - t).powi(power)).sum()
            };
            assert!((moment(&w, 0) - 1.0).abs() < 1e-14, "partition of unity");
            assert!(moment(&w, 1).abs() < 1e-14, "linear fields are met");
            assert!(moment(&g, 0).abs() < 1e-14 && (moment(&g, 1) - 1.0).abs() < 1e-14, "and their slopes");
            if W > 2 {
                assert!((moment(&w, 2) - 1.0 / inverse_dispersion::<W>()).abs() < 1e-14, "constant spread");
            }
            let (after, before) = (weights::<f64, W>(t + 1e-6), weights::<f64, W>(t - 1e-6));
            for i in 0..W {
                assert!(((after[i] - before[i]) / 2e-6 - g[i]).abs() < 1e-6);
                assert!(w[i] > -1e-12);
            }
        }
    }

    /// A spline on a stencil of width `W`, which may be wider than it needs.
    fn agrees<const W: usize, const OWN: usize>(kernel: Kernel) {
        for k in 0..20 {
            let t = shift::<W>() + f64::from(k) / 20.0 + 0.01;
            // Where its own stencil starts.
            let first = (t - shift::<OWN>()).floor();
            let (own, slope) = (weights::<f64, OWN>(t - first), slopes::<f64, OWN>(t - first));
            let (wide, wide_slope) = (kernel.weights::<f64, W>(t), kernel.slopes::<f64, W>(t));
            for i in 0..W {
                let at = (i as f64 - first) as usize;
                let expected = if i as f64 >= first && at < OWN { (own[at], slope[at]) } else { (0.0, 0.0) };
                assert!((wide[i] - expected.0).abs() < 1e-14, "{kernel:?} on {W} at {t}");
                assert!((wide_slope[i] - expected.1).abs() < 1e-14, "{kernel:?} on {W} at {t}");
            }
        }
    }

    #[test]
    fn narrow_splines_are_the_same_on_a_wide_stencil() {
        agrees::<4, 4>(Kernel::Cubic);
        agrees::<4, 3>(Kernel::Quadratic);
        agrees::<4, 2>(Kernel::Linear);
        agrees::<3, 3>(Kernel::Quadratic);
        agrees::<3, 2>(Kernel::Linear);
    }

    #[test]
    fn splines_are_partitions_of_unity_with_the_moments_of_the_paper() {
        check::<2>();
        check::<3>();
        check::<4>();
    }
}
