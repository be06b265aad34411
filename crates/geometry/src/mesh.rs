//! Triangle meshes: reading files, checking them, mending what can be mended.

mod crossings;
mod error;
mod gltf;
mod inspect;
mod obj;
mod ply;
mod stl;
mod text;

use crate::Aabb;
pub(crate) use error::{Fault, read_file};
pub use error::{MeshError, Place};
pub use inspect::MeshReport;
use pliant_math::Vec3;
pub(crate) use ply::read as read_ply;
use std::path::{Path, PathBuf};

/// Triangles over shared vertices; seen from outside their corners run counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions `[m]`.
    pub vertices: Vec<Vec3>,
    /// Three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The corners of a triangle `[m]`.
    pub fn corners(&self, triangle: &[u32; 3]) -> [Vec3; 3] {
        triangle.map(|vertex| self.vertices[vertex as usize])
    }

    /// The enclosed volume `[m³]`, negative if the mesh is inside out.
    pub fn signed_volume(&self) -> f64 {
        let center = self.bounds().map_or(Vec3::zeros(), |bounds| bounds.center());
        let six_fold = |triangle: &[u32; 3]| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - center);
            a.dot(&b.cross(&c))
        };
        self.triangles.iter().map(six_fold).sum::<f64>() / 6.0
    }

    /// The smallest box around the vertices.
    pub fn bounds(&self) -> Option<Aabb> {
        Aabb::of_points(&self.vertices)
    }

    /// Adds a polygon as a fan of triangles.
    fn push_polygon(&mut self, corners: &[u32]) {
        for pair in corners.windows(2).skip(1) {
            self.triangles.push([corners[0], pair[0], pair[1]]);
        }
    }
}

/// Reads an OBJ, PLY, STL, glTF or GLB file (told apart by the ending), checks it and mends it.
///
/// Files that a glTF file refers to must lie in `allowed_folder`.
///
/// # Errors
/// One clear message with file, line or byte, and what to try, for files that cannot be read, are broken, or hold
/// no volume. Never needs more memory than a small multiple of the file.
pub fn load(path: &Path, allowed_folder: &Path) -> Result<(TriangleMesh, MeshReport), MeshError> {
    let bytes = read_file(path)?;
    parse(&bytes, path, allowed_folder)
}

/// Reads the bytes of a file of that name, as [`load`] does; files beside it are looked for in `allowed_folder`.
///
/// # Errors
/// As [`load`].
pub fn parse(
    bytes: &[u8],
    path: &Path,
    allowed_folder: &Path,
) -> Result<(TriangleMesh, MeshReport), MeshError> {
    let mesh = read(bytes, path, allowed_folder)?;
    inspect::inspect(mesh).map_err(|fault| fault.in_file(&path.display().to_string()))
}

/// Reads a mesh file as it is: vertices keep their order, holes stay. For meshes that are only drawn.
///
/// # Errors
/// As [`load`], but a mesh need not enclose a volume.
pub fn load_surface(path: &Path, allowed_folder: &Path) -> Result<TriangleMesh, MeshError> {
    let mesh = read(&read_file(path)?, path, allowed_folder)?;
    if mesh.triangles.is_empty() {
        let fault = Fault::new(Place::File, "there are no triangles in it", "give a mesh with a surface");
        return Err(fault.in_file(&path.display().to_string()));
    }
    Ok(mesh)
}

fn read(bytes: &[u8], path: &Path, allowed_folder: &Path) -> Result<TriangleMesh, MeshError> {
    let name = path.display().to_string();
    let ending = ending(path);
    let parsed = match ending.as_str() {
        "obj" => obj::read(bytes),
        "ply" => ply::read(bytes),
        "stl" => stl::read(bytes),
        "gltf" | "glb" => gltf::read(bytes, path, allowed_folder),
        _ => return Err(MeshError::UnknownFormat { path: name, ending }),
    };
    parsed.map_err(|fault| fault.in_file(&name))
}

/// The files beside it that a glTF or GLB file needs, in its order. Other files need none.
///
/// # Errors
/// One clear message if the file cannot be read or is broken.
pub fn companions(path: &Path) -> Result<Vec<PathBuf>, MeshError> {
    if !matches!(ending(path).as_str(), "gltf" | "glb") {
        return Ok(Vec::new());
    }
    let names = gltf::external_files(&read_file(path)?)
        .map_err(|fault| fault.in_file(&path.display().to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(names.iter().map(|name| folder.join(name)).collect())
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_lowercase()
}

/// Checks and mends a mesh from anywhere, as `load` does with files; `name` is used in messages.
pub fn inspect(mesh: TriangleMesh, name: &str) -> Result<(TriangleMesh, MeshReport), MeshError> {
    inspect::inspect(mesh).map_err(|fault| fault.in_file(name))
}
