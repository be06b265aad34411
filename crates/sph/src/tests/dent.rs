//! Plastic solids.

use super::*;
use pliant_material::Plastic;
use pliant_material::plastic::VonMises;

#[test]
fn a_metal_block_keeps_the_dent_of_a_press_and_an_elastic_one_does_not() {
    let height_after = |yield_stress: Option<f64>| {
        let mut world = world(1e6, 9.81);
        world.materials[0].plastic =
            yield_stress.map(|yield_stress| Plastic::VonMises(VonMises { yield_stress, hardening: 0.0 }));
        world.add_body("block", &lattice([6, 6, 6], Vec3::zeros()), D, SOLID);
        world.colliders.push(wall(Vec3::y(), Vec3::zeros(), 0.0));
        let mut press = wall(-Vec3::y(), Vec3::new(0.0, 0.3, 0.0), 0.0);
        let key = |time: f64, y: f64| pliant_world::Keyframe {
            time,
            translation: Vec3::new(0.0, y, 0.0),
            rotation: nalgebra::UnitQuaternion::identity(),
            center: Vec3::zeros(),
        };
        press.motion =
            Motion::keyframes(vec![key(0.0, 0.0), key(0.5, -0.1), key(0.6, -0.1), key(1.1, 0.05)]).unwrap();
        world.colliders.push(press);
        let mut solver = Sph::new(&world, settings(4e-3));
        run(&mut world, &mut solver, 0.0, 1.6);
        let heights = world.particles.position.iter().map(|x| x.y);
        heights.clone().fold(0.0, f64::max) - heights.fold(f64::INFINITY, f64::min)
    };
    let (elastic, plastic) = (height_after(None), height_after(Some(2e4)));
    assert!((elastic / 0.25 - 1.0).abs() < 0.03, "the elastic block is {elastic} m high");
    assert!((0.14..0.19).contains(&plastic), "the plastic block is {plastic} m high");
}
