//! How much of the elasticity of a particle that is held counts: energy lies on the free side of a clamp only.
//!
//! A clamp ends at the middle of the last particles that are held. Half of the volume of such a particle lies beyond it and does
//! not deform. The other half does, but the deformation gradient is a mean over both sides: where the free side is stretched
//! evenly and the held side is not, the particle measures a share `c` of the stretch. That is all of it if the body ends where it is
//! held, and half of it if held matter goes on as far as the kernel reaches. A factor of the moduli makes what is stored that of
//! the volume on the free side, `φ V Ψ(ε)`.

use super::rest::{Edge, Rest};
use nalgebra::Matrix3;
use pliant_math::Vec3;

/// What measures less than this share of the stretch lies deeper than the last layer that is held, with less free volume; the little it
/// stores is not made more.
const DEEP: f64 = 0.5;
/// Neighbours that are held make a layer if free ones say this much less about the stretch along it than across. Points and lines have
/// no side that is not free.
const LAYER: f64 = 0.5;

/// The factor for each particle; one for those that are not held. `penalty` is the strength α of the zero-energy term.
pub(super) fn factors(rest: &Rest, pinned: &[bool], penalty: f64) -> Vec<f64> {
    let factor = |i: usize| if pinned[i] { factor(rest.row(i), pinned, penalty) } else { 1.0 };
    (0..rest.len()).map(factor).collect()
}

fn factor(row: &[Edge], pinned: &[bool], penalty: f64) -> f64 {
    let free: Vec<&Edge> = row.iter().filter(|edge| !pinned[edge.to as usize]).collect();
    let Some(View { normal, seen, aside }) = View::of(row, &free) else { return 1.0 };
    // The stretch of Eq. 12 costs μ c², and the kink between the two sides α μ/2 times its square (Eq. 20).
    let kink = row.iter().map(|edge| {
        let missed = if pinned[edge.to as usize] { seen } else { 1.0 - seen };
        f64::from(edge.weight) * (missed * normal.dot(&edge.offset())).powi(2)
    });
    let volume = if aside < LAYER * seen { free_volume(&free, &normal) } else { 1.0 };
    volume / (seen.max(DEEP).powi(2) + 0.5 * penalty * kink.sum::<f64>())
}

/// What free neighbours say about the stretch.
struct View {
    /// The direction about which they say most.
    normal: Vec3,
    /// The share `c` there: if they are moved by `ε (n · X)` and the held ones are not, `F − 1 = ε c n nᵀ`.
    seen: f64,
    /// The second largest share.
    aside: f64,
}

impl View {
    /// None without free neighbours.
    fn of(row: &[Edge], free: &[&Edge]) -> Option<Self> {
        let moment = |edge: &Edge| edge.offset() * edge.offset().transpose() * f64::from(edge.steepness);
        let all: Matrix3<f64> = row.iter().map(moment).sum();
        let part: Matrix3<f64> = free.iter().map(|edge| moment(edge)).sum();
        // What is added decides nothing, and makes flat neighbourhoods invertible.
        let root = (all + Matrix3::from_diagonal_element(1e-6 * all.trace())).cholesky()?;
        let inverse = root.l().try_inverse()?;
        let eigen = (inverse * part * inverse.transpose()).symmetric_eigen();
        let most = eigen.eigenvalues.imax();
        let (seen, least) = (eigen.eigenvalues[most], eigen.eigenvalues.min());
        let normal = (inverse.transpose() * eigen.eigenvectors.column(most)).try_normalize(0.0)?;
        (seen > 0.0).then(|| Self { normal, seen, aside: eigen.eigenvalues.sum() - seen - least })
    }
}

/// The share `φ` of the volume that lies on the free side of a layer: half if all free neighbours do, whole if they lie on both.
fn free_volume(free: &[&Edge], normal: &Vec3) -> f64 {
    let (mut above, mut below) = (0.0, 0.0);
    for edge in free {
        let along = normal.dot(&edge.offset()) * f64::from(edge.steepness);
        if along > 0.0 { above += along } else { below -= along }
    }
    0.5 + 0.5 * above.min(below) / above.max(below)
}
