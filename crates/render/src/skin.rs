//! Fine meshes that bodies wear: they follow the particles of a snapshot (Kugelstadt 2021, §8).

use std::collections::BTreeMap;

use pliant_geometry::mesh::TriangleMesh;
use pliant_geometry::skin::Skin;
use pliant_math::Vec3;
use pliant_world::snapshot::{Column, Field, Snapshot};

use crate::RenderError;
use crate::mesh::SurfaceMesh;
use crate::surface::{SurfaceOptions, append, carried, pick, surface_of};

/// The skins of a run, by number of body. Each is bound to its particles when they are first seen.
#[derive(Clone, Debug, Default)]
pub struct Skins {
    worn: BTreeMap<u32, Worn>,
}

#[derive(Clone, Debug)]
struct Worn {
    /// As at rest.
    mesh: TriangleMesh,
    bound: Option<Bound>,
}

#[derive(Clone, Debug)]
struct Bound {
    skin: Skin,
    particles: usize,
    /// Particles of each vertex and their shares.
    shares: Vec<Vec<(usize, f64)>>,
}

impl Skins {
    /// Meshes in their places at the start, each with the number of the body that wears it.
    pub fn new(meshes: impl IntoIterator<Item = (u32, TriangleMesh)>) -> Self {
        let worn = meshes.into_iter().map(|(body, mesh)| (body, Worn { mesh, bound: None }));
        Self { worn: worn.collect() }
    }

    /// Whether no body wears one.
    pub fn is_empty(&self) -> bool {
        self.worn.is_empty()
    }

    /// All skins as they follow a snapshot, with its columns at their vertices; bodies that are not there have none.
    ///
    /// # Errors
    /// [`RenderError::Skin`] if a body lost or gained particles, or the snapshot has no rest positions.
    pub fn follow(&mut self, snapshot: &Snapshot) -> Result<SurfaceMesh, RenderError> {
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (particle, body) in snapshot.integers("body").unwrap_or_default().iter().enumerate() {
            members.entry(*body).or_default().push(particle);
        }
        let mut whole = SurfaceMesh::default();
        for (body, worn) in &mut self.worn {
            if let Some(members) = members.get(body) {
                append(&mut whole, worn.follow(*body, members, snapshot)?);
            }
        }
        Ok(whole)
    }
}

impl Worn {
    fn follow(
        &mut self,
        body: u32,
        members: &[usize],
        snapshot: &Snapshot,
    ) -> Result<SurfaceMesh, RenderError> {
        let vectors = |name: &str| -> Option<Vec<Vec3>> {
            let column = snapshot.vectors(name)?;
            Some(members.iter().map(|&i| Vec3::from(column[i].map(f64::from))).collect())
        };
        let wrong = |bound: usize| RenderError::Skin { body, bound, now: members.len() };
        if self.bound.is_none() {
            let rest = vectors("rest_position").ok_or(wrong(0))?;
            let radius =
                snapshot.scalars(Snapshot::RADIUS).map_or(0.01, |radii| f64::from(radii[members[0]]));
            self.bound = Some(Bound::new(&self.mesh, &rest, 2.0 * radius));
        }
        let bound = self.bound.as_ref().ok_or(wrong(0))?;
        if bound.particles != members.len() {
            return Err(wrong(bound.particles));
        }
        let single = |v: &Vec3| [v.x as f32, v.y as f32, v.z as f32];
        let positions = bound.skin.positions(&vectors(Snapshot::POSITION).unwrap_or_default());
        let mut mesh = SurfaceMesh {
            positions: positions.iter().map(single).collect(),
            triangles: self.mesh.triangles.clone(),
            ..SurfaceMesh::default()
        };
        mesh.normals = mesh.vertex_normals();
        let others = snapshot.fields.iter().filter(|field| field.name != Snapshot::POSITION);
        mesh.attributes = others
            .map(|field| {
                let column = if field.name == Snapshot::VELOCITY {
                    let rates = bound.skin.velocities(&vectors(Snapshot::VELOCITY).unwrap_or_default());
                    Column::Vector(rates.iter().map(single).collect())
                } else {
                    carried(&pick(field, members).column, &bound.shares)
                };
                Field { name: field.name.clone(), column }
            })
            .collect();
        Ok(mesh)
    }
}

impl Bound {
    fn new(mesh: &TriangleMesh, rest: &[Vec3], spacing: f64) -> Self {
        let skin = Skin::bind(mesh, rest, spacing);
        let shares = (0..mesh.vertices.len()).map(|vertex| skin.shares(vertex).collect()).collect();
        Self { skin, particles: rest.len(), shares }
    }
}

/// The surface of a snapshot: skins of the bodies that wear one, reconstructed around the particles of the others.
///
/// # Errors
/// As [`Skins::follow`] and [`surface_of`].
pub fn dressed(
    snapshot: &Snapshot,
    skins: &mut Skins,
    options: &SurfaceOptions,
) -> Result<SurfaceMesh, RenderError> {
    if skins.is_empty() {
        return surface_of(snapshot, options);
    }
    let mut whole = skins.follow(snapshot)?;
    let bodies = snapshot.integers("body").unwrap_or_default();
    let bare: Vec<usize> = (0..bodies.len()).filter(|&i| !skins.worn.contains_key(&bodies[i])).collect();
    if !bare.is_empty() {
        let fields = snapshot.fields.iter().map(|field| pick(field, &bare)).collect();
        append(&mut whole, surface_of(&Snapshot { fields, ..snapshot.clone() }, options)?);
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(shift: f32) -> Snapshot {
        let rest: Vec<[f32; 3]> =
            (0..64u8).map(|n| [n % 4, n / 4 % 4, n / 16].map(|c| f32::from(c) * 0.1)).collect();
        let field = |name: &str, column| Field { name: name.to_owned(), column };
        let moved = rest.iter().map(|[x, y, z]| [x + shift, 2.0 * y, *z]).collect();
        let speed = rest.iter().map(|[_, y, _]| [0.0, *y, 0.0]).collect();
        Snapshot {
            fields: vec![
                field("position", Column::Vector(moved)),
                field("velocity", Column::Vector(speed)),
                field("body", Column::Integer(vec![7; 64])),
                field("radius", Column::Scalar(vec![0.05; 64])),
                field("rest_position", Column::Vector(rest)),
            ],
            ..Snapshot::default()
        }
    }

    fn triangle() -> TriangleMesh {
        let vertices = vec![Vec3::zeros(), Vec3::new(0.3, 0.0, 0.35), Vec3::new(0.0, 0.35, 0.1)];
        TriangleMesh { vertices, triangles: vec![[0, 1, 2]] }
    }

    #[test]
    fn a_skin_follows_its_body_with_velocities_and_columns() {
        let mut skins = Skins::new([(7, triangle()), (9, triangle())]);
        let mesh = skins.follow(&snapshot(1.0)).unwrap();
        assert_eq!(mesh.triangles.len(), 1, "body 9 is not there");
        let top = mesh.positions[2];
        assert!((top[0] - 1.0).abs() < 1e-5 && (top[1] - 0.7).abs() < 1e-5, "{top:?}");
        let field = |name: &str| &mesh.attributes.iter().find(|field| field.name == name).unwrap().column;
        let Column::Vector(velocities) = field("velocity") else { panic!("velocities are vectors") };
        assert!((velocities[2][1] - 0.35).abs() < 1e-5, "{:?}", velocities[2]);
        assert_eq!(field("body"), &Column::Integer(vec![7; 3]));
    }

    #[test]
    fn bodies_without_skins_are_drawn_too_and_lost_particles_are_an_error() {
        let mut skins = Skins::new([(7, triangle())]);
        let alone = dressed(&snapshot(0.0), &mut skins, &SurfaceOptions::default()).unwrap();
        assert_eq!(alone.triangles.len(), 1);
        let mut other = snapshot(0.0);
        other.fields[2].column = Column::Integer((0..64).map(|n| if n < 32 { 7 } else { 8 }).collect());
        let error = dressed(&other, &mut skins, &SurfaceOptions::default()).unwrap_err();
        assert!(error.to_string().contains("bound to 64 particles"), "{error}");
        let mut skins = Skins::new([(7, triangle())]);
        let both = dressed(&other, &mut skins, &SurfaceOptions::default()).unwrap();
        assert!(both.triangles.len() > 10);
        assert!(both.attributes.iter().all(|field| field.column.len() == both.positions.len()));
    }

    #[test]
    fn vtp_files_hold_triangles_and_velocities() {
        let mesh = Skins::new([(7, triangle())]).follow(&snapshot(0.0)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("skin.vtp");
        mesh.save_vtp(&path, 0.5).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("NumberOfPolys=\"1\"") && text.contains("Name=\"velocity\""));
        // The arrays end where the closing tag begins: lengths and offsets agree.
        let start = bytes.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let offsets = text.rfind("Name=\"offsets\"").unwrap();
        let offset: usize =
            text[offsets..].split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let last = &bytes[start + offset..];
        assert_eq!(last[..8], 8_u64.to_le_bytes(), "one triangle, one end");
        assert_eq!(last[8..16], 3_i64.to_le_bytes());
        assert!(last[16..].starts_with(b"\n</AppendedData>"));
    }
}
