#!/usr/bin/env python3
"""Checks exported particle files with readers that are not ours.

    python3 tools/verify_exports.py FOLDER...

Each FOLDER is what `pliant export` filled: one subfolder a format (vtp, ply, geo, bgeo, csv, npz). Every frame of
every format is read (VTP with VTK through pyvista, PLY with plyfile and meshio, NPZ and CSV with NumPy, geo with the
json module, bgeo with a decoder written from the published description of Houdini's binary JSON) and compared with
the same frame in the other formats. One line a format; exit code 1 if anything differs. What cannot be checked because
a package is missing is said and skipped: pip install numpy pyvista plyfile meshio
"""

import json
import re
import struct
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None

# What a column is called elsewhere, in the words of the simulation.
HOUDINI_NAMES = {"P": "position", "v": "velocity", "pscale": "radius", "Cd": "color", "rest": "rest_position", "Je": "J"}
COMPONENT_NAMES = {
    "x": "position", "y": "position", "z": "position",
    "vx": "velocity", "vy": "velocity", "vz": "velocity",
    "red": "color", "green": "color", "blue": "color",
}
# Colours are bytes in PLY.
PLY_COLOR_STEP = 1.0 / 255.0


class Mismatch(Exception):
    """Two readers disagree."""


class Skip(Exception):
    """A package is missing."""


def require(name):
    """The package of that name, or a reason to skip."""
    try:
        return __import__(name)
    except ImportError as error:
        raise Skip(f"package {name} is missing") from error


# --- one reader a format: columns by name, each an array of one row a particle -------------------------------------


def read_npz(path):
    with np.load(path) as archive:
        columns = {name: archive[name] for name in archive.files}
    columns.pop("time"), columns.pop("frame")
    return {name: values.reshape(len(values), -1) for name, values in columns.items()}


def read_csv(path):
    table = np.genfromtxt(path, delimiter=",", names=True, dtype=np.float64, ndmin=1)
    return join_components({name: table[name] for name in table.dtype.names})


def read_ply(path):
    vertices = require("plyfile").PlyData.read(path)["vertex"]
    columns = {p.name: np.asarray(vertices[p.name], dtype=np.float64) for p in vertices.properties}
    for name in ("red", "green", "blue"):
        if name in columns:
            columns[name] = columns[name] / 255.0
    try:
        mesh = require("meshio").read(path)
    except Skip:
        return join_components(columns)
    if not np.array_equal(mesh.points, np.stack([columns[axis] for axis in "xyz"], axis=1)):
        raise Mismatch("meshio and plyfile disagree about positions")
    for name, values in mesh.point_data.items():
        # meshio takes PLY's unsigned bytes for signed ones.
        same_scale = values.view(np.uint8) / 255.0 if name in ("red", "green", "blue") else values
        if not np.array_equal(np.asarray(same_scale, dtype=np.float64), columns[name]):
            raise Mismatch(f"meshio and plyfile disagree about {name}")
    return join_components(columns)


def read_vtp(path):
    mesh = require("pyvista").read(path)
    if mesh.n_verts != mesh.n_points:
        raise Mismatch(f"{mesh.n_verts} vertex cells for {mesh.n_points} points")
    columns = {name: np.asarray(mesh.point_data[name]) for name in mesh.point_data.keys()}
    columns["position"] = np.asarray(mesh.points)
    return {name: values.reshape(mesh.n_points, -1) for name, values in columns.items()}


def read_geo(path):
    return read_houdini(json.loads(path.read_text()))


def read_bgeo(path):
    return read_houdini(BinaryJson(path.read_bytes()).document())


def join_components(components):
    """x, y, z and F_xx … F_zz as columns again; the order of the components is that of the file."""
    grouped = {}
    for name, values in components.items():
        tensor = re.fullmatch(r"(.+)_([xyz]{1,2})", name)
        grouped.setdefault(COMPONENT_NAMES.get(name) or (tensor.group(1) if tensor else name), []).append(values)
    return {name: np.stack(values, axis=1) for name, values in grouped.items()}


# --- Houdini ---------------------------------------------------------------------------------------------------------


def pairs(values):
    """Houdini writes objects as [key, value, key, value, ...]."""
    if isinstance(values, dict):
        return values
    return dict(zip(values[0::2], values[1::2], strict=True))


def read_houdini(document):
    root = pairs(document)
    attributes = pairs(root["attributes"])
    detail = houdini_attributes(attributes["globalattributes"], 1)
    for name in ("time", "frame", "fps"):
        if name not in detail:
            raise Mismatch(f"detail attribute {name} is missing")
    return houdini_attributes(attributes["pointattributes"], root["pointcount"])


def houdini_attributes(attributes, count):
    columns = {}
    for definition, data in attributes:
        definition, data = pairs(definition), pairs(data)
        columns[HOUDINI_NAMES.get(definition["name"], definition["name"])] = houdini_values(pairs(data["values"]), count)
    return columns


def houdini_values(values, count):
    size = values["size"]
    kind = {"fpreal32": np.float32, "int32": np.int32, "int64": np.int64}[values["storage"]]
    if "tuples" in values:
        return np.array(values["tuples"], dtype=kind).reshape(count, size)
    if "arrays" in values:
        return np.array(values["arrays"], dtype=kind).T.reshape(count, size)
    # Pages hold `pagesize` elements; within a page each group of `packing` components is stored together.
    raw, page_size = np.asarray(values["rawpagedata"], dtype=kind), values["pagesize"]
    columns, position = np.empty((count, size), dtype=kind), 0
    for start in range(0, count, page_size):
        elements, component = min(page_size, count - start), 0
        for width in map(int, values.get("packing", [size])):
            block = raw[position:position + elements * width].reshape(elements, width)
            columns[start:start + elements, component:component + width] = block
            position, component = position + elements * width, component + width
    if position != len(raw):
        raise Mismatch(f"{len(raw)} numbers where the pages hold {position}")
    return columns


class BinaryJson:
    """Houdini's binary JSON (UT_JSON): one token byte a value, numbers in the byte order of the magic number."""

    MAGIC = 0x624A534E
    NUMBERS = {0x11: "b", 0x12: "h", 0x13: "i", 0x14: "q", 0x18: "e", 0x19: "f", 0x1A: "d", 0x21: "B", 0x22: "H"}

    def __init__(self, data):
        self.data, self.position, self.tokens = data, 0, {}
        if self.byte() != 0x7F:
            raise Mismatch("not binary JSON")
        raw = self.take(4)
        orders = [order for order in "<>" if struct.unpack(order + "I", raw)[0] == self.MAGIC]
        if not orders:
            raise Mismatch("the magic number is wrong")
        self.order = orders[0]

    def document(self):
        value = self.value(self.token())
        if self.position != len(self.data):
            raise Mismatch("bytes after the end of the document")
        return value

    def take(self, count):
        taken = self.data[self.position:self.position + count]
        if len(taken) != count:
            raise Mismatch("the file ends too early")
        self.position += count
        return taken

    def byte(self):
        return self.take(1)[0]

    def number(self, letter):
        return struct.unpack(self.order + letter, self.take(struct.calcsize(self.order + letter)))[0]

    def length(self):
        first = self.byte()
        if first < 0xF1:
            return first
        if first not in (0xF2, 0xF4, 0xF8):
            raise Mismatch(f"reserved length byte {first:#x}")
        return self.number({0xF2: "H", 0xF4: "I", 0xF8: "Q"}[first])

    def string(self):
        return self.take(self.length()).decode()

    def token(self):
        while True:
            token = self.byte()
            if token == 0x2B:
                number = self.length()
                self.tokens[number] = self.string()
            elif token == 0x2D:
                del self.tokens[self.length()]
            else:
                return token

    def value(self, token):
        if token in self.NUMBERS:
            return self.number(self.NUMBERS[token])
        if token in (0x00, 0x30, 0x31):
            return {0x00: None, 0x30: False, 0x31: True}[token]
        if token == 0x27:
            return self.string()
        if token == 0x26:
            return self.tokens[self.length()]
        if token == 0x40:
            return self.uniform_array()
        if token == 0x5B:
            return [self.value(item) for item in iter(self.token, 0x5D)]
        if token == 0x7B:
            return {self.value(key): self.value(self.token()) for key in iter(self.token, 0x7D)}
        raise Mismatch(f"unknown token {token:#x} at byte {self.position - 1}")

    def uniform_array(self):
        kind, count = self.byte(), self.length()
        if kind not in self.NUMBERS:
            raise Mismatch(f"uniform array of {kind:#x}")
        letter = self.NUMBERS[kind]
        raw = self.take(count * struct.calcsize(self.order + letter))
        return np.frombuffer(raw, dtype=np.dtype(letter).newbyteorder(self.order))


# --- comparison ------------------------------------------------------------------------------------------------------

READERS = {"npz": read_npz, "vtp": read_vtp, "ply": read_ply, "geo": read_geo, "bgeo": read_bgeo, "csv": read_csv}


def compare(columns, reference, name_of_format):
    if set(columns) != set(reference):
        raise Mismatch(f"columns {sorted(set(columns) ^ set(reference))} are not in both")
    for name, expected in reference.items():
        found = columns[name]
        if found.shape != expected.shape:
            raise Mismatch(f"{name} has shape {found.shape}, not {expected.shape}")
        tolerance = PLY_COLOR_STEP if "ply" in name_of_format and name == "color" else 0.0
        # Everything else must be the same single-precision number.
        difference = np.abs(found.astype(np.float32).astype(np.float64) - expected.astype(np.float32))
        if difference.size and difference.max() > tolerance:
            raise Mismatch(f"{name} differs by up to {difference.max():g}")


def check_collection(folder, files):
    """The PVD lists every file once, in the order of time, and VTK reads it."""
    for path in folder.glob("*.pvd"):
        reader = require("pyvista").get_reader(path)
        listed = [dataset.path for dataset in reader.datasets]
        if sorted(Path(file).name for file in listed) != sorted(file.name for file in files):
            raise Mismatch(f"{path.name} does not list the files of its folder")
        if list(reader.time_values) != sorted(reader.time_values):
            raise Mismatch(f"{path.name} is not in the order of time")
        for time in reader.time_values:
            reader.set_active_time_value(time)
            stored = reader.read()[0].field_data["TimeValue"][0]
            if abs(stored - time) > 1e-12:
                raise Mismatch(f"{path.name} says {time}, the file says {stored}")


def check_format(folder, name, references):
    """Compares all frames of a format with the first format that had them; says what was checked."""
    files = sorted((folder / name).glob(f"*.{name}"))
    if not files:
        raise Mismatch("no files")
    columns = {}
    for file in files:
        columns = READERS[name](file)
        first_format, reference = references.setdefault(file.stem, (name, columns))
        try:
            compare(columns, reference, (name, first_format))
        except Mismatch as mismatch:
            raise Mismatch(f"{file.name} against {first_format}: {mismatch}") from mismatch
    if name == "vtp":
        check_collection(folder / name, files)
    return f"{len(files)} frames, {len(next(iter(columns.values())))} particles, columns {' '.join(sorted(columns))}"


def verify(folder):
    """One line a format; whether all is well."""
    references, found, well = {}, 0, True
    for name in READERS:
        if not (folder / name).is_dir():
            continue
        found += 1
        try:
            print(f"{folder}: {name:5} ok       {check_format(folder, name, references)}")
        except Skip as reason:
            print(f"{folder}: {name:5} skipped  {reason}")
        except Exception as error:  # a reader may fail in any way on a bad file
            print(f"{folder}: {name:5} WRONG    {type(error).__name__}: {error}")
            well = False
    if not found:
        print(f"{folder}: holds none of {', '.join(READERS)}")
    return well and found > 0


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2 if not arguments else 0
    if np is None:
        print("skipped: verifying exports needs numpy (pip install numpy pyvista plyfile meshio)")
        return 0
    return 0 if all([verify(Path(folder)) for folder in arguments]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
