//! Runs on disk: a timeline over finished and growing caches. Frames are read in the background; those that cannot be
//! read are marked and passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use pliant_scene::Scene;
use pliant_store::RunFolder;
use pliant_world::Snapshot;

use crate::sequence::GeoSequence;

/// Time between looks at a folder that may still grow.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// Frames kept in memory, at most that many particles in all.
const KEPT_PARTICLES: usize = 4_000_000;

/// Where frames come from.
enum Source {
    /// A run folder of Pliant.
    Run(Box<RunFolder>),
    /// Houdini files, one a frame.
    Geo(GeoSequence),
}

/// A frame on the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its number.
    pub frame: u32,
    /// Its time [s].
    pub time: f64,
}

/// A cache that is open.
pub struct Player {
    path: PathBuf,
    marks: Vec<Mark>,
    damaged: BTreeMap<u32, String>,
    scene: Option<Arc<Scene>>,
    is_growing: bool,
    looked: Instant,
    kept: BTreeMap<u32, Arc<Snapshot>>,
    /// What was shown last, until the frame that is asked for is there.
    shown: Option<Arc<Snapshot>>,
    asked: BTreeSet<u32>,
    questions: Sender<Question>,
    answers: Receiver<Answer>,
    warnings: Vec<String>,
}

enum Question {
    Frame(u32),
    LookAgain,
}

enum Answer {
    Frame(u32, Result<Arc<Snapshot>, String>),
    Marks(Vec<Mark>, bool),
}

impl Source {
    fn open(path: &Path) -> Result<Self, String> {
        if path.join("manifest.json").exists() {
            let run = RunFolder::open(path).map_err(|error| error.to_string())?;
            return Ok(Self::Run(Box::new(run)));
        }
        GeoSequence::open(path).map(Self::Geo)
    }

    fn read(&self, frame: u32) -> Result<Snapshot, String> {
        match self {
            Self::Run(run) => run.read_frame(frame).map_err(|error| error.to_string()),
            Self::Geo(sequence) => sequence.read(frame),
        }
    }
}

/// Reads some frames of a cache one after the other on a thread of its own, and sends on what `take` makes of them; ends
/// when nobody listens any more. Frames that cannot be read are passed over.
pub fn read_through<T: Send + 'static>(
    path: &Path,
    frames: Vec<u32>,
    take: impl Fn(&Snapshot) -> T + Send + 'static,
) -> Receiver<T> {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    std::thread::spawn(move || {
        let Ok(source) = Source::open(&path) else { return };
        for snapshot in frames.into_iter().filter_map(|frame| source.read(frame).ok()) {
            if sender.send(take(&snapshot)).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Player {
    /// Opens a run folder, or a folder of `.geo` files.
    ///
    /// # Errors
    /// When it is neither.
    pub fn open(path: &Path) -> Result<Self, String> {
        let source = Source::open(path)?;
        let (scene, warnings) = match &source {
            Source::Run(run) => (Scene::load(&run.scene_path(), &[]).ok().map(Arc::new), run.warnings()),
            Source::Geo(_) => (None, Vec::new()),
        };
        let (marks, is_growing) = marks_of(&source);
        let (questions, asked) = mpsc::channel();
        let (answer, answers) = mpsc::channel();
        let folder = path.to_owned();
        std::thread::spawn(move || serve(source, &folder, &asked, &answer));
        Ok(Self {
            path: path.to_owned(),
            marks,
            damaged: BTreeMap::new(),
            scene,
            is_growing,
            looked: Instant::now(),
            kept: BTreeMap::new(),
            shown: None,
            asked: BTreeSet::new(),
            questions,
            answers,
            warnings,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is called in lists.
    pub fn name(&self) -> String {
        self.path
            .file_name()
            .map_or_else(|| self.path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// The scene it was made from, if that can still be read.
    pub fn scene(&self) -> Option<&Arc<Scene>> {
        self.scene.as_ref()
    }

    /// Frames, in the order of their numbers.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Frames that cannot be read, and why.
    pub fn damaged(&self) -> &BTreeMap<u32, String> {
        &self.damaged
    }

    /// Whether a frame has been read and is at hand.
    pub fn is_kept(&self, frame: u32) -> bool {
        self.kept.contains_key(&frame)
    }

    /// Whether another program is still writing to it.
    pub fn is_growing(&self) -> bool {
        self.is_growing
    }

    /// What is wrong with the folder, though it can be used.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Takes up what was read. Returns whether there is news.
    pub fn poll(&mut self) -> bool {
        let mut is_new = false;
        while let Ok(answer) = self.answers.try_recv() {
            is_new = true;
            match answer {
                Answer::Frame(frame, Ok(snapshot)) => {
                    self.asked.remove(&frame);
                    self.damaged.remove(&frame);
                    self.keep(frame, snapshot);
                }
                Answer::Frame(frame, Err(cause)) => {
                    self.asked.remove(&frame);
                    self.damaged.insert(frame, cause);
                }
                Answer::Marks(marks, is_growing) => (self.marks, self.is_growing) = (marks, is_growing),
            }
        }
        if self.looked.elapsed() > LOOK_AGAIN {
            self.looked = Instant::now();
            let _ = self.questions.send(Question::LookAgain);
        }
        is_new
    }

    fn keep(&mut self, frame: u32, snapshot: Arc<Snapshot>) {
        self.kept.insert(frame, snapshot);
        let total = |kept: &BTreeMap<u32, Arc<Snapshot>>| -> usize {
            kept.values().map(|snapshot| snapshot.positions().len().max(1)).sum()
        };
        while self.kept.len() > 2 && total(&self.kept) > KEPT_PARTICLES {
            // The frame farthest from this one is the least likely to be asked for next.
            let farthest = self.kept.keys().copied().max_by_key(|known| known.abs_diff(frame));
            let Some(farthest) = farthest else { return };
            self.kept.remove(&farthest);
        }
    }

    /// The frame at a place of the timeline, or the nearest that can be read. Asks for it if it is not there yet.
    pub fn frame_at(&mut self, place: usize) -> Option<Arc<Snapshot>> {
        let readable = |mark: &&Mark| !self.damaged.contains_key(&mark.frame);
        let wanted = self.marks.get(place.min(self.marks.len().saturating_sub(1)))?.frame;
        let frame =
            self.marks.iter().filter(readable).map(|mark| mark.frame).min_by_key(|f| f.abs_diff(wanted))?;
        if let Some(snapshot) = self.kept.get(&frame) {
            return Some(Arc::clone(snapshot));
        }
        if self.asked.insert(frame) {
            let _ = self.questions.send(Question::Frame(frame));
        }
        None
    }

    /// As [`Player::frame_at`]; the one before it while it is being read, so that a picture does not come and go.
    pub fn shown_at(&mut self, place: usize) -> Option<Arc<Snapshot>> {
        self.shown = self.frame_at(place).or_else(|| self.shown.take());
        self.shown.clone()
    }

    /// The place whose time is nearest.
    pub fn place_of(&self, time: f64) -> usize {
        let distance = |mark: &Mark| (mark.time - time).abs();
        let nearest = self.marks.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        nearest.map_or(0, |(place, _)| place)
    }
}

fn marks_of(source: &Source) -> (Vec<Mark>, bool) {
    match source {
        Source::Run(run) => {
            let marks = run.frames().map(|entry| Mark { frame: entry.frame, time: entry.time }).collect();
            (marks, run.writer_process().is_some())
        }
        Source::Geo(sequence) => {
            let mark =
                |(place, _): (usize, &PathBuf)| Mark { frame: place as u32, time: place as f64 / 24.0 };
            (sequence.files().iter().enumerate().map(mark).collect(), false)
        }
    }
}

/// Reads what is asked for until nobody asks any more. Only the newest frame matters while someone scrubs.
fn serve(mut source: Source, folder: &Path, asked: &Receiver<Question>, answer: &Sender<Answer>) {
    while let Ok(question) = asked.recv() {
        let reply = match question {
            Question::LookAgain => {
                if let Ok(fresh) = Source::open(folder) {
                    source = fresh;
                }
                let (marks, is_growing) = marks_of(&source);
                Answer::Marks(marks, is_growing)
            }
            Question::Frame(frame) => Answer::Frame(frame, source.read(frame).map(Arc::new)),
        };
        if answer.send(reply).is_err() {
            return;
        }
    }
}
