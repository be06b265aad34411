//! The benchmark: chosen scenes, each for some steps, stage by stage, on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use pliant_scene::Scene;

/// What one scene took.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Its name.
    pub scene: String,
    /// Number of particles.
    pub particles: usize,
    /// Steps that were timed.
    pub steps: u32,
    /// Wall time of a step [s].
    pub step: f64,
    /// Wall time of a step by stage [s].
    pub stages: Vec<(String, f64)>,
}

/// The benchmark panel.
pub struct Bench {
    /// Scenes to be measured, and whether they are chosen.
    pub scenes: Vec<(PathBuf, bool)>,
    /// Steps for each; the first is not counted.
    pub steps: u32,
    /// Results so far.
    pub results: Vec<Result<Measured, String>>,
    /// Folder or file to add.
    pub entry: String,
    coming: Option<Receiver<Result<Measured, String>>>,
    total: usize,
    began: Option<Instant>,
    stop: Arc<AtomicBool>,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            scenes: Vec::new(),
            steps: 50,
            results: Vec::new(),
            entry: String::new(),
            coming: None,
            total: 0,
            began: None,
            stop: Arc::default(),
        }
    }
}

impl Bench {
    /// Adds a scene file, or all scenes of a folder.
    pub fn add(&mut self, path: &Path) {
        let mut found: Vec<PathBuf> = if path.is_dir() {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect()
        } else {
            vec![path.to_owned()]
        };
        found.sort();
        for path in found {
            if !self.scenes.iter().any(|(known, _)| *known == path) {
                self.scenes.push((path, true));
            }
        }
    }

    /// Measures the chosen scenes, one after the other.
    pub fn start(&mut self) {
        let chosen: Vec<PathBuf> =
            self.scenes.iter().filter(|(_, is_chosen)| *is_chosen).map(|(path, _)| path.clone()).collect();
        (self.total, self.steps) = (chosen.len(), self.steps.clamp(1, 100_000));
        self.results.clear();
        self.began = Some(Instant::now());
        self.stop = Arc::new(AtomicBool::new(false));
        let (steps, stop) = (self.steps, Arc::clone(&self.stop));
        let (sender, receiver) = mpsc::channel();
        self.coming = Some(receiver);
        std::thread::spawn(move || {
            for path in chosen {
                if stop.load(Ordering::Relaxed) || sender.send(measure(&path, steps, &stop)).is_err() {
                    return;
                }
            }
        });
    }

    /// Ends after the present step.
    pub fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.coming = None;
    }

    /// Takes up results.
    pub fn poll(&mut self) {
        let Some(coming) = &self.coming else { return };
        loop {
            match coming.try_recv() {
                Ok(result) => self.results.push(result),
                Err(mpsc::TryRecvError::Empty) => return,
                Err(mpsc::TryRecvError::Disconnected) => break,
            }
        }
        self.coming = None;
    }

    /// Whether it is measuring.
    pub fn is_running(&self) -> bool {
        self.coming.is_some()
    }

    /// How much is done, 0 to 1.
    pub fn progress(&self) -> f32 {
        self.results.len() as f32 / self.total.max(1) as f32
    }

    /// How long the rest takes, once that can be told.
    pub fn time_left(&self) -> Option<String> {
        crate::app::time_left(self.began?, f64::from(self.progress()))
    }

    /// Results as comma-separated values: a line for each stage.
    pub fn csv(&self) -> String {
        let mut text = "scene,particles,steps,stage,milliseconds\n".to_owned();
        for result in self.results.iter().flatten() {
            let Measured { scene, particles, steps, step, stages } = result;
            let whole = std::iter::once(("step".to_owned(), *step));
            for (stage, seconds) in whole.chain(stages.iter().cloned()) {
                text.push_str(&format!("{scene},{particles},{steps},{stage},{:.4}\n", 1e3 * seconds));
            }
        }
        text
    }
}

fn measure(path: &Path, steps: u32, stop: &AtomicBool) -> Result<Measured, String> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |cause: &dyn std::fmt::Display| format!("{name}: {cause}");
    let scene = Scene::load(path, &[]).map_err(|error| failed(&error))?;
    let mut simulation = scene.simulation().map_err(|error| failed(&error))?;
    // The first step finds memory and caches cold.
    simulation.step().map_err(|error| failed(&error))?;
    let mut measured = Measured {
        scene: name.clone(),
        particles: simulation.particle_count(),
        steps: 0,
        step: 0.0,
        stages: Vec::new(),
    };
    while measured.steps < steps && !simulation.is_finished() && !stop.load(Ordering::Relaxed) {
        let start = Instant::now();
        let status = simulation.step().map_err(|error| failed(&error))?;
        measured.step += start.elapsed().as_secs_f64();
        measured.steps += 1;
        for (stage, seconds) in status.report.stages {
            match measured.stages.iter_mut().find(|(known, _)| known == stage) {
                Some((_, sum)) => *sum += seconds,
                None => measured.stages.push((stage.to_owned(), seconds)),
            }
        }
    }
    let count = f64::from(measured.steps.max(1));
    measured.step /= count;
    measured.stages.iter_mut().for_each(|(_, seconds)| *seconds /= count);
    Ok(measured)
}
