//! What is measured on the runs of a figure, beside what the paper prints.

use std::collections::HashSet;

use super::super::{extent, points};
use super::{Finding, Ran};

pub(super) fn nothing(_: &[Ran]) -> Vec<Finding> {
    Vec::new()
}

/// Time of a step of one row over that of another.
pub(super) fn ratio(rows: &[Ran], of: usize, over: usize, printed: Option<f64>) -> Finding {
    let pace = |row: &Ran| row.seconds / row.steps;
    Finding {
        quantity: format!("time of a step, {} over {}", rows[of].label, rows[over].label),
        measured: pace(&rows[of]) / pace(&rows[over]),
        printed,
    }
}

/// Particles as pairs of cells, `edge` metres wide.
fn cells(snapshot: &pliant_world::Snapshot, edge: f64) -> HashSet<(i64, i64, i64)> {
    let cell = |value: f64| (value / edge).floor() as i64;
    points(snapshot).iter().map(|x| (cell(x.x), cell(x.y), cell(x.z))).collect()
}

/// Edge of the square or cube that a particle stands for [m].
pub(in super::super) fn spacing(snapshot: &pliant_world::Snapshot) -> f64 {
    2.0 * f64::from(snapshot.scalars("radius").and_then(|r| r.first()).copied().unwrap_or(0.5))
}

/// Cells with particles at the end, beside those at the start: mean over the last frames, since water sloshes.
pub(super) fn volume_loss(rows: &[Ran]) -> Vec<Finding> {
    let printed = [38.0, 8.0, 22.0, 9.0];
    let mut findings = Vec::new();
    for (row, printed) in rows.iter().zip(printed) {
        let Some(first) = row.first() else { continue };
        let edge = 2.0 * spacing(&first);
        let before = cells(&first, edge).len() as f64;
        let late: Vec<f64> =
            (0..15).filter_map(|k| row.frame(k)).map(|frame| cells(&frame, edge).len() as f64).collect();
        let after = late.iter().sum::<f64>() / late.len().max(1) as f64;
        findings.push(Finding {
            quantity: format!("volume lost, {} [%]", row.label),
            measured: 100.0 * (1.0 - after / before),
            printed: Some(printed),
        });
    }
    findings
}

/// Cells that the heaps fill at the end, per cell of sand at the start.
pub(super) fn heaps(rows: &[Ran]) -> Vec<Finding> {
    let filled = |row: &Ran| {
        let (first, last) = (row.first()?, row.frame(0)?);
        let edge = 2.0 * spacing(&first);
        Some(cells(&last, edge).len() as f64 / cells(&first, edge).len() as f64)
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("room at the end over that at the start, {}", row.label),
            measured: filled(row).unwrap_or(f64::NAN),
            printed: None,
        })
        .collect()
}

/// Width of what was thrown, without the hundredth that flies farthest, over that at the start.
pub(super) fn spread(rows: &[Ran]) -> Vec<Finding> {
    let width = |snapshot: &pliant_world::Snapshot| {
        let mut values: Vec<f64> = points(snapshot).iter().map(|x| x.x).collect();
        values.sort_by(f64::total_cmp);
        let cut = values.len() / 200;
        values[values.len() - 1 - cut] - values[cut]
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("width at the end over that at the start, {}", row.label),
            measured: row
                .frame(0)
                .zip(row.first())
                .map_or(f64::NAN, |(last, first)| width(&last) / width(&first)),
            printed: None,
        })
        .collect()
}

/// Height of the first body at the end over that at the start.
pub(super) fn bunny_heights(rows: &[Ran]) -> Vec<Finding> {
    let height = |snapshot: &pliant_world::Snapshot| {
        let bodies = snapshot.integers("body").unwrap_or_default();
        let all = points(snapshot);
        let mut own: Vec<f64> =
            all.iter().zip(bodies).filter(|(_, body)| **body == 0).map(|(x, _)| x.y).collect();
        own.sort_by(f64::total_cmp);
        own.get(own.len() * 99 / 100).copied().unwrap_or(f64::NAN)
    };
    rows.iter()
        .map(|row| Finding {
            quantity: format!("height of the bunny at the end over that at the start, {}", row.label),
            measured: row
                .frame(0)
                .zip(row.first())
                .map_or(f64::NAN, |(last, first)| height(&last) / height(&first)),
            printed: None,
        })
        .collect()
}

/// Height of the middle of each square at the end.
pub(super) fn heights(rows: &[Ran]) -> Vec<Finding> {
    let Some(last) = rows.first().and_then(|row| row.frame(0)) else { return Vec::new() };
    let bodies = last.integers("body").unwrap_or_default();
    let all = points(&last);
    (0u32..)
        .zip(["water", "lighter than water", "as heavy as water", "heavier than water"])
        .map(|(number, name)| {
            let own: Vec<f64> =
                all.iter().zip(bodies).filter(|(_, body)| **body == number).map(|(x, _)| x.y).collect();
            let measured = own.iter().sum::<f64>() / own.len().max(1) as f64;
            Finding { quantity: format!("mean height at the end, {name} [m]"), measured, printed: None }
        })
        .collect()
}

/// Pieces that a ball has come into: groups of particles within two cells of each other, of more than three particles.
fn count_pieces(points: &[pliant_math::Vec3], reach: f64) -> f64 {
    let mut group: Vec<usize> = (0..points.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    for a in 0..points.len() {
        for b in 0..a {
            if (points[a] - points[b]).norm() < reach {
                let (one, other) = (root(&mut group, a), root(&mut group, b));
                group[one] = other;
            }
        }
    }
    let mut sizes = vec![0; points.len()];
    for i in 0..points.len() {
        sizes[root(&mut group, i)] += 1;
    }
    sizes.iter().filter(|size| **size > 3).count() as f64
}

pub(super) fn pieces(rows: &[Ran]) -> Vec<Finding> {
    rows.iter()
        .map(|row| Finding {
            quantity: format!("pieces at the end, {}", row.label),
            measured: row
                .frame(0)
                .map_or(f64::NAN, |last| count_pieces(&points(&last), 2.0 * spacing(&last))),
            printed: None,
        })
        .collect()
}

pub(super) fn pieces_by_body(rows: &[Ran]) -> Vec<Finding> {
    let Some(last) = rows.first().and_then(|row| row.frame(0)) else { return Vec::new() };
    let bodies = last.integers("body").unwrap_or_default();
    let all = points(&last);
    (0u32..)
        .zip(["grid", "random", "stratified", "Poisson disks"])
        .map(|(number, name)| {
            let own: Vec<_> =
                all.iter().zip(bodies).filter(|(_, body)| **body == number).map(|(x, _)| *x).collect();
            let measured = count_pieces(&own, 2.0 * spacing(&last));
            Finding { quantity: format!("pieces at the end, {name}"), measured, printed: None }
        })
        .collect()
}

/// How far the same particles of two runs are apart at the end.
pub(super) fn apart(rows: &[Ran]) -> Vec<Finding> {
    let ends = rows.first().and_then(|row| row.frame(0)).zip(rows.get(1).and_then(|row| row.frame(0)));
    let Some((one, two)) = ends else { return Vec::new() };
    let (one, two) = (points(&one), points(&two));
    let farthest = one.iter().zip(&two).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let size = extent(&one, 0);
    vec![
        Finding {
            quantity: "farthest that a particle is from itself [m]".to_owned(),
            measured: farthest,
            printed: Some(0.0),
        },
        Finding {
            quantity: "the same over the width of the scene".to_owned(),
            measured: farthest / size,
            printed: None,
        },
    ]
}
