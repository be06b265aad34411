//! The elastic step of all bodies, in each of the ways to solve it.

use super::body::{Body, Course};
use super::gradients::Excess;
use super::lanes::Lane;
use super::shape::Effort;
use super::{Solids, correct};
use crate::settings::{Elasticity, SphSettings};
use pliant_math::Vec3;
use pliant_solver::StepError;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Solids {
    /// Lines 3 to 11 of Algorithm 1: the elastic acceleration of every solid particle, added to `acceleration` [m/s²];
    /// returns solves and iterations.
    pub fn accelerate(
        &mut self,
        course: &Course<'_>,
        (settings, gravity): (&SphSettings, f64),
        acceleration: &mut [Vec3],
    ) -> Result<(usize, usize), StepError> {
        let effort = Effort {
            dt: settings.elastic_step,
            tolerance: settings.tolerance,
            max_iterations: settings.max_iterations,
            acceleration: gravity.max(1e-3),
        };
        let iterations = match settings.elasticity {
            Elasticity::Corrected => self.solve_by_corrections(course, settings, &effort),
            Elasticity::Split => self.solve_split(course, settings, &effort),
            Elasticity::Unsplit => self.solve_unsplit(course, settings, &effort),
            Elasticity::Peer2018 => self.solve_each(course, settings, |body| body.solve_peer(&effort)),
            Elasticity::Becker2009 => self.solve_each(course, settings, |body| {
                body.solve_explicit();
                Ok(0)
            }),
        };
        let iterations = iterations.map_err(|excess| StepError::NotConverged {
            iterations: excess.iterations,
            excess: excess.ratio,
        })?;
        for body in self.present() {
            body.share_change(course.position, effort.dt, acceleration); // 10, 11
        }
        Ok((self.bodies.len(), iterations))
    }

    fn solve_by_corrections(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, Excess> {
        let mut iterations = 0;
        let rough = Effort { tolerance: correct::ROUGH * effort.tolerance, ..*effort };
        self.present().for_each(|body| body.set_out(course, effort.dt));
        for _ in 0..correct::CORRECTIONS {
            self.present().for_each(|body| body.miss(settings));
            iterations += self.solve_stretch(&rough)?;
            self.present().for_each(|body| body.go_on(effort.dt));
        }
        self.present().for_each(Body::arrive);
        Ok(iterations)
    }

    /// The same with one correction by the whole matrix.
    fn solve_unsplit(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, Excess> {
        let mut iterations = 0;
        for body in self.present() {
            body.set_out(course, effort.dt);
            body.miss(settings);
            iterations += body.solve_unsplit(effort)?;
            body.go_on(effort.dt);
            body.arrive();
        }
        Ok(iterations)
    }

    /// Lines 3 to 9 as printed.
    fn solve_split(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        effort: &Effort,
    ) -> Result<usize, Excess> {
        self.present().for_each(|body| body.predict(course, settings)); // 3, 4
        let mut iterations = self.solve_stretch(effort)?; // 5
        for body in self.present() {
            iterations += body.keep_volume(effort)?; // 6 to 9
        }
        Ok(iterations)
    }

    /// Ways to solve that look at one body at a time.
    fn solve_each(
        &mut self,
        course: &Course<'_>,
        settings: &SphSettings,
        solve: impl Fn(&mut Body) -> Result<usize, Excess>,
    ) -> Result<usize, Excess> {
        let mut iterations = 0;
        for body in self.present() {
            body.predict(course, settings);
            iterations += solve(body)?;
        }
        Ok(iterations)
    }

    fn present(&mut self) -> impl Iterator<Item = &mut Body> {
        self.bodies.iter_mut().filter(|body| body.is_present)
    }

    /// Eq. 29 for all bodies; copies of one shape are solved together, so that its factor is read once.
    fn solve_stretch(&mut self, effort: &Effort) -> Result<usize, Excess> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in (0..self.bodies.len()).filter(|&i| self.bodies[i].is_present) {
            let shape = &self.bodies[index].shape;
            let first = (0..index).find(|&i| Arc::ptr_eq(&self.bodies[i].shape, shape)).unwrap_or(index);
            groups.entry(first).or_default().push(index);
        }
        let mut iterations = 0;
        for (first, members) in groups {
            let shape = Arc::clone(&self.bodies[first].shape);
            let mut sides: Vec<Vec<Lane>> =
                members.iter().map(|&i| std::mem::take(&mut self.bodies[i].side)).collect();
            let mut views: Vec<&mut [Lane]> = sides.iter_mut().map(|side| &mut side[..]).collect();
            iterations += shape.solve(&mut views, effort)?;
            for (i, side) in members.into_iter().zip(sides) {
                self.bodies[i].side = side;
            }
        }
        Ok(iterations)
    }
}
