//! What is drawn in a picture, and in which order.

use eframe::wgpu;
use nalgebra::{Matrix4, Vector3};
use std::sync::Arc;

use super::drawing::PlacedMesh;
use super::gpu::Family;
use super::look::{Grain, Look, Obstacles, ShadowGrain};
use super::renderer::{MeshBuffers, Renderer, Shot};
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
}

#[derive(Clone)]
pub(super) enum Thing {
    Grains(std::ops::Range<u32>),
    Mesh(MeshBuffers),
    Lines,
}

/// How it is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Opaque,
    /// Two passes: depth, then colour where it is nearest.
    Translucent,
    /// Behind everything that follows.
    Backdrop,
    OnTop,
}

impl Ink {
    pub(super) fn pipelines(self, family: &Family) -> impl Iterator<Item = &wgpu::RenderPipeline> {
        match self {
            Self::Opaque => vec![&family.opaque],
            Self::Translucent => vec![&family.depth, &family.blend],
            Self::Backdrop | Self::OnTop => vec![&family.on_top],
        }
        .into_iter()
    }
}

impl Renderer {
    /// What is drawn, in this order. Opaque matter comes before opaque obstacles, so that hidden floor is not painted;
    /// what is translucent comes after all that may shine through it.
    pub(super) fn plan(&mut self, shot: &Shot<'_>) -> Vec<Item> {
        let (stage, look) = (shot.stage, shot.look);
        let obstacles = stage.obstacles.iter().map(|placed| self.mesh_item(placed, look));
        let (after, obstacles): (Vec<Item>, Vec<Item>) =
            obstacles.partition(|_| look.obstacles == Obstacles::After);
        let (behind, obstacles): (Vec<Item>, Vec<Item>) =
            obstacles.into_iter().partition(|item| item.ink == Ink::Backdrop);
        let (solid, clear): (Vec<Item>, Vec<Item>) =
            obstacles.into_iter().partition(|item| item.ink == Ink::Opaque);
        let (matter, clear_matter): (Vec<Item>, Vec<Item>) =
            self.matter(shot).into_iter().partition(|item| item.ink == Ink::Opaque);
        let mut items: Vec<Item> = [behind, matter, solid, clear_matter, clear].concat();
        if let Some(layer) = &stage.layer {
            let item = self.mesh_item(layer, look);
            items.push(Item { ink: Ink::OnTop, casts: false, ..item });
        }
        items.extend(after.into_iter().map(|item| Item { ink: Ink::OnTop, ..item }));
        if self.uploaded.line_count > 0 {
            items.push(Item {
                uniform: uniform(&Matrix4::identity(), [1.0; 4], [0.0; 4]),
                thing: Thing::Lines,
                ink: Ink::OnTop,
                casts: false,
            });
        }
        items.truncate(MOST_DRAWS as usize);
        items
    }

    /// Particles, or the surface around them.
    fn matter(&mut self, shot: &Shot<'_>) -> Vec<Item> {
        let (stage, look) = (shot.stage, shot.look);
        if let Some(surface) = &stage.surface {
            return vec![self.mesh_item(surface, look)];
        }
        if matches!(look.grain, Grain::Hidden | Grain::Surface) {
            return Vec::new();
        }
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let items = stage.grains.batches.iter().map(|batch| Item {
            uniform: uniform(
                &Matrix4::identity(),
                [1.0, 1.0, 1.0, batch.opacity],
                [flag(look.is_lit), flag(batch.receives), 0.0, 0.0],
            ),
            thing: Thing::Grains(batch.particles.clone()),
            ink: if batch.opacity < 1.0 { Ink::Translucent } else { Ink::Opaque },
            casts: batch.casts,
        });
        items.collect()
    }

    fn mesh_item(&mut self, placed: &PlacedMesh, look: &Look) -> Item {
        let lit = if look.is_lit { 1.0 } else { 0.0 };
        let ink = match look.obstacles {
            _ if placed.tint[3] < 1.0 => Ink::Translucent,
            Obstacles::Before if placed.line_spacing > 0.0 => Ink::Backdrop,
            _ => Ink::Opaque,
        };
        Item {
            uniform: uniform(&placed.world_from_model, placed.tint, [lit, 1.0, placed.line_spacing, 0.0]),
            thing: Thing::Mesh(self.mesh(&placed.mesh)),
            ink,
            casts: look.obstacle_shadows && placed.line_spacing == 0.0,
        }
    }
}

/// All that a shadow map depends on: while it stays the same, the map need not be drawn again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ShadowKey {
    state: (u64, usize),
    grain: ShadowGrain,
    light_from_world: Matrix4<f32>,
    casters: Vec<([f32; 24], usize)>,
}

impl ShadowKey {
    pub(super) fn of(shot: &Shot<'_>, plan: &[Item], light_from_world: &Matrix4<f32>) -> Self {
        let identity = |item: &Item| match &item.thing {
            Thing::Mesh(mesh) => mesh.identity,
            Thing::Grains(range) => range.len(),
            Thing::Lines => 0,
        };
        let casters = plan.iter().filter(|item| item.casts).map(|item| (item.uniform, identity(item)));
        Self {
            state: (shot.stage.number, Arc::as_ptr(&shot.stage.grains) as usize),
            grain: shot.look.shadow_grain,
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
