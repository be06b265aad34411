//! A picture of what is shown, as it is seen: all caches that are compared, their names, and the colour bars.

use pliant_render::FieldColours;

use super::Studio;
use super::central::Caption;
use super::view::Painter;
use crate::viewport::colours::Legend;
use crate::viewport::{Camera, Look, Pixels, Shot, Stage};

/// Size of letters, as a share of the height of the picture.
const LETTER: f32 = 0.031;
/// Letters are not smaller than this [pixels].
const SMALLEST: f32 = 9.0;

/// All that a picture is drawn from, on whatever thread.
pub(super) struct Sitting {
    painter: Painter,
    size: [u32; 2],
    stages: Vec<Stage>,
    camera: Camera,
    look: Look,
    background: [f32; 4],
    captions: Vec<Caption>,
    legends: Vec<FieldColours>,
}

impl Studio {
    /// What is shown now, in a size of its own [pixels].
    ///
    /// # Errors
    /// When there is nothing to see, or nothing to draw with.
    pub(super) fn sitting(&mut self, size: [u32; 2]) -> Result<Sitting, String> {
        let states = self.states();
        let panes = self.stages(&states).len();
        let aspect = size[0] as f32 / (size[1] as f32 * panes.max(1) as f32).max(1.0);
        self.frame_camera(aspect, &states);
        // The camera may only just have been set: obstacles depend on it.
        let stages = self.stages(&states);
        if stages.is_empty() {
            return Err("there is nothing to see yet".to_owned());
        }
        let view = self.view.as_ref().ok_or("there is no graphics adapter to draw with")?;
        Ok(Sitting {
            painter: view.painter(),
            size,
            stages,
            camera: self.camera,
            look: self.look.clone(),
            background: self.background(),
            captions: self.captions(&states),
            legends: self.legends().map(Legend::colours).collect(),
        })
    }
}

impl Sitting {
    /// Draws it; waits until it is drawn.
    ///
    /// # Errors
    /// When the device is lost, or the picture is too large.
    pub(super) fn picture(&self) -> Result<Pixels, String> {
        let [width, height] = self.size;
        let (camera, look, background) = (&self.camera, &self.look, self.background);
        let count = self.stages.len() as u32;
        let edge = |number: u32| (u64::from(width) * u64::from(number) / u64::from(count)) as u32;
        let mut panes = Vec::new();
        for (number, stage) in (0..count).zip(&self.stages) {
            let size = [(edge(number + 1) - edge(number)).max(1), height];
            panes.push(self.painter.picture(size, &Shot { stage, camera, look, background })?);
        }
        let whole = Pixels::beside(&panes);
        if self.captions.is_empty() && self.legends.is_empty() {
            return Ok(whole);
        }
        self.lettered(&whole).map_err(|error| error.to_string())
    }

    /// The picture with names and colour bars.
    fn lettered(&self, plain: &Pixels) -> Result<Pixels, pliant_render::RenderError> {
        let mut image = plain.image()?;
        let [width, height] = plain.size.map(|side| side as f32);
        let [r, g, b, _] = self.background;
        let is_dark = r + g + b < 1.5;
        let ink = if is_dark { [236, 238, 241] } else { [43, 48, 56] };
        let letter = (LETTER * height).max(SMALLEST);
        for caption in &self.captions {
            let place = [width * caption.left + 0.8 * letter, letter * (0.5 + 1.3 * caption.row as f32)];
            image.write(&caption.text, place, letter, caption.ink.unwrap_or(ink));
        }
        let mut right = width;
        for legend in &self.legends {
            right = image.draw_legend(legend, right, ink);
        }
        Ok(plain.with_letters(&image))
    }
}
