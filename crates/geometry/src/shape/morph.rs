//! Shapes that change over time: level sets between key shapes.

use super::Shape;
use crate::GeometryError;
use pliant_math::Vec3;
use std::sync::Arc;

/// A shape at a time.
#[derive(Clone, Debug)]
pub struct Key {
    /// When `[s]`.
    pub time: f64,
    /// What it is then.
    pub shape: Shape,
}

/// Key shapes and how far one has become the next.
pub(super) struct Between<'a> {
    from: &'a Shape,
    to: &'a Shape,
    share: f64,
}

impl Between<'_> {
    /// Distances are mixed, so that surfaces travel from one shape to the other.
    pub fn distance(&self, p: &Vec3) -> f64 {
        (1.0 - self.share) * self.from.distance(p) + self.share * self.to.distance(p)
    }

    /// So are their slopes.
    pub fn gradient(&self, p: &Vec3) -> Vec3 {
        self.from.normal(p) * (1.0 - self.share) + self.to.normal(p) * self.share
    }
}

/// Where a time lies among key shapes; the first before them, the last after them.
pub(super) fn between(keys: &[Key], time: f64) -> Between<'_> {
    let after = keys.partition_point(|key| key.time <= time);
    let (from, to) = (&keys[after.max(1) - 1], &keys[after.min(keys.len() - 1)]);
    let share =
        if to.time > from.time { ((time - from.time) / (to.time - from.time)).clamp(0.0, 1.0) } else { 0.0 };
    Between { from: &from.shape, to: &to.shape, share }
}

impl Shape {
    /// A shape that goes through `keys`, seen as it is at time 0; [`Shape::at`] sees it at another.
    ///
    /// # Errors
    /// When there is no key, or times do not increase.
    pub fn morph(keys: Vec<Key>) -> Result<Shape, GeometryError> {
        let rises = keys.windows(2).all(|pair| pair[0].time < pair[1].time);
        if keys.is_empty() || !rises {
            return Err(GeometryError::UnsortedKeys);
        }
        Ok(Shape::Morph { keys: keys.into(), time: 0.0 })
    }

    /// The shape at a time `[s]`; itself if it never changes.
    #[must_use]
    pub fn at(&self, time: f64) -> Shape {
        match self {
            Shape::Morph { keys, .. } => Shape::Morph { keys: Arc::clone(keys), time },
            Shape::Placed { shape, placement } => {
                Shape::Placed { shape: Box::new(shape.at(time)), placement: *placement }
            }
            other => other.clone(),
        }
    }

    /// Whether it changes over time.
    pub fn is_changing(&self) -> bool {
        match self {
            Shape::Morph { .. } => true,
            Shape::Placed { shape, .. } => shape.is_changing(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_grows_from_key_to_key_and_stays_before_and_after() {
        let key = |time, radius| Key { time, shape: Shape::ball(radius).unwrap() };
        let shape = Shape::morph(vec![key(1.0, 0.1), key(2.0, 0.3), key(4.0, 0.2)]).unwrap();
        assert!(shape.is_changing() && !Shape::ball(1.0).unwrap().is_changing());
        for (time, radius) in [(0.0, 0.1), (1.0, 0.1), (1.5, 0.2), (2.0, 0.3), (3.0, 0.25), (9.0, 0.2)] {
            let now = shape.at(time);
            let distance = now.distance(&Vec3::new(0.0, 1.0, 0.0));
            assert!((distance - (1.0 - radius)).abs() < 1e-12, "{time}: {distance}");
            assert!((now.normal(&Vec3::new(0.0, 1.0, 0.0)) - Vec3::y()).norm() < 1e-12);
        }
        assert!((shape.bounds().unwrap().max - Vec3::repeat(0.3)).norm() < 1e-12, "room for all of them");
        assert!(Shape::morph(vec![key(2.0, 0.1), key(1.0, 0.1)]).is_err() && Shape::morph(vec![]).is_err());
    }
}
