//! What is drawn in a picture, and in which order.

use eframe::wgpu;
use nalgebra::{Matrix4, Vector3};
use std::sync::Arc;

use super::drawing::{Placed, Solid};
use super::look::{Grain, Look, Obstacles, ShadowGrain};
use super::obstacles::BEHIND;
use super::pipelines::Family;
use super::renderer::{MeshBuffers, Renderer, Shot, TraceBuffers};
use super::upload::uniform;

/// Things that can be drawn in one picture.
pub(super) const MOST_DRAWS: u64 = 1024;

/// One thing to draw.
#[derive(Clone)]
pub(super) struct Item {
    pub(super) uniform: [f32; 24],
    pub(super) thing: Thing,
    pub(super) ink: Ink,
    pub(super) casts: bool,
    pub(super) coat: Coat,
}

#[derive(Clone)]
pub(super) enum Thing {
    Grains(std::ops::Range<u32>, Grain, ShadowGrain),
    Mesh(MeshBuffers),
    Traced(TraceBuffers),
    Cut(TraceBuffers),
    Lines,
}

/// Coats of paint: what is in a later one hides all of an earlier one, however near that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Coat {
    Before,
    Middle,
    After,
}

impl Coat {
    pub(super) const ALL: [Self; 3] = [Self::Before, Self::Middle, Self::After];
}

/// How it is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Opaque,
    /// Two passes: depth, then colour where it is nearest.
    Translucent,
    OnTop,
}

impl Ink {
    pub(super) fn pipelines(self, family: &Family) -> impl Iterator<Item = &wgpu::RenderPipeline> {
        match self {
            Self::Opaque => vec![&family.opaque],
            Self::Translucent => vec![&family.depth, &family.blend],
            Self::OnTop => vec![&family.on_top],
        }
        .into_iter()
    }
}

impl Renderer {
    /// What is drawn, in this order. Opaque matter comes before opaque obstacles, so that hidden floor is not painted;
    /// what is translucent comes after all that may shine through it.
    pub(super) fn plan(&mut self, shot: &Shot<'_>) -> Vec<Item> {
        let (stage, look) = (shot.stage, shot.look);
        let coat = match look.obstacles {
            Obstacles::Before => Coat::Before,
            Obstacles::After => Coat::After,
            Obstacles::InPlace | Obstacles::Hidden => Coat::Middle,
        };
        let obstacles = stage.obstacles.iter().map(|placed| {
            // The floor throws no shadow worth drawing.
            let casts = look.obstacle_shadows && placed.line_spacing == 0.0;
            Item { coat, casts, ..self.solid_item(placed, look) }
        });
        let (solid, clear): (Vec<Item>, Vec<Item>) = obstacles.partition(|item| item.ink == Ink::Opaque);
        let (matter, clear_matter): (Vec<Item>, Vec<Item>) =
            self.matter(shot).into_iter().partition(|item| item.ink == Ink::Opaque);
        let mut items: Vec<Item> = [matter, solid, clear_matter, clear].concat();
        if let Some(layer) = &stage.layer {
            let item = self.solid_item(layer, look);
            items.push(Item { ink: Ink::OnTop, ..item });
        }
        if self.uploaded.line_count > 0 {
            items.push(Item {
                uniform: uniform(&Matrix4::identity(), [1.0; 4], [0.0; 4]),
                thing: Thing::Lines,
                ink: Ink::OnTop,
                casts: false,
                coat: Coat::Middle,
            });
        }
        items.truncate(MOST_DRAWS as usize);
        items
    }

    /// Particles, or the surface around them.
    fn matter(&mut self, shot: &Shot<'_>) -> Vec<Item> {
        let (stage, look) = (shot.stage, shot.look);
        if let Some(surface) = &stage.surface {
            let item = self.solid_item(surface, look);
            return vec![Item { casts: true, ..item }];
        }
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let batches = stage.grains.batches.iter();
        let drawn = batches.filter(|batch| !matches!(batch.grain, Grain::Hidden | Grain::Surface));
        let items = drawn.map(|batch| Item {
            uniform: uniform(
                &Matrix4::identity(),
                [1.0, 1.0, 1.0, batch.opacity],
                [flag(batch.is_lit), flag(batch.receives), 0.0, batch.point_size],
            ),
            thing: Thing::Grains(batch.particles.clone(), batch.grain, batch.shadow_grain),
            ink: if batch.opacity < 1.0 { Ink::Translucent } else { Ink::Opaque },
            casts: batch.casts,
            coat: Coat::Middle,
        });
        items.collect()
    }

    fn solid_item(&mut self, placed: &Placed, look: &Look) -> Item {
        let lit = if look.is_lit { 1.0 } else { 0.0 };
        let (thing, last) = match &placed.solid {
            Solid::Mesh(mesh) => (Thing::Mesh(self.mesh(mesh)), placed.sight.max(1e-6)),
            Solid::Traced(tracing) => (Thing::Traced(self.tracing(tracing)), 0.0),
            Solid::Cut(tracing) => (Thing::Cut(self.tracing(tracing)), BEHIND.z as f32),
        };
        Item {
            uniform: uniform(&placed.world_from_model, placed.tint, [lit, 1.0, placed.line_spacing, last]),
            thing,
            ink: if placed.tint[3] < 1.0 { Ink::Translucent } else { Ink::Opaque },
            casts: false,
            coat: Coat::Middle,
        }
    }
}

/// All that a shadow map depends on: while it stays the same, the map need not be drawn again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShadowKey {
    state: (u64, usize),
    light_from_world: Matrix4<f32>,
    casters: Vec<([f32; 24], usize)>,
}

impl ShadowKey {
    pub(super) fn of(shot: &Shot<'_>, plan: &[Item], light_from_world: &Matrix4<f32>) -> Self {
        let identity = |item: &Item| match &item.thing {
            Thing::Mesh(mesh) => mesh.identity,
            Thing::Traced(traced) | Thing::Cut(traced) => traced.identity,
            Thing::Grains(range, _, grain) => 8 * range.len() + *grain as usize,
            Thing::Lines => 0,
        };
        let casters = plan.iter().filter(|item| item.casts).map(|item| (item.uniform, identity(item)));
        Self {
            state: (shot.stage.number, Arc::as_ptr(&shot.stage.grains) as usize),
            light_from_world: *light_from_world,
            casters: casters.collect(),
        }
    }
}

/// Radius the largest ball can have in a picture of that height [pixels].
pub(super) fn largest_ball(shot: &Shot<'_>, height: u32) -> f32 {
    let (camera, grains) = (shot.camera, &shot.stage.grains);
    let Some(bounds) = grains.bounds.filter(|bounds| !bounds.is_empty()) else { return f32::INFINITY };
    let distance = if camera.is_perspective() {
        let eye: Vector3<f32> = camera.eye();
        (eye - eye.sup(&bounds.min).inf(&bounds.max)).norm()
    } else {
        camera.distance
    };
    let half_angle = 0.5 * camera.angle.to_radians();
    grains.largest * 0.5 * height as f32 / (half_angle.tan() * distance.max(1e-9))
}
