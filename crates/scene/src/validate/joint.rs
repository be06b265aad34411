//! Joints of rigid objects.

use pliant_math::Vec3;
use pliant_world::JointKind;

use super::{Context, lookup};
use crate::error::Fault;
use crate::file::joint::{JointFile, JointKindFile};
use crate::file::value::At;
use crate::scene::{Object, SceneJoint};

pub(super) fn joint(
    context: &Context<'_>,
    entry: &At<JointFile>,
    objects: &[Object],
) -> Result<SceneJoint, Fault> {
    let file = &entry.value;
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    let mut tied = [None; 2];
    let listed = &file.objects.value;
    if listed.is_empty() || listed.len() > 2 {
        return Err(Fault::new(file.objects.span.clone(), "a joint ties one or two objects")
            .help("name two objects, or one to tie it to the world"));
    }
    for (tied, name) in tied.iter_mut().zip(listed) {
        let index = lookup("object", name, &names)?;
        if !objects[index].rigid {
            let message = format!("a joint ties rigid objects, and `{}` is not rigid", name.value);
            return Err(Fault::new(name.span.clone(), message)
                .help("give the object `rigid = true`, or hold its particles with `pins`"));
        }
        *tied = Some(index);
    }
    if tied[0] == tied[1] {
        return Err(Fault::new(file.objects.span.clone(), "a joint cannot tie an object to itself"));
    }
    let kind = match file.kind {
        JointKindFile::Ball => JointKind::Ball,
        JointKindFile::Hinge => JointKind::Hinge,
        JointKindFile::Slider => JointKind::Slider,
        JointKindFile::Fixed => JointKind::Fixed,
    };
    let axis = file.axis.as_ref().map_or(Ok(Vec3::z()), |axis| context.direction(axis))?;
    Ok(SceneJoint { kind, objects: tied, anchor: context.vector(&file.position, 0.0)?, axis })
}
