//! No damage to a frame or checkpoint file goes unseen, and none makes the reader panic.
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use common::{Random, snapshot};
use pliant_store::scene_files::SceneHash;
use pliant_store::{StoreError, checkpoint, container, frame};
use std::path::Path;

const SCENE: SceneHash = SceneHash([7; 32]);

fn small_frame() -> Vec<u8> {
    frame::encode(&snapshot(3, 5), &SCENE).unwrap().bytes
}

fn read(bytes: &[u8]) -> Result<(), StoreError> {
    frame::decode(Path::new("frame.0003.plf"), bytes, &SCENE).map(|_| ())
}

#[test]
fn a_frame_reads_back_as_it_was_written() {
    let original = snapshot(3, 1000);
    let bytes = frame::encode(&original, &SCENE).unwrap().bytes;
    assert_eq!(frame::decode(Path::new("f"), &bytes, &SCENE).unwrap(), original);
}

#[test]
fn a_frame_without_particles_reads_back() {
    let original = snapshot(0, 0);
    let bytes = frame::encode(&original, &SCENE).unwrap().bytes;
    assert_eq!(frame::decode(Path::new("f"), &bytes, &SCENE).unwrap(), original);
}

#[test]
fn every_change_of_every_byte_is_detected() {
    let good = small_frame();
    for index in 0..good.len() {
        for change in 1..=255 {
            let mut bad = good.clone();
            bad[index] ^= change;
            assert!(read(&bad).is_err(), "byte {index} changed by {change:#x} went unseen");
        }
    }
}

#[test]
fn every_truncation_is_detected() {
    let good = small_frame();
    for length in 0..good.len() {
        let error = read(&good[..length]).unwrap_err();
        assert!(error.to_string().contains("frame.0003.plf"), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn bytes_after_the_end_are_detected() {
    let mut bad = small_frame();
    bad.push(0);
    assert!(read(&bad).is_err());
}

#[test]
fn ten_thousand_random_bit_flips_are_detected() {
    let good = small_frame();
    let mut random = Random(0x2013_0721);
    for _ in 0..10_000 {
        let mut bad = good.clone();
        for _ in 0..=random.below(8) {
            let index = random.below(bad.len());
            bad[index] ^= 1 << random.below(8);
        }
        assert!(bad == good || read(&bad).is_err());
    }
}

#[test]
fn sizes_that_the_file_cannot_hold_reserve_no_memory() {
    // A payload length of 2^63 with all checksums made to fit: only the size check can refuse it.
    let mut bytes = small_frame();
    let name_at = 72;
    let length_at = name_at + 4 + "meta".len();
    bytes[length_at..length_at + 8].copy_from_slice(&(1_u64 << 63).to_le_bytes());
    let end = bytes.len() - 4;
    let crc = crc32c_of(&bytes[..end]);
    bytes[end..].copy_from_slice(&crc.to_le_bytes());
    let error = read(&bytes).unwrap_err();
    assert!(error.to_string().contains("block 0 is cut short"), "{error}");
}

/// Bit by bit, from the definition.
fn crc32c_of(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0x82f6_3b78 & (crc & 1).wrapping_neg()))
    })
}

#[test]
fn a_checkpoint_is_not_a_frame() {
    let meta = common::meta(1);
    let bytes = checkpoint::encode(meta, &[("solver", b"state")], &SCENE).bytes;
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, StoreError::WrongKind { .. }), "{error}");
    assert!(error.to_string().contains("is a checkpoint, not a frame"), "{error}");
    let back = checkpoint::decode(Path::new("c"), &bytes, &SCENE).unwrap();
    assert_eq!((back.meta, back.section("solver")), (meta, Some(b"state".as_slice())));
}

#[test]
fn a_frame_of_another_scene_is_refused() {
    let error = frame::decode(Path::new("f"), &small_frame(), &SceneHash([8; 32])).unwrap_err();
    assert!(matches!(error, StoreError::OtherScene { .. }), "{error}");
}

#[test]
fn a_file_from_the_future_says_who_wrote_it() {
    let mut bytes = small_frame();
    bytes[8..12].copy_from_slice(&(container::FORMAT + 1).to_le_bytes());
    bytes[16..21].copy_from_slice(b"9.8.7");
    let error = read(&bytes).unwrap_err();
    assert!(error.to_string().contains("format 2, written by version 9.8.7"), "{error}");
}

#[test]
fn an_empty_file_is_called_empty() {
    assert!(read(&[]).unwrap_err().to_string().contains("it is empty"));
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(99);
    for length in 0..2000 {
        let mut noise: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
        assert!(read(&noise).is_err());
        for (slot, byte) in noise.iter_mut().zip(small_frame()).take(72) {
            *slot = byte;
        }
        assert!(read(&noise).is_err());
    }
}

#[test]
fn non_finite_values_never_reach_a_file() {
    let mut bad = snapshot(4, 10);
    let pliant_world::snapshot::Column::Tensor(values) = &mut bad.fields[3].column else { unreachable!() };
    values[6][2] = f32::NAN;
    let error = frame::encode(&bad, &SCENE).unwrap_err();
    assert!(error.to_string().contains("frame 4 was not written: F of particle 6 is not finite"), "{error}");
    assert_eq!(error.exit_code(), 3);

    let mut bad = snapshot(4, 10);
    bad.quantities[0].1 = f64::INFINITY;
    assert!(frame::encode(&bad, &SCENE).unwrap_err().to_string().contains("kinetic_energy is inf"));
}
