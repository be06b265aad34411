//! Matter that appears over time, as bodies whose particles each have a time of birth.

use pliant_math::Vec3;

use crate::scene::{Emission, Object};

/// One body of an object.
pub(crate) struct Appearance {
    /// How far it is moved from the original [m].
    pub(crate) offset: Vec3,
    /// Where its particles appear [m].
    pub(crate) points: Vec<Vec3>,
    /// When each of them does [s]; empty if all are there from the start.
    pub(crate) births: Vec<f64>,
}

impl Object {
    /// How many times the particles of one copy are there, at most, in a run until `end` [s].
    pub(crate) fn multiplicity(&self, points: &[Vec3], end: f64) -> f64 {
        let times = match self.emission {
            None => 1.0,
            Some(Emission::Bursts { start, every, count }) => {
                (((end - start) / every).floor() + 1.0).clamp(0.0, f64::from(count))
            }
            Some(Emission::Stream { start, duration, velocity }) => {
                let running = duration.min(end - start).max(0.0);
                (running * velocity.norm() / Stream::of(points, &velocity, self.spacing).length).ceil() + 1.0
            }
        };
        times * self.copies.len() as f64
    }

    /// How many bodies the object becomes in a run until `end` [s]: its copies, as often as they appear.
    pub fn body_count(&self, end: f64) -> usize {
        self.body_offsets(end).len()
    }

    /// How far each body of the object is from the original in a run until `end` [s], in the order of its appearances.
    pub(crate) fn body_offsets(&self, end: f64) -> Vec<Vec3> {
        let times = match self.emission {
            Some(Emission::Bursts { start, every, count }) => {
                (0..count).take_while(|number| start + f64::from(*number) * every <= end).count()
            }
            Some(Emission::Stream { .. }) | None => 1,
        };
        self.copies.iter().copied().cycle().take(times * self.copies.len()).collect()
    }

    /// The bodies of the object in a run until `end` [s], given the particles of the original.
    pub(crate) fn appearances<'a>(
        &'a self,
        points: &'a [Vec3],
        end: f64,
    ) -> Box<dyn Iterator<Item = Appearance> + 'a> {
        let whole = move |offset: &Vec3, birth: Option<f64>| Appearance {
            offset: *offset,
            points: points.iter().map(|point| point + offset).collect(),
            births: birth.map_or_else(Vec::new, |birth| vec![birth; points.len()]),
        };
        match self.emission {
            None => Box::new(self.copies.iter().map(move |offset| whole(offset, None))),
            Some(Emission::Bursts { start, every, count }) => {
                let times = (0..count).map(move |number| start + f64::from(number) * every);
                let births = times.take_while(move |birth| *birth <= end);
                Box::new(
                    births.flat_map(move |birth| {
                        self.copies.iter().map(move |offset| whole(offset, Some(birth)))
                    }),
                )
            }
            Some(Emission::Stream { start, duration, velocity }) => {
                let stream = Stream::of(points, &velocity, self.spacing);
                let last = end.min(start + duration);
                Box::new(self.copies.iter().map(move |offset| stream.run(offset, start, last)))
            }
        }
    }
}

/// An endless row of copies of a shape, one behind the other, that moves through the shape. A particle appears where
/// it crosses the rear of the shape.
struct Stream<'a> {
    points: &'a [Vec3],
    direction: Vec3,
    /// How fast it runs [m/s].
    speed: f64,
    /// The rearmost particle, along the direction [m].
    rear: f64,
    /// From copy to copy [m].
    length: f64,
}

impl<'a> Stream<'a> {
    fn of(points: &'a [Vec3], velocity: &Vec3, spacing: f64) -> Self {
        let (speed, direction) = (velocity.norm(), velocity.normalize());
        let along = || points.iter().map(|point| point.dot(&direction));
        let (rear, front) =
            (along().fold(f64::INFINITY, f64::min), along().fold(f64::NEG_INFINITY, f64::max));
        let length = (front - rear).max(0.0) + spacing;
        Self { points, direction, speed, rear, length }
    }

    fn run(&self, offset: &Vec3, start: f64, last: f64) -> Appearance {
        let (mut points, mut births) = (Vec::new(), Vec::new());
        if start <= last {
            points.extend(self.points.iter().map(|point| point + offset));
            births.resize(points.len(), start);
        }
        for copy in 1.. {
            let before = points.len();
            for point in self.points {
                let depth = point.dot(&self.direction) - self.rear;
                let birth = start + (f64::from(copy) * self.length - depth) / self.speed;
                if birth <= last {
                    points.push(point + offset - self.direction * depth);
                    births.push(birth);
                }
            }
            if points.len() == before {
                break;
            }
        }
        Appearance { offset: *offset, points, births }
    }
}
