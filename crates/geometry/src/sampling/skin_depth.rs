//! How deep particles lie below the surface, found anew only after they have moved a little, and how they are pushed
//! back (Kugelstadt 2021, §7).

use super::forecast::Domain;
use pliant_math::Vec3;

/// Distance over which a surface counts as plane, in spacings.
const REACH: f64 = 0.05;
/// What is known of the surface near a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    anchor: Vec3,
    /// Signed distance at the anchor `[m]`, negative inside.
    distance: f64,
    /// Outward normal there; zero if the surface is far.
    pub normal: Vec3,
    /// How far from the anchor this holds `[m]`.
    valid: f64,
    /// How deep a particle must lie here `[m]`.
    required: f64,
}

impl Site {
    /// Looks at the surface from `p`; further than `horizon` `[m]` inside, only that it is far is remembered.
    pub fn look(domain: &Domain, p: &Vec3, horizon: f64) -> Self {
        let distance = domain.shape.distance(p);
        if distance < -horizon {
            return Self {
                anchor: *p,
                distance,
                normal: Vec3::zeros(),
                valid: -distance - horizon,
                required: 0.0,
            };
        }
        let mut normal = domain.shape.normal(p);
        if domain.dimension == 2 {
            normal.z = 0.0;
            normal = normal.try_normalize(1e-9).unwrap_or_else(Vec3::zeros);
        }
        let required = required_depth(domain, &(p - normal * distance), &normal);
        Self { anchor: *p, distance, normal, valid: REACH * domain.spacing, required }
    }

    /// Whether it still holds at `p`.
    pub fn holds(&self, p: &Vec3) -> bool {
        (p - self.anchor).norm_squared() <= self.valid * self.valid
    }

    /// The signed distance at a point where it holds `[m]`.
    pub fn distance(&self, p: &Vec3) -> f64 {
        self.distance + self.normal.dot(&(p - self.anchor))
    }

    /// Whether the surface is within the horizon.
    pub fn is_near(&self) -> bool {
        self.normal != Vec3::zeros()
    }
}

/// How deep particles must lie below a point of the surface `[m]`: half a spacing, so that they touch it from inside;
/// less in parts thinner than two spacings, which would otherwise become a single flat layer.
fn required_depth(domain: &Domain, foot: &Vec3, normal: &Vec3) -> f64 {
    (0.25 * thickness(domain, foot, normal)).clamp(0.0, 0.5 * domain.spacing)
}

/// How thick the shape is below a point of its surface `[m]`, up to two spacings: seen from one spacing inside, the far
/// side of a thin part is nearer than the near one.
pub(super) fn thickness(domain: &Domain, foot: &Vec3, normal: &Vec3) -> f64 {
    let beyond = domain.shape.distance(&(foot - normal * domain.spacing));
    (domain.spacing - beyond).max(0.0)
}

/// Moves a particle that is outside or too close to the surface back along the normal.
pub(super) fn push_back(domain: &Domain, p: &Vec3, site: &mut Site, horizon: f64) -> Vec3 {
    if !site.holds(p) {
        *site = Site::look(domain, p, horizon);
    }
    let excess = site.distance(p) + site.required;
    if !site.is_near() || excess <= 0.0 {
        return *p;
    }
    let moved = p - site.normal * excess;
    // Near the anchor, what is known of the surface says that the push succeeds.
    if site.holds(&moved) {
        return moved;
    }
    let seen = Site::look(domain, &moved, horizon);
    // Behind a sharp crease the push may miss the inside.
    if seen.distance > 0.0 && seen.distance > site.distance(p) {
        return *p;
    }
    *site = seen;
    moved
}
