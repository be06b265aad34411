//! `pliant stable-dt`: the longest step that keeps a scene stable, found by trying.

use std::time::Duration;

use clap::{Args, ValueEnum};
use pliant_scene::{Scene, StepScale, Verdict};
use serde_json::{Value, json};

use crate::args::SceneArgs;
use crate::console;
use crate::exit::{Failure, INPUT, NUMERICS};
use crate::loading::LoadedScene;
use crate::processor::ProcessorWatch;
use crate::signals::Signals;

/// Find the longest time step that keeps a scene stable, by running it again and again; writes no files.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pliant stable-dt scenes/zhou2013/cube_elastic.toml --method gbb2009 --time 0.5"
)]
pub struct Options {
    #[command(flatten)]
    scene: SceneArgs,
    /// Method in place of the scene's, with its default settings; `--set` may change them.
    #[arg(long, value_name = "NAME")]
    method: Option<MethodName>,
    /// Simulated time of every trial in seconds; the scene's duration if left out.
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// The step found and the shortest unstable one differ by this share at most.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    precision: f64,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    Zhou2013,
    Gbb2009,
}

/// The step is halved this often at most before the search gives up.
const MAX_HALVINGS: u32 = 12;
/// A trial has at least this many steps, or it would show nothing.
const MIN_STEPS: f64 = 4.0;

/// One run with steps of one length.
pub(super) struct Trial {
    pub dt: f64,
    pub verdict: Verdict,
    /// Processor time, without that of the building of the scene [s].
    pub seconds: f64,
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let SceneArgs { scene: path, set, seed } = &options.scene;
    let method = options.method.and_then(|method| method.to_possible_value());
    let chosen = method.map(|method| format!("method={}", method.get_name()));
    let changes: Vec<String> = chosen.into_iter().chain(set.iter().cloned()).collect();
    let scene = LoadedScene::read(path, &changes, *seed)?.scene;
    let time = options.time.unwrap_or(scene.time.duration);
    check_range("--time", time, f64::INFINITY)?;
    check_range("--precision", options.precision, 1.0)?;

    let scale = scene.step_scale()?;
    let signals = Signals::listen()?;
    let mut search = Search { shows: !options.json, ..Search::new(&scene, time, &signals) };
    let largest = search.largest(scale.first_guess, options.precision)?;
    let facts = facts(&search, &scale, largest);
    if options.json {
        console::pretty_json(&facts)?;
    } else if let Some(dt) = largest {
        let crossings = dt / scale.crossing_time;
        let (name, count) = (scene.method.name(), search.trials.len());
        console::line(&format!(
            "largest stable step of {name}: {dt:.3e} s = {crossings:.3} d/c ({count} trials of {time} s)"
        ))?;
    }
    largest.map(drop).ok_or_else(|| {
        Failure::new(NUMERICS, "no step was stable; try a softer material, slower motion or another method")
    })
}

fn check_range(option: &str, value: f64, limit: f64) -> Result<(), Failure> {
    if value > 0.0 && value < limit {
        return Ok(());
    }
    let range = if limit.is_finite() { format!("above 0 and below {limit}") } else { "positive".to_owned() };
    Err(Failure::new(INPUT, format!("{option} must be {range}, got {value}")))
}

pub(super) struct Search<'a> {
    scene: &'a Scene,
    /// Simulated time of every trial [s].
    time: f64,
    /// Processor time of all trials together after which the search takes what it has; none for no end.
    pub patience: Option<Duration>,
    signals: &'a Signals,
    pub trials: Vec<Trial>,
    /// Whether patience ended before the search.
    pub is_cut_short: bool,
    /// Whether every trial is shown when it is done.
    shows: bool,
}

impl<'a> Search<'a> {
    /// A silent search without an end.
    pub fn new(scene: &'a Scene, time: f64, signals: &'a Signals) -> Self {
        Self { scene, time, patience: None, signals, trials: Vec::new(), is_cut_short: false, shows: false }
    }

    /// Brackets the limit by doubling or halving from `guess`, then divides the bracket; none if no step is stable.
    pub fn largest(&mut self, guess: f64, precision: f64) -> Result<Option<f64>, Failure> {
        let longest = self.time / MIN_STEPS;
        let mut dt = guess.min(longest);
        let (mut stable, mut unstable) = (None, None);
        if self.is_stable(dt)? {
            stable = Some(dt);
            while unstable.is_none() && dt < longest {
                dt = (2.0 * dt).min(longest);
                let outcome = if self.is_stable(dt)? { &mut stable } else { &mut unstable };
                *outcome = Some(dt);
            }
        } else {
            unstable = Some(dt);
            for _ in 0..MAX_HALVINGS {
                dt *= 0.5;
                if self.is_stable(dt)? {
                    stable = Some(dt);
                    break;
                }
                unstable = Some(dt);
            }
        }
        while let (Some(low), Some(high)) = (stable, unstable)
            && high > low * (1.0 + precision)
        {
            let middle = (low * high).sqrt();
            let outcome = if self.is_stable(middle)? { &mut stable } else { &mut unstable };
            *outcome = Some(middle);
        }
        Ok(stable)
    }

    /// Whether steps of `dt` are stable; none are once patience has ended.
    pub fn is_stable(&mut self, dt: f64) -> Result<bool, Failure> {
        if self.is_cut_short {
            return Ok(false);
        }
        let mut trial = self.scene.step_trial(dt, self.time)?;
        let spent: f64 = self.trials.iter().map(|trial| trial.seconds).sum();
        let watch = ProcessorWatch::start();
        let verdict = loop {
            self.signals.check()?;
            if self.patience.is_some_and(|patience| spent + watch.seconds() > patience.as_secs_f64()) {
                self.is_cut_short = true;
                return Ok(false);
            }
            if let Some(verdict) = trial.advance() {
                break verdict;
            }
        };
        if self.shows {
            let outcome = match &verdict {
                Verdict::Stable => "stable".to_owned(),
                Verdict::Unstable { time, cause } => format!("unstable at t = {time:.4} s: {cause}"),
            };
            console::line(&format!("dt = {dt:.3e} s: {outcome}"))?;
        }
        let is_stable = verdict == Verdict::Stable;
        self.trials.push(Trial { dt, verdict, seconds: watch.seconds() });
        Ok(is_stable)
    }
}

fn facts(search: &Search<'_>, scale: &StepScale, largest: Option<f64>) -> Value {
    let trial = |Trial { dt, verdict, .. }: &Trial| match verdict {
        Verdict::Stable => json!({ "dt": dt, "stable": true }),
        Verdict::Unstable { time, cause } => {
            json!({ "dt": dt, "stable": false, "time": time, "cause": cause })
        }
    };
    json!({
        "method": search.scene.method.name(),
        "time": search.time,
        "dt": largest,
        "crossing_time": scale.crossing_time,
        "dt_over_crossing_time": largest.map(|dt| dt / scale.crossing_time),
        "trials": search.trials.iter().map(trial).collect::<Vec<_>>(),
    })
}
