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
    let heading = painter.layout_no_wrap(text.heading, font.clone(), ink);
    let corner = Pos2::new(rect.right() - 8.0 - heading.size().x, bar.top() - 10.0 - heading.size().y);
    let plate = Rect::from_min_max(
        Pos2::new(corner.x.min(bar.left()), corner.y),
        Pos2::new(rect.right() - 8.0, bar.bottom() + 6.0),
    );
    // Whatever is behind it, the numbers can be read.
    let shade = ui.visuals().extreme_bg_color.gamma_multiply(0.6);
    painter.rect_filled(plate.expand2(Vec2::new(6.0, 4.0)), 4.0, shade);
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
    painter.galley(corner, heading, ink);
}
