//! A bar clamped at one end that vibrates along its axis.

use super::backward_euler;
use crate::stage::{Run, elastic, hold, lattice, world_of};
use crate::{Figure, Findings, Measure, Resolution, Tolerance};
use pliant_math::Vec3;
use pliant_solver::StepError;
use pliant_zhou::Zhou2013Settings;
use std::f64::consts::PI;

/// A bar along x. Its clamped layer lies half a spacing inside, which shortens the part that vibrates.
struct Bar {
    layers: usize,
    across: usize,
    spacing: f64,
    young: f64,
    density: f64,
    /// Largest speed at the start, as a share of the speed of sound.
    strength: f64,
}

/// How a mean displacement swings.
struct Swing {
    omega: f64,
    decay: f64,
    /// Mean displacement over time [s, m].
    path: Vec<(f64, f64)>,
}

impl Bar {
    fn omega(&self) -> f64 {
        let length = (self.layers as f64 - 0.5) * self.spacing;
        0.5 * PI / length * (self.young / self.density).sqrt()
    }

    /// Starts in the first mode with Poisson's ratio 0 and follows `swings` half periods.
    fn vibrate(&self, settings: Zhou2013Settings, dt: f64, swings: usize) -> Result<Swing, StepError> {
        let Self { layers, across, spacing, .. } = *self;
        let rest = lattice([layers, across, across], spacing);
        let mut world = world_of(&rest, spacing, elastic(self.density, self.young, 0.0));
        hold(&mut world, |x| x.x < spacing, |x| *x);
        let speed = self.strength * (self.young / self.density).sqrt();
        let length = (layers as f64 - 0.5) * spacing;
        for (v, x) in world.particles.velocity.iter_mut().zip(&rest) {
            *v = Vec3::x() * speed * (0.5 * PI * (x.x - 0.5 * spacing) / length).sin();
        }
        let mut run = Run::new(world, settings);
        let displacement = |run: &Run| {
            run.world.particles.position.iter().zip(&rest).map(|(x, p)| x.x - p.x).sum::<f64>()
                / rest.len() as f64
        };
        let (mut crossings, mut peaks, mut path) = (Vec::new(), vec![0.0_f64], vec![(0.0, 0.0)]);
        let mut before = 0.0;
        while crossings.len() < swings {
            run.step(dt)?;
            let now = displacement(&run);
            path.push((run.time, now));
            if now * before < 0.0 {
                crossings.push(run.time - dt * now / (now - before));
                peaks.push(0.0);
            }
            if let Some(peak) = peaks.last_mut() {
                *peak = peak.max(now.abs());
            }
            before = now;
        }
        // The first swing is left out: it still holds what is not the first mode.
        let time = crossings[swings - 1] - crossings[0];
        let omega = (swings - 1) as f64 * PI / time;
        let decay = (peaks[1] / peaks[swings - 1]).ln() * omega / (swings - 2) as f64 / PI;
        Ok(Swing { omega, decay, path })
    }
}

/// Period of a long bar with BDF2, 25 m long with a speed of sound of 10 m/s.
pub(super) fn period(resolution: Resolution) -> Result<Findings, StepError> {
    let layers = resolution.pick([25, 50, 100]);
    let spacing = 25.0 / layers as f64;
    let bar = Bar { layers, across: 4, spacing, young: 100.0, density: 1.0, strength: 0.01 };
    let reference = 2.0 * PI / bar.omega();
    let swing = bar.vibrate(Zhou2013Settings::default(), reference / 200.0, 5)?;
    Ok(vec![Measure {
        quantity: "period".to_owned(),
        unit: "s",
        value: 2.0 * PI / swing.omega,
        reference,
        tolerance: Tolerance::relative(resolution.pick([0.005, 0.002, 0.001])),
    }]
    .into())
}

/// Frequency and decay of a short bar in steps of 1 ms. Backward Euler damps a mode by ln(1 + ω²Δt²)/2Δt.
pub(super) fn damping(resolution: Resolution) -> Result<Findings, StepError> {
    let (across, dt) = (resolution.pick([3, 4, 6]), 1e-3);
    let spacing = 0.08 / across as f64;
    let bar = Bar { layers: 5 * across, across, spacing, young: 1e6, density: 1000.0, strength: 0.003 };
    let exact = bar.omega();
    let euler = bar.vibrate(backward_euler(), dt, 8)?;
    let bdf2 = bar.vibrate(Zhou2013Settings::default(), dt, 8)?;
    let measure = |quantity: &str, unit, value, reference, tolerance| Measure {
        quantity: quantity.to_owned(),
        unit,
        value,
        reference,
        tolerance,
    };
    let predicted = (exact * dt).powi(2).ln_1p() / (2.0 * dt);
    let millimetres = |path: &[(f64, f64)]| path.iter().map(|(time, x)| (*time, 1e3 * x)).collect();
    // What the mean of the first mode would do in steps that damp as theory says.
    let amplitude = 1e3 * 2.0 / PI * bar.strength * (bar.young / bar.density).sqrt() / exact;
    let damped =
        |(time, _): &(f64, f64)| (*time, amplitude * (exact * time).sin() * (-predicted * time).exp());
    let figure = Figure::new("Vibrating bar in steps of 1 ms", "time [s]", "mean displacement [mm]")
        .with("backward Euler", millimetres(&euler.path))
        .with("BDF2", millimetres(&bdf2.path))
        .with("backward Euler, theory", euler.path.iter().map(damped).collect());
    let measures = vec![
        measure("frequency, BDF2", "rad/s", bdf2.omega, exact, Tolerance::relative(0.015)),
        measure("decay, backward Euler", "1/s", euler.decay, predicted, Tolerance::relative(0.02)),
        measure("decay, BDF2", "1/s", bdf2.decay, 0.0, Tolerance::absolute(0.2)),
    ];
    Ok(Findings { measures, figure: Some(figure) })
}
