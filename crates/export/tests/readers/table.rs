//! The formats that are tables of single numbers: PLY and CSV.

use super::{Columns, numbers};

pub fn read_csv(bytes: &[u8]) -> Columns {
    let mut lines = std::str::from_utf8(bytes).unwrap().lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|line| line.split(',').map(|cell| f64::from(cell.parse::<f32>().unwrap())).collect())
        .collect();
    collect(&names, &rows)
}

pub fn read_ply(bytes: &[u8]) -> Columns {
    let end = b"end_header\n";
    let split = bytes.windows(end.len()).position(|window| window == end).unwrap() + end.len();
    let header = std::str::from_utf8(&bytes[..split]).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    let words: Vec<Vec<&str>> = header.lines().map(|line| line.split(' ').collect()).collect();
    let count: usize = words.iter().find(|line| line[0] == "element").unwrap()[2].parse().unwrap();
    let properties: Vec<(&str, usize, &str)> = words
        .iter()
        .filter(|line| line[0] == "property")
        .map(|line| match line[1] {
            "float" => ("f32", 4, line[2]),
            "uint" => ("u32", 4, line[2]),
            "uchar" => ("u8", 1, line[2]),
            other => panic!("{other}"),
        })
        .collect();
    let stride: usize = properties.iter().map(|property| property.1).sum();
    let data = &bytes[split..];
    assert_eq!(data.len(), count * stride);
    let rows: Vec<Vec<f64>> = data
        .chunks(stride)
        .map(|mut row| {
            let take = |property: &(&str, usize, &str)| {
                let (value, rest) = row.split_at(property.1);
                row = rest;
                numbers(value, property.0)[0]
            };
            properties.iter().map(take).collect()
        })
        .collect();
    let names: Vec<&str> = properties.iter().map(|property| property.2).collect();
    assert_eq!(names[..3], ["x", "y", "z"]);
    collect(&names, &rows)
}

/// Puts the components of vectors and tensors together again.
fn collect(names: &[&str], rows: &[Vec<f64>]) -> Columns {
    let column_of = |name: &str| match name {
        "x" | "y" | "z" => "position".to_owned(),
        "vx" | "vy" | "vz" => "velocity".to_owned(),
        "red" | "green" | "blue" => "color".to_owned(),
        _ => match name.rsplit_once('_') {
            Some((stem, suffix)) if suffix.chars().all(|c| "xyz".contains(c)) => stem.to_owned(),
            _ => name.to_owned(),
        },
    };
    let mut columns = Columns::new();
    for row in rows {
        assert_eq!(row.len(), names.len());
        for (name, value) in names.iter().zip(row) {
            columns.entry(column_of(name)).or_default().push(*value);
        }
    }
    columns
}
