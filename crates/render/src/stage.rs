//! Everything a ray can meet in one picture.

use crate::mesh::MeshTracer;
use crate::ray::{Box3, Ray, V3};
use crate::solids::{PlacedSolid, Plane, Solid};
use crate::spheres::Spheres;

/// What kind of thing was met; decides how it reflects light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// A particle or the skin around particles.
    Matter,
    /// A collider.
    Solid,
    /// A half-space.
    Ground,
}

/// Where a ray met something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub surface: Surface,
    pub point: V3,
    /// Unit normal towards the viewer.
    pub normal: V3,
    /// Linear colour.
    pub colour: V3,
    pub distance: f32,
}

/// The scene of one picture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stage {
    pub spheres: Spheres,
    pub skin: MeshTracer,
    pub solids: Vec<Solid>,
    pub planes: Vec<Plane>,
    /// What the camera looks at [m].
    pub centre: V3,
    /// Half the height of what the camera sees there [m]: the unit of all lengths of light and ground.
    pub scale: f32,
    /// Linear colours of what brings none of its own.
    pub solid_colour: V3,
    pub ground_colour: V3,
}

enum Met<'a> {
    Sphere(usize),
    Skin(usize),
    Solid(&'a Solid, V3),
    Plane(&'a Plane),
}

impl Stage {
    /// Adds a collider.
    pub fn add(&mut self, solid: PlacedSolid) {
        match solid {
            PlacedSolid::Plane(plane) => self.planes.push(plane),
            PlacedSolid::Solid(solid) => self.solids.push(solid),
        }
    }

    /// Box around all that can throw a shadow and has an end.
    pub fn bounds(&self) -> Box3 {
        let matter = self.spheres.bounds().union(&self.skin.bounds());
        self.solids.iter().filter_map(Solid::bounds).fold(matter, |all, one| all.union(&one))
    }

    /// The nearest thing along the ray.
    pub fn nearest(&self, ray: &Ray) -> Option<Hit> {
        let mut best: Option<(Met, f32)> = None;
        let mut limit = f32::MAX;
        if let Some((place, distance)) = self.spheres.nearest(ray, limit) {
            (best, limit) = (Some((Met::Sphere(place), distance)), distance);
        }
        if let Some((place, distance)) = self.skin.nearest(ray, limit) {
            (best, limit) = (Some((Met::Skin(place), distance)), distance);
        }
        for solid in &self.solids {
            if let Some((distance, normal)) = solid.nearest(ray, limit, self.scale) {
                (best, limit) = (Some((Met::Solid(solid, normal), distance)), distance);
            }
        }
        for plane in &self.planes {
            if let Some(distance) = plane.intersect(ray, limit) {
                (best, limit) = (Some((Met::Plane(plane), distance)), distance);
            }
        }
        best.map(|(met, distance)| self.describe(ray, &met, distance))
    }

    /// Whether anything stands in the way before `limit`; planes do not, they only receive shadows.
    #[inline]
    pub fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        self.spheres.blocks(ray, limit)
            || self.skin.blocks(ray, limit)
            || self.solids.iter().any(|solid| solid.blocks(ray, limit, self.scale))
    }

    fn describe(&self, ray: &Ray, met: &Met, distance: f32) -> Hit {
        let point = ray.at(distance);
        let (surface, (normal, colour)) = match met {
            Met::Sphere(place) => (Surface::Matter, self.spheres.look(*place, &point)),
            Met::Skin(place) => (Surface::Matter, self.skin.look(*place, &point)),
            Met::Solid(solid, normal) => {
                (Surface::Solid, (*normal, solid.colour.unwrap_or(self.solid_colour)))
            }
            Met::Plane(plane) => {
                (Surface::Ground, (plane.normal, plane.colour.unwrap_or(self.ground_colour)))
            }
        };
        let normal = if normal.dot(&ray.direction) > 0.0 { -normal } else { normal };
        Hit { surface, point, normal, colour, distance }
    }
}
