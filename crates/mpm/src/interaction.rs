//! Matter whose parameters depend on its state, written by the user (Nilles 2020, Eq. 105, 111, 125, 126).

use super::constitutive::Matter;
use super::diffusion::Carried;
use super::grain::{Bunch, Grain};
use super::scalar::Scalar;
use super::settings::{Effect, Interaction};
use pliant_expression::Expression;
use pliant_material::{Material, Parameter};
use pliant_math::embed;
use pliant_solver::StepError;
use rayon::prelude::*;

/// What the particles of one matter do in answer to their state.
#[derive(Clone, Debug)]
pub(crate) struct Reaction {
    material: Material,
    parameters: Vec<(Parameter, Expression)>,
    /// Where the value is not 0, particles are this matter from then on.
    becomes: Vec<(u32, Expression)>,
}

/// What a particle is in this step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    /// Its own matter.
    None,
    /// Its own matter with other parameters.
    Parameters(Matter),
    /// Another matter.
    Become(u32),
}

impl Reaction {
    /// The reactions of a matter that was made from `material`, number `index` of the scene; none without interactions.
    pub fn of(material: Material, index: usize, interactions: &[Interaction]) -> Option<Self> {
        let mut reaction = Self { material, parameters: Vec::new(), becomes: Vec::new() };
        for interaction in interactions.iter().filter(|interaction| interaction.material == index) {
            let value = interaction.value.clone();
            match interaction.effect {
                Effect::Parameter(parameter) => reaction.parameters.push((parameter, value)),
                Effect::Become(other) => reaction.becomes.push((other as u32, value)),
            }
        }
        (!reaction.parameters.is_empty() || !reaction.becomes.is_empty()).then_some(reaction)
    }

    fn change<T: Scalar, const D: usize>(
        &self,
        grain: &Grain<T, D>,
        (j, carried): (f64, f64),
        time: f64,
    ) -> Result<Change, StepError> {
        let x = embed(&grain.position);
        let history = grain.history();
        let inputs =
            [grain.saturation.wide(), j, history.volume, history.strain, x.x, x.y, x.z, time, carried];
        let wrong = |quantity| StepError::NonFinite { quantity, particle: grain.id as usize };
        for (other, condition) in &self.becomes {
            let value = condition.evaluate(&inputs);
            if !value.is_finite() {
                return Err(wrong("the condition of an interaction"));
            }
            if value != 0.0 {
                return Ok(Change::Become(*other));
            }
        }
        let mut material = self.material.clone();
        for (parameter, value) in &self.parameters {
            material = material
                .with(*parameter, value.evaluate(&inputs))
                .map_err(|_| wrong("a parameter of an interaction, or it is out of range,"))?;
        }
        Ok(if self.parameters.is_empty() { Change::None } else { Change::Parameters(Matter::of(&material)) })
    }
}

/// What every particle is in this step, before any of them is written; empty where nothing reacts.
pub(crate) fn react<T: Scalar, const D: usize>(
    reactions: &[Option<Reaction>],
    matters: &[Matter],
    (bunches, carried): (&[Bunch<T, D>], &Carried),
    time: f64,
) -> Result<Vec<Change>, StepError> {
    if reactions.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let change = |grain: Grain<T, D>| match reactions.get(grain.matter as usize) {
        Some(Some(reaction)) => {
            let ratio = matters[grain.matter as usize].volume_ratio(&grain);
            reaction.change(&grain, (ratio, carried.at(grain.id)), time)
        }
        _ => Ok(Change::None),
    };
    bunches
        .par_iter()
        .flat_map_iter(|bunch| bunch.iter().map(&change))
        .collect::<Vec<_>>()
        .into_iter()
        .collect()
}

/// Turns a particle into another matter at its present volume.
pub(crate) fn turn_into<T: Scalar, const D: usize>(grain: &mut Grain<T, D>, matters: &[Matter], other: u32) {
    let volume = matters[grain.matter as usize].volume_ratio(grain);
    let matter = &matters[other as usize];
    grain.matter = other;
    grain.set_history(&matter.initial());
    matter.set_volume(grain, volume);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_material::preset;

    #[test]
    fn parameters_follow_the_saturation_and_wrong_values_are_refused() {
        let material = preset("sand-wet").unwrap().material();
        let interaction = |value: &str| Interaction {
            material: 0,
            effect: Effect::Parameter(Parameter::Young),
            value: Expression::compile(value, &Interaction::VARIABLES).unwrap(),
        };
        let young = |value: &str, phi: f64| {
            let reaction = Reaction::of(material.clone(), 0, &[interaction(value)]).unwrap();
            let mut grain = crate::tests::grain::<f64, 2>();
            grain.saturation = phi;
            match reaction.change(&grain, (1.0, 0.0), 0.0) {
                Ok(Change::Parameters(matter)) => Some(matter.lame.young()),
                _ => None,
            }
        };
        assert!((young("1e6 * (1 - 0.5 * phi)", 1.0).unwrap() - 5e5).abs() < 1e-3);
        assert_eq!(young("1 / (1 - phi)", 1.0), None);
        assert_eq!(young("-1", 0.0), None);
        assert!(Reaction::of(material, 1, &[interaction("1")]).is_none(), "of another material");
    }
}
