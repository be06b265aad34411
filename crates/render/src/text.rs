//! Words on pictures, in the font that comes with the program.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use crate::image::Image;

fn font() -> &'static FontRef<'static> {
    static FONT: OnceLock<FontRef<'static>> = OnceLock::new();
    FONT.get_or_init(|| {
        FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).expect("the embedded font is valid")
    })
}

/// Which part of the text stands at the given place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Left,
    Right,
}

impl Image {
    /// Writes a line of text whose upper left corner is at a place [pixels], in letters of a size [pixels].
    pub fn write(&mut self, text: &str, [x, y]: [f32; 2], size: f32, colour: [u8; 3]) {
        draw(self, text, (x, y + size, Anchor::Left), size, colour);
    }
}

/// Width of a line [pixels].
pub(crate) fn width(text: &str, size: f32) -> f32 {
    let font = font().as_scaled(PxScale::from(size));
    text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
}

/// Draws a line whose baseline is at `y` [pixels].
pub(crate) fn draw(image: &mut Image, text: &str, place: (f32, f32, Anchor), size: f32, colour: [u8; 3]) {
    let (x, y, anchor) = place;
    let scaled = font().as_scaled(PxScale::from(size));
    let mut pen = if anchor == Anchor::Right { x - width(text, size) } else { x };
    for letter in text.chars() {
        let glyph = scaled.glyph_id(letter).with_scale_and_position(PxScale::from(size), point(pen, y));
        pen += scaled.h_advance(glyph.id);
        let Some(outline) = font().outline_glyph(glyph) else { continue };
        let corner = outline.px_bounds().min;
        outline.draw(|column, row, cover| {
            // The light weight needs a little more ink at small sizes.
            let ink = cover.clamp(0.0, 1.0).powf(0.75);
            image.blend(corner.x as i32 + column as i32, corner.y as i32 + row as i32, colour, ink);
        });
    }
}
