"""Pliant inside Houdini: simulate a scene file, and show the particles of a run.

What does not need Houdini itself (`simulate`, `export`) works without it. PLIANT_PROGRAM names the program;
without it `pliant` is looked for as any command is.
"""

import json
import os
import subprocess

#: What Houdini reads, and where `pliant export` puts it in a run folder.
FORMAT = "bgeo"
SEQUENCE = "particles.$F4.bgeo"


class PliantError(Exception):
    """What the program said when it failed."""


def _start(arguments):
    program = os.environ.get("PLIANT_PROGRAM", "pliant")
    try:
        return subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise PliantError(f"{program} cannot be started: {error}; set PLIANT_PROGRAM to its path") from error


def _finish(process):
    """What is left of its output. Raises what it said if it failed."""
    output, message = process.communicate()
    if process.returncode != 0:
        raise PliantError(message.strip() or f"pliant ended with {process.returncode}")
    return output


def _follow(arguments, progress):
    """Runs the program; `progress` gets the share that is done, and may stop it by raising."""
    process = _start([*arguments, "--no-render", "--json"])
    frames = 0
    try:
        for line in process.stdout:
            event = json.loads(line)
            frames = event.get("frames", frames)
            if progress and frames and event["event"] == "frame":
                progress(event["frame"] / frames)
    except BaseException:
        process.terminate()  # it saves its state and can be resumed
        process.wait()
        raise
    _finish(process)


def folder_for(scene):
    """A folder beside the scene: that of an earlier run of the same text, or a new one."""
    with open(scene, "rb") as file:
        text = file.read()
    number = 1
    while True:
        folder = os.path.splitext(scene)[0] + ("_run" if number == 1 else f"_run{number}")
        kept = os.path.join(folder, "scene.toml")
        if not os.path.exists(folder):
            return folder
        if os.path.exists(kept):
            with open(kept, "rb") as file:
                if file.read() == text:
                    return folder
        number += 1


def simulate(scene, folder, progress=None):
    """Runs a scene into `folder`, or goes on with the run that is there, and exports it. Returns the sequence of files."""
    if os.path.exists(os.path.join(folder, "manifest.json")):
        _follow(["resume", folder], progress)
    else:
        _follow(["run", scene, "--out", folder], progress)
    return export(folder)


def export(folder):
    """Writes the frames of a run for Houdini, with y up. Returns the sequence of files."""
    _finish(_start(["export", folder, "--format", FORMAT, "--up-axis", "y", "--quiet"]))
    return os.path.join(folder, FORMAT, SEQUENCE)


def last_frame_and_fps(folder):
    """Number of the last frame of a run, whose first is 0, and frames a second."""
    facts = json.loads(_finish(_start(["info", folder, "--json"])))
    last, time = facts["last_frame"], facts["time"]
    return last, last / time if time else 24.0


def show(folder, sequence):
    """Makes a geometry node that reads the sequence, and sets the playbar to it. Returns the node."""
    import hou

    name = os.path.basename(os.path.normpath(folder)) or "pliant"
    geometry = hou.node("/obj").createNode("geo", "pliant_" + "".join(c if c.isalnum() else "_" for c in name))
    reader = geometry.createNode("file", "particles")
    reader.parm("file").set(sequence)
    reader.parm("missingframe").set("empty")
    last, fps = last_frame_and_fps(folder)
    hou.setFps(fps)
    hou.playbar.setFrameRange(0, last)
    hou.playbar.setPlaybackRange(0, last)
    hou.setFrame(0)
    reader.setDisplayFlag(True)
    geometry.layoutChildren()
    return geometry


def ask_and_simulate():
    """The shelf tool: asks for a scene, simulates it beside the scene file, and shows it."""
    import hou

    chosen = hou.ui.selectFile(title="Scene of Pliant", pattern="*.toml")
    if not chosen:
        return None
    scene = hou.text.expandString(chosen)
    try:
        folder = folder_for(scene)
        with hou.InterruptableOperation("Pliant", open_interrupt_dialog=True) as operation:
            sequence = simulate(scene, folder, operation.updateProgress)
        return show(folder, sequence)
    except (OSError, PliantError, hou.OperationInterrupted) as error:
        hou.ui.displayMessage(str(error), title="Pliant")
        return None


def ask_and_load():
    """The shelf tool: asks for a run folder and shows it."""
    import hou

    chosen = hou.ui.selectFile(title="Run of Pliant", file_type=hou.fileType.Directory)
    if not chosen:
        return None
    folder = hou.text.expandString(chosen)
    try:
        return show(folder, export(folder))
    except PliantError as error:
        hou.ui.displayMessage(str(error), title="Pliant")
        return None
