//! Movies: H.264 in MP4, which every browser and player shows.

use std::path::Path;

use muxide::api::{Muxer, MuxerBuilder, VideoCodec};
use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, VuiConfig,
};
use openh264::formats::YUVBuffer;
use openh264::{OpenH264API, Timestamp};

use crate::RenderError;
use crate::image::{Image, write_file};

/// Allowed bits for each pixel of each frame: several times what pictures of particles need, so that the quantiser
/// alone decides how they look.
const BITS_PER_PIXEL: f64 = 0.6;
/// Range of the quantiser: not finer than eyes can see, never so coarse that particles turn to blocks.
const QUANTISER: (u8, u8) = (19, 30);
/// Range of the quantiser where the number of bits decides.
const ANY_QUANTISER: (u8, u8) = (12, 51);
/// Time between frames that players can jump to [s].
const SEEK_SECONDS: f64 = 1.0;

/// A movie that grows by a frame at a time; the same pictures give the same bytes.
pub struct Movie {
    encoder: Encoder,
    muxer: Muxer<Vec<u8>>,
    width: u32,
    height: u32,
    fps: f64,
    frame_count: u64,
}

impl Movie {
    /// An empty movie of frames of that size [pixels]. An odd last row or column is cut off: the format halves the
    /// resolution of colour.
    ///
    /// # Errors
    /// [`RenderError::FrameRate`] or [`RenderError::Size`] for values no player accepts.
    pub fn new(width: u32, height: u32, fps: f64) -> Result<Self, RenderError> {
        Self::with_bitrate(width, height, fps, None)
    }

    /// As [`Movie::new`], with about that many bits a second; as many as the pictures need if none.
    ///
    /// # Errors
    /// As [`Movie::new`].
    pub fn with_bitrate(
        width: u32,
        height: u32,
        fps: f64,
        bitrate: Option<u32>,
    ) -> Result<Self, RenderError> {
        if !(1.0..=240.0).contains(&fps) {
            return Err(RenderError::FrameRate { fps });
        }
        if !Self::can_hold(width, height) {
            return Err(RenderError::MovieSize { width, height });
        }
        let even = |side: u32| side - side % 2;
        let rate = f64::from(width) * f64::from(height) * fps * BITS_PER_PIXEL;
        let (mode, quantiser) = match bitrate {
            None => (RateControlMode::Quality, QUANTISER),
            Some(_) => (RateControlMode::Bitrate, ANY_QUANTISER),
        };
        let config = EncoderConfig::new()
            .bitrate(BitRate::from_bps(bitrate.unwrap_or(rate.clamp(2e5, 1e8) as u32)))
            .max_frame_rate(FrameRate::from_hz(fps as f32))
            .rate_control_mode(mode)
            .qp(QpRange::new(quantiser.0, quantiser.1))
            .complexity(Complexity::High)
            .intra_frame_period(IntraFramePeriod::from_num_frames((fps * SEEK_SECONDS).ceil() as u32))
            // It takes small things before a still backdrop for part of it and leaves ghosts of them behind.
            .background_detection(false)
            .adaptive_quantization(false)
            // The number of threads changes where slices end, and with them the bytes.
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config).map_err(failed)?;
        let muxer = MuxerBuilder::new(Vec::new())
            .video(VideoCodec::H264, even(width), even(height), fps)
            .build()
            .map_err(failed)?;
        Ok(Self { encoder, muxer, width, height, fps, frame_count: 0 })
    }

    /// Whether frames of that size [pixels] can be encoded here: the library takes up to 3840 × 2160, lying or standing.
    pub fn can_hold(width: u32, height: u32) -> bool {
        let (longer, shorter) = (width.max(height), width.min(height));
        shorter >= 16 && longer <= 3840 && shorter <= 2160
    }

    /// Appends a picture.
    ///
    /// # Errors
    /// [`RenderError::FrameSize`] if it has another size than the movie, [`RenderError::Movie`] if encoding fails.
    pub fn push(&mut self, image: &Image) -> Result<(), RenderError> {
        if (image.width(), image.height()) != (self.width, self.height) {
            return Err(RenderError::FrameSize {
                frame: self.frame_count,
                width: image.width(),
                height: image.height(),
                expected_width: self.width,
                expected_height: self.height,
            });
        }
        let seconds = self.frame_count as f64 / self.fps;
        let at = Timestamp::from_millis((seconds * 1000.0).round() as u64);
        let picture = to_yuv(image);
        let mut stream = self.encoder.encode_at(&picture, at).map_err(failed)?;
        if stream.to_vec().is_empty() {
            // The encoder skips a picture when those before it took more bits than planned, but never a key picture.
            self.encoder.force_intra_frame();
            stream = self.encoder.encode_at(&picture, at).map_err(failed)?;
        }
        let is_key = matches!(stream.frame_type(), FrameType::IDR | FrameType::I);
        self.muxer.write_video(seconds, &stream.to_vec(), is_key).map_err(failed)?;
        self.frame_count += 1;
        Ok(())
    }

    /// Number of frames so far.
    pub fn frame_count(&self) -> u64 {
        self.frame_count
    }

    /// The bytes of the MP4 file.
    ///
    /// # Errors
    /// [`RenderError::Movie`] if there is no frame.
    pub fn finish(mut self) -> Result<Vec<u8>, RenderError> {
        if self.frame_count == 0 {
            return Err(RenderError::Movie("it has no frame".to_owned()));
        }
        self.muxer.finish_in_place().map_err(failed)?;
        Ok(self.muxer.into_writer())
    }

    /// Writes the MP4 file, whole or not at all.
    ///
    /// # Errors
    /// As [`Movie::finish`], and [`RenderError::Write`] if the file cannot be written.
    pub fn save(self, path: &Path) -> Result<(), RenderError> {
        write_file(path, &self.finish()?)
    }
}

fn failed(error: impl std::fmt::Display) -> RenderError {
    RenderError::Movie(error.to_string())
}

/// Rec. 709 luma and colour differences in studio range (16..=235 and 16..=240), colour at half resolution.
fn to_yuv(image: &Image) -> YUVBuffer {
    let stride = image.width() as usize;
    let (width, height) = (stride & !1, image.height() as usize & !1);
    let pixel = |x: usize, y: usize| image.pixels()[y * stride + x].map(f32::from);
    let luma = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let mut yuv = Vec::with_capacity(width * height * 3 / 2);
    for y in 0..height {
        yuv.extend((0..width).map(|x| (16.5 + luma(pixel(x, y)) * (219.0 / 255.0)) as u8));
    }
    let mut difference = |channel: usize, reach: f32| {
        for y in (0..height).step_by(2) {
            yuv.extend((0..width).step_by(2).map(|x| {
                let block = [pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)];
                let sum: f32 = block.map(|colour| colour[channel] - luma(colour)).iter().sum();
                (128.5 + 0.25 * sum * (224.0 / 255.0) / reach) as u8
            }));
        }
    };
    difference(2, 2.0 * (1.0 - 0.0722));
    difference(0, 2.0 * (1.0 - 0.2126));
    YUVBuffer::from_vec(yuv, width, height)
}
