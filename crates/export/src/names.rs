//! What each family of programs calls a column.

use pliant_world::snapshot::{Column, Field, Snapshot};

/// Name of the column of colours, red, green and blue from 0 to 1.
pub(crate) const COLOR: &str = "color";

const AXES: [&str; 3] = ["x", "y", "z"];

/// Names of the single numbers of a column where a format knows no vectors (PLY, CSV): `x y z`, `vx vy vz`,
/// `stress_xx … stress_zz`.
pub(crate) fn components(field: &Field) -> Vec<String> {
    let name = field.name.as_str();
    match &field.column {
        Column::Integer(_) | Column::Scalar(_) => vec![name.to_owned()],
        Column::Vector(_) if name == Snapshot::POSITION => AXES.map(str::to_owned).to_vec(),
        Column::Vector(_) if name == Snapshot::VELOCITY => AXES.map(|axis| format!("v{axis}")).to_vec(),
        Column::Vector(_) if name == COLOR => ["red", "green", "blue"].map(str::to_owned).to_vec(),
        Column::Vector(_) => AXES.map(|axis| format!("{name}_{axis}")).to_vec(),
        Column::Tensor(_) => {
            AXES.iter().flat_map(|row| AXES.map(|column| format!("{name}_{row}{column}"))).collect()
        }
    }
}

/// What Houdini calls a column; names it has no word for stay.
pub(crate) fn houdini(name: &str) -> &str {
    match name {
        Snapshot::POSITION => "P",
        Snapshot::VELOCITY => "v",
        Snapshot::RADIUS => "pscale",
        COLOR => "Cd",
        "rest_position" => "rest",
        "J" => "Je",
        other => other,
    }
}

/// How Houdini should transform an attribute, if it is to know.
pub(crate) fn houdini_role(name: &str) -> Option<&'static str> {
    match name {
        "P" | "rest" => Some("point"),
        "v" => Some("vector"),
        "Cd" => Some("color"),
        _ => None,
    }
}
