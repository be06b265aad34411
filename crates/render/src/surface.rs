//! A smooth surface around particles (as in the post-processing of Zhou 2013, §4), with their values on it.

use pliant_geometry::neighbours::Cells;
use pliant_math::Vec3;
use pliant_world::snapshot::{Column, Field, Snapshot};
use splashsurf_lib::mesh::Mesh3d;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{Parameters, postprocessing, reconstruct_surface};

use crate::RenderError;
use crate::mesh::SurfaceMesh;
use crate::ray::{Box3, V3};
use crate::spheres::is_drawable;

/// How a surface is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// Edge of the cells the surface is found in, in particle radii; smaller is finer and slower.
    pub cell_size: f32,
    /// Rounds of smoothing; more hide single particles better and wear off thin parts.
    pub smoothing_rounds: usize,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        Self { cell_size: 0.75, smoothing_rounds: 16 }
    }
}

/// How far a particle reaches, in radii.
const SUPPORT: f32 = 4.0;
/// Density at the surface relative to that inside.
const THRESHOLD: f32 = 0.6;
/// More cells than this overflow the library's indices long after any memory is full.
const MOST_CELLS: f64 = 1e13;

/// The surface around particles of one radius [m]; non-finite positions are left out.
///
/// # Errors
/// [`RenderError::NotPositive`] for a radius or cell size that is not, [`RenderError::SurfaceTooLarge`] if particles
/// are too far apart, [`RenderError::Surface`] if the library fails.
pub fn reconstruct(
    positions: &[[f32; 3]],
    radius: f32,
    options: &SurfaceOptions,
) -> Result<SurfaceMesh, RenderError> {
    check_positive("the particle radius", radius)?;
    check_positive("the cell size", options.cell_size)?;
    let mut bounds = Box3::EMPTY;
    let points = positions.iter().map(|position| V3::from(*position));
    let points: Vec<Vector3<f32>> = points
        .filter(|point| is_drawable(point, radius))
        .inspect(|point| bounds.grow(point))
        .map(|point| Vector3::new(point.x, point.y, point.z))
        .collect();
    if points.is_empty() {
        return Ok(SurfaceMesh::default());
    }
    let cell = f64::from(radius) * f64::from(options.cell_size);
    let cells: f64 = (bounds.max - bounds.min).iter().map(|side| f64::from(*side) / cell + 8.0).product();
    if cells > MOST_CELLS {
        return Err(RenderError::SurfaceTooLarge { cells, cell });
    }
    let parameters = Parameters {
        iso_surface_threshold: THRESHOLD,
        // With threads the library adds densities in the order in which they happen to arrive, to gain a tenth.
        enable_multi_threading: false,
        ..Parameters::new_relative(radius, SUPPORT, options.cell_size)
    };
    let reconstruction = reconstruct_surface::<i64, f32>(&points, &parameters)
        .map_err(|error| RenderError::Surface(error.to_string()))?;
    let mut mesh = reconstruction.mesh;
    let connectivity = mesh.vertex_vertex_connectivity();
    let weights = vec![1.0; mesh.vertices.len()];
    postprocessing::par_laplacian_smoothing_inplace(
        &mut mesh,
        &connectivity,
        options.smoothing_rounds,
        1.0,
        &weights,
    );
    in_order(&mesh.vertices, &mesh.triangles)
}

/// The surface of every body of a snapshot, with the snapshot's columns at the vertices.
///
/// # Errors
/// As [`reconstruct`]; the radius is the mean of the column `radius`.
pub fn surface_of(snapshot: &Snapshot, options: &SurfaceOptions) -> Result<SurfaceMesh, RenderError> {
    let radii = snapshot.scalars(Snapshot::RADIUS).unwrap_or_default();
    let radius = radii.iter().map(|radius| f64::from(*radius)).sum::<f64>() / radii.len().max(1) as f64;
    let bodies = snapshot.integers("body").unwrap_or_default();
    let mut numbers = bodies.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.is_empty() {
        numbers.push(0);
    }
    let mut whole = SurfaceMesh::default();
    for number in numbers {
        // Bodies get a skin each: one over all would grow together where they touch.
        let members: Vec<usize> = (0..snapshot.positions().len())
            .filter(|particle| bodies.get(*particle).is_none_or(|body| *body == number))
            .collect();
        let positions: Vec<[f32; 3]> = members.iter().map(|&member| snapshot.positions()[member]).collect();
        let mut mesh = reconstruct(&positions, radius as f32, options)?;
        let carried = snapshot.fields.iter().filter(|field| field.name != Snapshot::POSITION);
        let sources: Vec<Field> = carried.map(|field| pick(field, &members)).collect();
        mesh.attributes = interpolate(&mesh.positions, &positions, radius * f64::from(SUPPORT), &sources);
        append(&mut whole, mesh);
    }
    Ok(whole)
}

fn check_positive(what: &'static str, value: f32) -> Result<(), RenderError> {
    let is_good = value > 0.0 && value.is_finite();
    if is_good { Ok(()) } else { Err(RenderError::NotPositive { what, value: f64::from(value) }) }
}

/// The mesh with vertices and triangles in an order that does not depend on which thread found them first.
fn in_order(vertices: &[Vector3<f32>], triangles: &[[usize; 3]]) -> Result<SurfaceMesh, RenderError> {
    let count = u32::try_from(vertices.len())
        .map_err(|_| RenderError::Surface("it has more vertices than 32 bits can number".to_owned()))?;
    let mut order: Vec<u32> = (0..count).collect();
    let key = |vertex: u32| {
        let v = &vertices[vertex as usize];
        [v.x, v.y, v.z]
    };
    let compare = |a: [f32; 3], b: [f32; 3]| {
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    };
    order.sort_by(|a, b| compare(key(*a), key(*b)));
    let mut place = vec![0_u32; vertices.len()];
    for (new, old) in (0..count).zip(&order) {
        place[*old as usize] = new;
    }
    let renumbered = triangles.iter().map(|triangle| {
        let corners = triangle.map(|vertex| place[vertex]);
        let first = (0..3).min_by_key(|corner| corners[*corner]).unwrap_or(0);
        [corners[first], corners[(first + 1) % 3], corners[(first + 2) % 3]]
    });
    let mut triangles: Vec<[u32; 3]> = renumbered.collect();
    triangles.sort_unstable();
    let positions = order.iter().map(|&vertex| key(vertex)).collect();
    let mut mesh = SurfaceMesh { positions, triangles, ..SurfaceMesh::default() };
    mesh.normals = mesh.vertex_normals();
    Ok(mesh)
}

pub(crate) fn pick(field: &Field, members: &[usize]) -> Field {
    fn some<T: Copy>(values: &[T], members: &[usize]) -> Vec<T> {
        members.iter().filter_map(|&member| values.get(member).copied()).collect()
    }
    let column = match &field.column {
        Column::Integer(values) => Column::Integer(some(values, members)),
        Column::Scalar(values) => Column::Scalar(some(values, members)),
        Column::Vector(values) => Column::Vector(some(values, members)),
        Column::Tensor(values) => Column::Tensor(some(values, members)),
    };
    Field { name: field.name.clone(), column }
}

/// Columns of particles carried to points: whole numbers from the nearest particle, others as weighted means.
fn interpolate(points: &[[f32; 3]], positions: &[[f32; 3]], support: f64, fields: &[Field]) -> Vec<Field> {
    let double = |position: &[f32; 3]| Vec3::from(position.map(f64::from));
    let finite: Vec<usize> =
        (0..positions.len()).filter(|&particle| is_drawable(&V3::from(positions[particle]), 1.0)).collect();
    let centers: Vec<Vec3> = finite.iter().map(|&particle| double(&positions[particle])).collect();
    let cells = Cells::new(&centers, support);
    let stencils: Vec<Vec<(usize, f64)>> = points
        .iter()
        .map(|point| {
            let mut stencil = Vec::new();
            cells.for_each_near(&double(point), |near, center| {
                let part = (center - double(point)).norm_squared() / (support * support);
                if part < 1.0 {
                    stencil.push((finite[near as usize], (1.0 - part).powi(3)));
                }
            });
            stencil
        })
        .collect();
    let carry = |field: &Field| Field { name: field.name.clone(), column: carried(&field.column, &stencils) };
    fields.iter().map(carry).collect()
}

pub(crate) fn carried(column: &Column, stencils: &[Vec<(usize, f64)>]) -> Column {
    fn mean<const N: usize>(values: &[[f32; N]], stencil: &[(usize, f64)]) -> [f32; N] {
        let mut sum = [0.0; N];
        let mut total = 0.0;
        for (particle, weight) in stencil {
            let Some(value) = values.get(*particle) else { continue };
            total += weight;
            sum.iter_mut().zip(value).for_each(|(sum, part)| *sum += weight * f64::from(*part));
        }
        sum.map(|sum| (sum / total) as f32)
    }
    match column {
        Column::Integer(values) => Column::Integer(
            stencils
                .iter()
                .map(|stencil| {
                    let nearest = stencil.iter().max_by(|a, b| a.1.total_cmp(&b.1));
                    nearest.and_then(|(particle, _)| values.get(*particle).copied()).unwrap_or(0)
                })
                .collect(),
        ),
        Column::Scalar(values) => {
            let values: Vec<[f32; 1]> = values.iter().map(|value| [*value]).collect();
            Column::Scalar(stencils.iter().map(|stencil| mean(&values, stencil)[0]).collect())
        }
        Column::Vector(values) => Column::Vector(stencils.iter().map(|s| mean(values, s)).collect()),
        Column::Tensor(values) => Column::Tensor(stencils.iter().map(|s| mean(values, s)).collect()),
    }
}

/// Adds a mesh with the same columns, in the same order.
pub(crate) fn append(whole: &mut SurfaceMesh, part: SurfaceMesh) {
    // Vertex numbers stay within 32 bits: `in_order` refused larger parts, and parts share the particles.
    let shift = u32::try_from(whole.positions.len()).unwrap_or(u32::MAX);
    whole.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|v| v.saturating_add(shift))));
    whole.positions.extend(part.positions);
    whole.normals.extend(part.normals);
    if whole.attributes.is_empty() {
        whole.attributes = part.attributes;
        return;
    }
    for (all, more) in whole.attributes.iter_mut().zip(part.attributes) {
        match (&mut all.column, more.column) {
            (Column::Integer(all), Column::Integer(more)) => all.extend(more),
            (Column::Scalar(all), Column::Scalar(more)) => all.extend(more),
            (Column::Vector(all), Column::Vector(more)) => all.extend(more),
            (Column::Tensor(all), Column::Tensor(more)) => all.extend(more),
            _ => {}
        }
    }
}
