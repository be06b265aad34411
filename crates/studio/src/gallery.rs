//! Small pictures of templates and material presets, drawn by our own renderer and kept beside the sources:
//! `PLIANT_UPDATE=1 cargo test -p pliant-studio --test window gallery` draws them anew.

use eframe::egui::{self, Pos2, Rect};

/// Width and height of a picture [pixels].
pub const TILE: [u32; 2] = [96, 72];
/// Pictures in a row of an album.
pub const COLUMNS: u32 = 8;

/// Pictures in one file, and what they are of.
pub struct Album {
    names: &'static str,
    png: &'static [u8],
    texture: Option<egui::TextureHandle>,
}

/// The albums of the studio.
pub struct Gallery {
    /// Scenes to start from, by title.
    pub templates: Album,
    /// Materials, by name.
    pub presets: Album,
}

impl Default for Gallery {
    fn default() -> Self {
        let templates =
            Album::new(include_str!("gallery/templates.txt"), include_bytes!("gallery/templates.png"));
        let presets = Album::new(include_str!("gallery/presets.txt"), include_bytes!("gallery/presets.png"));
        Self { templates, presets }
    }
}

impl Album {
    fn new(names: &'static str, png: &'static [u8]) -> Self {
        Self { names, png, texture: None }
    }

    /// The place of a picture among the others.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.lines().position(|known| known == name)
    }

    /// A button with a picture and a name; only the name where there is no picture.
    pub fn button(&mut self, context: &egui::Context, name: &str) -> egui::Button<'static> {
        let Some(place) = self.place(name) else { return egui::Button::new(name.to_owned()) };
        let texture = self.texture.get_or_insert_with(|| {
            let image = decode(self.png).unwrap_or_default();
            context.load_texture("gallery", image, egui::TextureOptions::LINEAR)
        });
        let [width, height] = texture.size().map(|side| side.max(1) as f32);
        let (column, row) = (place as u32 % COLUMNS, place as u32 / COLUMNS);
        let corner = |x: u32, y: u32| Pos2::new((x * TILE[0]) as f32 / width, (y * TILE[1]) as f32 / height);
        let uv = Rect::from_min_max(corner(column, row), corner(column + 1, row + 1));
        let size = egui::vec2(TILE[0] as f32, TILE[1] as f32) * 0.5;
        let image = egui::Image::new((texture.id(), size)).uv(uv).fit_to_exact_size(size);
        egui::Button::image_and_text(image, name.to_owned())
    }
}

/// The pixels of an album.
///
/// # Errors
/// When it is not a picture.
pub fn decode(bytes: &[u8]) -> Result<egui::ColorImage, String> {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let mut rgb = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut rgb).map_err(|error| error.to_string())?;
    rgb.truncate(info.buffer_size());
    if info.color_type != png::ColorType::Rgb {
        return Err("an album holds red, green and blue".to_owned());
    }
    Ok(egui::ColorImage::from_rgb([info.width as usize, info.height as usize], &rgb))
}
