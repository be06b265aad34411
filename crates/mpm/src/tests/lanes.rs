//! Steps in packs and lanes are those of single particles, and the same in registers of all sizes.

use super::*;

/// Single precision goes in packs and lanes, double precision is the plain oracle, one particle at a time: the same steps
/// twice, however they are set.
fn precisions_agree<const D: usize>(material: &Material, kernel: Kernel, transfer: Transfer) {
    let mut exact = ball::<D>(0.1, 0.02);
    exact.materials[0] = material.clone();
    spin(&mut exact, 20.0);
    let mut rough = exact.clone();
    let settings = MpmSettings { kernel, transfer, ..double() };
    // The same steps for both, half as long as those of the exact one at first: matter that is squeezed gets stiffer.
    let stable = Mpm::<f64, D>::new(&exact, settings.clone()).longest_step();
    let settings = MpmSettings { substep: stable.map(|dt| 0.5 * dt), ..settings };
    let mut in_double = Mpm::<f64, D>::new(&exact, settings.clone());
    let mut in_single = Mpm::<f32, D>::new(&rough, settings);
    run(&mut exact, &mut in_double, 40);
    run(&mut rough, &mut in_single, 40);
    let apart = exact.particles.position.iter().zip(&rough.particles.position).map(|(a, b)| (a - b).norm());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 1e-6, "{} {kernel:?} {transfer:?} in {D} dimensions: {apart} m", material.name);
}

#[test]
fn steps_in_packs_are_those_of_single_particles() {
    let of_law = |law: Law| Material { law: Some(law), ..material("rubber") };
    let laws = [Law::FixedCorotated, Law::NeoHookean, Law::Hencky].map(of_law);
    for matter in laws.into_iter().chain(["nilles-snow", "sand", "water", "metal"].map(material)) {
        precisions_agree::<2>(&matter, Kernel::Quadratic, Transfer::Apic);
        precisions_agree::<3>(&matter, Kernel::Quadratic, Transfer::Apic);
    }
    // Linear splines have no lanes.
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        for transfer in [Transfer::Apic, Transfer::Flip(0.0), Transfer::Flip(0.95), Transfer::AffineFlip(0.5)]
        {
            precisions_agree::<2>(&material("rubber"), kernel, transfer);
            precisions_agree::<3>(&material("rubber"), kernel, transfer);
        }
    }
}

/// Grains of one matter in all sorts of states, with velocity gradients to match.
fn states<const D: usize>(matter: &Matter, size: f64) -> (Vec<Grain<f32, D>>, Vec<SMatrix<f32, D, D>>) {
    let mut random = Random(3);
    (0..67)
        .map(|id| {
            let mut noise = |size: f64| SMatrix::<f32, D, D>::from_fn(|_, _| (random.number() * size) as f32);
            let mut grain = grain::<f32, D>();
            (grain.elastic, grain.id) = (SMatrix::identity() + noise(size), id);
            grain.set_history(&matter.initial());
            if id % 13 == 12 {
                grain.elastic *= 0.01;
            }
            (grain, noise(size * 20.0))
        })
        .unzip()
}

struct Respond<'a, const D: usize>(&'a mut Bunch<f32, D>, &'a [Taken<f32, D>], &'a [Matter]);

impl<const D: usize> Task for Respond<'_, D> {
    type Output = Summary;

    fn run<R: Registers>(self, registers: R) -> Summary {
        (0..self.0.packs.len()).fold(Summary::default(), |sum, number| {
            let count = self.0.lanes(number);
            let pack = (&mut self.0.packs[number], count);
            sum.with(packs::respond(registers, pack, &self.1[number], (self.2, 1e-2)))
        })
    }
}

/// Does a task in registers of all sizes that the machine has, sixteen numbers, eight, and one.
fn on_all_registers<K: Task>(tasks: [K; 3]) -> [K::Output; 3] {
    let [widest, eight, one] = tasks;
    let widest = registers::dispatch(widest);
    #[cfg(target_arch = "x86_64")]
    let eight = match pulp::x86::V3::try_new() {
        Some(simd) => Simd::vectorize(simd, Run(eight)),
        None => Run(eight).with_simd(pulp::Scalar),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let eight = Run(eight).with_simd(pulp::Scalar);
    [widest, eight, Run(one).with_simd(pulp::Scalar)]
}

fn packs_agree<const D: usize>(name: &str, law: Option<Law>, size: f64) {
    let mut material = material(name);
    material.law = law.or(material.law);
    let matters = [Matter::of(&material)];
    let (mut exact, gradients) = states::<D>(&matters[0], size);
    let taken: Vec<_> = gradients.chunks(registers::LANES).map(Taken::of).collect();
    let mut bunches = [(); 3].map(|()| Bunch::of(exact.iter()));
    let summaries = on_all_registers(bunches.each_mut().map(|bunch| Respond(bunch, &taken, &matters)));
    assert!(summaries.iter().all(|summary| *summary == summaries[0]));
    assert!(
        bunches.iter().all(|bunch| *bunch == bunches[0]),
        "{name}: registers of all sizes give the same bits"
    );
    let scale = matters[0].lame.p_wave() as f32;
    let mut fastest = 0.0_f64;
    for (grain, gradient) in exact.iter_mut().zip(&gradients) {
        fastest = fastest.max(matters[0].respond(grain, &widen(gradient), 1e-2).wave_speed);
    }
    // Laws without principal axes know only a bound of the largest stretch.
    let speed = summaries[0].wave_speed / fastest;
    assert!(speed > 1.0 - 1e-5 && speed < 1.0 + size, "{name}: {speed}");
    for (a, b) in bunches[0].iter().zip(&exact) {
        let hardening = (b.stress.amax() / scale).max(1.0);
        assert!(
            (a.stress - b.stress).amax() < 1e-5 * scale * hardening,
            "{name} {}: {} {}",
            a.id,
            a.stress,
            b.stress
        );
        assert!((a.elastic - b.elastic).amax() < 1e-5, "{name} {}: {} {}", a.id, a.elastic, b.elastic);
        assert!((a.memory_volume - b.memory_volume).abs() < 1e-5, "{name} {}", a.id);
        assert!((a.memory_strain - b.memory_strain).abs() < 1e-5, "{name} {}", a.id);
    }
}

#[test]
fn packs_of_particles_answer_as_single_ones_do() {
    for size in [1e-3, 0.02, 0.2] {
        for law in [Law::FixedCorotated, Law::NeoHookean, Law::Hencky] {
            packs_agree::<2>("rubber", Some(law), size);
            packs_agree::<3>("rubber", Some(law), size);
        }
        for name in ["nilles-snow", "sand", "nilles-sand", "water"] {
            packs_agree::<2>(name, None, size);
            packs_agree::<3>(name, None, size);
        }
    }
}

struct ToGrid<'a, const D: usize, const W: usize>(ScatterPack<'a, f32, D>, &'a mut [Node<f32>]);

impl<const D: usize, const W: usize> Task for ToGrid<'_, D, W> {
    type Output = ();

    fn run<R: Registers>(self, registers: R) {
        self.0.in_lanes::<R, W>(registers, self.1);
    }
}

struct Back<'a, const D: usize, const W: usize>(Source<'a, f32, D>, &'a mut Pack<f32, D>);

impl<const D: usize, const W: usize> Task for Back<'_, D, W> {
    type Output = Taken<f32, D>;

    fn run<R: Registers>(self, registers: R) -> Self::Output {
        self.0.in_lanes::<R, W>(registers, self.1)
    }
}

/// The way to the grid and back in lanes is that of single particles but for rounding, and the same in all registers.
fn transfers_agree<const D: usize, const W: usize>(kernel: Kernel, transfer: Transfer) {
    let mut random = Random(5);
    let world = ball::<D>(0.1, 0.02);
    let mut solver = Mpm::<f32, D>::new(&world, MpmSettings { kernel, transfer, ..MpmSettings::default() });
    for bunch in &mut solver.state.bunches {
        bunch.update(|grain| {
            let mut noise = |size: f64| (size * random.number()) as f32;
            (grain.mass, grain.velocity) = (1.0 + noise(0.5), SVector::from_fn(|_, _| noise(1.0)));
            grain.affine = SMatrix::from_fn(|_, _| noise(10.0));
            let stress = SMatrix::<f32, D, D>::from_fn(|_, _| noise(1.0));
            grain.stress = stress + stress.transpose();
        });
    }
    let scatter = Scatter { mesh: &solver.mesh, dt: 1e-3, is_affine: transfer.is_affine(), by_kernel: false };
    let span = Span { time: 0.0, dt: 1e-3, care: Care::Strict };
    // A species that is alone has no saturation.
    let mut settings = solver.settings.clone();
    settings.mixture.species = ["ball", "other"].map(str::to_owned).to_vec();
    let (mesh, settings, matters) = (&solver.mesh, &settings, &solver.matters[..]);
    let obstacles = &Obstacles::new([].iter(), &[], mesh.spacing, (0.0, 1e-3));
    let gather = &Gather { mesh, span, settings, by_kernel: false, matters, obstacles };
    let push = &[[0.3; registers::LANES]; D];
    for (block, bunch) in solver.layout.blocks.iter().zip(&solver.state.bunches) {
        let (place, count) = (&block.place, bunch.lanes(0));
        let task = || ScatterPack { scatter: &scatter, place, pack: &bunch.packs[0], count, push };
        let mut plain = vec![Node::<f32>::default(); tile_size(D, W)];
        task().plain::<W>(&mut plain);
        let mut tiles = [(); 3].map(|()| vec![Node::<f32>::default(); tile_size(D, W)]);
        on_all_registers(tiles.each_mut().map(|tile| ToGrid::<D, W>(task(), tile)));
        assert!(tiles.iter().all(|tile| *tile == tiles[0]), "registers of all sizes give the same bits");
        for (a, b) in tiles[0].iter().zip(&plain) {
            assert!((*a - *b).to_array().iter().all(|apart| apart.abs() < 1e-5), "{a:?} {b:?}");
        }
        let before: Vec<_> = plain.iter().map(|node| *node * Node::<f32>::splat(0.7)).collect();
        let source = || Source { gather, place, tile: &plain, before: &before, count };
        let mut packs = [(); 3].map(|()| bunch.packs[0].clone());
        let taken = on_all_registers(packs.each_mut().map(|pack| Back::<D, W>(source(), pack)));
        assert!(packs.iter().all(|pack| *pack == packs[0]), "registers of all sizes give the same bits");
        let mut exact = bunch.packs[0].clone();
        let expected = source().plain::<W>(&mut exact);
        for lane in 0..count {
            let (a, b) = (packs[0].get(lane, 0), exact.get(lane, 0));
            let apart = (taken[0].gradient_of(lane) - expected.gradient_of(lane)).amax();
            assert!(apart < 2e-3 && (a.affine - b.affine).amax() < 2e-3, "{apart} of hundreds");
            assert!((a.velocity - b.velocity).amax() < 2e-5 && (a.saturation - b.saturation).abs() < 1e-5);
        }
    }
}

#[test]
fn packs_go_to_the_grid_and_back_as_single_particles_do() {
    for transfer in [Transfer::Apic, Transfer::Flip(0.95), Transfer::AffineFlip(0.5)] {
        transfers_agree::<2, 3>(Kernel::Quadratic, transfer);
        transfers_agree::<3, 3>(Kernel::Quadratic, transfer);
        transfers_agree::<2, 4>(Kernel::Cubic, transfer);
        transfers_agree::<3, 4>(Kernel::Cubic, transfer);
    }
}
