//! From frames to files: H.264 by Pliant itself, HEVC by `ffmpeg`, PNG.

use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use pliant_render::{Image, Movie};

use super::{Codec, RecordSettings};

/// Whether HEVC can be made here: an `ffmpeg` with its encoder is installed. Not known until it has been looked for.
pub fn has_hevc() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    static LOOKING: Once = Once::new();
    LOOKING.call_once(|| {
        std::thread::spawn(|| {
            let output = std::process::Command::new("ffmpeg").args(["-hide_banner", "-encoders"]).output();
            let is_there =
                output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("libx265"));
            let _ = FOUND.set(is_there);
        });
    });
    FOUND.get().copied().unwrap_or(false)
}

/// What takes frames one by one.
pub(super) enum Encoder {
    H264(Box<Movie>, PathBuf),
    Hevc(std::process::Child, PathBuf),
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
            Codec::H264 => {
                let bits = settings.megabits.map(|megabits| (megabits.clamp(0.05, 400.0) * 1e6) as u32);
                let movie = Movie::with_bitrate(width, height, settings.fps, bits);
                Ok(Self::H264(Box::new(movie.map_err(|error| error.to_string())?), path))
            }
            Codec::Hevc => Ok(Self::Hevc(ffmpeg(settings, &path)?, path)),
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
            Self::Hevc(child, _) => {
                let bytes: Vec<u8> = image.pixels().iter().flatten().copied().collect();
                let pipe = child.stdin.as_mut().ok_or("ffmpeg takes no pictures")?;
                std::io::Write::write_all(pipe, &bytes).map_err(|error| format!("ffmpeg stopped: {error}"))
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
            Self::Hevc(mut child, path) => {
                drop(child.stdin.take());
                let status = child.wait().map_err(|error| error.to_string())?;
                if status.success() { Ok(path) } else { Err(format!("ffmpeg ended with {status}")) }
            }
            Self::Png(folder, _) => Ok(folder),
        }
    }
}

fn ffmpeg(settings: &RecordSettings, path: &Path) -> Result<std::process::Child, String> {
    let [width, height] = settings.size;
    let (size, rate) = (format!("{width}x{height}"), settings.fps.to_string());
    let mut command = std::process::Command::new("ffmpeg");
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
    command.args(["-i", "-", "-c:v", "libx265", "-pix_fmt", "yuv420p", "-tag:v", "hvc1"]);
    if let Some(megabits) = settings.megabits {
        command.args(["-b:v", &format!("{megabits}M")]);
    }
    command.arg(path).stdin(std::process::Stdio::piped());
    command.spawn().map_err(|error| {
        format!("ffmpeg is needed for HEVC and could not be started: {error}; install it or choose H.264")
    })
}
