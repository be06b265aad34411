//! Screenshots, movies and particle files.

use std::path::PathBuf;

use eframe::egui::{self, Ui};
use pliant_export::Format;
use pliant_render::Movie;

use super::{choose, number, optional};
use crate::app::{FrameWriter, Studio, time_left};
use crate::record::{Codec, LARGEST, has_large_h264};

impl Studio {
    pub(super) fn record_panel(&mut self, ui: &mut Ui) {
        if ui.button("Take screenshot").clicked() {
            self.take_screenshot(None);
        }
        ui.separator();
        ui.horizontal(|ui| {
            let label = ui.label("Movie file");
            ui.add(egui::TextEdit::singleline(&mut self.record.path).desired_width(f32::INFINITY))
                .labelled_by(label.id);
        });
        choose(ui, "Format", &mut self.record.codec, Codec::available());
        ui.horizontal_wrapped(|ui| {
            for (name, size) in [("720p", [1280, 720]), ("1080p", [1920, 1080]), ("4K", [3840, 2160])] {
                if ui.button(name).clicked() {
                    self.record.size = size;
                }
            }
        });
        number(ui, "Width [pixels]", &mut self.record.size[0], 16..=LARGEST);
        number(ui, "Height [pixels]", &mut self.record.size[1], 16..=LARGEST);
        self.size_note(ui);
        number(ui, "Frames a second", &mut self.record.fps, 1.0..=240.0);
        optional(ui, "Bitrate [Mbit/s]", &mut self.record.megabits, 8.0, 0.05..=400.0);
        number(ui, "Start time [s]", &mut self.record.start, 0.0..=1e6);
        optional(ui, "Stop time [s]", &mut self.record.stop, 1.0, 0.0..=1e6);
        number(ui, "Playback speed of the movie", &mut self.record.speed, 0.001..=1000.0);
        self.recording_controls(ui);
        ui.separator();
        self.particle_files(ui);
    }

    /// Starts a movie, or shows how far it is.
    fn recording_controls(&mut self, ui: &mut Ui) {
        match &self.recording {
            None => {
                if ui.button("Start recording").clicked() {
                    self.start_recording();
                }
            }
            Some(recording) => {
                let (frames, settings) = (recording.frames, &recording.settings);
                let end = settings.stop.unwrap_or_else(|| self.last_time());
                let share = (settings.time_of(frames) - settings.start) / (end - settings.start).max(1e-9);
                let left = time_left(recording.began, share).unwrap_or_default();
                let bar = egui::ProgressBar::new((share as f32).clamp(0.0, 1.0));
                ui.add(bar.text(format!("{frames} frames  {left}")));
                if ui.button("Stop recording").clicked() {
                    self.stop_recording();
                }
            }
        }
    }

    /// Says who encodes a movie that is too large for Pliant itself.
    fn size_note(&self, ui: &mut Ui) {
        let [width, height] = self.record.size;
        if self.record.codec != Codec::H264 || Movie::can_hold(width, height) {
            return;
        }
        if has_large_h264() {
            ui.weak("Beyond 3840 × 2160 ffmpeg encodes the movie.");
        } else {
            let text = "Beyond 3840 × 2160 this needs ffmpeg with libx264, which was not found. \
                        A PNG series needs nothing.";
            ui.colored_label(ui.visuals().warn_fg_color, text);
        }
    }

    fn particle_files(&mut self, ui: &mut Ui) {
        ui.label("Particles of this moment as a file");
        ui.horizontal_wrapped(|ui| {
            for format in Format::ALL {
                if ui.button(format!("Write .{}", format.name())).clicked() {
                    let folder: PathBuf = self.document.folder().join("particles");
                    self.write_particles(format, &folder);
                }
            }
        });
        let mut writes = self.frame_writer.is_some();
        if ui.checkbox(&mut writes, "Write every frame as .geo").changed() {
            self.frame_writer = None;
            if writes {
                let fps = self.shown.scene.as_ref().map_or(24.0, |scene| scene.time.fps);
                match FrameWriter::start(Format::Geo, &self.document.folder().join("particles"), fps) {
                    Ok(writer) => self.frame_writer = Some(writer),
                    Err(error) => self.say(error),
                }
            }
        }
        ui.weak("A folder of .geo files can be opened and replayed in the Caches tab.");
    }
}
