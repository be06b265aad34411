//! Broken and malicious files: one clear error each, at once, whatever they claim.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "common/meshes.rs"]
#[allow(dead_code, reason = "hostile files need a part of it")]
mod made;

use made::torus;
use pliant_geometry::{mesh, points};
use std::time::{Duration, Instant};

/// What loading a file of this name and these contents complains about.
fn complaint(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let started = Instant::now();
    let error = mesh::load(&path, folder.path()).expect_err(name).to_string();
    assert!(started.elapsed() < Duration::from_secs(1), "{name} took {:?}", started.elapsed());
    assert!(error.contains(name), "{error} does not name the file");
    error
}

fn says(name: &str, bytes: &[u8], wanted: &[&str]) {
    let error = complaint(name, bytes);
    for part in wanted {
        assert!(error.contains(part), "\"{part}\" is not in: {error}");
    }
}

#[test]
fn obj_files_with_bad_numbers_name_the_line() {
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let with = |face: &str| format!("{corners}{face}\n");
    says("zero.obj", with("f 0 1 2").as_bytes(), &["line 5", "\"0\"", "count from 1"]);
    says("beyond.obj", with("f 1 2 9").as_bytes(), &["line 5", "face index 9", "4 vertices"]);
    says("negative.obj", with("f 1 2 -9").as_bytes(), &["line 5", "\"-9\""]);
    says("overflow.obj", with("f 1 2 99999999999999999999").as_bytes(), &["line 5", "9999"]);
    says("large.obj", with("f 1 2 4294967296").as_bytes(), &["line 5"]);
    says("word.obj", with("f a b c").as_bytes(), &["line 5", "\"a\""]);
    says("two.obj", with("f 1 2").as_bytes(), &["line 5", "2 corners"]);
    says("nan.obj", b"v 0 NaN 0\n", &["line 1", "not usable"]);
    says("inf.obj", b"v 0 inf 0\n", &["line 1"]);
    says("huge.obj", b"v 0 1e400 0\n", &["line 1"]);
    says("short.obj", b"v 0 1\n", &["line 1", "missing"]);
    says("noise.obj", &[0xff; 5000], &["no triangles"]);
    says("empty.obj", b"", &["no triangles"]);
    says("flat.obj", with("f 1 2 3").as_bytes(), &["no volume", "close it"]);
}

#[test]
fn ply_files_cannot_promise_more_than_they_hold() {
    let header = |count: &str| {
        format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        )
    };
    let mut bytes = header("9223372036854775808").into_bytes();
    bytes.extend([0; 20]);
    says("claims.ply", &bytes, &["line 3", "9223372036854775808", "20 bytes follow"]);
    says("more.ply", header("99999999999999999999999").as_bytes(), &["line 3", "not a count"]);
    says("minus.ply", header("-1").as_bytes(), &["line 3", "not a count"]);
    says("endless.ply", b"ply\nformat ascii 1.0\n", &["no end"]);
    says("other.ply", b"plain\n", &["line 1", "begins with"]);
    says("format.ply", b"ply\nformat klingon 1.0\nend_header\n", &["line 2", "klingon"]);
    says("nothing.ply", b"ply\nend_header\n", &["no format"]);
    says(
        "type.ply",
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n",
        &["line 4", "quad"],
    );
    says(
        "axes.ply",
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
        &["no property y"],
    );
    says(
        "void.ply",
        b"ply\nformat ascii 1.0\nelement nothing 18446744073709551615\nend_header\n",
        &["line 3"],
    );
    let torus = torus(8, 6);
    for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
        let whole = made::ply(&torus, format);
        for part in [whole.len() - 1, whole.len() / 2, 30] {
            if !(format == "ascii" && part == whole.len() - 1) {
                complaint("cut.ply", &whole[..part]);
            }
        }
    }
    let text = String::from_utf8(made::ply(&torus, "ascii")).unwrap();
    says("list.ply", text.replace("\n3 ", "\n4294967295 ").as_bytes(), &["line 59", "4294967295 entries"]);
    says("index.ply", text.replacen("\n3 0 ", "\n3 48 ", 1).as_bytes(), &["vertex 48", "has 48"]);
    says("fraction.ply", text.replacen("\n3 0 ", "\n3 0.5 ", 1).as_bytes(), &["0.5 is not a vertex number"]);
    says("nan.ply", text.replacen(" 255\n", " 255\nnan ", 1).as_bytes(), &["not usable"]);
}

#[test]
fn stl_files_are_measured_before_they_are_read() {
    let binary = made::stl_binary(&torus(8, 6));
    says("cut.stl", &binary[..binary.len() - 7], &["no triangles"]); // begins like a text file
    let mut claims = binary.clone();
    claims[..5].copy_from_slice(b"other");
    claims[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    says("claims.stl", &claims, &["byte 80", "4294967295 triangles", "export it again"]);
    let mut not_finite = binary.clone();
    not_finite[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
    says("nan.stl", &not_finite, &["byte 96", "not usable"]);
    says("tiny.stl", b"abc", &["3 bytes"]);
    says("half.stl", b"solid\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", &["line 4", "three vertices"]);
    says("word.stl", b"solid\nvertex 0 0 up\n", &["line 2", "\"up\""]);
}

#[test]
fn gltf_files_stay_within_their_buffers() {
    let torus = torus(8, 6);
    let whole = made::glb(&torus);
    for part in [5, 13, 25, whole.len() / 2, whole.len() - 1] {
        complaint("cut.glb", &whole[..part]);
    }
    says("noise.gltf", b"{\"nodes\": 7}", &["line 1", "column"]);
    says("deep.gltf", format!("{{\"extras\":{}", "[".repeat(100_000)).as_bytes(), &["line 1"]);
    let document = made::gltf_document(&torus, r#""uri":"data:application/octet-stream;base64,AAAA","#);
    says("short.gltf", document.as_bytes(), &["promises", "has 3"]);
    let document = made::gltf_document(&torus, r#""uri":"missing.bin","#);
    says("missing.gltf", document.as_bytes(), &["missing.bin"]);
    says(
        "passwd.gltf",
        document.replace("missing.bin", "/etc/hostname").as_bytes(),
        &["outside the allowed"],
    );
    let changed = |from: &str, to: &str| {
        let bytes = made::glb(&torus);
        let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        assert!(text.contains(from), "{from}");
        let padded = format!("{to:width$}", width = from.len());
        text.replacen(from, &padded, 1).chars().map(|letter| letter as u8).collect::<Vec<u8>>()
    };
    says("loop.glb", &changed(r#""children":[1]"#, r#""children":[0]"#), &["node 0", "itself"]);
    says("node.glb", &changed(r#""children":[1]"#, r#""children":[9]"#), &["node 9", "only 2 exist"]);
    says("count.glb", &changed(r#""count":288,"#, r#""count":999,"#), &["accessor 1", "beyond the end"]);
    says("kind.glb", &changed(r#""componentType":5125"#, r#""componentType":5"#), &["unknown type 5"]);
}

#[test]
fn missing_files_and_strange_kinds_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = mesh::load(&folder.path().join("gone.obj"), folder.path()).unwrap_err().to_string();
    assert!(error.contains("gone.obj") && error.contains("check the path"), "{error}");
    let error = mesh::load(folder.path(), folder.path()).unwrap_err().to_string();
    assert!(error.contains("not a file"), "{error}");
    says("model.fbx", b"data", &["unknown kind", "fbx", ".glb"]);
}

#[test]
fn point_files_are_read_with_and_without_header() {
    let folder = tempfile::tempdir().unwrap();
    let load = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        points::load(&path).map_err(|error| error.to_string())
    };
    let plain = load("a.csv", "# points\n1,2,3\n\n4, 5 ,6\n").unwrap();
    assert_eq!(plain[1].as_slice(), [4.0, 5.0, 6.0]);
    let named = load("b.csv", "id,z,y,x\n7,3,2,1\n8,6,5,4\n").unwrap();
    assert_eq!(plain, named);
    let flat = load("c.txt", "1 2\n4 5\n").unwrap();
    assert_eq!(flat[1].as_slice(), [4.0, 5.0, 0.0]);
    let ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6";
    assert_eq!(load("d.ply", ply).unwrap(), plain);
    let error = load("e.csv", "x,y,z\n1,2,3\n4,five,6\n").unwrap_err();
    assert!(error.contains("e.csv, line 3, column 2") && error.contains("\"five\""), "{error}");
    assert!(load("f.csv", "1,2\n1\n").unwrap_err().contains("line 2, column 2"));
    assert!(load("g.csv", "1,2,1e400\n").unwrap_err().contains("column 3"));
    assert!(load("h.csv", "a,b,c\n1,2,3\n").unwrap_err().contains("no columns x and y"));
    assert!(load("i.csv", "\n").unwrap_err().contains("no points"));
    assert!(load("j.xlsx", "").unwrap_err().contains(".csv"));
}
