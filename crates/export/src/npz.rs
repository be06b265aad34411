//! NumPy: an uncompressed zip archive with one `.npy` array a column, named as in the snapshot.

use crate::column::{Flat, Words};
use pliant_world::snapshot::Snapshot;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The header of an array ends on a multiple of this, so that the data can be mapped into memory.
const ALIGNMENT: usize = 64;
const PREFIX: &[u8] = b"\x93NUMPY\x01\x00";

/// The file of a valid snapshot: the columns, and `time` and `frame` as arrays without dimensions.
pub(crate) fn encode(snapshot: &Snapshot, buffer: Vec<u8>) -> Vec<u8> {
    let count = snapshot.positions().len();
    let mut archive = ZipWriter::new(Cursor::new(buffer));
    for field in &snapshot.fields {
        let Flat { width, words } = Flat::of(&field.column);
        let kind = match words {
            Words::Integers(_) => "<u4",
            Words::Reals(_) => "<f4",
        };
        let shape = match width {
            1 => format!("({count},)"),
            9 => format!("({count}, 3, 3)"),
            _ => format!("({count}, {width})"),
        };
        let mut array = header(kind, &shape);
        words.append_to(&mut array);
        add(&mut archive, &field.name, &array);
    }
    let scalar = |kind, bytes: &[u8]| [&header(kind, "()"), bytes].concat();
    add(&mut archive, "time", &scalar("<f8", &snapshot.time.to_le_bytes()));
    add(&mut archive, "frame", &scalar("<u4", &snapshot.frame.to_le_bytes()));
    archive.finish().expect("writing to memory cannot fail").into_inner()
}

fn add(archive: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, array: &[u8]) {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(u32::try_from(array.len()).is_err());
    archive.start_file(format!("{name}.npy"), options).expect("names are plain and appear once");
    archive.write_all(array).expect("writing to memory cannot fail");
}

fn header(kind: &str, shape: &str) -> Vec<u8> {
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    let unpadded = PREFIX.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    let length = u16::try_from(text.len()).expect("a shape of three numbers is short");
    [PREFIX, &length.to_le_bytes(), text.as_bytes()].concat()
}
