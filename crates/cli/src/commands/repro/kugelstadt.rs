//! The figures of Kugelstadt 2021: scenes side by side, and what was measured beside what is printed.

use pliant_math::{Mat, Vec3, principal};
use pliant_world::Snapshot;

use super::nilles::{Figure, Finding, Ran, frames, row, spacing};
use super::{Look, Options, nilles, points};
use crate::exit::Failure;
use crate::progress::Desk;

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$((concat!("kugelstadt2021/", $name), include_str!(concat!("../../../../../scenes/kugelstadt2021/", $name)))),*]
    };
}

/// Shipped scenes that figures and studies use.
pub(super) const SCENES: [(&str, &str); 10] = shipped![
    "fig1_walrus_funnel.toml",
    "fig1_water_park.toml",
    "fig2_moving_bunny.toml",
    "fig3_randomized_walrus.toml",
    "fig4_twisted_beam.toml",
    "fig5_armadillo.toml",
    "fig5_sculpture.toml",
    "fig6_dragon.toml",
    "video_armadillo.toml",
    "video_cantilever.toml",
];

const BUNNY: &str = "kugelstadt2021/fig2_moving_bunny.toml";
const WALRUS: &str = "kugelstadt2021/fig3_randomized_walrus.toml";
const BEAM: &str = "kugelstadt2021/fig4_twisted_beam.toml";
const CANTILEVER: &str = "kugelstadt2021/video_cantilever.toml";
const ARMADILLO: &str = "kugelstadt2021/video_armadillo.toml";

/// Particles as near at rest are the surroundings of one [spacings].
const SURROUNDINGS: f64 = 1.8;
/// Surroundings whose moments differ more are flat: determinant over the cube of the mean.
const FLAT: f64 = 0.02;

/// All of them, each with its look.
pub(super) const FIGURES: [(Figure, Look); 7] = [
    (
        Figure {
            name: "kugelstadt-funnel",
            shows: "Kugelstadt 2021, Fig. 1 left: walruses are pushed through a funnel",
            claim: "stable under strong deformation; 310 ms a step for elasticity, 878 ms for the pressure",
            rows: &[row("walruses", "kugelstadt2021/fig1_walrus_funnel.toml", &[])],
            compare: |rows| [stage_times(rows, &[310.1]), passed(rows)].concat(),
        },
        Look::Surface,
    ),
    (
        Figure {
            name: "kugelstadt-park",
            shows: "Kugelstadt 2021, Fig. 1 right: bodies and fluids in a water park",
            claim: "many bodies, fluids and a highly viscous fluid in one simulation",
            rows: &[row("park", "kugelstadt2021/fig1_water_park.toml", &[])],
            compare: |rows| stage_times(rows, &[]),
        },
        Look::Surface,
    ),
    (
        Figure {
            name: "kugelstadt-fig2",
            shows: "Kugelstadt 2021, Fig. 2: a moving bunny, by the split solver and by Peer 2018",
            claim: "both look the same; 179 against 2102 ms a step",
            rows: &[row("ours", BUNNY, &[]), row("peer2018", BUNNY, &["method.sph.elasticity=peer2018"])],
            compare: |rows| [stage_times(rows, &[179.0, 2102.0]), apart(rows)].concat(),
        },
        Look::Surface,
    ),
    (
        Figure {
            name: "kugelstadt-fig3",
            shows: "Kugelstadt 2021, Fig. 3: particles of a walrus at random places",
            claim: "with control of zero-energy modes the shape comes back, without it does not",
            rows: &[row("none", WALRUS, &["method.sph.zero_energy=none"]), row("control", WALRUS, &[])],
            compare: |rows| [misfits(rows), stage_times(rows, &[])].concat(),
        },
        Look::Particles,
    ),
    (
        Figure {
            name: "kugelstadt-fig4",
            shows: "Kugelstadt 2021, Fig. 4: a twisted beam, implicit against explicit control",
            claim: "stable with implicit control, particles of very high speed without; 15.0 and 58.6 ms a step",
            rows: &[
                row("implicit", BEAM, &[]),
                row(
                    "explicit",
                    BEAM,
                    &["method.sph.elasticity=peer2018", "method.sph.zero_energy={explicit=10}"],
                ),
            ],
            compare: |rows| [speeds(rows), stage_times(rows, &[15.0, 58.6])].concat(),
        },
        Look::Particles,
    ),
    (
        Figure {
            name: "kugelstadt-cantilever",
            shows: "Kugelstadt 2021, video: four cantilevers with more and more control of zero-energy modes",
            claim: "a small change in the frequency",
            rows: &[
                row("0", CANTILEVER, &["method.sph.zero_energy=none"]),
                row("0.01", CANTILEVER, &["method.sph.zero_energy={implicit=0.01}"]),
                row("0.1", CANTILEVER, &[]),
                row("1", CANTILEVER, &["method.sph.zero_energy={implicit=1}"]),
            ],
            compare: frequencies,
        },
        Look::Particles,
    ),
    (
        Figure {
            name: "kugelstadt-armadillo",
            shows: "Kugelstadt 2021, video: an armadillo falls, filled by a lattice and relaxed",
            claim: "artefacts at ears and feet with the lattice",
            rows: &[
                row("lattice", ARMADILLO, &["objects.armadillo.sampler=lattice"]),
                row("relaxed", ARMADILLO, &[]),
            ],
            compare: |rows| [strays(rows), speeds(rows)].concat(),
        },
        Look::Particles,
    ),
];

/// Makes a figure.
pub(super) fn make(
    (figure, look): &(Figure, Look),
    options: &Options,
    threads: usize,
    desk: &mut Desk,
) -> Result<(), Failure> {
    nilles::make_of(figure, (&SCENES, *look), (options, threads), desk)
}

/// Time that a step spends in elasticity and pressure, beside what the paper prints for the first.
fn stage_times(rows: &[Ran], printed: &[f64]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        for stage in ["elasticity", "pressure"] {
            let seconds = row.run.manifest().timings.get(stage).copied().unwrap_or(0.0);
            findings.push(Finding {
                quantity: format!("{stage}, {} [ms a step]", row.label),
                measured: 1e3 * seconds / row.steps.max(1.0),
                printed: printed.get(index).copied().filter(|_| stage == "elasticity"),
            });
        }
    }
    findings
}

/// Where particles lie at rest.
fn rest_points(snapshot: &Snapshot) -> Vec<Vec3> {
    let rest = snapshot.vectors("rest_position").unwrap_or_default();
    rest.iter().map(|p| Vec3::from(p.map(f64::from))).collect()
}

/// How far particles are from where the deformation of their surroundings at rest puts them, root mean square, in spacings: motions
/// that elasticity does not see, and not how a body swings.
fn disorder(snapshot: &Snapshot) -> f64 {
    let (rest, now, spacing) = (rest_points(snapshot), points(snapshot), spacing(snapshot));
    let reach = SURROUNDINGS * spacing;
    let mut order: Vec<usize> = (0..rest.len()).collect();
    order.sort_by(|&i, &j| rest[i].x.total_cmp(&rest[j].x));
    let (mut squares, mut count, mut first) = (0.0, 0, 0);
    for &i in &order {
        while rest[order[first]].x < rest[i].x - reach {
            first += 1;
        }
        let beside = order[first..].iter().copied().take_while(|&j| rest[j].x <= rest[i].x + reach);
        let near: Vec<usize> = beside.filter(|&j| (rest[j] - rest[i]).norm() < reach).collect();
        let mean = |points: &[Vec3]| near.iter().map(|&j| points[j]).sum::<Vec3>() / near.len() as f64;
        let (from, to) = (mean(&rest), mean(&now));
        let moment: Mat<3> = near.iter().map(|&j| (rest[j] - from) * (rest[j] - from).transpose()).sum();
        let mixed: Mat<3> = near.iter().map(|&j| (now[j] - to) * (rest[j] - from).transpose()).sum();
        // Flat surroundings have no deformation that could be told.
        let flat = moment.determinant() < FLAT * (moment.trace() / 3.0).powi(3);
        if let Some(inverse) = moment.try_inverse().filter(|_| !flat) {
            squares += (now[i] - to - mixed * inverse * (rest[i] - from)).norm_squared();
            count += 1;
        }
    }
    (squares / f64::from(count.max(1))).sqrt() / spacing
}

/// How far particles are from the rigid motion of their rest shape that fits best, in spacings.
fn misfit(snapshot: &Snapshot) -> f64 {
    let (now, rest) = (points(snapshot), rest_points(snapshot));
    let center = |points: &[Vec3]| points.iter().sum::<Vec3>() / points.len().max(1) as f64;
    let (from, to) = (center(&rest), center(&now));
    let covariance: Mat<3> = rest.iter().zip(&now).map(|(p, q)| (q - to) * (p - from).transpose()).sum();
    let rotation = principal(&covariance).rotation();
    let squares: f64 =
        rest.iter().zip(&now).map(|(p, q)| (q - to - rotation * (p - from)).norm_squared()).sum();
    (squares / rest.len().max(1) as f64).sqrt() / spacing(snapshot)
}

fn misfits(rows: &[Ran]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in rows {
        for (when, frame) in [("at the start", row.first()), ("at the end", row.frame(0))] {
            let mut find = |what: &str, measure: fn(&Snapshot) -> f64| {
                findings.push(Finding {
                    quantity: format!("{what} {when}, {} [spacings]", row.label),
                    measured: frame.as_ref().map_or(f64::NAN, measure),
                    printed: None,
                });
            };
            find("distance from the shape at rest", misfit);
            find("disorder", disorder);
        }
    }
    findings
}

/// How far the same particles of two runs are apart, at most over all frames, in spacings.
fn apart(rows: &[Ran]) -> Vec<Finding> {
    let (one, two) = (&rows[0], &rows[1]);
    let mut worst = 0.0_f64;
    for (a, b) in frames(&one.run).into_iter().zip(frames(&two.run)) {
        let (Ok(a), Ok(b)) = (one.run.read_frame(a), two.run.read_frame(b)) else { continue };
        let (here, there) = (points(&a), points(&b));
        let squares: f64 = here.iter().zip(&there).map(|(p, q)| (p - q).norm_squared()).sum();
        worst = worst.max((squares / here.len().max(1) as f64).sqrt() / spacing(&a));
    }
    vec![Finding {
        quantity: "largest root mean square distance between the two [spacings]".to_owned(),
        measured: worst,
        printed: None,
    }]
}

/// The highest speed in the second half of each run.
fn speeds(rows: &[Ran]) -> Vec<Finding> {
    let fastest = |snapshot: &Snapshot| {
        let speeds = snapshot.vectors("velocity").unwrap_or_default().iter();
        speeds.map(|v| Vec3::from(v.map(f64::from)).norm()).fold(0.0, f64::max)
    };
    rows.iter()
        .map(|row| {
            let count = frames(&row.run).len();
            let late = (0..count / 2).filter_map(|k| row.frame(k));
            Finding {
                quantity: format!("highest speed in the second half, {} [m/s]", row.label),
                measured: late.map(|frame| fastest(&frame)).fold(0.0, f64::max),
                printed: None,
            }
        })
        .collect()
}

/// Share of the walruses that came through the funnel.
fn passed(rows: &[Ran]) -> Vec<Finding> {
    let below = |snapshot: &Snapshot| {
        let bodies = snapshot.integers("body").unwrap_or_default();
        let walruses: Vec<f64> =
            points(snapshot).iter().zip(bodies).filter(|(_, body)| **body < 8).map(|(x, _)| x.y).collect();
        walruses.iter().filter(|y| **y < 2.1).count() as f64 / walruses.len().max(1) as f64
    };
    rows.iter()
        .map(|row| Finding {
            quantity: "share of the walruses below the funnel at the end".to_owned(),
            measured: row.frame(0).as_ref().map_or(f64::NAN, below),
            printed: None,
        })
        .collect()
}

/// Particles that ended more than a spacing from where their neighbours at rest carry them.
fn strays(rows: &[Ran]) -> Vec<Finding> {
    rows.iter()
        .map(|row| {
            let measured = row.frame(0).map_or(f64::NAN, |frame| {
                let rest: Vec<Vec3> = frame
                    .vectors("rest_position")
                    .unwrap_or_default()
                    .iter()
                    .map(|p| Vec3::from(p.map(f64::from)))
                    .collect();
                let (now, edge) = (points(&frame), spacing(&frame));
                let lists =
                    pliant_geometry::neighbours::NeighbourLists::within(&rest, 1.6 * edge, |_, _| true);
                let stretched = |i: usize| {
                    lists.row(i).iter().any(|&j| {
                        let j = j as usize;
                        let ratio = (now[i] - now[j]).norm() / (rest[i] - rest[j]).norm();
                        !(0.4..=2.0).contains(&ratio)
                    })
                };
                (0..now.len()).filter(|&i| stretched(i)).count() as f64
            });
            Finding {
                quantity: format!(
                    "particles twice or 0.4 times as far from a neighbour as at rest, {}",
                    row.label
                ),
                measured,
                printed: None,
            }
        })
        .collect()
}

/// Frequency of the tip's swing, from its first two lowest points.
fn frequencies(rows: &[Ran]) -> Vec<Finding> {
    let measured: Vec<f64> = rows.iter().map(|row| frequency(row).unwrap_or(f64::NAN)).collect();
    let mut findings = Vec::new();
    for (row, value) in rows.iter().zip(&measured) {
        findings.push(Finding {
            quantity: format!("frequency with alpha = {} [Hz]", row.label),
            measured: *value,
            printed: None,
        });
    }
    for (row, value) in rows.iter().zip(&measured).skip(1) {
        findings.push(Finding {
            quantity: format!("the same over that without control, alpha = {}", row.label),
            measured: value / measured[0],
            printed: None,
        });
    }
    findings
}

fn frequency(row: &Ran) -> Option<f64> {
    let mut series = Vec::new();
    for number in frames(&row.run) {
        let snapshot = row.run.read_frame(number).ok()?;
        let rest = snapshot.vectors("rest_position")?;
        let end = rest.iter().map(|p| p[0]).fold(f32::MIN, f32::max);
        let tip: Vec<f64> = points(&snapshot)
            .iter()
            .zip(rest)
            .filter(|(_, rest)| rest[0] > end - 1e-4)
            .map(|(now, _)| now.y)
            .collect();
        series.push((snapshot.time, tip.iter().sum::<f64>() / tip.len() as f64));
    }
    let lowest: Vec<f64> = series
        .windows(3)
        .filter(|w| w[1].1 < w[0].1 && w[1].1 <= w[2].1)
        .map(|w| {
            // The vertex of the parabola through three heights.
            let bend = w[0].1 - 2.0 * w[1].1 + w[2].1;
            w[1].0 + 0.5 * (w[0].1 - w[2].1) / bend * (w[1].0 - w[0].0)
        })
        .collect();
    Some(1.0 / (lowest.get(1)? - lowest.first()?))
}
