//! Meshes and files made for the tests.

use pliant_geometry::mesh::TriangleMesh;
use pliant_math::Vec3;
use std::f64::consts::TAU;
use std::fmt::Write;

pub const MAJOR: f64 = 0.5;
pub const MINOR: f64 = 0.2;

/// A closed torus about y, facing outwards.
pub fn torus(around: u32, across: u32) -> TriangleMesh {
    let vertex = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
        let radius = MAJOR + MINOR * v.cos();
        Vec3::new(radius * u.cos(), MINOR * v.sin(), radius * u.sin())
    };
    let index = |i: u32, j: u32| (i % around) * across + j % across;
    let mut mesh = TriangleMesh::default();
    for i in 0..around {
        for j in 0..across {
            mesh.vertices.push(vertex(i, j));
            let [a, b, c, d] = [index(i, j), index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

pub fn flipped(mut mesh: TriangleMesh) -> TriangleMesh {
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    mesh
}

pub fn obj(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("# a mesh\no thing\n");
    mesh.vertices.iter().for_each(|v| writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap());
    text.push_str("vn 0 1 0\n");
    for [a, b, c] in &mesh.triangles {
        writeln!(text, "f {}//1 {}//1 {}//1", a + 1, b + 1, c + 1).unwrap();
    }
    text.into_bytes()
}

pub fn stl_text(mesh: &TriangleMesh) -> Vec<u8> {
    let mut text = String::from("solid thing\n");
    for triangle in &mesh.triangles {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for v in mesh.corners(triangle) {
            writeln!(text, "vertex {} {} {}", v.x, v.y, v.z).unwrap();
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid thing\n");
    text.into_bytes()
}

/// Binary, with a header that begins like a text file's.
pub fn stl_binary(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for v in mesh.corners(triangle) {
            v.iter().for_each(|c| bytes.extend((*c as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn ply(mesh: &TriangleMesh, format: &str) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat {format} 1.0\ncomment made for a test\nelement vertex {}\nproperty double x\nproperty double y\n\
         property double z\nproperty uchar red\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    for v in &mesh.vertices {
        match format {
            "ascii" => bytes.extend(format!("{} {} {} 255\n", v.x, v.y, v.z).bytes()),
            "binary_big_endian" => v.iter().for_each(|c| bytes.extend(c.to_be_bytes())),
            _ => v.iter().for_each(|c| bytes.extend(c.to_le_bytes())),
        }
        bytes.extend((format != "ascii").then_some(255));
    }
    for triangle in &mesh.triangles {
        bytes.extend((format != "ascii").then_some(3));
        match format {
            "ascii" => bytes.extend(format!("3 {} {} {}\n", triangle[0], triangle[1], triangle[2]).bytes()),
            "binary_big_endian" => triangle.iter().for_each(|i| bytes.extend(i.to_be_bytes())),
            _ => triangle.iter().for_each(|i| bytes.extend(i.to_le_bytes())),
        }
    }
    bytes
}

/// The vertices as floats and then the indices, as glTF keeps them.
pub fn gltf_buffer(mesh: &TriangleMesh) -> Vec<u8> {
    let mut bytes = Vec::new();
    mesh.vertices.iter().flat_map(Vec3::iter).for_each(|c| bytes.extend((*c as f32).to_le_bytes()));
    mesh.triangles.iter().flatten().for_each(|i| bytes.extend(i.to_le_bytes()));
    bytes
}

/// A document whose node is scaled by two and moved up by one; `uri` is the buffer's address entry or nothing.
pub fn gltf_document(mesh: &TriangleMesh, uri: &str) -> String {
    let (vertices, indices) = (12 * mesh.vertices.len(), 12 * mesh.triangles.len());
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1],"translation":[0,1,0]}},{{"mesh":0,"scale":[2,2,2]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":7}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},
        {{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{vertices}}},
        {{"buffer":0,"byteOffset":{vertices},"byteLength":{indices}}}],
        "buffers":[{{{uri}"byteLength":{}}}]}}"#,
        mesh.vertices.len(),
        3 * mesh.triangles.len(),
        vertices + indices
    )
}

pub fn glb(mesh: &TriangleMesh) -> Vec<u8> {
    let mut json = gltf_document(mesh, "").into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let buffer = gltf_buffer(mesh);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (chunk, kind) in [(&json, b"JSON"), (&buffer, b"BIN\0")] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}
