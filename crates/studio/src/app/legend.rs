//! The colour bar beside the picture.

use eframe::egui::{self, Color32, Pos2, Rect, Ui, Vec2};
use pliant_render::LegendText;

use crate::viewport::colours::Legend;

/// Width of a colour bar with its numbers [points].
pub(super) const WIDTH: f32 = 110.0;

/// The colour bar at the right of a part of the viewport.
pub(super) fn draw_legend(ui: &Ui, rect: Rect, legend: &Legend) {
    let [low, high] = legend.range;
    let text = LegendText::of(&legend.colours());
    let height = (rect.height() * 0.5).clamp(20.0, 320.0);
    let bar = Rect::from_min_size(
        Pos2::new(rect.right() - 86.0, rect.center().y - 0.5 * height),
        Vec2::new(16.0, height),
    );
    let painter = ui.painter().with_clip_rect(rect);
    let ink = ui.visuals().strong_text_color();
    let font = egui::FontId::proportional(12.0);
    let rows = 64;
    for row in 0..rows {
        let share = row as f32 / rows as f32;
        let [r, g, b] = legend.map.colour(1.0 - share - 0.5 / rows as f32).map(|c| (c * 255.0) as u8);
        let top = bar.top() + share * height;
        let strip = Rect::from_min_size(
            Pos2::new(bar.left(), top),
            Vec2::new(bar.width(), height / rows as f32 + 0.5),
        );
        painter.rect_filled(strip, 0.0, Color32::from_rgb(r, g, b));
    }
    let span = f64::from(high) - f64::from(low);
    for (value, label) in text.ticks {
        let share = ((value - f64::from(low)) / span) as f32;
        let at = Pos2::new(bar.right() + 6.0, bar.bottom() - share * height);
        painter.text(at, egui::Align2::LEFT_CENTER, label, font.clone(), ink);
    }
    let at = Pos2::new(rect.right() - 8.0, bar.top() - 10.0);
    painter.text(at, egui::Align2::RIGHT_BOTTOM, text.heading, font, ink);
}
