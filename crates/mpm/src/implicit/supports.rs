//! Nodes inside obstacles while forces are balanced: which are held, which slide, which let go.

use crate::obstacles::Footing;
use pliant_math::{Mat, Vect};

/// A node that an obstacle may hold.
#[derive(Clone, Debug)]
pub(super) struct Support<const D: usize> {
    pub node: usize,
    feet: Vec<Foot<D>>,
}

/// One obstacle under a node.
#[derive(Clone, Debug)]
struct Foot<const D: usize> {
    footing: Footing<D>,
    grip: Grip,
    /// Direction in which the node slid last.
    slip: Vect<D>,
    /// How often it has let go or got hold in this step.
    changes: usize,
}

/// What an obstacle does to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    /// Nothing: they come apart.
    Free,
    /// Keeps it out and brakes it.
    Slide,
    /// Takes it along.
    Stick,
}

/// What happened to a node when its obstacles were asked again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Revision<const D: usize> {
    /// Directions that are left to it.
    pub free: Mat<D>,
    /// Impulse of friction on it [N s].
    pub friction: Vect<D>,
    /// Whether it is held differently from before.
    pub changed: bool,
}

/// Velocities of a node this much smaller than those of a cell a step are rounding [share].
const STILL: f64 = 1e-9;

/// A node that has changed its mind so often is held as it is for the rest of the step; the next one may let go of it.
const MOST_CHANGES: usize = 4;

impl<const D: usize> Support<D> {
    pub fn new(node: usize, footings: Vec<Footing<D>>) -> Self {
        let foot = |footing| Foot { footing, grip: Grip::Free, slip: Vect::zeros(), changes: 0 };
        Self { node, feet: footings.into_iter().map(foot).collect() }
    }

    /// What the obstacles say to the velocity of a node, and to the impulse `load` that is not balanced yet. `still` is a
    /// speed that means nothing [m/s]. A node that is caught gets the velocity that it may have.
    pub fn revise(&mut self, velocity: &mut Vect<D>, load: &Vect<D>, still: f64) -> Revision<D> {
        let mut revision = Revision { free: Mat::identity(), friction: Vect::zeros(), changed: false };
        for foot in &mut self.feet {
            let before = foot.grip;
            foot.revise(velocity, load, still);
            foot.changes += usize::from(foot.grip != before);
            revision.changed |= foot.grip != before;
            let normal = foot.footing.normal;
            match foot.grip {
                Grip::Free => {}
                Grip::Stick => revision.free = Mat::zeros(),
                Grip::Slide => {
                    // What is left of the normal in the directions that are still free.
                    let rest = revision.free * normal;
                    if rest.norm() > 1e-6 {
                        let rest = rest.normalize();
                        revision.free -= rest * rest.transpose();
                    }
                    let push = (-load.dot(&normal)).max(0.0);
                    revision.friction -= foot.slip * (foot.footing.friction * push);
                }
            }
        }
        revision
    }
}

impl<const D: usize> Foot<D> {
    fn revise(&mut self, velocity: &mut Vect<D>, load: &Vect<D>, still: f64) {
        let Footing { normal, surface, friction, hold } = self.footing;
        if hold.is_infinite() {
            (self.grip, *velocity) = (Grip::Stick, surface);
            return;
        }
        let relative = *velocity - surface;
        let approach = relative.dot(&normal);
        if self.grip == Grip::Free {
            if approach >= -still && hold <= 0.0 || approach > still {
                return;
            }
            // As explicit steps do: Coulomb's law on the velocity that it comes with.
            let sliding = relative - normal * approach;
            let (speed, brake) = (sliding.norm(), friction * approach.abs());
            if speed > brake {
                self.slip = sliding / speed;
                (self.grip, *velocity) = (Grip::Slide, surface + sliding * (1.0 - brake / speed));
            } else {
                (self.grip, *velocity) = (Grip::Stick, surface);
            }
            return;
        }
        if self.changes > MOST_CHANGES {
            return;
        }
        let push = -load.dot(&normal);
        if push < -hold {
            self.grip = Grip::Free;
            return;
        }
        let along = load + normal * push;
        let (drive, limit) = (along.norm(), friction * push.max(0.0));
        let sliding = relative - normal * approach;
        match self.grip {
            Grip::Stick if drive > limit => {
                (self.grip, self.slip) = (Grip::Slide, along / drive);
            }
            Grip::Slide => {
                let speed = sliding.norm();
                if speed > still && sliding.dot(&self.slip) > 0.0 {
                    self.slip = sliding / speed;
                } else if friction > 0.0 {
                    // It stands, or friction has turned it round.
                    (self.grip, *velocity) = (Grip::Stick, surface + normal * approach);
                }
            }
            _ => {}
        }
    }
}

/// A speed that means nothing in a step of this length on this grid [m/s].
pub(super) fn still(spacing: f64, dt: f64) -> f64 {
    STILL * spacing / dt
}
