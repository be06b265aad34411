//! The cases that are cheap at coarse resolution stay within their bounds.

use pliant_validation::{Outcome, Resolution, cases, table};

#[test]
fn known_answers_are_met_at_coarse_resolution() {
    // Bending takes many iterations of the solver, the bar is simulated six times, and heaps are followed for long.
    let expensive = ["cantilever", "elastica", "uniaxial-bar", "mpm-repose"];
    for case in cases().iter().filter(|case| !expensive.contains(&case.name)) {
        let outcome = Outcome::of(case, &[Resolution::Coarse]).unwrap();
        assert!(!outcome.measures[0].1.is_empty());
        assert_eq!(outcome.missed(), 0, "{}", table(&[outcome]));
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = cases().iter().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
