//! Particles as balls.

use crate::bvh::Bvh;
use crate::ray::{Box3, Ray, V3};

/// Distance along the ray to the ball's front, if it lies between zero and `limit`. A ray that starts inside
/// does not see the ball: neighbouring particles overlap, and their insides must not shadow each other.
#[inline]
pub(crate) fn intersect(ray: &Ray, centre: V3, radius: f32, limit: f32) -> Option<f32> {
    let to_centre = centre - ray.origin;
    let along = to_centre.dot(&ray.direction);
    // The foot point's distance, not b² − c: the latter loses all digits for small balls far away.
    let across = to_centre - ray.direction * along;
    let rest = radius * radius - across.norm_squared();
    if rest < 0.0 {
        return None;
    }
    let distance = along - rest.sqrt();
    (distance > 0.0 && distance < limit).then_some(distance)
}

/// Balls in the order of their tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spheres {
    tree: Bvh,
    balls: Vec<(V3, f32)>,
    colours: Vec<V3>,
}

impl Spheres {
    /// Balls of linear colours; those with a non-finite centre or without a positive radius are left out.
    pub fn new(balls: &[([f32; 3], f32, V3)]) -> Self {
        let drawable: Vec<(V3, f32, V3)> = balls
            .iter()
            .map(|&(centre, radius, colour)| (V3::from(centre), radius, colour))
            .filter(|(centre, radius, _)| is_drawable(centre, *radius))
            .collect();
        let boxes: Vec<Box3> =
            drawable.iter().map(|(centre, radius, _)| Box3::around_ball(*centre, *radius)).collect();
        let tree = Bvh::build(&boxes);
        let sorted = tree.order.iter().map(|&item| drawable[item as usize]);
        let (balls, colours) = sorted.map(|(centre, radius, colour)| ((centre, radius), colour)).unzip();
        Self { tree, balls, colours }
    }

    pub fn bounds(&self) -> Box3 {
        self.tree.bounds()
    }

    /// Place, distance of the nearest ball.
    #[inline]
    pub fn nearest(&self, ray: &Ray, limit: f32) -> Option<(usize, f32)> {
        self.tree.nearest(ray, limit, |place, limit| {
            let (centre, radius) = self.balls[place];
            intersect(ray, centre, radius, limit)
        })
    }

    #[inline]
    pub fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        self.tree.any(ray, limit, |place| {
            let (centre, radius) = self.balls[place];
            intersect(ray, centre, radius, limit).is_some()
        })
    }

    /// Outward normal and colour of a ball at a point on it.
    pub fn look(&self, place: usize, point: &V3) -> (V3, V3) {
        let (centre, radius) = self.balls[place];
        ((point - centre) / radius, self.colours[place])
    }
}

/// Coordinates beyond this are debris of a failed run; squares of larger ones overflow single precision.
const FARTHEST: f32 = 1e15;

pub(crate) fn is_drawable(centre: &V3, radius: f32) -> bool {
    centre.iter().all(|coordinate| coordinate.abs() < FARTHEST) && radius > 0.0 && radius < FARTHEST
}

#[cfg(test)]
mod tests {
    use super::{Ray, Spheres, V3, intersect};

    #[test]
    fn a_ball_is_met_where_geometry_says() {
        // A ray at height h above the centre meets a ball of radius r at √(r² − h²) before it.
        let ray = Ray::new(V3::new(-10.0, 0.6, 0.0), V3::new(1.0, 0.0, 0.0));
        let distance = intersect(&ray, V3::zeros(), 1.0, f32::MAX).unwrap();
        assert!((distance - (10.0 - 0.8)).abs() < 1e-5, "{distance}");
        assert_eq!(intersect(&ray, V3::new(0.0, 2.0, 0.0), 1.0, f32::MAX), None);
        assert_eq!(intersect(&ray, V3::zeros(), 1.0, 9.0), None);
    }

    #[test]
    fn a_grain_far_away_is_still_a_ball() {
        let ray = Ray::new(V3::new(-1000.0, 0.0008, 0.0), V3::new(1.0, 0.0, 0.0));
        assert!(intersect(&ray, V3::zeros(), 0.001, f32::MAX).is_some());
        assert!(intersect(&ray, V3::new(0.0, 0.002, 0.0), 0.001, f32::MAX).is_none());
    }

    #[test]
    fn broken_particles_are_left_out() {
        let white = V3::repeat(1.0);
        let spheres = Spheres::new(&[
            ([f32::NAN, 0.0, 0.0], 1.0, white),
            ([0.0, f32::INFINITY, 0.0], 1.0, white),
            ([0.0; 3], f32::NAN, white),
            ([0.0; 3], 0.0, white),
            ([1e30, 0.0, 0.0], 1.0, white),
            ([2.0, 0.0, 0.0], 0.5, white),
        ]);
        assert_eq!(spheres.bounds().min, V3::new(1.5, -0.5, -0.5));
    }
}
