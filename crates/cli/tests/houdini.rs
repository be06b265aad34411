//! The tools for Houdini, with a stand-in for Houdini: it remembers what it was asked for.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod common;

use std::process::Command;

/// `hou`, as far as the tools use it, and one press of each button.
const SCRIPT: &str = r#"
import json, sys, types
tools, scene, run = sys.argv[1:4]
sys.path.insert(0, tools)
asked = {"nodes": [], "parms": {}, "messages": [], "progress": []}
class Node:
    def __init__(self, kind, name): asked["nodes"].append([kind, name])
    def createNode(self, kind, name): return Node(kind, name)
    def parm(self, name): return types.SimpleNamespace(set=lambda value: asked["parms"].__setitem__(name, value))
    def setDisplayFlag(self, on): asked["shown"] = on
    def layoutChildren(self): pass
class Operation:
    def __init__(self, *a, **k): pass
    def __enter__(self): return self
    def __exit__(self, *a): return False
    def updateProgress(self, share): asked["progress"].append(share)
hou = types.ModuleType("hou")
hou.node = lambda path: Node("root", path)
hou.setFps = lambda fps: asked.__setitem__("fps", fps)
hou.setFrame = lambda frame: None
hou.playbar = types.SimpleNamespace(setFrameRange=lambda a, b: asked.__setitem__("range", [a, b]), setPlaybackRange=lambda a, b: None)
hou.text = types.SimpleNamespace(expandString=lambda text: text)
hou.fileType = types.SimpleNamespace(Directory=1)
hou.InterruptableOperation = Operation
hou.OperationInterrupted = type("OperationInterrupted", (Exception,), {})
chosen = [scene, run, scene + ".missing.toml", ""]
hou.ui = types.SimpleNamespace(selectFile=lambda **k: chosen.pop(0), displayMessage=lambda text, **k: asked["messages"].append(text))
sys.modules["hou"] = hou
import pliant_houdini
pliant_houdini.ask_and_simulate()
pliant_houdini.ask_and_load()
pliant_houdini.ask_and_simulate()
assert pliant_houdini.ask_and_simulate() is None
print(json.dumps(asked))
"#;

#[test]
fn the_shelf_simulates_a_scene_and_loads_a_run() {
    let python = std::env::var("PLIANT_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if Command::new(&python).arg("--version").output().is_err() {
        eprintln!("no Python: the tools for Houdini are not tested");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("drop.toml");
    std::fs::write(&scene, common::elastic()).unwrap();
    let run = folder.path().join("drop_run");
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/houdini/scripts/python");
    let output = Command::new(&python)
        .args(["-c", SCRIPT, tools])
        .args([&scene, &run])
        .env("PLIANT_PROGRAM", env!("CARGO_BIN_EXE_pliant"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let asked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let frames = std::fs::read_dir(run.join("bgeo")).unwrap().count();
    assert!(frames > 1);
    assert_eq!(asked["range"], serde_json::json!([0, frames - 1]));
    assert_eq!(asked["parms"]["file"], run.join("bgeo/particles.$F4.bgeo").to_str().unwrap());
    let readers = asked["nodes"].as_array().unwrap().iter().filter(|node| node[0] == "file").count();
    assert_eq!(readers, 2, "one for the simulation and one for the loaded run: {asked}");
    let progress = asked["progress"].as_array().unwrap();
    assert!(progress.last().is_some_and(|share| share.as_f64() > Some(0.9)), "{asked}");
    let messages = asked["messages"].as_array().unwrap();
    assert!(messages.len() == 1 && messages[0].as_str().unwrap().contains("missing.toml"), "{asked}");
}
