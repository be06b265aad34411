//! The stages of each method, in words and formulas.

use pliant_scene::{Method, Scene};

/// A stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What happens.
    pub title: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// The stage of the method that does it.
    pub done_by: &'static str,
}

const fn stage(done_by: &'static str, title: &'static str, formula: &'static str) -> Stage {
    Stage { title, formula, done_by }
}

/// The ten stages of the Material Point Method.
pub const MPM: [Stage; 10] = [
    stage("particles to grid", "1. Weights", "w_ip = N((x_i - x_p) / h), products of splines"),
    stage("particles to grid", "2. Mass to the grid", "m_i = sum_p w_ip m_p"),
    stage("particles to grid", "3. Momentum to the grid", "(m v)_i = sum_p w_ip m_p (v_p + C_p (x_i - x_p))"),
    stage("particles to grid", "4. Velocity of nodes", "v_i = (m v)_i / m_i"),
    stage("particles to grid", "5. Force on nodes", "f_i = - sum_p V_p sigma_p grad w_ip"),
    stage("grid", "6. Update of the grid", "v_i* = v_i + dt (f_i / m_i + g)"),
    stage("grid", "7. Obstacles", "v_i* loses what points into an obstacle, and friction"),
    stage("grid to particles", "8. Deformation", "F_p = (1 + dt sum_i v_i* (grad w_ip)^T) F_p"),
    stage("grid to particles", "9. Plastic flow", "F_p is put back onto the yield surface"),
    stage("grid to particles", "10. Grid to particles", "v_p = sum_i w_ip v_i*, x_p = x_p + dt v_p"),
];

/// The six steps of Zhou 2013, section 4.
pub const ZHOU: [Stage; 6] = [
    stage("predict", "1. Predict", "Q' = Q + dt V, with the last forces (Eq. 17)"),
    stage("rotations", "2. Rotations", "F = R S around each particle, by singular values (Eq. 5)"),
    stage("system", "3. System", "A = M + dt^2 K(R), b = M Q' + forces (Eq. 9, 19, 24, 25)"),
    stage("solve", "4. Solve", "A Q = b, by conjugate gradients (Eq. 23)"),
    stage("velocity", "5. Velocity", "V = (Q - Q_old) / dt"),
    stage("plasticity", "6. Plastic flow", "F is split into elastic and plastic parts (Eq. 12-15)"),
];

/// Algorithm 1 of Kugelstadt 2021, in seven parts.
pub const SPH: [Stage; 7] = [
    stage("neighbours", "1. Neighbours", "all particles within the support of the kernel"),
    stage("forces", "2. Other forces", "v = v + dt (g + friction + viscosity)"),
    stage("elasticity", "3. Rotations", "F = R S around each particle, in its rest state"),
    stage("elasticity", "4. Stretching", "(M + dt^2 G^T G) v = b, factorised once (Eq. 29)"),
    stage("elasticity", "5. Volume", "the part of tr(epsilon), by conjugate gradients (Eq. 30)"),
    stage("pressure", "6. Pressure", "rho = rho_0, by DFSPH"),
    stage("advance", "7. Advance", "x = x + dt v, and plastic flow"),
];

/// Stages of the explicit points of Gerszewski et al. 2009.
pub const GBB: [Stage; 4] = [
    stage("step", "1. Neighbours", "the nearest particles in the present state"),
    stage("step", "2. Deformation", "F = (sum w u x^T)(sum w x x^T)^-1 F"),
    stage("step", "3. Forces", "f = - V sigma, spread over the neighbours"),
    stage("step", "4. Step", "v = v + dt f / m, x = x + dt v"),
];

/// The stages of a scene's method.
pub fn stages(scene: &Scene) -> &'static [Stage] {
    match scene.method {
        Method::Mpm(_) => &MPM,
        Method::Sph(_) => &SPH,
        Method::Gbb2009(_) => &GBB,
        _ => &ZHOU,
    }
}
