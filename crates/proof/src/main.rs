//! `pliant-proof`: measures what Pliant guarantees, one command and one line of result each.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use pliant_proof::{
    Lab, Report, conservation, corruption, faults, golden, kill, memory, misuse, mutation, numerics, resume,
    scenes, signals, steps, threads, typos, writers,
};

/// Measures what Pliant guarantees on the real program: one command and one line of result each.
#[derive(Debug, Parser)]
#[command(
    name = "pliant-proof",
    version,
    after_help = "Example:\n  cargo run --release -p pliant-proof -- kill --count 100\n\n\
                  Exit codes: 0 the guarantee held, 1 it did not, 2 it could not be measured."
)]
struct Cli {
    #[command(subcommand)]
    guarantee: Guarantee,
    /// The `pliant` program; the one beside this program if left out.
    #[arg(long, global = true, value_name = "FILE")]
    pliant: Option<PathBuf>,
    /// Seed of everything random.
    #[arg(long, global = true, default_value_t = 2013, value_name = "N")]
    seed: u64,
    /// Write the result as JSON.
    #[arg(long, global = true)]
    json: bool,
}

/// How often.
#[derive(Debug, Args)]
struct Count {
    /// How often it is tried.
    #[arg(long, default_value_t = 100, value_name = "N")]
    count: usize,
}

#[derive(Debug, Subcommand)]
enum Guarantee {
    /// R1: the same bits on any number of threads.
    Threads {
        /// Repeat everything, to catch what is rare.
        #[arg(long, default_value_t = 1, value_name = "N")]
        repeats: usize,
    },
    /// R3: the same bits after a stop at any step.
    Resume(Count),
    /// R4: nothing committed is lost by `kill -9`.
    Kill(Count),
    /// R5: a clear error when the file system refuses.
    Faults(Count),
    /// R6: damaged files are noticed.
    Corruption(Count),
    /// R7: mutated files make no reader panic or hang.
    Readers(Count),
    /// R9: the memory forecast against the measured peak.
    Memory,
    /// R10: bad numerics end with a reason and write no bad number.
    Numerics(Count),
    /// R10: steps of the Material Point Method that are longer than advised recover or stop with a reason.
    Steps,
    /// R11: particles, mass and momentum are kept.
    Conservation(Count),
    /// R12: signals save the state.
    Signals(Count),
    /// R14: run folders of earlier builds go on.
    Golden {
        /// Write the kept folder of the current formats anew, after a change of format.
        #[arg(long)]
        write: bool,
    },
    /// R15: every slip in every key is refused with a suggestion.
    Typos,
    /// R16: one writer at a time.
    Writers(Count),
    /// R18: unusual surroundings.
    Misuse,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match measure(&cli) {
        Ok(report) => {
            for failure in &report.failures {
                eprintln!("{failure}");
            }
            if cli.json {
                println!("{}", report.json());
            } else {
                println!("{}", report.line());
            }
            ExitCode::from(u8::from(!report.passed()))
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn measure(cli: &Cli) -> io::Result<Report> {
    let lab = Lab { program: program(cli)?, seed: cli.seed };
    let small = scenes::small();
    let elastic = &small[0];
    match &cli.guarantee {
        Guarantee::Threads { repeats } => {
            let cases = vec![[scenes::small(), scenes::shipped()].concat(); *repeats].concat();
            threads::measure(&lab, &cases, &threads::THREADS)
        }
        Guarantee::Resume(Count { count }) => {
            resume::measure(&lab, &[scenes::small(), scenes::shipped()].concat(), *count)
        }
        Guarantee::Kill(Count { count }) => kill::measure(&lab, &small, *count),
        Guarantee::Faults(Count { count }) => faults::measure(&lab, elastic, *count),
        Guarantee::Corruption(Count { count }) => corruption::measure(&lab, elastic, *count),
        Guarantee::Readers(Count { count }) => mutation::measure(&lab, *count),
        Guarantee::Memory => memory::measure(&lab, &memory::variants()),
        Guarantee::Numerics(Count { count }) => numerics::measure(&lab, *count),
        Guarantee::Steps => steps::measure(&lab, &scenes::material_points(), &steps::FACTORS),
        Guarantee::Conservation(Count { count }) => conservation::measure(&lab, *count),
        Guarantee::Signals(Count { count }) => signals::measure(&lab, &small, *count),
        Guarantee::Golden { write } => {
            if *write {
                golden::write(&lab)?;
            }
            golden::measure(&lab)
        }
        Guarantee::Typos => typos::measure(typos::ALPHABET),
        Guarantee::Writers(Count { count }) => writers::measure(&lab, elastic, *count),
        Guarantee::Misuse => misuse::measure(&lab, elastic),
    }
}

/// The program to measure, with its full path, because it is started in other folders.
fn program(cli: &Cli) -> io::Result<PathBuf> {
    let path = match &cli.pliant {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("pliant"),
    };
    path.canonicalize().map_err(|error| {
        let advice = "build it with `cargo build --release`, or name it with --pliant";
        io::Error::other(format!("cannot find the program {}: {error}; {advice}", path.display()))
    })
}
