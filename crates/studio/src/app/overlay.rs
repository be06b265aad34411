//! Caches laid over each other in one picture.

use std::sync::Arc;

use crate::viewport::drawing::Grains;
use crate::viewport::{Bounds, Stage};

/// Colours of caches that are laid over each other.
const OVERLAY: [[f32; 3]; 4] = [[0.95, 0.45, 0.25], [0.25, 0.6, 0.95], [0.4, 0.8, 0.4], [0.85, 0.6, 0.95]];

/// Several stages in one, each in a colour of its own.
pub(super) fn overlaid(stages: &[Stage]) -> Stage {
    let mut all = Grains::default();
    for (number, stage) in stages.iter().enumerate() {
        let tint = OVERLAY[number % OVERLAY.len()];
        let start = all.balls.len() as u32;
        let grains = &stage.grains;
        all.balls.extend_from_slice(&grains.balls);
        all.sources.extend_from_slice(&grains.sources);
        all.turns.extend_from_slice(&grains.turns);
        let tinted = grains.colours.iter().map(|colour| {
            let grey = (u32::from(colour[0]) + u32::from(colour[1]) + u32::from(colour[2])) as f32 / 765.0;
            let mixed = tint.map(|channel| (channel * (0.55 + 0.45 * grey) * 255.0) as u8);
            [mixed[0], mixed[1], mixed[2], colour[3]]
        });
        all.colours.extend(tinted);
        all.batches.extend(grains.batches.iter().cloned().map(|mut batch| {
            batch.particles = batch.particles.start + start..batch.particles.end + start;
            batch
        }));
        let bounds = grains.bounds.unwrap_or(Bounds::EMPTY);
        all.largest = all.largest.max(grains.largest);
        all.bounds = Some(all.bounds.unwrap_or(Bounds::EMPTY).joined(&bounds));
    }
    let first = stages.first().cloned().unwrap_or_default();
    let number = stages.iter().map(|stage| stage.number).sum();
    Stage { grains: Arc::new(all), number, ..first }
}

#[cfg(test)]
mod tests {
    use super::{Arc, Stage, overlaid};
    use crate::viewport::Look;
    use crate::viewport::drawing::grains;
    use pliant_world::{Column, Field, Snapshot};

    fn stage(x: f32) -> Stage {
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        let fields = vec![
            field("position", Column::Vector(vec![[x, 0.0, 0.0]; 3])),
            field("radius", Column::Scalar(vec![0.1; 3])),
        ];
        let (grains, _) = grains(&Snapshot { fields, ..Snapshot::default() }, &Look::default());
        Stage { grains: Arc::new(grains), ..Stage::default() }
    }

    #[test]
    fn all_caches_are_in_one_picture_each_in_its_colour() {
        let all = overlaid(&[stage(0.0), stage(2.0)]).grains;
        assert_eq!(all.balls.len(), 6);
        assert_eq!(all.batches[1].particles, 3..6);
        assert_ne!(all.colours[0], all.colours[5]);
        let bounds = all.bounds.unwrap();
        assert!(bounds.min.x < 0.0 && bounds.max.x > 2.0);
    }
}
