//! Caches laid over each other in one picture.

use std::sync::Arc;

use crate::viewport::drawing::Grains;
use crate::viewport::{Bounds, Stage};

/// Colours of caches that are laid over each other.
const OVERLAY: [[f32; 3]; 4] = [[0.95, 0.45, 0.25], [0.25, 0.6, 0.95], [0.4, 0.8, 0.4], [0.85, 0.6, 0.95]];

/// The colour of a cache among those that are laid over each other, sRGB.
pub(super) fn overlay_colour(number: usize) -> [u8; 3] {
    OVERLAY[number % OVERLAY.len()].map(|channel| (channel * 255.0) as u8)
}

/// Several stages in one, each in a colour of its own; put together again only when one of them changes.
#[derive(Default)]
pub(super) struct Overlay {
    parts: Vec<Arc<Grains>>,
    whole: Arc<Grains>,
}

impl Overlay {
    /// The stages in one.
    pub(super) fn of(&mut self, stages: &[Stage]) -> Stage {
        let is_known = self.parts.len() == stages.len()
            && self.parts.iter().zip(stages).all(|(part, stage)| Arc::ptr_eq(part, &stage.grains));
        if !is_known {
            self.parts = stages.iter().map(|stage| Arc::clone(&stage.grains)).collect();
            self.whole = Arc::new(joined(stages));
        }
        let number = stages.iter().map(|stage| stage.number).sum();
        let first = stages.first().cloned().unwrap_or_default();
        Stage { grains: Arc::clone(&self.whole), number, ..first }
    }
}

fn joined(stages: &[Stage]) -> Grains {
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
    all
}

#[cfg(test)]
mod tests {
    use super::{Arc, Overlay, Stage};
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
        let stages = [stage(0.0), stage(2.0)];
        let mut overlay = Overlay::default();
        let all = overlay.of(&stages).grains;
        assert!(
            Arc::ptr_eq(&all, &overlay.of(&stages).grains),
            "what has not changed is not put together again"
        );
        assert!(!Arc::ptr_eq(&all, &overlay.of(&[stage(0.0), stages[1].clone()]).grains));
        assert_eq!(all.balls.len(), 6);
        assert_eq!(all.batches[1].particles, 3..6);
        assert_ne!(all.colours[0], all.colours[5]);
        let bounds = all.bounds.unwrap();
        assert!(bounds.min.x < 0.0 && bounds.max.x > 2.0);
    }
}
