//! Prescribed motion of colliders and pinned particles.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use pliant_math::Vec3;
use std::cmp::Ordering;

/// How something moves from where the scene placed it. The pose at time 0 need not be the identity.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Stays where it is.
    Static,
    /// Moves at a constant velocity [m/s].
    Linear {
        /// Velocity [m/s].
        velocity: Vec3,
    },
    /// Turns about an axis through a point.
    Rotating {
        /// Point on the axis [m].
        center: Vec3,
        /// Angular velocity [rad/s]; its direction is the axis.
        angular_velocity: Vec3,
    },
    /// Follows key frames: poses are interpolated linearly (rotation on the shortest arc), and held before the
    /// first and after the last.
    Keyframes(Vec<Keyframe>),
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// When [s].
    pub time: f64,
    /// Translation from the initial placement [m].
    pub translation: Vec3,
    /// Rotation about `center`, applied before the translation.
    pub rotation: UnitQuaternion<f64>,
    /// Point the rotation turns about, in the initial placement [m].
    pub center: Vec3,
}

/// Key frames that cannot be followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// There must be at least one.
    #[error("key frames must not be empty")]
    Empty,
    /// Times must increase.
    #[error("key frame {index} at {time} s does not come after the one before it; sort key frames by time")]
    Unsorted {
        /// Which one, counted from 0.
        index: usize,
        /// Its time [s].
        time: f64,
    },
}

impl Motion {
    /// Motion along key frames.
    ///
    /// # Errors
    /// When there is none or times do not increase.
    pub fn keyframes(frames: Vec<Keyframe>) -> Result<Self, MotionError> {
        if frames.is_empty() {
            return Err(MotionError::Empty);
        }
        match frames
            .windows(2)
            .position(|pair| pair[1].time.partial_cmp(&pair[0].time) != Some(Ordering::Greater))
        {
            Some(before) => Err(MotionError::Unsorted { index: before + 1, time: frames[before + 1].time }),
            None => Ok(Self::Keyframes(frames)),
        }
    }

    /// Whether nothing ever moves.
    pub fn is_static(&self) -> bool {
        matches!(self, Self::Static)
    }

    /// The pose at time `t` [s]: where a point of the initial placement is now.
    pub fn world_from_initial(&self, t: f64) -> Isometry3<f64> {
        match self {
            Self::Static => Isometry3::identity(),
            Self::Linear { velocity } => {
                Isometry3::translation(velocity.x * t, velocity.y * t, velocity.z * t)
            }
            Self::Rotating { center, angular_velocity } => {
                about(center, UnitQuaternion::from_scaled_axis(angular_velocity * t))
            }
            Self::Keyframes(frames) => Self::interpolate(frames, t),
        }
    }

    fn interpolate(frames: &[Keyframe], t: f64) -> Isometry3<f64> {
        let after = frames.partition_point(|frame| frame.time <= t);
        let (a, b) = (&frames[after.saturating_sub(1)], &frames[after.min(frames.len() - 1)]);
        let share = if b.time > a.time { ((t - a.time) / (b.time - a.time)).clamp(0.0, 1.0) } else { 0.0 };
        let rotation = a.rotation.try_slerp(&b.rotation, share, 1e-9).unwrap_or(b.rotation);
        let translation = a.translation.lerp(&b.translation, share);
        Translation3::from(translation) * about(&a.center.lerp(&b.center, share), rotation)
    }
}

fn about(center: &Vec3, rotation: UnitQuaternion<f64>) -> Isometry3<f64> {
    Translation3::from(*center) * rotation * Translation3::from(-center)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use std::f64::consts::PI;

    fn frame(time: f64, x: f64, angle: f64) -> Keyframe {
        let rotation = UnitQuaternion::from_scaled_axis(Vec3::y() * angle);
        Keyframe { time, translation: Vec3::x() * x, rotation, center: Vec3::z() }
    }

    #[test]
    fn key_frames_are_met_interpolated_and_held() {
        let motion = Motion::keyframes(vec![frame(1.0, 0.0, 0.0), frame(2.0, 4.0, PI / 2.0)]).unwrap();
        let x = |t: f64| motion.world_from_initial(t).transform_point(&Point3::from(Vec3::z())).x;
        assert_eq!((x(0.0), x(1.0), x(3.0)), (0.0, 0.0, 4.0));
        assert!((x(1.5) - 2.0).abs() < 1e-12, "the centre of rotation only translates");
    }

    #[test]
    fn rotation_keeps_its_centre() {
        let motion = Motion::Rotating { center: Vec3::new(1.0, 2.0, 3.0), angular_velocity: Vec3::z() * PI };
        let moved = motion.world_from_initial(1.0).transform_point(&Point3::new(2.0, 2.0, 3.0));
        assert!((moved - Point3::new(0.0, 2.0, 3.0)).norm() < 1e-12);
    }

    #[test]
    fn bad_key_frames_are_refused() {
        assert_eq!(Motion::keyframes(vec![]), Err(MotionError::Empty));
        let unsorted = Motion::keyframes(vec![frame(1.0, 0.0, 0.0), frame(1.0, 0.0, 0.0)]);
        assert_eq!(unsorted, Err(MotionError::Unsorted { index: 1, time: 1.0 }));
    }
}
