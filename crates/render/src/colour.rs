//! Colours: sRGB, maps from numbers to colours, and the palette of bodies.

use crate::ray::V3;

/// How numbers become colours. All are readable in grey and by colour-blind eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColourMap {
    /// From violet over green to yellow; lightness rises evenly.
    Viridis,
    /// From black over red to pale yellow; lightness rises evenly.
    Inferno,
    /// From blue over pale grey to red, for values of both signs; lightest in the middle.
    Diverging,
}

const VIRIDIS: [u32; 10] =
    [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];
const INFERNO: [u32; 10] =
    [0x000004, 0x1b0c41, 0x4a0c6b, 0x781c6d, 0xa52c60, 0xcf4446, 0xed6925, 0xfb9b06, 0xf7d13d, 0xfcffa4];
const DIVERGING: [u32; 9] =
    [0x2b4fa8, 0x4a78cf, 0x7ba4e4, 0xb0c9ee, 0xe4e4e2, 0xf1c1a9, 0xe58f73, 0xcf5648, 0xa51e2d];

/// Colour of what is not a number: one that no map contains.
pub const NOT_A_NUMBER: [f32; 3] = [1.0, 0.0, 1.0];

impl ColourMap {
    /// The sRGB colour of a position on the map; positions outside 0..=1 take the end's colour.
    pub fn colour(self, position: f32) -> [f32; 3] {
        if position.is_nan() {
            return NOT_A_NUMBER;
        }
        let table: &[u32] = match self {
            Self::Viridis => &VIRIDIS,
            Self::Inferno => &INFERNO,
            Self::Diverging => &DIVERGING,
        };
        let last = table.len() - 1;
        let place = position.clamp(0.0, 1.0) * last as f32;
        let (low, part) = ((place as usize).min(last), place.fract());
        let (from, to) = (hex(table[low]), hex(table[(low + 1).min(last)]));
        [0, 1, 2].map(|channel| from[channel] + (to[channel] - from[channel]) * part)
    }
}

/// Colours of bodies, in the order of their numbers.
const PALETTE: [u32; 8] = [0xe9733d, 0x2a9d8f, 0x4c6fd6, 0xe8b23f, 0x8f5bd0, 0xdd4f74, 0x4ba3dc, 0x6f9f4a];

/// The sRGB colour of a body.
pub fn body_colour(body: u32) -> [f32; 3] {
    hex(PALETTE[body as usize % PALETTE.len()])
}

pub(crate) fn hex(code: u32) -> [f32; 3] {
    [16, 8, 0].map(|shift| ((code >> shift) & 0xff) as f32 / 255.0)
}

/// From sRGB to linear light.
pub(crate) fn linear(srgb: [f32; 3]) -> V3 {
    V3::from(srgb).map(|channel| {
        let channel = if channel.is_nan() { 0.0 } else { channel.clamp(0.0, 1.0) };
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    })
}

/// From linear light in 0..=1 to sRGB bytes.
pub(crate) fn srgb_bytes(linear: V3) -> [u8; 3] {
    let encode = |channel: f32| {
        let channel = channel.clamp(0.0, 1.0);
        let srgb =
            if channel <= 0.003_130_8 { 12.92 * channel } else { 1.055 * channel.powf(1.0 / 2.4) - 0.055 };
        (srgb * 255.0).round() as u8
    };
    [encode(linear.x), encode(linear.y), encode(linear.z)]
}

pub(crate) fn bytes(srgb: [f32; 3]) -> [u8; 3] {
    srgb.map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::{ColourMap, NOT_A_NUMBER, linear, srgb_bytes};

    fn lightness(map: ColourMap, position: f32) -> f32 {
        let light = linear(map.colour(position));
        let luminance = 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z;
        116.0 * luminance.cbrt() - 16.0
    }

    #[test]
    fn sequential_maps_grow_lighter_all_the_way() {
        for map in [ColourMap::Viridis, ColourMap::Inferno] {
            let steps: Vec<f32> = (0..=200).map(|i| lightness(map, i as f32 / 200.0)).collect();
            assert!(steps.windows(2).all(|pair| pair[1] > pair[0]), "{map:?}");
        }
    }

    #[test]
    fn the_diverging_map_is_lightest_in_the_middle() {
        let steps: Vec<f32> = (0..=200).map(|i| lightness(ColourMap::Diverging, i as f32 / 200.0)).collect();
        assert!(steps[..=100].windows(2).all(|pair| pair[1] > pair[0]));
        assert!(steps[100..].windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn odd_positions_have_colours_too() {
        assert_eq!(ColourMap::Viridis.colour(f32::NAN), NOT_A_NUMBER);
        assert_eq!(ColourMap::Viridis.colour(f32::INFINITY), ColourMap::Viridis.colour(1.0));
        assert_eq!(ColourMap::Viridis.colour(f32::NEG_INFINITY), ColourMap::Viridis.colour(0.0));
    }

    #[test]
    fn srgb_survives_the_way_to_light_and_back() {
        for level in 0..=255_u8 {
            let srgb = [f32::from(level) / 255.0; 3];
            assert_eq!(srgb_bytes(linear(srgb)), [level; 3]);
        }
    }
}
