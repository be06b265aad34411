//! Creatures of our own, built from blended balls, limbs and ellipsoids: about a metre tall, feet on `y = 0`, facing
//! +z. They have what makes a model hard to simulate: thin ears, fingers, tails, horns. The angel is a
//! sculpture with wings.

mod angel;
mod armadillo;
mod bunny;
mod clay;
mod dragon;
mod walrus;

use crate::Shape;

/// The names of all models.
pub fn names() -> &'static [&'static str] {
    &["angel", "armadillo", "bunny", "dragon", "walrus"]
}

/// The model of this name.
pub fn by_name(name: &str) -> Option<Shape> {
    match name {
        "angel" => Some(angel::shape()),
        "armadillo" => Some(armadillo::shape()),
        "bunny" => Some(bunny::shape()),
        "dragon" => Some(dragon::shape()),
        "walrus" => Some(walrus::shape()),
        _ => None,
    }
}
