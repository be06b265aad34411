//! probe
mod common;
use common::*;
use pliant_math::Vec3;
use pliant_solver::zhou2013::Integrator;
use pliant_solver::*;
use pliant_world::*;
fn compress(rate: f64, dt: f64) {
    let (n, d) = (8, 0.02);
    let length = n as f64 * d;
    let rest = lattice([n, n, n], d);
    let mut world = world_of(&rest, d, plastic(1e6, 0.3, 2e4));
    for collider in [Vec3::y(), -Vec3::y()] {
        world = with_ground(world, 0.0);
        let platen = world.colliders.last_mut().unwrap();
        platen.shape = pliant_geometry::Shape::half_space(
            collider,
            Vec3::y() * if collider.y > 0.0 { 0.0 } else { length },
        )
        .unwrap();
    }
    let frames = [(0.0, 0.0), (0.2 / rate, -0.2 * length), (0.4 / rate, 0.0), (0.5 / rate, 0.2 * length)];
    let keyframe = |(time, y): (f64, f64)| pliant_world::Keyframe {
        time,
        translation: Vec3::y() * y,
        rotation: nalgebra::UnitQuaternion::identity(),
        center: Vec3::zeros(),
    };
    world.colliders[1].motion = Motion::keyframes(frames.into_iter().map(keyframe).collect()).unwrap();
    let mut run =
        Run::new(world, Zhou2013Settings { integrator: Integrator::BackwardEuler, ..Default::default() });
    let mut next = 0.02;
    while run.time < 0.5 / rate - 0.5 * dt {
        let r = run.step(dt);
        if run.time * rate >= next {
            next += 0.02;
            let columns = run.solver.fields(&run.world);
            let get = |n: &str| columns.iter().find(|f| f.name == n).unwrap().column.clone();
            let Column::Tensor(stress) = get("stress") else { panic!() };
            let Column::Scalar(vm) = get("von_mises") else { panic!() };
            let Column::Scalar(ps) = get("plastic_strain") else { panic!() };
            let Column::Tensor(f) = get("F") else { panic!() };
            let mid: Vec<usize> = (0..rest.len()).filter(|&i| (rest[i].y - 0.5 * length).abs() < d).collect();
            let avg = |g: &dyn Fn(usize) -> f64| mid.iter().map(|&i| g(i)).sum::<f64>() / mid.len() as f64;
            println!(
                "strain {:.2} H {:.4} s_yy {:.0} s_xx {:.0} vm {:.0} all vm {:.0} ps {:.3} Fyy {:.4} Fxx {:.4} solves {} its {} ymin/d {:.3} W {:.4}",
                run.time * rate,
                size(&run.world.particles.position, 1) / size(&rest, 1),
                avg(&|i| stress[i][4] as f64),
                avg(&|i| stress[i][0] as f64),
                avg(&|i| vm[i] as f64),
                vm.iter().sum::<f32>() / vm.len() as f32,
                avg(&|i| ps[i] as f64),
                avg(&|i| f[i][4] as f64),
                avg(&|i| f[i][0] as f64),
                r.solves,
                r.iterations,
                run.world.particles.position.iter().map(|x| x.y).fold(f64::MAX, f64::min) / d,
                size(&run.world.particles.position, 0) / size(&rest, 0)
            );
        }
    }
}
#[test]
fn compression() {
    compress(0.5, 2e-3);
}
