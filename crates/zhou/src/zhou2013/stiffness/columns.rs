//! Columns of numbers over the slots of [`Lines`](super::lines::Lines), with guards that loads may reach into.

use super::eight::LANES;
use super::lines::GUARD;
use std::array::from_fn;

/// Numbers of eight particles.
pub(super) type Numbers = [f32; LANES];
/// A column a quantity, over all slots and the guards beside them.
pub(super) type Columns<const N: usize, const D: usize> = [[Vec<f32>; N]; D];

/// Eight numbers of a column from a slot on.
#[inline(always)]
pub(super) fn at(column: &[f32], slot: usize) -> &Numbers {
    column[slot..].first_chunk().expect("guards end a column")
}

#[inline(always)]
pub(super) fn at_mut(column: &mut [f32], slot: usize) -> &mut Numbers {
    column[slot..].first_chunk_mut().expect("columns hold whole packs")
}

/// Columns of visibly equal length: where one may be read, so may all, and the check is made once.
#[inline(always)]
pub(super) fn slices<const N: usize, const D: usize>(columns: &Columns<N, D>) -> [[&[f32]; N]; D] {
    let length = columns[0][0].len();
    let mut slices = [[&columns[0][0][..length]; N]; D];
    for (row, slices) in slices.iter_mut().enumerate() {
        for (column, slice) in slices.iter_mut().enumerate() {
            *slice = &columns[row][column][..length];
        }
    }
    slices
}

pub(super) fn columns<const N: usize, const D: usize>(slots: usize) -> Columns<N, D> {
    from_fn(|_| from_fn(|_| vec![0.0; slots + 2 * GUARD]))
}

/// Columns without their guards.
pub(super) fn inner<const N: usize, const D: usize>(columns: &mut Columns<N, D>) -> [[&mut [f32]; N]; D] {
    columns.each_mut().map(|row| {
        row.each_mut().map(|column| {
            let end = column.len() - GUARD;
            &mut column[GUARD..end]
        })
    })
}
