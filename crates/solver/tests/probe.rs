mod common;
use common::*;
use pliant_solver::*;
use pliant_math::Vec3;
use pliant_solver::zhou2013::Integrator;

#[test]
fn drop_flat() {
    let d = 0.02;
    let n = 10;
    let rest = moved(&lattice([n, n, n], d), Vec3::new(0.0, 0.3, 0.0));
    let world = with_ground(with_gravity(world_of(&rest, d, material(1e6, 0.3))), 0.5);
    let mut run = Run::new(world, Zhou2013Settings { integrator: Integrator::BackwardEuler, ..Default::default() });
    let t0 = std::time::Instant::now();
    let mut stages = std::collections::BTreeMap::new();
    for k in 0..400 {
        let r = run.step(2e-3);
        for (s, t) in &r.stages { *stages.entry(*s).or_insert(0.0) += t; }
        if k % 20 == 0 {
            let y = run.world.particles.position.iter().map(|x| x.y).fold(f64::MAX, f64::min);
            println!("{k} its {} solves {} contacts {} ymin/d {:.3} e {:?}", r.iterations, r.solves, r.contacts, y / d, shape_error(&rest, &run.world.particles.position).1 / d);
        }
    }
    println!("{:?} {:?}", t0.elapsed(), stages);
}
