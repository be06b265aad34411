//! Whole steps: contact with walls, fluids at rest, and what is conserved.

use crate::{Sph, SphSettings};
use pliant_geometry::Shape;
use pliant_material::{Lame, preset};
use pliant_math::Vec3;
use pliant_solver::{Care, Solver, Span};
use pliant_world::{Acceleration, Collider, Motion, World};

fn lattice(counts: [usize; 3], spacing: f64, corner: Vec3) -> Vec<Vec3> {
    let [nx, ny, nz] = counts;
    (0..nx * ny * nz)
        .map(|k| {
            let cell = Vec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64);
            corner + (cell + Vec3::repeat(0.5)) * spacing
        })
        .collect()
}

fn floor(friction: f64) -> Collider {
    Collider {
        name: "floor".to_owned(),
        shape: Shape::half_space(Vec3::y(), Vec3::zeros()).unwrap(),
        motion: Motion::Static,
        friction,
        stickiness: 0.0,
        restitution: 0.0,
        color: [0.5; 3],
        visible: true,
    }
}

fn world(young: f64) -> World<3> {
    let mut world = World::empty();
    let mut material = preset("rubber").expect("a preset").material();
    material.lame = Lame::new(young, 0.3).unwrap();
    material.density = 1000.0;
    world.materials.push(material);
    world.materials.push(preset("water").expect("a preset").material());
    world.accelerations.push(Acceleration::uniform(Vec3::new(0.0, -9.81, 0.0)));
    world
}

/// Steps as long as the method takes them, up to `dt`, until `end`.
fn run(world: &mut World<3>, solver: &mut Sph, dt: f64, end: f64, mut watch: impl FnMut(f64, &World<3>)) {
    let mut time = 0.0;
    while time < end {
        let step = solver.longest_step().unwrap().min(dt);
        let report = solver.step(world, Span { time, dt: step, care: Care::Strict }).unwrap();
        time += step;
        println!("{time:.4} {step:.2e} {:?}", report.iterations);
        watch(time, world);
    }
}

#[test]
fn a_cube_comes_to_rest_on_the_floor() {
    let mut world = world(1e5);
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vec3::new(0.15, 0.1, 0.5));
    let cube: Vec<Vec3> = lattice([6, 6, 6], 0.1, Vec3::new(-0.3, -0.3, -0.3)).iter().map(|x| turn * x + Vec3::new(0.0, 0.5, 0.0)).collect();
    world.add_body("cube", &cube, 0.1, 0);
    world.add_body("upper", &lattice([4, 4, 4], 0.1, Vec3::new(-0.15, 1.1, -0.3)), 0.1, 0);
    world.colliders.push(floor(0.5));
    let settings = SphSettings { elastic_step: 4e-3, ..SphSettings::default() };
    let mut solver = Sph::new(&world, settings);
    run(&mut world, &mut solver, 4e-3, 0.5, |_, world| {
        let speed = world.particles.velocity.iter().map(|v| v.norm()).fold(0.0, f64::max);
        let low = world.particles.position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        let fast = (0..world.particles.len()).max_by(|&a, &b| world.particles.velocity[a].norm().total_cmp(&world.particles.velocity[b].norm())).unwrap();
        println!("   {speed:.3} {low:.4} {fast} {:?} {:?} p {} dp {} rho {}", world.particles.position[fast].as_slice(), world.particles.velocity[fast].as_slice(),0,0,0);
    });
}
