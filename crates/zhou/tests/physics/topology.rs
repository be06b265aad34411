//! Bodies tear and merge where the material says so, and nowhere else.

use crate::common::{Run, lattice, material, moved, plastic, world_of};
use pliant_math::Vec3;
use pliant_world::{Motion, Pin, World};
use pliant_zhou::Zhou2013Settings;

const D: f64 = 0.02;

/// A bar pulled apart at its ends to three times its length; the widest gap between layers along it, in spacings.
fn pulled_apart(tear_stretch: f64) -> f64 {
    let mut matter = material(1e5, 0.3);
    matter.tear_stretch = tear_stretch;
    let rest = lattice([12, 4, 4], D);
    let mut world = world_of(&rest, D, matter);
    for (end, speed) in [(0.0, -1.0), (12.0 * D, 1.0)] {
        let near = |x: &Vec3| (x.x - end).abs() < 1.2 * D;
        let particles: Vec<u32> = (0u32..).zip(&rest).filter(|(_, x)| near(x)).map(|(i, _)| i).collect();
        let initial = particles.iter().map(|&i| rest[i as usize]).collect();
        world.pins.push(Pin { particles, initial, motion: Motion::Linear { velocity: Vec3::x() * speed } });
    }
    let mut run = Run::new(world, Zhou2013Settings::default());
    run.steps(120, 2e-3);
    let mut along: Vec<f64> = run.world.particles.position.iter().map(|x| x.x).collect();
    along.sort_by(f64::total_cmp);
    along.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max) / D
}

#[test]
fn a_bar_tears_only_if_its_material_does() {
    let (tough, brittle) = (pulled_apart(f64::INFINITY), pulled_apart(1.6));
    assert!(tough < 4.0, "a material that never tears stays in one piece: gap {tough}");
    assert!(brittle > 8.0, "one that tears parts in two: gap {brittle}");
}

/// Two lumps pressed together and pulled apart; the distance between their centres at the end, in spacings.
fn pressed_together(merges: bool) -> f64 {
    let mut matter = plastic(5e5, 0.3, 2e3);
    (matter.merges, matter.friction) = (merges, 0.0);
    let mut world = World::empty();
    world.materials.push(matter);
    for (shift, speed) in [(0.0, 2.0), (7.0, -2.0)] {
        let range = world.add_body("lump", &moved(&lattice([6, 6, 6], D), Vec3::x() * (shift * D)), D, 0);
        world.particles.velocity[range].fill(Vec3::x() * speed);
    }
    let mut run = Run::new(world, Zhou2013Settings { rebuild_strain: 0.2, ..Zhou2013Settings::default() });
    run.steps(60, 1e-3);
    let outward = |run: &mut Run, body: usize, speed: f64| {
        let range = run.world.bodies[body].particles.clone();
        run.world.particles.velocity[range].fill(Vec3::x() * speed);
    };
    outward(&mut run, 0, -0.15);
    outward(&mut run, 1, 0.15);
    run.steps(300, 2e-3);
    let center = |body: usize| {
        let range = run.world.bodies[body].particles.clone();
        let count = range.len() as f64;
        run.world.particles.position[range].iter().map(|x| x.x).sum::<f64>() / count
    };
    (center(1) - center(0)) / D
}

#[test]
fn lumps_merge_only_if_their_material_does() {
    let (apart, merged) = (pressed_together(false), pressed_together(true));
    assert!(merged < apart - 2.0, "merged lumps hold together: {merged}, others part: {apart}");
}
