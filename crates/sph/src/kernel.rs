//! The cubic spline in space, and what walls add to densities by it.

use pulp::Simd;
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

    /// The largest slope of all [1/m⁴].
    pub fn steepest(&self) -> f64 {
        self.inverse.powi(4) / PI
    }

    /// [`Kernel::value`] and [`Kernel::steepness`] of many distances in single precision.
    #[inline(always)]
    pub fn of_many<S: Simd>(&self, simd: S, distance: S::f32s) -> (S::f32s, S::f32s) {
        let splat = |value: f32| simd.splat_f32s(value);
        let h = self.inverse as f32;
        let q = simd.mul_f32s(distance, splat(h));
        let u = simd.max_f32s(simd.sub_f32s(splat(2.0), q), splat(0.0));
        let square = simd.mul_f32s(u, u);
        let inner = simd.less_than_f32s(q, splat(1.0));
        let bell = simd.mul_add_e_f32s(splat(0.75), q, splat(-1.5));
        let bell = simd.mul_add_e_f32s(simd.mul_f32s(q, q), bell, splat(1.0));
        let tail = simd.mul_f32s(splat(0.25), simd.mul_f32s(square, u));
        let value = simd.select_f32s(inner, bell, tail);
        let near = simd.mul_add_e_f32s(splat(-2.25), q, splat(3.0));
        let far = simd.div_f32s(simd.mul_f32s(splat(0.75), square), q);
        let steepness = simd.select_f32s(inner, near, far);
        let scale = h * h * h * std::f32::consts::FRAC_1_PI;
        (simd.mul_f32s(value, splat(scale)), simd.mul_f32s(steepness, splat(scale * h * h)))
    }

    /// What viscosity weighs neighbours by, `w = (2 − q)² (15 − 4q)/8h⁷` [1/m⁷]: `Σ_j V_j w (v_ji·x_ji) x_ji` is the second derivative of
    /// a flow without divergence. Its integral is what it has to be, as with `10 |W'|/r³` (Weiler 2018), and its values at the
    /// neighbours of a lattice, `w(1) = 2 w(√2) + 8 w(√3)`, make it the same in all directions, which that is not.
    #[inline(always)]
    pub fn drag_of_many<S: Simd>(&self, simd: S, distance: S::f32s) -> S::f32s {
        let h = self.inverse as f32;
        let q = simd.mul_f32s(distance, simd.splat_f32s(h));
        let u = simd.max_f32s(simd.sub_f32s(simd.splat_f32s(2.0), q), simd.splat_f32s(0.0));
        let falling = simd.mul_add_e_f32s(simd.splat_f32s(-4.0), q, simd.splat_f32s(15.0));
        let shape = simd.mul_f32s(simd.mul_f32s(u, u), falling);
        simd.mul_f32s(shape, simd.splat_f32s(0.125 * h.powi(7)))
    }

    /// What a wall adds to the density at a signed distance from it, and how fast that falls with the distance [1/m]: a
    /// mirror image of the particle's own layer, smeared out along the wall, and layers of this spacing behind it.
    pub fn of_wall(&self, distance: f64, spacing: f64) -> (f64, f64) {
        let (mut density, mut fall) = (0.0, 0.0);
        let first = 2.0 * distance;
        // Layers out of reach on the way out of a deep wall.
        let passed = ((-self.support - first) / spacing).ceil().max(0.0);
        let mut depth = first + passed * spacing;
        while depth < self.support {
            let (area, slope) = self.slice(depth.abs());
            density += spacing * area;
            fall += spacing * if depth < 0.0 { -slope } else { slope };
            depth += spacing;
        }
        (density, 2.0 * fall)
    }

    /// The stress across a wall that pairs of a particle with the layers of [`Kernel::of_wall`] carry, over the pressure:
    /// `∫ −W' z²/r` over planes at their depths `z`.
    pub fn stress_of_wall(&self, distance: f64, spacing: f64) -> f64 {
        let (mut stress, mut depth) = (0.0, 2.0 * distance.max(0.0));
        while depth < self.support {
            stress += spacing * 2.0 * PI * depth * depth * self.value(depth);
            depth += spacing;
        }
        stress
    }

    /// The kernel summed over a plane at a distance [1/m], and how fast that falls with the distance [1/m²].
    fn slice(&self, distance: f64) -> (f64, f64) {
        let q = distance * self.inverse;
        let (area, fall) = if q < 1.0 {
            let (q2, q3) = (q * q, q * q * q);
            (0.7 - q2 + q2 * q2 * (0.75 - 0.3 * q), 2.0 * q - q3 * (3.0 - 1.5 * q))
        } else if q < 2.0 {
            let u = 2.0 - q;
            (u.powi(4) * (0.25 - 0.1 * u), u.powi(3) * (1.0 - 0.5 * u))
        } else {
            (0.0, 0.0)
        };
        (area * self.inverse, fall * self.inverse * self.inverse)
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
    fn viscosity_is_the_same_in_all_directions_of_a_lattice() {
        let kernel = Kernel::new(2.0);
        // The second derivatives of the flows (y²/2, 0, 0) and (x²/2, −xy, 0) along x, which are 1.
        let (mut shear, mut stretch) = (0.0, 0.0);
        for (x, y, z) in (0..27).map(|k| (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) {
            let [x, y, z] = [x, y, z].map(|x| x as f32);
            let weight = kernel.drag_of_many(pulp::Scalar::new(), (x * x + y * y + z * z).sqrt());
            shear += weight * x * x * y * y / 2.0;
            stretch += weight * (x.powi(4) / 2.0 - x * x * y * y);
        }
        assert!((shear - 1.09).abs() < 0.01 && (stretch - shear).abs() < 0.01, "{shear} and {stretch}");
        let integral = |steps: i32| -> f32 {
            let q = |k: i32| 2.0 * (k as f32 + 0.5) / steps as f32;
            let of = |k: i32| kernel.drag_of_many(pulp::Scalar::new(), q(k)) * q(k).powi(6);
            (0..steps).map(of).sum::<f32>() * 2.0 / steps as f32 * 4.0 * std::f32::consts::PI / 30.0
        };
        assert!((integral(1000) - 1.0).abs() < 1e-3, "{}", integral(1000));
    }

    #[test]
    fn a_wall_completes_a_lattice_that_ends_half_a_spacing_from_it() {
        let kernel = Kernel::new(2.0);
        let (mut density, mut slope) = (0.0, 0.0);
        for (x, y, z) in (0..75).map(|k| (k % 5 - 2, k / 5 % 5 - 2, -(k / 25) - 1)) {
            let r = f64::from(x * x + y * y + z * z).sqrt();
            density += kernel.value(r);
            slope += kernel.steepness(r) * f64::from(-z);
        }
        let carried = kernel.stress_of_wall(0.5, 1.0);
        assert!((carried / slope - 1.0).abs() < 0.03, "{carried}, not {slope}, for a layer one spacing away");
        let (found, fall) = kernel.of_wall(0.5, 1.0);
        assert!((found / density - 1.0).abs() < 0.01, "{found}, not {density}");
        // The image comes as fast from the other side.
        assert!((fall / (2.0 * slope) - 1.0).abs() < 0.03, "{fall}, not twice {slope}");
    }

    #[test]
    fn what_a_wall_adds_falls_as_it_says_and_fills_the_kernel_deep_inside() {
        let kernel = Kernel::new(2.0);
        let step = 1e-6;
        for (distance, spacing) in [(-2.1, 1.0), (-0.7, 1.0), (-0.2, 0.5), (0.1, 1.0), (0.5, 0.7), (1.4, 1.0)]
        {
            let fall =
                kernel.of_wall(distance - step, spacing).0 - kernel.of_wall(distance + step, spacing).0;
            let (density, found) = kernel.of_wall(distance, spacing);
            assert!((fall / (2.0 * step) - found).abs() < 1e-6, "at {distance}");
            if distance < -2.0 {
                assert!((density - 1.0).abs() < 1e-9, "{density} inside");
            }
            let sliced: f64 = (0..20_000)
                .map(|k| {
                    let r = distance.abs() + (f64::from(k) + 0.5) * 1e-4;
                    kernel.value(r) * 2.0 * PI * r * 1e-4
                })
                .sum();
            assert!(
                (sliced - kernel.slice(distance.abs()).0).abs() < 1e-4,
                "area of the slice at {distance}"
            );
        }
    }
}
