//! The cubic spline in space, and how much of it lies behind a plane.

use std::f64::consts::PI;

/// A cubic spline that vanishes at its support and has an integral of 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernel {
    /// Support radius `H` [m].
    pub support: f64,
    /// One over the smoothing length `h = H/2` [1/m].
    inverse: f64,
}

impl Kernel {
    pub fn new(support: f64) -> Self {
        Self { support, inverse: 2.0 / support }
    }

    /// `W(r)` [1/m³].
    pub fn value(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let shape = if q < 1.0 {
            1.0 + q * q * (0.75 * q - 1.5)
        } else if q < 2.0 {
            0.25 * (2.0 - q).powi(3)
        } else {
            0.0
        };
        shape * self.inverse.powi(3) / PI
    }

    /// `−W'(r)/r`, which is not negative [1/m⁵].
    pub fn steepness(&self, distance: f64) -> f64 {
        let q = distance * self.inverse;
        let shape = if q < 1.0 {
            3.0 - 2.25 * q
        } else if q < 2.0 {
            0.75 * (2.0 - q).powi(2) / q
        } else {
            0.0
        };
        shape * self.inverse.powi(5) / PI
    }

    /// [`Kernel::value`] in single precision.
    pub fn value_single(&self, distance: f32) -> f32 {
        let h = self.inverse as f32;
        let q = distance * h;
        let u = (2.0 - q).max(0.0);
        let shape = if q < 1.0 { 1.0 + q * q * (0.75 * q - 1.5) } else { 0.25 * u * u * u };
        shape * h * h * h * std::f32::consts::FRAC_1_PI
    }

    /// [`Kernel::steepness`] in single precision.
    pub fn steepness_single(&self, distance: f32) -> f32 {
        let h = self.inverse as f32;
        let q = distance * h;
        let u = (2.0 - q).max(0.0);
        let shape = if q < 1.0 { 3.0 - 2.25 * q } else { 0.75 * u * u / q };
        shape * h * h * h * h * h * std::f32::consts::FRAC_1_PI
    }

    /// Share of the kernel that lies behind a plane at this signed distance, and how fast it falls with the distance
    /// [1/m].
    pub fn behind_plane(&self, distance: f64) -> (f64, f64) {
        let q = distance.abs() * self.inverse;
        let (share, fall) = if q < 1.0 {
            let (q2, q3) = (q * q, q * q * q);
            let share = 0.5 - 0.7 * q + q3 / 3.0 - q2 * q3 * (0.15 - 0.05 * q);
            (share, 0.7 - q2 + q2 * q2 * (0.75 - 0.3 * q))
        } else if q < 2.0 {
            let u = 2.0 - q;
            (u.powi(5) * (0.05 - u / 60.0), u.powi(4) * (0.25 - 0.1 * u))
        } else {
            (0.0, 0.0)
        };
        (if distance < 0.0 { 1.0 - share } else { share }, fall * self.inverse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_has_an_integral_of_one_and_its_slope() {
        let kernel = Kernel::new(0.3);
        let steps = 4000;
        let mut integral = 0.0;
        for k in 0..steps {
            let r = (f64::from(k) + 0.5) * 0.3 / f64::from(steps);
            integral += kernel.value(r) * 4.0 * PI * r * r * 0.3 / f64::from(steps);
            let slope = (kernel.value(r + 1e-7) - kernel.value(r - 1e-7)) / 2e-7;
            assert!((slope + r * kernel.steepness(r)).abs() < 1e-4 * kernel.value(0.0) / 0.3, "at {r}");
        }
        assert!((integral - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_lattice_has_the_density_of_rest() {
        let kernel = Kernel::new(2.0);
        let mut density = 0.0;
        for (x, y, z) in (0..125).map(|k| (k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2)) {
            density += kernel.value(f64::from(x * x + y * y + z * z).sqrt());
        }
        assert!((density - 1.0).abs() < 1e-4, "{density}");
    }

    #[test]
    fn the_share_behind_a_plane_is_the_integral_of_its_fall() {
        let kernel = Kernel::new(2.0);
        assert_eq!(kernel.behind_plane(0.0).0, 0.5);
        assert_eq!((kernel.behind_plane(2.0).0, kernel.behind_plane(-2.0).0), (0.0, 1.0));
        for distance in [-1.7, -0.9, -0.2, 0.1, 0.5, 1.0, 1.4, 1.9] {
            let step = 1e-6;
            let fall = kernel.behind_plane(distance - step).0 - kernel.behind_plane(distance + step).0;
            assert!((fall / (2.0 * step) - kernel.behind_plane(distance).1).abs() < 1e-6, "at {distance}");
            let sliced: f64 = (0..20_000)
                .map(|k| {
                    let r = distance.abs() + (f64::from(k) + 0.5) * 1e-4;
                    kernel.value(r) * 2.0 * PI * r * 1e-4
                })
                .sum();
            assert!(
                (sliced - kernel.behind_plane(distance).1).abs() < 1e-4,
                "area of the slice at {distance}"
            );
        }
    }
}
