//! Surfaces as files: OBJ for everything, PLY and VTP with the values at the vertices.

use std::fmt::Write;
use std::path::Path;

use pliant_world::snapshot::Column;

use crate::RenderError;
use crate::image::write_file;
use crate::mesh::SurfaceMesh;

impl SurfaceMesh {
    /// Writes a Wavefront OBJ file: vertices, normals and triangles.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the file cannot be written.
    pub fn save_obj(&self, path: &Path) -> Result<(), RenderError> {
        let mut text = String::with_capacity(64 * (self.positions.len() + self.triangles.len()));
        let in_memory = "writing to a string cannot fail";
        for [x, y, z] in &self.positions {
            writeln!(text, "v {x} {y} {z}").expect(in_memory);
        }
        for [x, y, z] in &self.normals {
            writeln!(text, "vn {x} {y} {z}").expect(in_memory);
        }
        let has_normals = self.normals.len() == self.positions.len();
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| u64::from(vertex) + 1);
            if has_normals {
                writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}").expect(in_memory);
            } else {
                writeln!(text, "f {a} {b} {c}").expect(in_memory);
            }
        }
        write_file(path, text.as_bytes())
    }

    /// Writes a binary little-endian PLY file with normals and all attributes, vectors and tensors as
    /// `name_0`, `name_1` and so on.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the file cannot be written.
    pub fn save_ply(&self, path: &Path) -> Result<(), RenderError> {
        let mut bytes = self.ply_header().into_bytes();
        for (vertex, position) in self.positions.iter().enumerate() {
            push_floats(&mut bytes, position);
            if let Some(normal) = self.normals.get(vertex) {
                push_floats(&mut bytes, normal);
            }
            for field in &self.attributes {
                match &field.column {
                    Column::Integer(values) => bytes.extend(values[vertex].to_le_bytes()),
                    Column::Scalar(values) => push_floats(&mut bytes, &[values[vertex]]),
                    Column::Vector(values) => push_floats(&mut bytes, &values[vertex]),
                    Column::Tensor(values) => push_floats(&mut bytes, &values[vertex]),
                }
            }
        }
        for triangle in &self.triangles {
            bytes.push(3);
            triangle.iter().for_each(|vertex| bytes.extend(vertex.to_le_bytes()));
        }
        write_file(path, &bytes)
    }

    /// Writes a VTK PolyData file with appended binary arrays: triangles, and all attributes as point data.
    ///
    /// # Errors
    /// [`RenderError::Write`] if the file cannot be written.
    pub fn save_vtp(&self, path: &Path, time: f64) -> Result<(), RenderError> {
        let mut arrays = Arrays::default();
        let mut points = String::new();
        for field in &self.attributes {
            points += &match &field.column {
                Column::Integer(values) => arrays.add("UInt32", &field.name, 1, values, u32::to_le_bytes),
                Column::Scalar(values) => arrays.add("Float32", &field.name, 1, values, f32::to_le_bytes),
                Column::Vector(values) => {
                    arrays.add("Float32", &field.name, 3, values.as_flattened(), f32::to_le_bytes)
                }
                Column::Tensor(values) => {
                    arrays.add("Float32", &field.name, 9, values.as_flattened(), f32::to_le_bytes)
                }
            };
        }
        let positions = arrays.add("Float32", "Points", 3, self.positions.as_flattened(), f32::to_le_bytes);
        let corners: Vec<i64> =
            self.triangles.as_flattened().iter().map(|&vertex| i64::from(vertex)).collect();
        let ends: Vec<i64> = (1..).map(|triangle| 3 * triangle).take(self.triangles.len()).collect();
        let connectivity = arrays.add("Int64", "connectivity", 1, &corners, i64::to_le_bytes);
        let offsets = arrays.add("Int64", "offsets", 1, &ends, i64::to_le_bytes);
        let mut bytes = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
             <PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
             format=\"ascii\">{time}</DataArray>\n</FieldData>\n\
             <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" \
             NumberOfPolys=\"{}\">\n<PointData>\n{points}</PointData>\n<Points>\n{positions}</Points>\n\
             <Polys>\n{connectivity}{offsets}</Polys>\n</Piece>\n</PolyData>\n\
             <AppendedData encoding=\"raw\">\n_",
            self.positions.len(),
            self.triangles.len()
        )
        .into_bytes();
        bytes.extend(arrays.bytes);
        bytes.extend_from_slice(b"\n</AppendedData>\n</VTKFile>\n");
        write_file(path, &bytes)
    }

    fn ply_header(&self) -> String {
        let mut properties: Vec<String> = ["x", "y", "z"].map(|name| format!("float {name}")).to_vec();
        if !self.normals.is_empty() {
            properties.extend(["nx", "ny", "nz"].map(|name| format!("float {name}")));
        }
        for field in &self.attributes {
            let name = &field.name;
            let parts = |count: usize| (0..count).map(move |part| format!("float {name}_{part}"));
            match &field.column {
                Column::Integer(_) => properties.push(format!("uint {name}")),
                Column::Scalar(_) => properties.push(format!("float {name}")),
                Column::Vector(_) => properties.extend(parts(3)),
                Column::Tensor(_) => properties.extend(parts(9)),
            }
        }
        let lines: String = properties.iter().map(|property| format!("property {property}\n")).collect();
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\n{lines}element face {}\nproperty list uchar \
             uint vertex_indices\nend_header\n",
            self.positions.len(),
            self.triangles.len()
        )
    }
}

/// Binary arrays after the XML of a VTK file, each with its length in front.
#[derive(Default)]
struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    /// Takes an array in and says in XML where it is.
    fn add<T: Copy, const N: usize>(
        &mut self,
        kind: &str,
        name: &str,
        width: usize,
        values: &[T],
        encode: fn(T) -> [u8; N],
    ) -> String {
        let offset = self.bytes.len();
        self.bytes.extend(((N * values.len()) as u64).to_le_bytes());
        values.iter().for_each(|value| self.bytes.extend(encode(*value)));
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"appended\" \
             offset=\"{offset}\"/>\n"
        )
    }
}

fn push_floats(bytes: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
}
