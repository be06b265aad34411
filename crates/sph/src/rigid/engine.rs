//! The only place that knows rapier.

use super::{Motion, Rigids, Tie};
use nalgebra::{Quaternion, UnitQuaternion};
use pliant_math::Vec3;
use pliant_world::JointKind;
use rapier3d_f64::prelude::{
    BroadPhaseBvh, CCDSolver, ColliderSet, FixedJointBuilder, GenericJoint, ImpulseJointSet,
    IntegrationParameters, IslandManager, MassProperties, Matrix, MultibodyJointSet, NarrowPhase,
    PhysicsPipeline, Pose, PrismaticJointBuilder, RevoluteJointBuilder, RigidBodyBuilder, RigidBodyHandle,
    RigidBodySet, Rotation, SoftBodySet, SphericalJointBuilder, Vector,
};

/// Iterations of the joints: they start from nothing in every step.
const ITERATIONS: usize = 16;

fn out(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Lets rapier move the bodies and hold their joints.
pub(super) fn advance(rigids: &Rigids, motion: &mut [Motion], present: &[bool], dt: f64) {
    let mut bodies = RigidBodySet::new();
    let handles: Vec<RigidBodyHandle> =
        (0..motion.len()).map(|index| bodies.insert(body(rigids, &motion[index], index))).collect();
    let world = bodies.insert(RigidBodyBuilder::fixed());
    let mut joints = ImpulseJointSet::new();
    for tie in &rigids.joints {
        if tie.bodies.iter().flatten().all(|&index| present[index]) {
            let [first, second] = tie.bodies.map(|body| body.map_or(world, |index| handles[index]));
            joints.insert(first, second, joint(tie), true);
        }
    }
    let parameters = IntegrationParameters {
        dt,
        num_solver_iterations: ITERATIONS,
        normalized_max_linear_velocity: f64::MAX,
        ..IntegrationParameters::default()
    };
    PhysicsPipeline::new().step(
        Vector::ZERO,
        &parameters,
        &mut IslandManager::new(),
        &mut BroadPhaseBvh::new(),
        &mut NarrowPhase::new(),
        &mut bodies,
        &mut ColliderSet::new(),
        &mut joints,
        &mut MultibodyJointSet::new(),
        &mut SoftBodySet::new(),
        &mut CCDSolver::new(),
        &(),
        &(),
    );
    for (index, handle) in handles.iter().enumerate().filter(|(index, _)| present[*index]) {
        let body = &bodies[*handle];
        let (x, q) = (body.translation(), body.rotation());
        let turned = UnitQuaternion::from_quaternion(Quaternion::new(q.w, q.x, q.y, q.z));
        let (v, spin) = (body.linvel(), body.angvel());
        motion[index] = Motion {
            center: [x.x, x.y, x.z],
            rotation: turned.coords.into(),
            velocity: [v.x, v.y, v.z],
            spin: [spin.x, spin.y, spin.z],
        };
    }
}

fn body(rigids: &Rigids, motion: &Motion, index: usize) -> RigidBodyBuilder {
    let body = &rigids.bodies[index];
    let inertia = Matrix::from_cols_array(&std::array::from_fn(|k| body.inertia[k]));
    let [i, j, k, w] = motion.rotation;
    RigidBodyBuilder::dynamic()
        .pose(Pose::from_parts(out(&motion.center()), Rotation::from_xyzw(i, j, k, w)))
        .linvel(out(&motion.velocity.into()))
        .angvel(out(&motion.spin.into()))
        .additional_mass_properties(MassProperties::with_inertia_matrix(Vector::ZERO, body.mass, inertia))
        .gyroscopic_forces_enabled(true)
        .can_sleep(false)
}

fn joint(tie: &Tie) -> GenericJoint {
    let [first, second] = tie.anchors.map(|anchor| out(&anchor));
    let axis = out(&tie.joint.axis);
    match tie.joint.kind {
        JointKind::Ball => SphericalJointBuilder::new().local_anchor1(first).local_anchor2(second).into(),
        JointKind::Hinge => RevoluteJointBuilder::new(axis).local_anchor1(first).local_anchor2(second).into(),
        JointKind::Slider => {
            PrismaticJointBuilder::new(axis).local_anchor1(first).local_anchor2(second).into()
        }
        JointKind::Fixed => FixedJointBuilder::new().local_anchor1(first).local_anchor2(second).into(),
    }
}
