//! What the lines of a script say.

use std::path::PathBuf;

use crate::app::{Compare, Tool};
use crate::panels::Tab;
use crate::viewport::look::Grain;

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Line {
    Play,
    Pause,
    Step,
    Stage,
    Reset,
    Until(f64),
    Wait(f64),
    Set(String, String),
    Colour(String),
    Grain(Grain),
    Lines,
    Layer,
    Tab(Tab),
    Theme(bool),
    Probe(u32),
    Camera(f32, f32, f32),
    Open(PathBuf),
    Add(PathBuf),
    Place(usize),
    Compare(Compare),
    Picture(PathBuf),
    Window(PathBuf),
    Record(PathBuf, f64),
    Tool(Tool),
    Measure(f64),
    Startup,
    See,
    Exit,
}

/// What the lines of a script may be, for the help of the program.
pub(super) const LANGUAGE: &str = "\
play, pause, step, stage, reset  as the buttons
until SECONDS                  simulate to that time and pause
wait SECONDS                   let the window go on
set KEY VALUE                  change the scene, such as: set objects.0.spacing 0.05
color FIELD                    colour by material, speed, pressure, …
grain balls|points|icosahedra|surface|hidden
lines                          show velocity lines;   layer: show the layer of the grid
tab NAME                       open a tab
theme dark|light
probe ID                       choose a particle
camera AZIMUTH ELEVATION ZOOM  degrees, degrees, factor on the distance
see                            move the camera so that everything is seen
open PATH, add PATH            open a scene or run; add a run to compare
frame NUMBER                   place on the timeline;   compare beside|over: how runs are laid
tool turn|move|rotate|scale
picture PATH                   write the viewport as PNG;   window PATH: the whole window
record PATH SECONDS            write a movie of so many simulated seconds
measure SECONDS                print pictures a second and the longest wait
startup                        print how long the first picture took
exit";

impl Line {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (rest, words) = (rest.trim(), rest.split_whitespace().collect::<Vec<_>>());
        let number = |place: usize| words.get(place)?.parse::<f64>().ok().filter(|x| x.is_finite());
        Some(match verb {
            "play" => Self::Play,
            "pause" => Self::Pause,
            "step" => Self::Step,
            "stage" => Self::Stage,
            "startup" => Self::Startup,
            "see" => Self::See,
            "reset" => Self::Reset,
            "until" => Self::Until(number(0)?),
            "wait" => Self::Wait(number(0)?),
            "set" => {
                rest.split_once(' ').map(|(key, value)| Self::Set(key.to_owned(), value.trim().to_owned()))?
            }
            "color" => Self::Colour(rest.to_owned()),
            "grain" => Self::Grain(
                Grain::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(rest)).map(|(g, _)| *g)?,
            ),
            "lines" => Self::Lines,
            "layer" => Self::Layer,
            "tab" => Self::Tab(Tab::ALL.into_iter().find(|tab| tab.name().eq_ignore_ascii_case(rest))?),
            "theme" if rest == "dark" || rest == "light" => Self::Theme(rest == "dark"),
            "probe" => Self::Probe(number(0)? as u32),
            "camera" => Self::Camera(number(0)? as f32, number(1)? as f32, number(2)? as f32),
            "open" => Self::Open(rest.into()),
            "add" => Self::Add(rest.into()),
            "frame" => Self::Place(number(0)? as usize),
            "compare" if rest == "beside" => Self::Compare(Compare::SideBySide),
            "compare" if rest == "over" => Self::Compare(Compare::Overlaid),
            "picture" => Self::Picture(rest.into()),
            "window" => Self::Window(rest.into()),
            "record" => Self::Record(words.first()?.into(), number(1)?),
            "tool" => Self::Tool(
                Tool::ALL.iter().find(|(_, name)| name.eq_ignore_ascii_case(rest)).map(|(t, _)| *t)?,
            ),
            "measure" => Self::Measure(number(0)?),
            "exit" => Self::Exit,
            _ => return None,
        })
    }
}
