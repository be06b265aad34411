//! Which body of a run is which object of its scene: copies and bursts of an object are bodies of their own.

use pliant_scene::Scene;

/// Names of all bodies of a scene, in their order.
pub fn body_names(scene: &Scene) -> Vec<String> {
    let mut names = Vec::new();
    for object in &scene.objects {
        for copy in 0..object.body_count(scene.time.duration) {
            names.push(if copy == 0 { object.name.clone() } else { format!("{}, copy {copy}", object.name) });
        }
    }
    names
}

/// The object a body belongs to.
pub fn object_of(scene: &Scene, body: u32) -> usize {
    let mut first = 0;
    for (number, object) in scene.objects.iter().enumerate() {
        first += object.body_count(scene.time.duration);
        if (body as usize) < first {
            return number;
        }
    }
    scene.objects.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::{Scene, body_names, object_of};

    #[test]
    fn copies_and_bursts_are_counted() {
        let text = "pliant = 1\nspacing = 0.1\n[method.mpm]\n[time]\nduration = 1\n[materials.a]\npreset = \"jello\"\n\
                    [[objects]]\nname = \"row\"\nmaterial = \"a\"\nshape.ball.radius = 0.2\n\
                    copies = { count = [2, 1, 1], step = [1, 1, 1] }\n\
                    [[objects]]\nname = \"tap\"\nmaterial = \"a\"\nshape.ball.radius = 0.2\nposition = [0, 3, 0]\n\
                    emit.bursts = { every = 0.4, count = 9 }\n\
                    [[objects]]\nname = \"last\"\nmaterial = \"a\"\nshape.ball.radius = 0.2\nposition = [9, 0, 0]\n";
        let scene = Scene::from_text(text, std::path::Path::new("."), &[]).unwrap();
        let names = body_names(&scene);
        assert_eq!(names, ["row", "row, copy 1", "tap", "tap, copy 1", "tap, copy 2", "last"]);
        let objects: Vec<usize> = (0..7).map(|body| object_of(&scene, body)).collect();
        assert_eq!(objects, [0, 0, 1, 1, 1, 2, 2]);
        let mut simulation = scene.simulation().unwrap();
        while !simulation.is_finished() && simulation.clock().time() < 0.9 {
            simulation.step().unwrap();
        }
        let bodies = simulation.snapshot().integers("body").unwrap().to_vec();
        assert_eq!(bodies.iter().max(), Some(&5), "as many as the simulation has");
    }
}
