//! Snapshots as frame files: one block of meta data, then one raw block a particle column.

use crate::StoreError;
use crate::columns::{self, ColumnKind};
use crate::container::{self, Block, Builder, Encoded, Kind};
use crate::scene_files::SceneHash;
use pliant_world::snapshot::{Column, Field, Snapshot};
use serde::{Deserialize, Serialize};
use std::path::Path;

const META: &str = "meta";

#[derive(Serialize, Deserialize)]
struct FrameMeta {
    frame: u32,
    step: u64,
    time: f64,
    state_hash: String,
    particle_count: u64,
    quantities: Vec<(String, f64)>,
    fields: Vec<(String, ColumnKind)>,
}

/// The frame file of a snapshot; refuses one with non-finite values or columns of different length.
pub fn encode(snapshot: &Snapshot, scene: &SceneHash) -> Result<Encoded, StoreError> {
    check(snapshot).map_err(|cause| StoreError::InvalidSnapshot { frame: snapshot.frame, cause })?;
    let meta = FrameMeta {
        frame: snapshot.frame,
        step: snapshot.step,
        time: snapshot.time,
        state_hash: snapshot.state_hash.clone(),
        particle_count: snapshot.positions().len() as u64,
        quantities: snapshot.quantities.clone(),
        fields: snapshot.fields.iter().map(|f| (f.name.clone(), ColumnKind::of(&f.column))).collect(),
    };
    let meta = postcard::to_stdvec(&meta).expect("plain values always serialise to memory");

    let column_bytes = |field: &Field| field.column.len() * ColumnKind::of(&field.column).width();
    let capacity = meta.len() + snapshot.fields.iter().map(column_bytes).sum::<usize>();
    let mut builder = Builder::new(Kind::Frame, scene, capacity);
    builder.block(META, |out| out.extend_from_slice(&meta));
    for field in &snapshot.fields {
        builder.block(&field.name, |out| columns::append(&field.column, out));
    }
    Ok(builder.finish())
}

/// The snapshot in a frame file. `path` is for messages only.
pub fn decode(path: &Path, bytes: &[u8], scene: &SceneHash) -> Result<Snapshot, StoreError> {
    let blocks = container::decode(path, bytes, Kind::Frame, scene)?;
    let (meta, columns) =
        parse_meta(&blocks).ok_or_else(|| StoreError::damaged(path, "its meta data is unreadable"))?;
    let mut fields = Vec::new();
    for ((name, kind), block) in meta.fields.into_iter().zip(columns) {
        let column = columns::parse(kind, block.payload).filter(|c| c.len() as u64 == meta.particle_count);
        let (Some(column), true) = (column, name == block.name) else {
            return Err(StoreError::damaged(path, format!("column `{name}` does not fit its meta data")));
        };
        fields.push(Field { name, column });
    }
    Ok(Snapshot {
        frame: meta.frame,
        step: meta.step,
        time: meta.time,
        state_hash: meta.state_hash,
        quantities: meta.quantities,
        fields,
    })
}

fn parse_meta<'a, 'b>(blocks: &'b [Block<'a>]) -> Option<(FrameMeta, &'b [Block<'a>])> {
    let (first, columns) = blocks.split_first()?;
    let (meta, rest) = postcard::take_from_bytes::<FrameMeta>(first.payload).ok()?;
    let fits = first.name == META && rest.is_empty() && meta.fields.len() == columns.len();
    fits.then_some((meta, columns))
}

/// The last gate before the disk: what is wrong with a snapshot, if anything.
fn check(snapshot: &Snapshot) -> Result<(), String> {
    if snapshot.vectors(Snapshot::POSITION).is_none() {
        return Err("it has no positions".into());
    }
    if !snapshot.time.is_finite() {
        return Err(format!("its time is {}", snapshot.time));
    }
    if let Some((name, value)) = snapshot.quantities.iter().find(|(_, value)| !value.is_finite()) {
        return Err(format!("{name} is {value}"));
    }
    for Field { name, column } in &snapshot.fields {
        if column.len() != snapshot.positions().len() {
            let (count, expected) = (column.len(), snapshot.positions().len());
            return Err(format!("column `{name}` has {count} values for {expected} particles"));
        }
        if let Some(particle) = first_non_finite(column) {
            return Err(format!("{name} of particle {particle} is not finite"));
        }
    }
    Ok(())
}

fn first_non_finite(column: &Column) -> Option<usize> {
    let (values, width) = match column {
        Column::Integer(_) => return None,
        Column::Scalar(values) => (values.as_slice(), 1),
        Column::Vector(values) => (values.as_flattened(), 3),
        Column::Tensor(values) => (values.as_flattened(), 9),
    };
    // No early exit within a chunk, so that the common case vectorises.
    let all_finite = values.chunks(4096).all(|chunk| chunk.iter().fold(true, |ok, v| ok & v.is_finite()));
    if all_finite { None } else { values.iter().position(|v| !v.is_finite()).map(|index| index / width) }
}
