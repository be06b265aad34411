//! Points from files: CSV with columns x, y, z, or the vertices of a PLY file.

use crate::mesh::{Fault, MeshError, Place, read_file, read_ply};
use pliant_math::Vec3;
use std::path::Path;

const HINT: &str = "give three finite numbers a line, separated by commas";

/// Reads points `[m]` from a CSV or PLY file, in the file's order.
///
/// A CSV file may begin with a header that names the columns; then `x`, `y` and `z` are taken, `z` being zero if
/// absent. Without a header the first three columns are (the first two, if there are only two). Empty lines and
/// lines that begin with `#` are skipped; commas, semicolons, tabs and blanks separate.
///
/// # Errors
/// One message with file, line and column for anything that is not a finite number.
pub fn load(path: &Path) -> Result<Vec<Vec3>, MeshError> {
    let name = path.display().to_string();
    let bytes = read_file(path)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_lowercase();
    let points = match ending.as_str() {
        "csv" | "txt" | "xyz" => read_csv(&bytes),
        "ply" => read_ply(&bytes).map(|mesh| mesh.vertices),
        _ => return Err(MeshError::UnknownPointFormat { path: name, ending }),
    };
    let points = points.map_err(|fault| fault.in_file(&name))?;
    if points.is_empty() {
        return Err(Fault::new(Place::File, "there are no points in it", HINT).in_file(&name));
    }
    Ok(points)
}

fn read_csv(bytes: &[u8]) -> Result<Vec<Vec3>, Fault> {
    let mut points = Vec::new();
    let mut columns = None;
    for (number, raw) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(raw);
        let line = text.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells = split(line);
        match columns {
            Some(columns) => points.push(read_point(&cells, columns, number + 1)?),
            None if cells.iter().any(|cell| cell.parse::<f64>().is_ok()) => {
                let order = [Some(0), Some(1), (cells.len() > 2).then_some(2)];
                columns = Some(order);
                points.push(read_point(&cells, order, number + 1)?);
            }
            None => columns = Some(read_header(&cells, number + 1)?),
        }
    }
    Ok(points)
}

fn split(line: &str) -> Vec<&str> {
    match line.find([',', ';']) {
        Some(_) => line.split([',', ';']).map(|cell| cell.trim().trim_matches('"')).collect(),
        None => line.split_whitespace().collect(),
    }
}

fn read_header(cells: &[&str], line: usize) -> Result<[Option<usize>; 3], Fault> {
    let find = |name: &str| cells.iter().position(|cell| cell.eq_ignore_ascii_case(name));
    let columns = [find("x"), find("y"), find("z")];
    if columns[0].is_some() && columns[1].is_some() {
        Ok(columns)
    } else {
        Err(Fault::new(Place::Line(line), "the header names no columns x and y", HINT))
    }
}

fn read_point(cells: &[&str], columns: [Option<usize>; 3], line: usize) -> Result<Vec3, Fault> {
    let mut point = Vec3::zeros();
    for (axis, column) in columns.iter().enumerate() {
        let Some(column) = column else { continue };
        let place = Place::Cell(line, column + 1);
        let cell = cells.get(*column).copied().unwrap_or("");
        let value = cell.parse::<f64>().ok().filter(|value| value.abs() < 1e30);
        point[axis] = value.ok_or_else(|| {
            let shown: String = cell.chars().take(40).collect();
            Fault::new(place, format!("\"{shown}\" is not a usable number"), HINT)
        })?;
    }
    Ok(point)
}
