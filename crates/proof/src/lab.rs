//! The real program in a folder of its own: started, watched, killed, and what it answered.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pliant_geometry::rng::SplitMix64;
use tempfile::TempDir;

use crate::run_view::RunView;
use crate::scenes::Case;

/// No command of a measurement takes this long; one that does hangs.
const PATIENCE: Duration = Duration::from_secs(300);
/// Pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(1);

/// Which program is measured, and with which random numbers.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The `pliant` program.
    pub program: PathBuf,
    /// Seed of everything random.
    pub seed: u64,
}

impl Lab {
    /// A folder that goes away with the value.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn room(&self) -> io::Result<Room> {
        Ok(Room { folder: tempfile::Builder::new().prefix("pliant-proof-").tempdir()?, lab: self.clone() })
    }

    /// A room in which a case ran to its end without interruption, in the folder `run`, and what the program said.
    ///
    /// # Errors
    /// When the case does not run at all.
    pub(crate) fn uninterrupted(&self, case: &Case) -> io::Result<(Room, Answer)> {
        let room = self.room()?;
        let answer = room.simulate(case, "run", &[])?;
        if !answer.is_success() {
            return Err(io::Error::other(format!("{}: {}", case.name, answer.describe())));
        }
        Ok((room, answer))
    }

    /// Random numbers of one measurement.
    pub fn random(&self, stream: u64) -> SplitMix64 {
        SplitMix64::for_stream(self.seed, stream)
    }
}

/// A temporary folder in which the program runs.
#[derive(Debug)]
pub struct Room {
    folder: TempDir,
    lab: Lab,
}

/// What became of a command.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Exit code; none if a signal ended the program.
    pub code: Option<i32>,
    /// The signal that ended the program.
    pub signal: Option<i32>,
    /// What it said.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// Peak resident memory [bytes].
    pub peak_memory: u64,
    /// Whether it was ended because it took too long.
    pub timed_out: bool,
    /// Wall time.
    pub time: Duration,
}

impl Answer {
    /// Whether all went well.
    pub fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Whether it ended with one of these codes and a message for people, not with a defect.
    pub fn is_clear_error(&self, codes: &[i32]) -> bool {
        let has_message = self.stderr.lines().any(|line| line.starts_with("error: "));
        self.code.is_some_and(|code| codes.contains(&code)) && has_message && !self.is_defect()
    }

    /// Whether the program gave itself away as wrong.
    pub fn is_defect(&self) -> bool {
        self.stderr.contains("defect of the program") || self.stderr.contains("panicked") || self.timed_out
    }

    /// Code, signal and the last complaint, for messages.
    pub fn describe(&self) -> String {
        let last = self.stderr.lines().last().unwrap_or_default();
        let end = match (self.code, self.signal) {
            _ if self.timed_out => "no end".to_owned(),
            (Some(code), _) => format!("exit {code}"),
            (None, signal) => format!("signal {}", signal.unwrap_or_default()),
        };
        format!("{end}: {last}")
    }
}

impl Room {
    /// Where the room is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file and returns its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        fs::write(&path, content)?;
        Ok(path)
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    /// When it cannot be started or watched.
    pub fn ask(&self, arguments: &[&str]) -> io::Result<Answer> {
        self.watch(Command::new(&self.lab.program).args(arguments))
    }

    /// Runs a `bash` script in which `$PLIANT` is the program.
    ///
    /// # Errors
    /// When there is no such shell.
    pub fn script(&self, text: &str) -> io::Result<Answer> {
        self.watch(Command::new("bash").args(["-c", text]).env("PLIANT", &self.lab.program))
    }

    /// `run CASE --out OUT --no-render` with more options.
    ///
    /// # Errors
    /// When the program cannot be started or watched.
    pub fn simulate(&self, case: &Case, out: &str, more: &[&str]) -> io::Result<Answer> {
        self.ask(&self.run_arguments(case, out, more)?.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The arguments of [`Room::simulate`]; the scene is written if it is not a file yet.
    ///
    /// # Errors
    /// When the scene cannot be written.
    pub fn run_arguments(&self, case: &Case, out: &str, more: &[&str]) -> io::Result<Vec<String>> {
        let scene = case.place_in(self)?;
        let mut arguments = vec!["run".to_owned(), scene];
        arguments.extend(case.set.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
        let last = ["--out", out, "--no-render", "--quiet"];
        arguments.extend(last.iter().chain(more).map(|&text| text.to_owned()));
        Ok(arguments)
    }

    /// Starts the program without waiting for it; what it says is lost.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(&self, arguments: &[String]) -> io::Result<Child> {
        Command::new(&self.lab.program)
            .args(arguments)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
    }

    /// What a run in this room has committed.
    pub fn view(&self, run: &str) -> RunView {
        RunView::of(&self.path().join(run))
    }

    /// Runs a command in the room, and watches its memory and the time.
    fn watch(&self, command: &mut Command) -> io::Result<Answer> {
        let (out, err) = (self.path().join(".stdout"), self.path().join(".stderr"));
        let start = Instant::now();
        command.current_dir(self.path()).stdin(Stdio::null());
        let mut child = command.stdout(File::create(&out)?).stderr(File::create(&err)?).spawn()?;
        let (mut peak_memory, mut timed_out) = (0, false);
        let status = loop {
            peak_memory = peak_memory_of(child.id()).unwrap_or(0).max(peak_memory);
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > PATIENCE {
                timed_out = true;
                child.kill()?;
            }
            std::thread::sleep(PAUSE);
        };
        let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Answer {
            code: status.code(),
            signal: status.signal(),
            stdout: read(&out)?,
            stderr: read(&err)?,
            peak_memory,
            timed_out,
            time: start.elapsed(),
        })
    }
}

/// Peak resident memory of a process so far [bytes], where the system tells.
fn peak_memory_of(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// Sends a signal by its name, such as `INT`. A process that has just ended is no error.
///
/// # Errors
/// When there is no `kill` command.
pub fn send(child: &Child, signal: &str) -> io::Result<()> {
    let number = child.id().to_string();
    Command::new("kill").args([&format!("-{signal}"), &number]).stderr(Stdio::null()).status().map(drop)
}

/// Copies a folder with all that is in it.
///
/// # Errors
/// When something cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
