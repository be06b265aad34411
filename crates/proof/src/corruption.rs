//! R6: damaged files of a run folder are noticed: the run goes on from an older state or is refused in plain words,
//! and never ends with other bits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pliant_geometry::rng::SplitMix64;

use crate::lab::copy_folder;
use crate::scenes::Case;
use crate::{Lab, Report, Room};

/// Bad input and bad files; damage is one of them.
const REFUSED: [i32; 2] = [2, 4];

/// What is done to a file.
#[derive(Clone, Copy, Debug)]
enum Damage {
    FlipBit,
    Truncate,
    Empty,
    Zeros,
    Append,
    Swap,
    Delete,
}

const DAMAGES: [Damage; 7] = [
    Damage::FlipBit,
    Damage::Truncate,
    Damage::Empty,
    Damage::Zeros,
    Damage::Append,
    Damage::Swap,
    Damage::Delete,
];

/// Damages one file of a stopped run `count` times, resumes it and reads all its frames.
///
/// # Errors
/// When the program cannot be started.
pub fn measure(lab: &Lab, case: &Case, count: usize) -> io::Result<Report> {
    let mut report = Report::new("R6", "corruption");
    let mut random = lab.random(6);
    let home = lab.room()?;
    home.simulate(case, "whole", &[])?;
    home.simulate(case, "part", &["--frames", "2"])?;
    let expected = home.view("whole").committed();
    let (mut recovered, mut refused, mut wrong, mut panics) = (0, 0, 0, 0);
    for trial in 0..count {
        let room = lab.room()?;
        let run = room.path().join("run");
        copy_folder(&home.path().join("part"), &run)?;
        let (file, damage) = damage_a_file(&run, &mut random)?;
        let what = format!("trial {trial}, {damage:?} of {}", file.display());
        let answers = [
            room.ask(&["resume", "run", "--no-render", "--quiet"])?,
            room.ask(&["export", "run", "--format", "csv", "--quiet"])?,
        ];
        let defect = answers.iter().find(|answer| answer.is_defect());
        panics += usize::from(defect.is_some());
        report.expect(defect.is_none(), || format!("{what}: {:?}", defect.map(crate::Answer::describe)));
        let refusal = answers.iter().find(|answer| !answer.is_success());
        let is_same = room.view("run").committed() == expected && frames_read_well(&room);
        match refusal {
            None if is_same => recovered += 1,
            Some(answer) if answer.is_clear_error(&REFUSED) => refused += 1,
            _ => {
                wrong += 1;
                let said = answers.each_ref().map(crate::Answer::describe);
                report.expect(false, || format!("{what}: neither recovered nor refused, {said:?}"));
            }
        }
    }
    report.summary = format!(
        "{count} damaged files: {recovered} recovered to the same hash, {refused} refused with a clear error, \
         {wrong} wrong results, {panics} panics"
    );
    for (name, value) in [
        ("damaged", count),
        ("recovered", recovered),
        ("refused", refused),
        ("wrong", wrong),
        ("panics", panics),
    ] {
        report.figure(name, value);
    }
    Ok(report)
}

fn frames_read_well(room: &Room) -> bool {
    room.view("run").snapshots().is_ok()
}

/// Damages a random file and says which and how. Exported files are left alone: they can be made again.
fn damage_a_file(run: &Path, random: &mut SplitMix64) -> io::Result<(PathBuf, Damage)> {
    let of_the_store = |path: &PathBuf| !path.starts_with("vtp") && path.as_path() != Path::new("lock");
    let files: Vec<PathBuf> =
        crate::run_view::RunView::of(run).files().into_iter().filter(of_the_store).collect();
    let file = files[random.below(files.len())].clone();
    let alike: Vec<&PathBuf> =
        files.iter().filter(|other| other.extension() == file.extension() && **other != file).collect();
    let mut damage = DAMAGES[random.below(DAMAGES.len())];
    if matches!(damage, Damage::Swap) && alike.is_empty() {
        damage = Damage::FlipBit;
    }
    let path = run.join(&file);
    let mut bytes = fs::read(&path)?;
    match damage {
        Damage::Swap => {
            let other = run.join(alike[random.below(alike.len())]);
            let aside = run.join("aside");
            fs::rename(&path, &aside)?;
            fs::rename(&other, &path)?;
            fs::rename(&aside, &other)?;
            return Ok((file, damage));
        }
        Damage::Delete => {
            fs::remove_file(&path)?;
            return Ok((file, damage));
        }
        Damage::FlipBit if !bytes.is_empty() => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
        }
        Damage::Truncate => bytes.truncate(random.below(bytes.len().max(1))),
        Damage::Zeros => bytes.fill(0),
        Damage::Append => bytes.extend((0..=random.below(64)).map(|byte| byte as u8)),
        Damage::Empty | Damage::FlipBit => bytes.clear(),
    }
    fs::write(&path, bytes)?;
    Ok((file, damage))
}
