//! `pliant new`: a commented scene to start from.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::console;
use crate::exit::{Failure, INPUT};

/// Write a commented scene to start from.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  pliant new wobble --template jelly && pliant run wobble.toml")]
pub struct Options {
    /// Name of the scene; NAME.toml is written.
    name: PathBuf,
    /// What the scene shows.
    #[arg(long, short, value_enum, default_value_t = Template::Drop)]
    template: Template,
}

/// What a new scene shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// A lump of clay falls and keeps its dent.
    Drop,
    /// A cube of jelly wobbles.
    Jelly,
    /// A bar is held at one end and twisted at the other.
    Twist,
    /// A rubber ball hits a block of clay.
    TwoBodies,
    /// A disc in the plane rolls down a slope.
    #[value(name = "2d")]
    Plane,
    /// A snowball breaks on the floor.
    Snow,
    /// A column of sand collapses.
    Sand,
    /// A column of water breaks in a tank.
    Water,
    /// Water soaks a wall of sand.
    Soaked,
    /// A cube of jelly falls into water.
    Float,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Self::Drop => include_str!("../../templates/drop.toml"),
            Self::Jelly => include_str!("../../templates/jelly.toml"),
            Self::Twist => include_str!("../../templates/twist.toml"),
            Self::TwoBodies => include_str!("../../templates/two-bodies.toml"),
            Self::Plane => include_str!("../../templates/2d.toml"),
            Self::Snow => include_str!("../../templates/snow.toml"),
            Self::Sand => include_str!("../../templates/sand.toml"),
            Self::Water => include_str!("../../templates/water.toml"),
            Self::Soaked => include_str!("../../templates/soaked.toml"),
            Self::Float => include_str!("../../templates/float.toml"),
        }
    }
}

/// Runs the command.
pub fn execute(options: &Options) -> Result<(), Failure> {
    let path = with_extension(&options.name);
    let created = OpenOptions::new().write(true).create_new(true).open(&path);
    let mut file = created.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::new(INPUT, format!("{} exists already; choose another name", path.display()))
        }
        _ => Failure::io("create", &path, &error),
    })?;
    file.write_all(options.template.text().as_bytes())
        .map_err(|error| Failure::io("write", &path, &error))?;
    let path = path.display();
    console::line(&format!("{path} is ready: run it with `pliant run {path}`"))
}

fn with_extension(name: &Path) -> PathBuf {
    if name.extension().is_some_and(|extension| extension == "toml") {
        return name.to_owned();
    }
    let mut text = name.as_os_str().to_owned();
    text.push(".toml");
    PathBuf::from(text)
}
