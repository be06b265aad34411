//! The mathematics of the step: affine maps, forces as derivatives, conservation, the operator.

use super::elasticity::{Fluxes, Tangent};
use super::*;
use pliant_material::{Material, PRESETS};
use pliant_math::Random;
use pliant_math::{Mat, Vec3};
use pliant_solver::Care;

const SPACING: f64 = 0.1;

pub(super) fn elastic() -> Material {
    PRESETS.iter().find(|preset| preset.name == "zhou-elastic").unwrap().material()
}

fn clay() -> Material {
    PRESETS.iter().find(|preset| preset.name == "zhou-plastic").unwrap().material()
}

/// A cube of n^D particles, each moved by up to `jitter` spacings.
pub(super) fn cube<const D: usize>(n: usize, jitter: f64, material: Material) -> World<D> {
    let mut random = Random(11);
    let points: Vec<Vect<D>> = (0..n.pow(D as u32))
        .map(|k| {
            Vect::from_fn(|axis, _| {
                ((k / n.pow(axis as u32) % n) as f64 + 0.5 + jitter * random.number()) * SPACING
            })
        })
        .collect();
    let mut world = World::empty();
    world.materials.push(material);
    world.add_body("cube", &points, SPACING, 0);
    world
}

pub(super) fn solver<const D: usize>(world: &World<D>) -> Zhou2013<D> {
    Zhou2013::new(world, Zhou2013Settings::default())
}

/// Minus the forces at x.
pub(super) fn gradient<const D: usize>(
    solver: &Zhou2013<D>,
    x: &[Vect<D>],
) -> (Vec<Vect<D>>, Vec<Tangent<D>>) {
    let mut tangents = vec![Tangent::none(); x.len()];
    let mut work = Fluxes::new(x.len());
    solver.elasticity().linearise(x, 1e-3, &mut tangents, &mut work);
    (work.gradient, tangents)
}

/// `K u` in double precision.
pub(super) fn exact_product(solver: &Zhou2013<3>, tangents: &[Tangent<3>], u: &[Vec3]) -> Vec<Vec3> {
    let mut work = Fluxes::new(u.len());
    solver.elasticity().product(tangents, u, &mut work);
    work.gradient
}

/// `K u` in the lanes the linear solver uses.
fn fast_product(solver: &Zhou2013<3>, tangents: &[Tangent<3>], u: &[Vec3]) -> Vec<Vec3> {
    let elasticity = solver.elasticity();
    let mut stiffness = Stiffness::default();
    stiffness.update(&elasticity, tangents, &solver.rest_position);
    stiffness.spread(&elasticity, tangents, u);
    u.iter().enumerate().map(|(i, u)| stiffness.product(&elasticity, i, u)).collect()
}

fn worst(found: &[Vec3], wanted: &[Vec3]) -> f64 {
    let scale = wanted.iter().map(Vec3::amax).fold(0.0, f64::max);
    found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).amax()).fold(0.0, f64::max) / scale
}

fn affine_maps_are_reproduced<const D: usize>() {
    let world = cube::<D>(6, 0.3, elastic());
    let solver = solver(&world);
    let mut random = Random(3);
    let map = Mat::<D>::from_fn(|row, column| f64::from(u8::from(row == column)) + 0.4 * random.number());
    let shift = Vect::<D>::repeat(0.7);
    let x: Vec<_> = world.particles.position.iter().map(|p| map * p + shift).collect();
    for i in 0..x.len() {
        let error = (solver.elasticity().deformation(i, &x).compose() - map).amax();
        assert!(error < 1e-12, "particle {i}: {error:e}");
    }
}

#[test]
fn affine_maps_are_reproduced_in_space() {
    affine_maps_are_reproduced::<3>();
}

#[test]
fn affine_maps_are_reproduced_in_the_plane() {
    affine_maps_are_reproduced::<2>();
}

#[test]
fn rigid_motion_costs_no_energy_and_no_force() {
    let world = cube::<3>(5, 0.2, elastic());
    let solver = solver(&world);
    let turn = *nalgebra::Rotation3::new(Vec3::new(0.5, -1.0, 0.3)).matrix();
    let x: Vec<_> = world.particles.position.iter().map(|p| turn * p + Vec3::x()).collect();
    let (forces, _) = gradient(&solver, &x);
    let scale = 5e5 * SPACING * SPACING;
    // Edges are stored in single precision, which perturbs the rest shape by 1e-7 spacings.
    assert!(forces.iter().all(|force| force.amax() < 1e-6 * scale));
    assert!(solver.elasticity().energy(&x) < 1e-10 * scale * SPACING);
}

#[test]
fn forces_are_minus_the_derivative_of_the_energy() {
    let world = cube::<3>(4, 0.2, elastic());
    let solver = solver(&world);
    let mut random = Random(9);
    let x: Vec<_> = world
        .particles
        .position
        .iter()
        .zip(random.field::<3>(64, 0.2 * SPACING))
        .map(|(p, u)| p + u)
        .collect();
    let (gradient, _) = gradient(&solver, &x);
    let direction = random.field::<3>(64, 1.0);
    let step = 1e-6 * SPACING;
    let along = |sign: f64| {
        let moved: Vec<_> = x.iter().zip(&direction).map(|(x, u)| x + u * (sign * step)).collect();
        solver.elasticity().energy(&moved)
    };
    let slope = (along(1.0) - along(-1.0)) / (2.0 * step);
    let expected: f64 = gradient.iter().zip(&direction).map(|(g, u)| g.dot(u)).sum();
    assert!((slope - expected).abs() < 1e-6 * expected.abs(), "{slope} {expected}");
}

#[test]
fn inner_forces_and_torques_cancel() {
    let world = cube::<3>(5, 0.2, elastic());
    let solver = solver(&world);
    let mut random = Random(4);
    let noise = random.field::<3>(125, 0.3 * SPACING);
    let x: Vec<_> = world.particles.position.iter().zip(noise).map(|(p, u)| p + u).collect();
    let (forces, _) = gradient(&solver, &x);
    let size: f64 = forces.iter().map(Vec3::norm).sum();
    let sum: Vec3 = forces.iter().sum();
    let torque: Vec3 = x.iter().zip(&forces).map(|(x, force)| x.cross(force)).sum();
    assert!(sum.norm() < 1e-13 * size, "{:e}", sum.norm() / size);
    // The penalty's torque vanishes up to the single precision of the stored edges.
    assert!(torque.norm() < 1e-7 * size * SPACING * 5.0, "{:e}", torque.norm() / size);
}

/// The paper's `L` (Eq. 9, 19) assembled from its definition, applied as `Lᵀ C L` (Eq. 24) with the penalty as
/// a matrix of its own: slow, and written without the factorised code.
fn assembled_product(solver: &Zhou2013<3>, rotations: &[Mat<3>], u: &[Vec3]) -> Vec<Vec3> {
    let (hoods, matter) = (&solver.state.neighbourhoods, &solver.matter);
    let mut out = vec![Vec3::zeros(); u.len()];
    for j in 0..u.len() {
        let fit = &hoods.fits[j];
        let edges: Vec<(usize, Vec3, f64)> = hoods.offsets(j).collect();
        let g: Vec<(usize, Vec3)> =
            edges.iter().map(|(i, p, w)| (*i, fit.inverse_moment.tr_mul(&(p * *w)))).collect();
        let own: Vec3 = g.iter().map(|(_, g)| -g).sum();
        let rows: Vec<(usize, Vec3)> = g.into_iter().chain([(j, own)]).collect();
        // L_{j,i}: ∂(Rᵀ F)/∂q_{i,d} = Rᵀ e_d gᵀ, symmetrised.
        let block = |g: &Vec3, d: usize| {
            let full = rotations[j].transpose() * Vec3::ith(d, 1.0) * g.transpose();
            (full + full.transpose()) * 0.5
        };
        let strain: Mat<3> =
            rows.iter().map(|(i, g)| (0..3).map(|d| block(g, d) * u[*i][d]).sum::<Mat<3>>()).sum();
        let stress =
            strain * (2.0 * matter[j].lame.mu) + Mat::identity() * (matter[j].lame.lambda * strain.trace());
        for (i, g) in &rows {
            out[*i] += Vec3::from_fn(|d, _| block(g, d).dot(&stress)) * matter[j].stored_volume;
        }
        let total: Mat<3> = rows.iter().map(|(i, g)| u[*i] * g.transpose()).sum();
        for (i, p, w) in &edges {
            let misfit = (total * p - (u[*i] - u[j])) * (solver.state.kappa[j] * w);
            out[*i] -= misfit;
            out[j] += misfit;
        }
    }
    out
}

#[test]
fn the_factorised_operator_equals_the_assembled_one() {
    let world = cube::<3>(5, 0.2, elastic());
    let solver = solver(&world);
    let mut random = Random(6);
    let noise = random.field::<3>(125, 0.2 * SPACING);
    let x: Vec<_> = world.particles.position.iter().zip(noise).map(|(p, u)| p + u).collect();
    let (_, tangents) = gradient(&solver, &x);
    let rotations: Vec<_> = (0..125).map(|i| solver.elasticity().deformation(i, &x).rotation()).collect();
    let u = random.field::<3>(125, 0.01);
    let expected = assembled_product(&solver, &rotations, &u);
    // The assembled penalty divides the stored single-precision w p by w; the rest agrees to rounding.
    let error = worst(&exact_product(&solver, &tangents, &u), &expected);
    assert!(error < 1e-8, "{error:e}");
    let error = worst(&fast_product(&solver, &tangents, &u), &expected);
    assert!(error < 1e-6, "in lanes: {error:e}");
}

#[test]
fn the_operator_without_penalty_equals_the_assembled_one_to_rounding() {
    let world = cube::<3>(5, 0.2, elastic());
    let solver = Zhou2013::new(&world, Zhou2013Settings { zero_energy: 0.0, ..Zhou2013Settings::default() });
    let mut random = Random(6);
    let (x, u) = (&world.particles.position, random.field::<3>(125, 0.01));
    let (_, tangents) = gradient(&solver, x);
    let rotations: Vec<_> = (0..125).map(|i| solver.elasticity().deformation(i, x).rotation()).collect();
    let expected = assembled_product(&solver, &rotations, &u);
    let error = worst(&exact_product(&solver, &tangents, &u), &expected);
    assert!(error < 1e-13, "{error:e}");
}

#[test]
fn the_product_in_lanes_keeps_small_motions_on_top_of_a_large_one() {
    let world = cube::<3>(6, 0.2, elastic());
    let solver = solver(&world);
    let (_, tangents) = gradient(&solver, &world.particles.position);
    let small = Random(6).field::<3>(216, 1e-6);
    let mut stretched = small.clone();
    // A smooth stretch: neighbours move almost alike, ends move a thousand times farther than the noise.
    for (u, x) in stretched.iter_mut().zip(&world.particles.position) {
        u.x += 1e-3 * x.x;
    }
    let error =
        worst(&fast_product(&solver, &tangents, &stretched), &exact_product(&solver, &tangents, &stretched));
    assert!(error < 1e-6, "{error:e}");
    let shifted: Vec<Vec3> = small.iter().map(|u| u + Vec3::new(1.0, -2.0, 3.0)).collect();
    let error =
        worst(&fast_product(&solver, &tangents, &shifted), &exact_product(&solver, &tangents, &small));
    assert!(error < 1e-6, "{error:e}");
}

#[test]
fn all_lanes_give_the_same_bits() {
    use super::lanes::{Flux, Lanes, Split, Sums, Task};

    struct AllSums<'a, const D: usize> {
        edges: super::edges::Listed<'a>,
        u: &'a [Split],
        flux: &'a [Flux],
        found: &'a mut Vec<[wide::f32x4; D]>,
    }
    impl<const D: usize> Task for AllSums<'_, D> {
        fn run(self, sums: impl Sums) {
            for (slot, here) in self.u.iter().enumerate() {
                let row = self.edges.row(slot);
                self.found.extend([sums.moment(row, here, self.u), sums.gather(row, self.flux)]);
            }
        }
    }
    fn check<const D: usize>() {
        let world = cube::<D>(6, 0.2, elastic());
        let solver = solver(&world);
        let [edges, _] = solver.state.neighbourhoods.places(&world.particles.position).edges();
        let u: Vec<Split> = Random(5).field::<D>(world.particles.len(), 1.0).iter().map(Split::new).collect();
        let flux: Vec<Flux> = u.iter().map(|u| Flux([u.0[0]; 4])).collect();
        let sums = Lanes::all().into_iter().map(|lanes| {
            let mut found = Vec::new();
            lanes.run(AllSums::<D> { edges, u: &u, flux: &flux, found: &mut found });
            found
        });
        let sums: Vec<_> = sums.collect();
        assert!(sums.iter().all(|found| found.len() == 2 * u.len() && *found == sums[0]));
    }
    check::<2>();
    check::<3>();
}

#[test]
fn the_operator_is_symmetric_also_after_neighbourhoods_were_rebuilt() {
    let mut clay = elastic();
    clay.plastic = PRESETS.iter().find(|preset| preset.name == "zhou-plastic").unwrap().material().plastic;
    let mut world = cube::<3>(5, 0.1, clay);
    let mut solver = solver(&world);
    for x in &mut world.particles.position {
        *x = Vec3::new(x.x * 1.6, x.y * 0.5, x.z * 1.25);
    }
    for _ in 0..3 {
        solver.split_plastic_flow(&world, 1e-3);
        solver.update_neighbourhoods(&world);
    }
    assert!(solver.state.recent_strain.iter().all(|strain| *strain < 0.3), "lists were rebuilt");
    let (_, tangents) = gradient(&solver, &world.particles.position);
    let mut random = Random(8);
    let (u, w) = (random.field::<3>(125, 1.0), random.field::<3>(125, 1.0));
    let product = |a: &[Vec3], b: &[Vec3]| {
        fast_product(&solver, &tangents, a).iter().zip(b).map(|(f, b)| f.dot(b)).sum::<f64>()
    };
    let (one, other) = (product(&u, &w), product(&w, &u));
    assert!((one - other).abs() < 1e-6 * one.abs().max(product(&u, &u)), "{one} {other}");
}

#[test]
fn a_rebuilt_neighbourhood_keeps_the_elastic_deformation() {
    let mut world = cube::<3>(6, 0.1, clay());
    let mut solver = solver(&world);
    for x in &mut world.particles.position {
        *x = Vec3::new(x.x * 1.7, x.y * 0.45, x.z * 1.3);
    }
    solver.split_plastic_flow(&world, 1e-3);
    let x = &world.particles.position;
    let before: Vec<_> = (0..x.len()).map(|i| solver.elasticity().deformation(i, x).compose()).collect();
    solver.settings.rebuild_strain = 0.0;
    solver.update_neighbourhoods(&world);
    for (i, before) in before.iter().enumerate() {
        let after = solver.elasticity().deformation(i, x).compose();
        assert!((after - before).amax() < 1e-6, "particle {i}: {after} {before}");
    }
}

#[test]
fn a_neighbourhood_that_flow_has_flattened_is_given_up() {
    let mut world = cube::<3>(6, 0.1, clay());
    let mut solver = solver(&world);
    // Drawn into a sheet, a tenth of a layer of which is left: no neighbourhood of what is there is round.
    for x in &mut world.particles.position {
        *x = Vec3::new(x.x * 4.0, x.y * 0.02, x.z * 4.0);
    }
    let flattened = Mat::from_diagonal(&Vec3::new(0.25, 16.0, 0.25));
    for i in 0..world.particles.len() {
        solver.state.rest_from_relaxed.set(i, flattened);
        solver.state.recent_strain[i] = 2.0;
    }
    solver.update_neighbourhoods(&world);
    for i in 0..world.particles.len() {
        assert_eq!(solver.state.rest_from_relaxed.of(i), Mat::<3>::identity(), "particle {i}");
        assert!(solver.state.recent_strain[i] == 0.0);
    }
    let steepest = (0..world.particles.len())
        .map(|i| solver.elasticity().gradient_map(i).amax() * solver.state.neighbourhoods.fits[i].size);
    assert!(steepest.fold(0.0, f64::max) < 160.0, "no fit is near singular");
}

#[test]
fn a_sheet_flows_in_its_plane_and_keeps_its_volume() {
    let mut world = World::<3>::empty();
    world.materials.push(clay());
    let sheet: Vec<Vec3> =
        (0..64).map(|k| Vec3::new(f64::from(k % 8), 0.0, f64::from(k / 8)) * SPACING).collect();
    world.add_body("sheet", &sheet, SPACING, 0);
    let mut solver = solver(&world);
    for x in &mut world.particles.position {
        x.x *= 1.3;
    }
    for _ in 0..20 {
        solver.split_plastic_flow(&world, 1e-3);
    }
    let stretch = solver.elasticity().deformation(27, &world.particles.position).sigma;
    assert!(stretch.max() < 1.05, "what was stretched by 30 % has flowed: {stretch}");
    assert!(solver.plastic_volume_error() < 1e-12);
}

#[test]
fn flat_line_like_and_lonely_neighbourhoods_are_reported_and_harmless() {
    let mut world = World::<3>::empty();
    world.materials.push(elastic());
    let sheet: Vec<Vec3> =
        (0..64).map(|k| Vec3::new(f64::from(k % 8), 0.0, f64::from(k / 8)) * SPACING).collect();
    let rod: Vec<Vec3> = (0..9).map(|k| Vec3::new(5.0, f64::from(k) * SPACING, 0.0)).collect();
    world.add_body("sheet", &sheet, SPACING, 0);
    world.add_body("rod", &rod, SPACING, 0);
    world.add_body("grain", &[Vec3::new(9.0, 0.0, 0.0)], SPACING, 0);
    world.accelerations.push(pliant_world::Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    let mut solver = solver(&world);
    let warning = solver.warnings().join(" ");
    for part in ["64 with co-planar", "9 with co-linear", "1 with no neighbours"] {
        assert!(warning.contains(part), "{warning}");
    }
    world.particles.velocity[20].y = 3.0;
    for k in 0..100 {
        let span = Span { time: f64::from(k) * 2e-3, dt: 2e-3, care: Care::Strict };
        solver.step(&mut world, span).unwrap();
    }
    let fallen = world.particles.position[73].y;
    assert!((fallen + 0.5 * 9.81 * 0.04).abs() < 3e-3, "a lonely particle falls freely: {fallen}");
    assert!(world.particles.position.iter().all(|x| x.norm() < 20.0));
}

#[test]
fn a_sheet_that_is_not_quite_flat_has_no_stress_at_rest() {
    let wave = |k: i32| 0.1 * f64::from(k % 8).sin();
    let sheet: Vec<Vec3> =
        (0..64).map(|k| Vec3::new(f64::from(k % 8), wave(k), f64::from(k / 8)) * SPACING).collect();
    let mut world = World::<3>::empty();
    world.materials.push(elastic());
    world.add_body("sheet", &sheet, SPACING, 0);
    let solver = solver(&world);
    assert!(solver.warnings().join(" ").contains("co-planar"));
    let (gradient, _) = gradient(&solver, &sheet);
    let largest = gradient.iter().map(Vec3::amax).fold(0.0, f64::max);
    // Rounding of offsets in single precision, over the force of a strain of one.
    let force = elastic().lame.mu * SPACING * SPACING;
    assert!(largest < 1e-6 * force, "{largest:e} N at rest, {force:e} N at a strain of one");
}

#[test]
fn a_saved_state_continues_with_the_same_bits() {
    let mut world = cube::<3>(5, 0.1, elastic());
    world.particles.velocity.iter_mut().for_each(|v| *v = Vec3::new(1.0, 0.0, 0.0));
    world.particles.velocity[7] = Vec3::new(0.0, 3.0, 0.0);
    let mut solver = solver(&world);
    let take = |solver: &mut Zhou2013<3>, world: &mut World<3>, from: usize, to: usize| {
        for k in from..to {
            solver.step(world, Span { time: k as f64 * 1e-3, dt: 1e-3, care: Care::Strict }).unwrap();
        }
    };
    take(&mut solver, &mut world, 0, 5);
    let (bytes, mut copy) = (solver.save(), world.clone());
    take(&mut solver, &mut world, 5, 12);
    let mut restored = Zhou2013::new(&cube::<3>(5, 0.1, elastic()), Zhou2013Settings::default());
    restored.restore(&copy, &bytes).unwrap();
    take(&mut restored, &mut copy, 5, 12);
    assert_eq!(world.particles, copy.particles);
    assert!(restored.restore(&copy, &bytes[..bytes.len() / 2]).is_err());
}

#[test]
fn neighbours_at_the_edge_of_the_kernel_leave_numbers_finite() {
    let world = cube::<3>(5, 0.0, elastic());
    let settings = Zhou2013Settings { neighbour_radius: 3.0, ..Zhou2013Settings::default() };
    let solver = Zhou2013::new(&world, settings);
    let energy = solver.elastic_energy(&world);
    // Rounding alone, against the 1e5 J/m³ or so that a strain of one costs.
    assert!(energy.abs() < 1e-6, "{energy} J at rest");
}

#[test]
fn a_state_with_edges_to_nowhere_is_refused() {
    let (world, other) = (cube::<2>(4, 0.0, elastic()), cube::<2>(3, 0.0, elastic()));
    let (mut solver, smaller) = (solver(&world), self::solver(&other));
    // The columns of one world with the edges of another.
    let mut mixed = solver.state.clone();
    mixed.neighbourhoods = smaller.state.neighbourhoods.clone();
    assert!(solver.restore(&world, &mixed.to_bytes()).is_err());
    assert!(solver.restore(&world, &solver.save()).is_ok());
}

#[test]
fn the_highest_frequency_of_a_lattice_is_known() {
    let world = cube::<3>(14, 0.0, elastic());
    let solver = Zhou2013::new(&world, Zhou2013Settings { zero_energy: 0.0, ..Zhou2013Settings::default() });
    let count = world.particles.len();
    let (_, tangents) = gradient(&solver, &world.particles.position);
    let mut u = Random(2).field::<3>(count, 1.0);
    let mut frequency = 0.0;
    for _ in 0..150 {
        let norm = u.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
        u.iter_mut().for_each(|u| *u /= norm);
        let product = exact_product(&solver, &tangents, &u);
        frequency = u.iter().zip(&product).map(|(u, f)| u.dot(f)).sum::<f64>() / world.particles.mass[0];
        u = product;
    }
    let speed = (solver.matter[0].lame.p_wave() / world.materials[0].density).sqrt();
    let kappa = f64::sqrt(frequency) * SPACING / speed;
    assert!((kappa / 1.466 - 1.0).abs() < 0.02, "{kappa}");
}
