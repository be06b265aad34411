//! Steps 1 and 3: what a particle gives to the grid.

use super::grain::Grain;
use super::kernel;
use super::layout::Block;
use super::scalar::Scalar;
use super::transfer::{self, Linear, Mesh, Node, Stencil};
use nalgebra::{SMatrix, SVector};
use pulp::{Simd, WithSimd};

/// How particles go to the grid.
pub(super) struct Scatter<'a> {
    pub mesh: &'a Mesh,
    /// Time that forces act [s].
    pub dt: f64,
    pub is_affine: bool,
    pub by_kernel: bool,
}

/// One block on its way to the grid, in the widest registers there are.
pub(super) struct ScatterBlock<'a, P, T: Scalar, const D: usize, const W: usize> {
    pub scatter: &'a Scatter<'a>,
    pub block: &'a Block<D>,
    pub grains: &'a [Grain<T, D>],
    /// Acceleration of a particle that is not the same everywhere [m/s²].
    pub push: P,
    pub tile: &'a mut [Node<T>],
}

impl<P, T: Scalar, const D: usize, const W: usize> WithSimd for ScatterBlock<'_, P, T, D, W>
where
    P: Fn(&Grain<T, D>) -> Option<SVector<T, D>>,
{
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.tile.fill(Node::<T>::default());
        for grain in self.grains {
            self.scatter.grain::<T, D, W>(self.block, grain, (self.push)(grain), self.tile);
        }
    }
}

impl Scatter<'_> {
    /// `m v_i += w (m v + (m C − dt 4/h² V τ)(x_i − x_p))` (Nilles 2020, Eq. 116 with the minus of Eq. 115)
    #[inline(always)]
    fn grain<T: Scalar, const D: usize, const W: usize>(
        &self,
        block: &Block<D>,
        grain: &Grain<T, D>,
        push: Option<SVector<T, D>>,
        tile: &mut [Node<T>],
    ) {
        let h = self.mesh.spacing;
        let stencil = Stencil::<T, D, W>::of(self.mesh, &block.place, &grain.position);
        let carried = if self.is_affine { grain.affine * (grain.mass * T::of(h)) } else { SMatrix::zeros() };
        let moment = if self.by_kernel {
            carried
        } else {
            carried - grain.stress * T::of(self.dt * kernel::inverse_dispersion::<W>() / h)
        };
        let mut field = Linear::momentum(grain, &moment, &stencil.within);
        if let Some(push) = push {
            field.start = field.start + transfer::node_of(&(push * (grain.mass * T::of(self.dt))), T::zero());
        }
        transfer::scatter(tile, &stencil, &field);
        if self.by_kernel && self.dt > 0.0 {
            transfer::scatter_gradient(tile, &stencil, &(grain.stress * T::of(-self.dt / h)));
        }
    }
}
