//! How much of the elasticity of a particle that is held counts: energy lies on the free side of a clamp only.
//!
//! A clamp ends at the middle of the last particles that are held. Half of the volume of such a particle lies beyond it and does
//! not deform. The other half does, but the deformation gradient is a mean over both sides: where the free side is stretched
//! evenly and the held side is not, the particle measures a share `c` of the stretch. That is all of it if the body ends where it is
//! held, and half of it if held matter goes on as far as the kernel reaches. A factor makes what is stored that of the volume on the
//! free side, `φ V Ψ(ε)`.

use pliant_math::{Mat, Vect, principal};

/// What measures less than this share of the stretch lies deeper than the last layer that is held, with less free volume; the little it
/// stores is not made more.
const DEEP: f64 = 0.5;
/// Neighbours that are held make a layer if free ones say so much less about the stretch along it than across. Points and lines have
/// no side that is not free.
const LAYER: f64 = 0.8;

/// A neighbour of a particle that is held.
#[derive(Clone, Copy, Debug)]
pub struct Link<const D: usize> {
    /// Where it is at rest, from the particle [m].
    pub offset: Vect<D>,
    /// Its weight `w` in the fit of the deformation gradient, `F − 1 = Σ w u Xᵀ (Σ w X Xᵀ)⁻¹`.
    pub weight: f64,
    /// What the penalty against zero-energy modes adds to the energy for it, in halves of `μ V` times the square of its distance from
    /// where `F` puts it [1/m²].
    pub penalty: f64,
    /// Whether it is held too.
    pub is_held: bool,
}

/// What the energy of a particle that is held is to be multiplied by.
pub fn stored_share<const D: usize>(links: &[Link<D>]) -> f64 {
    let Some(View { normal, seen, aside }) = View::of(links) else { return 1.0 };
    // The stretch costs μ c² V, and the kink between the two sides what the penalty says.
    let kink = links.iter().map(|link| {
        let missed = if link.is_held { seen } else { 1.0 - seen };
        link.penalty * (missed * normal.dot(&link.offset)).powi(2)
    });
    let volume = if aside < LAYER * seen { free_volume(links, &normal) } else { 1.0 };
    volume / (seen.max(DEEP).powi(2) + 0.5 * kink.sum::<f64>())
}

/// What free neighbours say about the stretch.
struct View<const D: usize> {
    /// The direction about which they say most.
    normal: Vect<D>,
    /// The share `c` there: if they are moved by `ε (n · X)` and the held ones are not, `F − 1 = ε c n nᵀ`.
    seen: f64,
    /// The second largest share.
    aside: f64,
}

impl<const D: usize> View<D> {
    /// None without free neighbours.
    fn of(links: &[Link<D>]) -> Option<Self> {
        let moment = |link: &Link<D>| link.offset * link.offset.transpose() * link.weight;
        let all: Mat<D> = links.iter().map(moment).sum();
        let free: Mat<D> = links.iter().filter(|link| !link.is_held).map(moment).sum();
        // What is added decides nothing, and makes flat neighbourhoods invertible.
        let axes = principal(&(all + Mat::identity() * (1e-6 * all.trace())));
        let scales = axes.sigma.map(|sigma| if sigma > 0.0 { 1.0 / sigma.sqrt() } else { 0.0 });
        let root = axes.v * Mat::from_diagonal(&scales) * axes.v.transpose();
        let shares = principal(&(root * free * root));
        let normal = (root * shares.v.column(0)).try_normalize(0.0)?;
        let (seen, aside) = (shares.sigma[0], shares.sigma[1]);
        (seen > 0.0).then_some(Self { normal, seen, aside })
    }
}

/// The share `φ` of the volume that lies on the free side of a layer: half if all free neighbours do, whole if they lie on both.
fn free_volume<const D: usize>(links: &[Link<D>], normal: &Vect<D>) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for link in links.iter().filter(|link| !link.is_held) {
        let along = normal.dot(&link.offset) * link.weight;
        if along > 0.0 { above += along } else { below -= along }
    }
    0.5 + 0.5 * above.min(below) / above.max(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours on a lattice around a particle at the origin.
    fn around<const D: usize>(
        is_there: impl Fn(&Vect<D>) -> bool,
        is_held: impl Fn(&Vect<D>) -> bool,
    ) -> Vec<Link<D>> {
        let all = (0..5usize.pow(D as u32))
            .map(|k| Vect::<D>::from_fn(|axis, _| (k / 5usize.pow(axis as u32) % 5) as f64 - 2.0));
        let near = all.filter(|offset| (0.5..2.4).contains(&offset.norm()) && is_there(offset));
        near.map(|offset| Link {
            offset,
            weight: 2.4 - offset.norm(),
            penalty: 0.0,
            is_held: is_held(&offset),
        })
        .collect()
    }

    fn check<const D: usize>() {
        let at_the_end = around::<D>(|x| x[0] >= 0.0, |x| x[0] <= 0.0);
        assert!((stored_share(&at_the_end) - 0.5).abs() < 1e-5, "half of its volume is free");
        let within = around::<D>(|_| true, |x| x[0] <= 0.0);
        assert!(
            (stored_share(&within) - 2.0).abs() < 1e-5,
            "half of its volume is free, half of the stretch is seen"
        );
        let alone = around::<D>(|_| true, |_| false);
        assert!((stored_share(&alone) - 1.0).abs() < 1e-5, "a point has no side that is not free");
        let deep = around::<D>(|_| true, |_| true);
        assert_eq!(stored_share(&deep), 1.0, "what nothing can move stores nothing anyway");
    }

    #[test]
    fn half_of_a_layer_that_is_held_counts() {
        check::<2>();
        check::<3>();
    }
}
