//! Scripts: a line a command, so that a demonstration, a test or a screenshot can be made again.

mod lines;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use eframe::egui;

use super::{Apply, Studio, View};
use crate::document::{Change, ScenePath};
use crate::worker::{Command, Phase};
use lines::{LANGUAGE, Line};

/// A script under way.
pub struct Script {
    lines: std::collections::VecDeque<Line>,
    began: Instant,
    window: Option<(PathBuf, Receiver<Arc<egui::ColorImage>>)>,
    /// Pictures of the window and of the viewport when a line began to count them.
    counted: Option<[u64; 2]>,
    is_recording: bool,
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let parsed = lines.map(|(number, line)| {
            Line::parse(line.trim()).ok_or_else(|| {
                format!(
                    "line {} of the script: `{line}` is not understood; known are:\n{LANGUAGE}",
                    number + 1
                )
            })
        });
        Ok(Self {
            lines: parsed.collect::<Result<_, _>>()?,
            began: Instant::now(),
            window: None,
            counted: None,
            is_recording: false,
        })
    }
}

/// What became of a line.
enum Progress {
    Done,
    Waiting,
}

impl Studio {
    /// Does the lines of the script that can be done now.
    pub(super) fn follow_script(&mut self, context: &egui::Context) {
        let Some(mut script) = self.script.take() else { return };
        context.request_repaint();
        while let Some(line) = script.lines.front().cloned() {
            match self.follow(&mut script, &line, context) {
                Progress::Done => {
                    script.lines.pop_front();
                    script.began = Instant::now();
                }
                Progress::Waiting => break,
            }
        }
        self.script = Some(script);
    }

    fn follow(&mut self, script: &mut Script, line: &Line, context: &egui::Context) -> Progress {
        let waiting = |is: bool| if is { Progress::Waiting } else { Progress::Done };
        let is_settled = self.document.is_checked()
            && !self.is_at_work()
            && !matches!(self.worker.phase(), Phase::Building);
        match line {
            Line::Wait(seconds) => {
                return waiting(script.began.elapsed() < Duration::from_secs_f64(*seconds));
            }
            Line::Measure(seconds) => return waiting(self.measure(script, *seconds)),
            Line::Window(path) => return waiting(self.window_picture(script, path, context)),
            _ if !is_settled || !(self.is_prepared() || matches!(self.worker.phase(), Phase::Failed(_))) => {
                return Progress::Waiting;
            }
            Line::Startup if self.first_picture.is_none() => return Progress::Waiting,
            Line::Until(time) => {
                let is_there = self.shown.snapshot.time >= time * (1.0 - 1e-9);
                match self.worker.phase() {
                    Phase::Paused if is_there => return Progress::Done,
                    Phase::Paused => self.worker.send(Command::Until(*time)),
                    Phase::Finished | Phase::Failed(_) => return Progress::Done,
                    Phase::Empty | Phase::Building | Phase::Playing => {}
                }
                return Progress::Waiting;
            }
            Line::Record(path, seconds) => {
                if !std::mem::replace(&mut script.is_recording, true) {
                    self.record.path = path.to_string_lossy().into_owned();
                    (self.record.start, self.record.stop) = (0.0, Some(*seconds));
                    self.start_recording();
                }
                script.is_recording = self.recording.is_some();
                if !script.is_recording {
                    println!("{}", self.message);
                }
                return waiting(script.is_recording);
            }
            _ => self.do_line(line, context),
        }
        Progress::Done
    }

    fn do_line(&mut self, line: &Line, context: &egui::Context) {
        match line {
            Line::Play => self.worker.send(Command::Play),
            Line::Pause => self.worker.send(Command::Pause),
            Line::Step => self.worker.send(Command::Step),
            Line::See => self.see_all(),
            Line::Stage => self.worker.send(Command::Stage),
            Line::Reset => self.reset(),
            Line::Set(key, value) => {
                let path = ScenePath::parse(key);
                self.change(&Change::Set(path, crate::form::parse(value)));
                self.apply = Apply::Restart;
            }
            Line::Colour(field) => self.look.colour_by.clone_from(field),
            Line::Grain(grain) => self.look.grain = *grain,
            Line::Lines => self.look.particle_lines = true,
            Line::Layer => self.look.layer.is_shown = true,
            Line::Tab(tab) => self.tab = *tab,
            Line::Theme(is_dark) => self.is_dark = *is_dark,
            Line::Probe(id) => self.history.choose(Some(*id)),
            Line::Camera(azimuth, elevation, zoom) => {
                (self.camera.azimuth, self.camera.elevation) = (*azimuth, *elevation);
                self.camera.zoom(*zoom);
            }
            Line::Open(path) => self.open(path),
            Line::Add(path) => self.add_cache(path),
            Line::Place(place) => self.timeline.place = *place,
            Line::Compare(way) => self.compare = *way,
            Line::Picture(path) => self.take_screenshot(Some(path)),
            Line::Tool(tool) => self.tool = *tool,
            Line::Startup => {
                let seconds = self.first_picture.unwrap_or_default().as_secs_f64();
                println!("the first picture was there after {seconds:.2} s");
            }
            Line::Exit => context.send_viewport_cmd(egui::ViewportCommand::Close),
            _ => {}
        }
    }

    /// Pictures of the window and of the viewport so far.
    fn pictures(&self) -> [u64; 2] {
        [self.fps.count, self.view.as_ref().map_or(0, View::drawn)]
    }

    /// Whether what was changed then has been seen by now.
    fn has_drawn_since(&mut self, [window, viewport]: [u64; 2]) -> bool {
        let [window_now, viewport_now] = self.pictures();
        let is_still = self.is_drawn() && self.has_frames() && self.is_prepared();
        // What moves is never still.
        window_now >= window + 3 && (is_still || viewport_now >= viewport + 8)
    }

    /// Counts pictures for a while and prints how many there were; returns whether it is still counting.
    fn measure(&mut self, script: &mut Script, seconds: f64) -> bool {
        let now = self.pictures();
        let start = *script.counted.get_or_insert_with(|| {
            script.began = Instant::now();
            self.take_longest_picture();
            now
        });
        // The viewport is drawn only when something changes: a measurement turns the camera whenever it is.
        if self.is_drawn() {
            self.camera.orbit(0.5, 0.0);
        }
        let passed = script.began.elapsed().as_secs_f64();
        if passed < seconds {
            return true;
        }
        script.counted = None;
        let [window, viewport] = [0, 1].map(|which| (now[which] - start[which]) as f64 / passed);
        println!(
            "{viewport:.1} pictures a second of {} particles, {window:.1} of the window, which took {:.0} ms at most for one",
            self.shown.snapshot.positions().len(),
            1e3 * self.take_longest_picture().as_secs_f64()
        );
        false
    }

    /// Asks for a picture of the window and writes it once it is there; returns whether it is still awaited.
    fn window_picture(
        &mut self,
        script: &mut Script,
        path: &std::path::Path,
        context: &egui::Context,
    ) -> bool {
        match script.window.take() {
            // What was asked for before is in the picture only after it has been drawn.
            None if !self.has_drawn_since(*script.counted.get_or_insert(self.pictures())) => true,
            None => {
                script.counted = None;
                let (sender, receiver) = mpsc::channel();
                context.request_screenshot(move |image| drop(sender.send(image)));
                script.window = Some((path.to_owned(), receiver));
                true
            }
            Some((wanted, receiver)) => match receiver.try_recv() {
                Ok(image) => {
                    let size = image.size.map(|side| side as u32);
                    let rgba = image.pixels.iter().map(egui::Color32::to_array).collect();
                    match (crate::viewport::Pixels { size, rgba }).save(&wanted) {
                        Ok(()) => println!("wrote {}", wanted.display()),
                        Err(error) => println!("{error}"),
                    }
                    false
                }
                Err(_) => {
                    let is_late = script.began.elapsed() > Duration::from_secs(10);
                    script.window = (!is_late).then_some((wanted, receiver));
                    !is_late
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Script};
    use crate::panels::Tab;

    #[test]
    fn scripts_are_read_or_refused_with_their_line() {
        let script =
            Script::parse("# a comment\nplay\nset time.duration 1 s\n\ntab charts\nrecord a.mp4 0.5\nexit\n")
                .unwrap();
        assert_eq!(script.lines.len(), 5);
        assert_eq!(script.lines[1], Line::Set("time.duration".to_owned(), "1 s".to_owned()));
        assert_eq!(script.lines[2], Line::Tab(Tab::Charts));
        assert!(Script::parse("play\nfly away").err().unwrap().contains("line 2"));
        assert!(Script::parse("until soon").is_err());
    }
}
