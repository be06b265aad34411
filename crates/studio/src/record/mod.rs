//! Movies and series of pictures: frames come from the viewport's renderer, a thread of its own encodes them.

mod encoder;

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};

use pliant_render::Image;
use serde::{Deserialize, Serialize};

use encoder::Encoder;
pub use encoder::{has_hevc, has_large_h264};

/// What a movie is encoded with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Codec {
    /// H.264 in MP4, by Pliant itself up to 3840 × 2160, beyond by `ffmpeg`.
    #[default]
    H264,
    /// HEVC in MP4, by the program `ffmpeg`, which must be installed.
    Hevc,
    /// PNG files, one a frame.
    Png,
}

impl Codec {
    /// All with their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::H264, "H.264 (MP4)"), (Self::Png, "PNG series"), (Self::Hevc, "HEVC (MP4, by ffmpeg)")];

    /// Those that can be made here.
    pub fn available() -> &'static [(Self, &'static str)] {
        if has_hevc() { &Self::ALL } else { &Self::ALL[..2] }
    }
}

/// Largest side of a picture [pixels]: that of textures every graphics processor has.
pub const LARGEST: u32 = 8192;

/// How a movie is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordSettings {
    /// File, or folder of pictures.
    pub path: String,
    /// Width and height [pixels].
    pub size: [u32; 2],
    /// Frames a second of the movie [1/s].
    pub fps: f64,
    /// Megabits a second; as many as needed if none.
    pub megabits: Option<f64>,
    /// Simulated time of the first frame [s].
    pub start: f64,
    /// Simulated time of the last; to the end if none [s].
    pub stop: Option<f64>,
    /// Simulated seconds for each second of the movie.
    pub speed: f64,
    /// How it is encoded.
    pub codec: Codec,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            path: "movie.mp4".to_owned(),
            size: [1280, 720],
            fps: 30.0,
            megabits: None,
            start: 0.0,
            stop: None,
            speed: 1.0,
            codec: Codec::H264,
        }
    }
}

impl RecordSettings {
    /// Simulated time of a frame [s].
    pub fn time_of(&self, frame: u64) -> f64 {
        self.start + frame as f64 * self.speed / self.fps
    }

    /// The settings with numbers that movies can have.
    #[must_use]
    pub fn sane(&self) -> Self {
        let mut settings = self.clone();
        settings.fps = if settings.fps.is_finite() { settings.fps.clamp(1.0, 240.0) } else { 30.0 };
        settings.speed = if settings.speed.is_finite() { settings.speed.clamp(1e-6, 1e6) } else { 1.0 };
        settings.start = if settings.start.is_finite() { settings.start.max(0.0) } else { 0.0 };
        settings.size = settings.size.map(|side| side.clamp(16, LARGEST) / 2 * 2);
        settings
    }
}

/// A movie being made.
pub struct Recording {
    /// How.
    pub settings: RecordSettings,
    /// Frames so far.
    pub frames: u64,
    /// When it began.
    pub began: std::time::Instant,
    sender: Option<SyncSender<Image>>,
    done: Receiver<Result<PathBuf, String>>,
    /// A frame the encoder had no room for yet.
    waiting: Option<Image>,
    /// Whether a frame is being drawn.
    is_awaited: bool,
}

impl Recording {
    /// Starts a movie.
    ///
    /// # Errors
    /// When it cannot be begun.
    pub fn start(settings: &RecordSettings) -> Result<Self, String> {
        let settings = settings.sane();
        let mut encoder = Encoder::start(&settings)?;
        let (sender, frames) = mpsc::sync_channel::<Image>(2);
        let (tell, done) = mpsc::channel();
        std::thread::spawn(move || {
            let pushed = frames.iter().try_for_each(|image| encoder.push(&image));
            let _ = tell.send(pushed.and_then(|()| encoder.finish()));
        });
        let began = std::time::Instant::now();
        Ok(Self { settings, frames: 0, began, sender: Some(sender), done, waiting: None, is_awaited: false })
    }

    /// Simulated time of the next frame; none if the last one has been taken [s].
    pub fn next_time(&self) -> Option<f64> {
        let time = self.settings.time_of(self.frames);
        let is_over = self.settings.stop.is_some_and(|stop| time > stop + 1e-9);
        (self.sender.is_some() && !is_over).then_some(time)
    }

    /// Whether a frame can be drawn now: none is on its way, and the encoder has room.
    pub fn is_ready(&mut self) -> bool {
        if let Some(image) = self.waiting.take() {
            self.offer(image);
        }
        self.waiting.is_none() && !self.is_awaited
    }

    /// A frame is being drawn and will be pushed.
    pub fn await_frame(&mut self) {
        self.is_awaited = true;
    }

    /// The frame that was being drawn does not come.
    pub fn give_up_frame(&mut self) {
        self.is_awaited = false;
    }

    /// Appends a frame. Never waits: what the encoder cannot take yet is offered again.
    pub fn push(&mut self, image: Image) {
        self.frames += 1;
        self.is_awaited = false;
        self.offer(image);
    }

    fn offer(&mut self, image: Image) {
        match self.sender.as_ref().map(|sender| sender.try_send(image)) {
            Some(Err(TrySendError::Full(image))) => self.waiting = Some(image),
            // The encoder has stopped; its error is waiting to be told.
            Some(Err(TrySendError::Disconnected(_))) => self.sender = None,
            Some(Ok(())) | None => {}
        }
    }

    /// No more frames: the encoder may finish.
    pub fn close(&mut self) {
        if self.is_ready() {
            self.sender = None;
        }
    }

    /// The movie, once it is written, or what went wrong.
    pub fn outcome(&self) -> Option<Result<PathBuf, String>> {
        self.done.try_recv().ok()
    }

    /// As [`Recording::outcome`], but waits.
    ///
    /// # Errors
    /// What went wrong.
    pub fn wait(mut self) -> Result<PathBuf, String> {
        while !self.is_ready() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        self.sender = None;
        self.done.recv().map_err(|error| error.to_string())?
    }
}

#[cfg(test)]
mod tests {
    use super::{Codec, Image, RecordSettings, Recording};

    #[test]
    fn frames_fall_on_the_times_the_settings_ask_for() {
        let settings =
            RecordSettings { start: 1.0, stop: Some(1.2), speed: 0.5, fps: 10.0, ..Default::default() };
        let times: Vec<f64> = (0..3).map(|frame| settings.time_of(frame)).collect();
        assert_eq!(times, [1.0, 1.05, 1.1]);
    }

    #[test]
    fn a_movie_and_a_series_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = vec![(Codec::H264, "a.mp4"), (Codec::Png, "series")];
        // Looked for on another thread; a second is long enough where it is installed.
        for _ in 0..50 {
            if super::has_hevc() {
                all.push((Codec::Hevc, "b.mp4"));
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        for (codec, name) in all {
            let path = folder.path().join(name);
            let settings = RecordSettings {
                path: path.to_string_lossy().into_owned(),
                size: [64, 48],
                codec,
                stop: Some(0.1),
                megabits: Some(1.0),
                ..Default::default()
            };
            let mut recording = Recording::start(&settings).unwrap();
            while recording.next_time().is_some() {
                while !recording.is_ready() {}
                let shade = (recording.frames * 40) as u8;
                recording.push(Image::filled(64, 48, [shade; 3]).unwrap());
            }
            assert_eq!(recording.frames, 4);
            assert_eq!(recording.wait().unwrap(), path);
            assert!(path.exists());
            if codec == Codec::Hevc {
                let movie = std::fs::read(&path).unwrap();
                assert!(movie.windows(4).any(|word| word == b"hvc1"), "players look for this mark of HEVC");
            }
        }
        assert_eq!(std::fs::read_dir(folder.path().join("series")).unwrap().count(), 4);
    }
}
