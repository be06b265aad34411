//! Colliders and prescribed motion.

use nalgebra::UnitQuaternion;
use pliant_math::Vec3;
use pliant_world::{Collider, Keyframe, Motion};

use super::{Context, color};
use crate::error::Fault;
use crate::file::collider::{ColliderFile, KeyframeFile, MotionFile};
use crate::file::value::At;

/// Colour of colliders that have none.
const GREY: [f32; 3] = [0.45, 0.45, 0.47];

/// A collider; its name is the caller's business.
pub(super) fn collider(context: &Context<'_>, file: &ColliderFile) -> Result<Collider, Fault> {
    let placement = context.placement(file.position.as_ref(), file.rotation.as_ref(), file.scale.as_ref())?;
    let shape = context.shape(&file.shape)?.placed(placement);
    context.check_reach(shape.bounds(), &file.shape.span)?;
    Ok(Collider {
        name: String::new(),
        shape,
        motion: motion(context, &file.motion, &placement.translation)?,
        friction: file.friction.get()?,
        stickiness: file.stickiness.get()?,
        restitution: file.restitution.get()?,
        color: file.color.as_ref().map_or(Ok(GREY), color)?,
        visible: file.visible,
    })
}

/// A motion; turns are about `origin` unless it says otherwise.
pub(super) fn motion(context: &Context<'_>, file: &MotionFile, origin: &Vec3) -> Result<Motion, Fault> {
    Ok(match file {
        MotionFile::Static => Motion::Static,
        MotionFile::Linear(file) => Motion::Linear { velocity: context.vector(&file.velocity, 0.0)? },
        MotionFile::Rotating(file) => {
            let space = Context { dimension: 3, ..*context };
            let axis = space.direction(&file.axis)?;
            if context.dimension == 2 && axis.x.hypot(axis.y) > 0.0 {
                return Err(Fault::new(file.axis.span.clone(), "a scene of dimension 2 turns about z only"));
            }
            Motion::Rotating {
                center: file.center.as_ref().map_or(Ok(*origin), |center| context.vector(center, 0.0))?,
                angular_velocity: axis * file.rate.get()?,
            }
        }
        MotionFile::Keyframes(frames) => keyframes(context, frames, origin)?,
    })
}

fn keyframes(context: &Context<'_>, frames: &[At<KeyframeFile>], origin: &Vec3) -> Result<Motion, Fault> {
    let frame = |entry: &At<KeyframeFile>| {
        let file = &entry.value;
        Ok(Keyframe {
            time: file.time.get()?,
            translation: context.offset(file.position.as_ref())?,
            rotation: match &file.rotation {
                Some(rotation) => context.rotation(rotation)?,
                None => UnitQuaternion::identity(),
            },
            center: *origin,
        })
    };
    let poses: Vec<Keyframe> = frames.iter().map(frame).collect::<Result<_, Fault>>()?;
    let unsorted = poses.windows(2).position(|pair| pair[0].time >= pair[1].time).map(|before| before + 1);
    let span = unsorted.map_or(0..0, |index| frames[index].value.time.span.clone());
    Motion::keyframes(poses).map_err(|error| Fault::new(span, error.to_string()))
}
