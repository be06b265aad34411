//! Which bodies of a scene wear skins, and which meshes.

use pliant_geometry::mesh::TriangleMesh;

use crate::error::{Fault, SceneError, locate};
use crate::scene::{Matter, Object, Scene, Skin};

impl Scene {
    /// The mesh that each body with a skin wears, in its place at the start, by number of body.
    ///
    /// # Errors
    /// When the surface of a shape cannot be found; the message names the place in the scene file.
    pub fn skins(&self) -> Result<Vec<(u32, TriangleMesh)>, SceneError> {
        self.worn(|object| object.skin.as_ref().map(|skin| object.skin_mesh(skin)).transpose())
    }

    /// The same if every body of the object of that name wore this mesh, given in the object's own coordinates at the
    /// start of the run; none if there is no such object.
    ///
    /// # Errors
    /// None so far.
    pub fn skins_of(&self, name: &str, mesh: &TriangleMesh) -> Result<Vec<(u32, TriangleMesh)>, SceneError> {
        self.worn(|object| Ok((object.name == name).then(|| mesh.clone())))
    }

    fn worn(
        &self,
        mesh_of: impl Fn(&Object) -> Result<Option<TriangleMesh>, Fault>,
    ) -> Result<Vec<(u32, TriangleMesh)>, SceneError> {
        let (mut worn, mut body) = (Vec::new(), 0);
        for object in &self.objects {
            let offsets = object.body_offsets(self.time.duration);
            let mesh = mesh_of(object).map_err(|fault| locate(&self.assets.sources, vec![fault]))?;
            for offset in offsets {
                if let Some(mesh) = &mesh {
                    let mut mesh = mesh.clone();
                    mesh.vertices.iter_mut().for_each(|vertex| *vertex += offset);
                    worn.push((body, mesh));
                }
                body += 1;
            }
        }
        Ok(worn)
    }
}

impl Object {
    fn skin_mesh(&self, skin: &Skin) -> Result<TriangleMesh, Fault> {
        match (skin, &self.matter) {
            (Skin::Mesh(mesh), _) => Ok(mesh.clone()),
            (Skin::Surface { edge }, Matter::Filled { shape, .. }) => shape
                .triangulate(*edge)
                .map_err(|error| Fault::new(self.span.clone(), format!("the skin: {error}"))),
            (Skin::Surface { .. }, Matter::Points(_)) => {
                Err(Fault::new(self.span.clone(), "an object of `points` has no surface to take"))
            }
        }
    }
}
