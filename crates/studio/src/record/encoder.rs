//! From frames to files: H.264 by Pliant itself, larger movies and HEVC by `ffmpeg`, PNG.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Once, OnceLock};

use pliant_render::{Image, Movie};

use super::{Codec, RecordSettings};

/// What `ffmpeg` encodes HEVC with.
const HEVC: &str = "libx265";
/// What `ffmpeg` encodes H.264 with.
const H264: &str = "libx264";

/// Whether HEVC can be made here: an `ffmpeg` with its encoder is installed. Not known until it has been looked for.
pub fn has_hevc() -> bool {
    has_encoder(HEVC)
}

/// Whether H.264 can be made of pictures that are too large for Pliant itself.
pub fn has_large_h264() -> bool {
    has_encoder(H264)
}

fn has_encoder(name: &str) -> bool {
    static FOUND: OnceLock<String> = OnceLock::new();
    static LOOKING: Once = Once::new();
    LOOKING.call_once(|| {
        std::thread::spawn(|| {
            let output = Command::new("ffmpeg").args(["-hide_banner", "-encoders"]).output();
            let list = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            let _ = FOUND.set(list.unwrap_or_default());
        });
    });
    FOUND.get().is_some_and(|list| list.contains(name))
}

/// What takes frames one by one.
pub(super) enum Encoder {
    H264(Box<Movie>, PathBuf),
    Ffmpeg(Child, PathBuf),
    Png(PathBuf, u64),
}

impl Encoder {
    pub(super) fn start(settings: &RecordSettings) -> Result<Self, String> {
        let path = PathBuf::from(&settings.path);
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        }
        let [width, height] = settings.size;
        match settings.codec {
            Codec::H264 if Movie::can_hold(width, height) => {
                let bits = settings.megabits.map(|megabits| (megabits.clamp(0.05, 400.0) * 1e6) as u32);
                let movie = Movie::with_bitrate(width, height, settings.fps, bits);
                Ok(Self::H264(Box::new(movie.map_err(|error| error.to_string())?), path))
            }
            Codec::H264 => Ok(Self::Ffmpeg(ffmpeg(settings, &path, H264)?, path)),
            Codec::Hevc => Ok(Self::Ffmpeg(ffmpeg(settings, &path, HEVC)?, path)),
            Codec::Png => {
                let folder = path.with_extension("");
                std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
                Ok(Self::Png(folder, 0))
            }
        }
    }

    pub(super) fn push(&mut self, image: &Image) -> Result<(), String> {
        match self {
            Self::H264(movie, _) => movie.push(image).map_err(|error| error.to_string()),
            Self::Ffmpeg(child, _) => {
                let bytes: Vec<u8> = image.pixels().iter().flatten().copied().collect();
                let pipe = child.stdin.as_mut().ok_or("ffmpeg takes no pictures")?;
                pipe.write_all(&bytes).map_err(|error| format!("ffmpeg stopped: {error}{}", complaint(child)))
            }
            Self::Png(folder, count) => {
                image
                    .save(&folder.join(format!("picture.{count:04}.png")))
                    .map_err(|error| error.to_string())?;
                *count += 1;
                Ok(())
            }
        }
    }

    pub(super) fn finish(self) -> Result<PathBuf, String> {
        match self {
            Self::H264(movie, path) => movie.save(&path).map(|()| path).map_err(|error| error.to_string()),
            Self::Ffmpeg(mut child, path) => {
                drop(child.stdin.take());
                let complaint = complaint(&mut child);
                let status = child.wait().map_err(|error| error.to_string())?;
                if status.success() {
                    Ok(path)
                } else {
                    Err(format!("ffmpeg ended with {status}{complaint}"))
                }
            }
            Self::Png(folder, _) => Ok(folder),
        }
    }
}

/// What `ffmpeg` says went wrong; waits for its end.
fn complaint(child: &mut Child) -> String {
    let mut text = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        let _ = pipe.read_to_string(&mut text);
    }
    text.lines().next().map(|line| format!(": {line}")).unwrap_or_default()
}

fn ffmpeg(settings: &RecordSettings, path: &Path, encoder: &str) -> Result<Child, String> {
    let [width, height] = settings.size;
    let (size, rate) = (format!("{width}x{height}"), settings.fps.to_string());
    let mut command = Command::new("ffmpeg");
    command.args([
        "-y",
        "-loglevel",
        "error",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        &size,
        "-r",
        &rate,
    ]);
    command.args(["-i", "-", "-c:v", encoder, "-pix_fmt", "yuv420p"]);
    if encoder == HEVC {
        command.args(["-tag:v", "hvc1"]);
    }
    if let Some(megabits) = settings.megabits {
        command.args(["-b:v", &format!("{megabits}M")]);
    }
    command.arg(path).stdin(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        format!(
            "a movie of {width} × {height} pixels in this format needs ffmpeg with {encoder}, which could not be \
             started: {error}; install it, record a PNG series, or H.264 of at most 3840 × 2160"
        )
    })
}
