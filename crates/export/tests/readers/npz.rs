//! NumPy archives.

use super::{Columns, numbers};
use std::io::{Cursor, Read};

pub fn read(bytes: &[u8]) -> Columns {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut columns = Columns::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        assert_eq!(file.compression(), zip::CompressionMethod::Stored);
        let name = file.name().unwrap().strip_suffix(".npy").unwrap().to_owned();
        let mut array = Vec::new();
        file.read_to_end(&mut array).unwrap();
        columns.insert(name, read_array(&array));
    }
    columns
}

fn read_array(bytes: &[u8]) -> Vec<f64> {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let data_at = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert!(data_at.is_multiple_of(64));
    let header = std::str::from_utf8(&bytes[10..data_at]).unwrap();
    assert!(header.ends_with('\n'));
    let kind = match header.split('\'').nth(3).unwrap() {
        "<f4" => "f32",
        "<f8" => "f64",
        "<u4" => "u32",
        other => panic!("{other}"),
    };
    let shape = header.split_once('(').unwrap().1.split_once(')').unwrap().0;
    let expected: usize = shape
        .split(", ")
        .map(|n| n.trim_matches(','))
        .filter(|n| !n.is_empty())
        .map(|n| n.parse::<usize>().unwrap())
        .product();
    let values = numbers(&bytes[data_at..], kind);
    assert_eq!(values.len(), expected);
    values
}
