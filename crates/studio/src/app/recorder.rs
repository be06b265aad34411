//! Screenshots, movies and particle files, taken while the window goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use pliant_export::{Exporter, Format, Options};
use pliant_world::Snapshot;

use super::errands::Outcome;
use super::{Showing, Studio};
use crate::record::{Codec, RecordSettings, Recording};
use crate::viewport::Pixels;
use crate::worker::{Command, Phase};

impl Studio {
    /// Whether obstacles and surfaces of what is shown have been prepared.
    pub fn is_prepared(&mut self) -> bool {
        let states = self.states();
        self.stages(&states);
        !states.is_empty() && !self.scenery.iter().any(crate::viewport::Scenery::is_busy)
    }

    /// Writes a picture to a file, or to the next free `screenshot-N.png`.
    pub fn take_screenshot(&mut self, path: Option<&Path>) {
        let path = path.map_or_else(|| free_name(&self.document.folder()), Path::to_owned);
        let size = RecordSettings { codec: Codec::Png, ..self.record.clone() }.sane().size;
        match self.sitting(size) {
            Ok(sitting) => {
                self.report_in_background(move || {
                    match sitting.picture().and_then(|picture| picture.save(&path)) {
                        Ok(()) => format!("wrote {}", path.display()),
                        Err(error) => error,
                    }
                });
            }
            Err(error) => self.say(error),
        }
    }

    /// Starts a movie: a simulation from its first frame on, a cache along its timeline.
    pub fn start_recording(&mut self) {
        if self.view.is_none() {
            return self.say("there is no graphics adapter to draw with");
        }
        match Recording::start(&self.record) {
            Ok(recording) => {
                if self.showing == Showing::Live && self.shown.snapshot.time > recording.settings.start {
                    self.reset();
                }
                self.timeline.is_playing = false;
                self.recording = Some(recording);
                self.say("recording");
            }
            Err(error) => self.say(error),
        }
    }

    /// Ends the movie; what was taken so far is kept.
    pub fn stop_recording(&mut self) {
        if let Some(recording) = &mut self.recording {
            recording.settings.stop = Some(f64::NEG_INFINITY);
        }
        self.worker.send(Command::Pause);
    }

    /// Takes the next frame of a movie, if it is due and there is room for it.
    pub(super) fn advance_recording(&mut self) {
        let Some(mut recording) = self.recording.take() else { return };
        if let Some(outcome) = recording.outcome() {
            return match outcome {
                Ok(path) => self.say(format!("wrote {} frames to {}", recording.frames, path.display())),
                Err(error) => self.say(format!("the movie failed: {error}")),
            };
        }
        match recording.next_time() {
            Some(time) if recording.is_ready() => {
                if self.reach(time) {
                    match self.sitting(recording.settings.size) {
                        Ok(sitting) => {
                            recording.await_frame();
                            self.in_background(move || record_outcome(sitting.picture()));
                        }
                        Err(error) => self.say(error),
                    }
                    if self.is_at_end(time) {
                        recording.settings.stop = Some(f64::NEG_INFINITY);
                    }
                }
            }
            Some(_) => {}
            None => recording.close(),
        }
        self.recording = Some(recording);
    }

    /// Goes to a simulated time; returns whether it is reached and all is ready to be drawn.
    fn reach(&mut self, time: f64) -> bool {
        if !self.is_prepared() {
            return false;
        }
        match self.showing {
            Showing::Caches => {
                let Some(first) = self.players.first() else { return false };
                self.timeline.place = first.place_of(time);
                self.has_frames() && self.is_prepared()
            }
            Showing::Live => {
                let phase = self.worker.phase();
                if self.is_at_end(time) || self.shown.snapshot.time >= time * (1.0 - 1e-9) {
                    return matches!(phase, Phase::Paused | Phase::Finished | Phase::Failed(_));
                }
                if phase == Phase::Paused {
                    self.worker.send(Command::Until(time));
                }
                false
            }
        }
    }

    fn is_at_end(&self, time: f64) -> bool {
        match self.showing {
            Showing::Live => matches!(self.worker.phase(), Phase::Finished | Phase::Failed(_)),
            Showing::Caches => time >= self.last_time(),
        }
    }

    /// When what is shown ends [s].
    pub(crate) fn last_time(&self) -> f64 {
        let last_mark = || self.players.first()?.marks().last().map(|mark| mark.time);
        match self.showing {
            Showing::Live => self.shown.scene.as_ref().map_or(0.0, |scene| scene.time.duration),
            Showing::Caches => last_mark().unwrap_or(0.0),
        }
    }

    /// Writes the particles that are shown as a file of a format into a folder.
    pub fn write_particles(&mut self, format: Format, folder: &Path) {
        let Some(state) = self.states().into_iter().next() else { return };
        let fps = state.scene.as_ref().map_or(24.0, |scene| scene.time.fps);
        let options = Options { frames_per_second: fps, ..Options::default() };
        let folder = folder.to_owned();
        self.report_in_background(move || {
            let written = Exporter::new(format, &folder, options)
                .and_then(|mut exporter| exporter.write(&state.snapshot));
            match written {
                Ok(path) => format!("wrote {}", path.display()),
                Err(error) => error.to_string(),
            }
        });
    }
}

/// A frame of the movie is there, or will never be.
fn record_outcome(picture: Result<Pixels, String>) -> Outcome {
    let image = picture.and_then(|picture| picture.image().map_err(|error| error.to_string()));
    Box::new(move |studio| match (&mut studio.recording, image) {
        (Some(recording), Ok(image)) => recording.push(image),
        (Some(recording), Err(error)) => {
            recording.settings.stop = Some(f64::NEG_INFINITY);
            recording.give_up_frame();
            studio.say(error);
        }
        (None, _) => {}
    })
}

/// Writes the end of every frame as a file, on a thread of its own.
pub struct FrameWriter {
    sender: Sender<Arc<Snapshot>>,
    failures: Receiver<String>,
    last_frame: Option<u32>,
}

impl FrameWriter {
    /// Starts to write files of a format into a folder.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn start(format: Format, folder: &Path, fps: f64) -> Result<Self, String> {
        let options = Options { frames_per_second: fps, ..Options::default() };
        let mut exporter = Exporter::new(format, folder, options).map_err(|error| error.to_string())?;
        let (sender, snapshots) = mpsc::channel::<Arc<Snapshot>>();
        let (tell, failures) = mpsc::channel();
        std::thread::spawn(move || {
            for snapshot in snapshots {
                if let Err(error) = exporter.write(&snapshot) {
                    let _ = tell.send(error.to_string());
                }
            }
        });
        Ok(Self { sender, failures, last_frame: None })
    }

    /// Takes up a state; it is written if it is the first of its frame.
    pub fn offer(&mut self, snapshot: &Arc<Snapshot>) {
        if self.last_frame != Some(snapshot.frame) {
            self.last_frame = Some(snapshot.frame);
            let _ = self.sender.send(Arc::clone(snapshot));
        }
    }

    /// What went wrong since the last call.
    pub fn failure(&self) -> Option<String> {
        self.failures.try_iter().last()
    }
}

fn free_name(folder: &Path) -> PathBuf {
    let names = (1..).map(|number| folder.join(format!("screenshot-{number}.png")));
    names.into_iter().find(|path| !path.exists()).unwrap_or_else(|| folder.join("screenshot.png"))
}
