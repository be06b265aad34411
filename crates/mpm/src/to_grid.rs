//! Steps 1 and 3: what a particle gives to the grid.

#![allow(clippy::needless_range_loop, reason = "lanes and axes are counted: iterators hide which is which")]

use super::grain::{Bunch, Grain, Pack, beside};
use super::kernel;
use super::lanes::Lanes;
use super::layout::Place;
use super::lines::{self, Fields, Stencils};
use super::registers::{LANES, Registers, Row, Task};
use super::scalar::Scalar;
use super::transfer::{self, EXTRA, Linear, Mesh, Node, Stencil};
use nalgebra::{SMatrix, SVector};
use pliant_math::Vect;
use wide::f32x4;

/// Packs that are asked for before they are needed: memory takes as long as a pack or two.
const AHEAD: usize = 2;

/// How particles go to the grid.
pub(crate) struct Scatter<'a> {
    pub mesh: &'a Mesh,
    /// Time that forces act [s].
    pub dt: f64,
    pub is_affine: bool,
    pub by_kernel: bool,
}

/// Acceleration of a particle, by number and place, that is not the same everywhere [m/s²].
pub(super) type Push<'a, const D: usize> = &'a (dyn Fn(u32, &Vect<D>) -> Vect<D> + Sync);

/// One block on its way to the grid.
pub(super) struct ScatterBlock<'a, T: Scalar, const D: usize, const W: usize> {
    pub scatter: &'a Scatter<'a>,
    pub place: &'a Place<D>,
    pub bunch: &'a Bunch<T, D>,
    pub push: Option<Push<'a, D>>,
    pub tile: &'a mut [Node<T>],
}

/// A pack on its way to the grid.
pub(crate) struct ScatterPack<'a, T: Scalar, const D: usize> {
    pub scatter: &'a Scatter<'a>,
    pub place: &'a Place<D>,
    pub pack: &'a Pack<T, D>,
    /// Lanes that are particles.
    pub count: usize,
    /// Accelerations of the particles [m/s²].
    pub push: &'a [Row<T>; D],
}

impl<T: Scalar, const D: usize, const W: usize> Task for ScatterBlock<'_, T, D, W> {
    type Output = ();

    #[inline(always)]
    fn run<R: Registers>(self, registers: R) {
        let Self { scatter, place, bunch, push, tile } = self;
        tile.fill(Node::<T>::default());
        let mut pushes = [[T::zero(); LANES]; D];
        for (number, pack) in bunch.packs.iter().enumerate() {
            let count = bunch.lanes(number);
            if let Some(next) = bunch.packs.get(number + AHEAD) {
                registers.fetch(&next.position);
                registers.fetch(&next.velocity);
                registers.fetch(&next.affine);
                registers.fetch(&next.stress);
                registers.fetch(&next.shear);
                registers.fetch(&next.mass);
            }
            if let Some(push) = push {
                for lane in 0..count {
                    let push = push(pack.id[lane], &pack.position(lane));
                    for axis in 0..D {
                        pushes[axis][lane] = T::of(push[axis]);
                    }
                }
            }
            let task = ScatterPack { scatter, place, pack, count, push: &pushes };
            T::scatter::<R, D, W>(registers, &task, tile);
        }
    }
}

impl<T: Scalar, const D: usize> ScatterPack<'_, T, D> {
    /// One particle after the other.
    #[inline(always)]
    pub fn plain<const W: usize>(&self, tile: &mut [Node<T>]) {
        for lane in 0..self.count {
            let push = SVector::from_fn(|axis, _| self.push[axis][lane]);
            self.scatter.grain::<T, D, W>(self.place, &self.pack.get(lane, 0), &push, tile);
        }
    }
}

impl<const D: usize> ScatterPack<'_, f32, D> {
    /// In lanes, where the spline and the gradient allow it.
    #[inline(always)]
    pub fn in_lanes<R: Registers, const W: usize>(&self, registers: R, tile: &mut [f32x4]) {
        if W == 2 || self.scatter.by_kernel || self.scatter.mesh.mixed.is_some() {
            return self.plain::<W>(tile);
        }
        let stencils = Stencils::<D, W>::of(registers, self.scatter.mesh, self.place, &self.pack.position);
        let fields = self.fields::<R, W>(registers, &stencils.within);
        lines::scatter(registers, tile, &stencils, &fields, self.count);
    }

    /// Mass, and momentum `m v + (m C − dt 4/h² V τ)(x_i − x_p)` (Nilles 2020, Eq. 116 with the minus of Eq. 115).
    #[inline(always)]
    fn fields<R: Registers, const W: usize>(&self, registers: R, within: &[Row<f32>; D]) -> Fields<D> {
        let Scatter { mesh, dt, is_affine, .. } = *self.scatter;
        let pack = self.pack;
        let carried = if is_affine { mesh.spacing as f32 } else { 0.0 };
        let pushed = (dt * kernel::inverse_dispersion::<W>() / mesh.spacing) as f32;
        let mass = Lanes::load(registers, &pack.mass);
        let carried = mass * carried;
        let zero = [0.0; LANES];
        let mut fields = Fields { start: [zero; 4], growth: [[zero; 4]; D] };
        fields.start[EXTRA] = pack.mass;
        for row in 0..D {
            let velocity = Lanes::load(registers, &pack.velocity[row]);
            let mut start = velocity * mass + Lanes::load(registers, &self.push[row]) * (mass * (dt as f32));
            for axis in 0..D {
                let stress = if row == axis { &pack.stress[row] } else { &pack.shear[beside(D, row, axis)] };
                let moment = Lanes::load(registers, &pack.affine[axis][row]) * carried
                    - Lanes::load(registers, stress) * pushed;
                start = start - Lanes::load(registers, &within[axis]) * moment;
                fields.growth[axis][row] = moment.to_array();
            }
            fields.start[row] = start.to_array();
        }
        fields
    }
}

impl Scatter<'_> {
    /// `m v_i += w (m v + (m C − dt 4/h² V τ)(x_i − x_p))` (Nilles 2020, Eq. 116 with the minus of Eq. 115)
    #[inline(always)]
    fn grain<T: Scalar, const D: usize, const W: usize>(
        &self,
        place: &Place<D>,
        grain: &Grain<T, D>,
        push: &SVector<T, D>,
        tile: &mut [Node<T>],
    ) {
        let h = self.mesh.spacing;
        let stencil = Stencil::<T, D, W>::of(self.mesh, place, &grain.position);
        let carried = if self.is_affine { grain.affine * (grain.mass * T::of(h)) } else { SMatrix::zeros() };
        let mut moment = carried;
        if !self.by_kernel {
            for axis in 0..D {
                let pushed = T::of(self.dt * self.mesh.inverse_dispersion::<W>(axis) / h);
                for row in 0..D {
                    moment[(row, axis)] -= grain.stress[(row, axis)] * pushed;
                }
            }
        }
        let mut field = Linear::momentum(grain, &moment, &stencil.within);
        field.start = field.start + transfer::node_of(&(push * (grain.mass * T::of(self.dt))), T::zero());
        transfer::scatter(tile, &stencil, &field);
        if self.by_kernel && self.dt > 0.0 {
            transfer::scatter_gradient(tile, &stencil, &(grain.stress * T::of(-self.dt / h)));
        }
    }
}
