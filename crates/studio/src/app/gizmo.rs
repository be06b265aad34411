//! Handles in the viewport that move, turn and scale the chosen object or collider.

use eframe::egui::{self, Color32, Pos2, Rect, Ui, Vec2};
use nalgebra::Vector3;
use serde_json::{Value, json};

use super::{Showing, Studio};
use crate::document::{Change, ScenePath};
use crate::panels::Tab;

/// What the mouse does in the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Turns the camera and picks particles.
    #[default]
    Look,
    /// Moves the chosen object along an axis.
    Move,
    /// Turns it about the axis that points at the eye.
    Rotate,
    /// Scales it.
    Scale,
}

impl Tool {
    /// All tools with their names.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Look, "Turn"), (Self::Move, "Move"), (Self::Rotate, "Rotate"), (Self::Scale, "Scale")];
}

/// Length of handles in the window [points].
const HANDLE: f32 = 70.0;
/// How near the mouse must be to a handle [points].
const REACH: f32 = 9.0;
const AXES: [(usize, Color32); 3] = [
    (0, Color32::from_rgb(230, 70, 60)),
    (1, Color32::from_rgb(90, 190, 80)),
    (2, Color32::from_rgb(70, 120, 235)),
];

impl Studio {
    /// What the handles move: the chosen collider while its tab is open, else the chosen object.
    fn chosen_object(&self) -> ScenePath {
        match self.tab {
            Tab::Colliders => ScenePath::parse("colliders").index(self.selection.collider),
            _ => ScenePath::parse("objects").index(self.selection.object),
        }
    }

    /// Where the chosen object stands, as the scene says [m].
    fn object_position(&self) -> Option<Vector3<f32>> {
        let object = self.document.tree().at(&self.chosen_object())?;
        let part = |axis: usize| object["position"].get(axis).and_then(Value::as_f64).unwrap_or(0.0) as f32;
        Some(Vector3::new(part(0), part(1), part(2)))
    }

    /// Draws the handles of the present tool and does what is dragged.
    pub(super) fn gizmo(&mut self, ui: &Ui, response: &egui::Response, rect: Rect) {
        if self.tool == Tool::Look || self.showing != Showing::Live {
            return;
        }
        let Some(origin) = self.object_position() else { return };
        let aspect = rect.width() / rect.height().max(1.0);
        let on_screen = |point: &Vector3<f32>| {
            let [x, y] = self.camera.project(point, aspect)?;
            let place = rect.center() + Vec2::new(0.5 * x * rect.width(), -0.5 * y * rect.height());
            (!place.any_nan()).then_some(place)
        };
        let Some(center) = on_screen(&origin) else { return };
        let painter = ui.painter().with_clip_rect(rect);
        let scale = HANDLE / rect.height().max(1.0) * self.camera.height();
        let handles: Vec<(usize, Color32, Pos2)> = match self.tool {
            Tool::Move => {
                let dimension = if self.camera.is_flat { 2 } else { 3 };
                let tip = |(axis, colour): (usize, Color32)| {
                    let mut along = Vector3::zeros();
                    along[axis] = scale;
                    Some((axis, colour, on_screen(&(origin + along))?))
                };
                AXES.into_iter().take(dimension).filter_map(tip).collect()
            }
            _ => vec![(3, Color32::from_rgb(255, 170, 0), center + Vec2::new(HANDLE, 0.0))],
        };
        for (_, colour, tip) in &handles {
            match self.tool {
                Tool::Rotate => {
                    painter.circle_stroke(center, HANDLE, (2.0, *colour));
                }
                _ => {
                    painter.line_segment([center, *tip], (3.0, *colour));
                    painter.circle_filled(*tip, 5.0, *colour);
                }
            }
        }
        self.drag_handle(ui, response, center, &handles, scale);
    }

    fn drag_handle(
        &mut self,
        ui: &Ui,
        response: &egui::Response,
        center: Pos2,
        handles: &[(usize, Color32, Pos2)],
        scale: f32,
    ) {
        let held = egui::Id::unique("gizmo");
        if response.drag_started_by(egui::PointerButton::Primary) {
            let start = ui.input(|input| input.pointer.press_origin()).unwrap_or(center);
            let near = handles.iter().find(|(_, _, tip)| match self.tool {
                Tool::Rotate => ((start - center).length() - HANDLE).abs() < REACH,
                _ => distance_to_segment(start, center, *tip) < REACH,
            });
            ui.data_mut(|data| data.insert_temp(held, near.map_or(usize::MAX, |(axis, _, _)| *axis)));
        }
        if response.drag_stopped() {
            ui.data_mut(|data| data.remove::<usize>(held));
            self.document.end_row();
        }
        let Some(axis) = ui.data(|data| data.get_temp::<usize>(held)).filter(|axis| *axis != usize::MAX)
        else {
            return;
        };
        let Some((_, _, tip)) = handles.iter().find(|(known, _, _)| *known == axis) else { return };
        let (delta, pointer) = (response.drag_delta(), response.interact_pointer_pos().unwrap_or(center));
        match self.tool {
            Tool::Move => {
                let arm = *tip - center;
                let share = delta.dot(arm) / arm.length_sq().max(1.0);
                self.move_object(axis, share * scale);
            }
            Tool::Rotate => {
                let (now, before) = (pointer - center, pointer - delta - center);
                self.turn_object((before.angle() - now.angle()).to_degrees());
            }
            _ => self.scale_object((delta.x * 0.01).exp()),
        }
    }

    /// Moves the chosen object along an axis [m].
    pub fn move_object(&mut self, axis: usize, by: f32) {
        let Some(position) = self.object_position() else { return };
        let dimension = if self.camera.is_flat { 2 } else { 3 };
        let path = self.chosen_object().key("position");
        let mut numbers: Vec<f64> = position.iter().take(dimension).map(|x| f64::from(*x)).collect();
        if let Some(number) = numbers.get_mut(axis) {
            *number += f64::from(by);
        }
        let rounded: Vec<Value> = numbers.iter().map(|x| json!((x * 1e4).round() / 1e4)).collect();
        self.change(&Change::Set(path, Value::Array(rounded)));
    }

    /// Turns the chosen object [degrees]: about z where it is given so, else about the axis nearest to the eye.
    pub fn turn_object(&mut self, by: f32) {
        let by = if by > 180.0 {
            by - 360.0
        } else if by < -180.0 {
            by + 360.0
        } else {
            by
        };
        let path = self.chosen_object().key("rotation");
        let back = self.camera.axes()[2];
        let axis = if self.camera.is_flat { 2 } else { back.iamax() };
        let by = f64::from(by) * f64::from(back[axis].signum());
        let round = |x: f64| json!((x * 100.0).round() / 100.0);
        let value = match self.document.tree().at(&path) {
            Some(Value::Array(parts)) => {
                let part = |i: usize| parts.get(i).and_then(Value::as_f64).unwrap_or(0.0);
                let turned = |i: usize| round(part(i) + if i == axis { by } else { 0.0 });
                json!([turned(0), turned(1), turned(2)])
            }
            Some(Value::Number(angle)) => round(angle.as_f64().unwrap_or(0.0) + by),
            Some(_) => return self.say("this rotation is not plain numbers; edit it in the Objects tab"),
            None if self.camera.is_flat => round(by),
            None => {
                let turned = |i: usize| round(if i == axis { by } else { 0.0 });
                json!([turned(0), turned(1), turned(2)])
            }
        };
        self.change(&Change::Set(path, value));
    }

    /// Scales the chosen object by a factor.
    pub fn scale_object(&mut self, factor: f32) {
        let path = self.chosen_object().key("scale");
        let scale = self.document.tree().at(&path).and_then(Value::as_f64).unwrap_or(1.0);
        let scaled = (scale * f64::from(factor)).clamp(1e-3, 1e3);
        self.change(&Change::Set(path, json!((scaled * 1e4).round() / 1e4)));
    }
}

fn distance_to_segment(point: Pos2, from: Pos2, to: Pos2) -> f32 {
    let along = to - from;
    let share = ((point - from).dot(along) / along.length_sq().max(1.0)).clamp(0.0, 1.0);
    (point - (from + along * share)).length()
}
