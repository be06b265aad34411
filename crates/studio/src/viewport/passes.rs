//! The passes of a picture: what the light sees, then coat after coat what the eye sees.

use eframe::wgpu;

use super::canvas::Canvas;
use super::gpu::DRAW_STRIDE;
use super::look::{Grain, ShadowGrain};
use super::pipelines::Family;
use super::plan::{Coat, Item, Thing, largest_ball};
use super::renderer::{MeshBuffers, Renderer, Shot, TraceBuffers};

/// Balls and icosahedra that look smaller than this radius are drawn as coins and gems [pixels].
const SMALL: f32 = 9.0;

/// How large particles look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Closeness {
    /// Some are more than a few pixels across.
    Near,
    /// All are of a few pixels.
    Far,
}

/// Corners of what small ones are drawn on.
const TRIANGLE: u32 = 3;
/// Corners of what others are drawn on.
const SQUARE: u32 = 4;
/// Corners of a box of triangles.
const BOX: u32 = 36;

impl Renderer {
    pub(super) fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder, shot: &Shot<'_>, plan: &[Item]) {
        let white = wgpu::LoadOp::Clear(wgpu::Color::WHITE);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[Some(attachment(&self.shadow.view, None, white))],
            depth_stencil_attachment: Some(depth_attachment(&self.shadow.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.globals_group, &[]);
        for (place, item) in plan.iter().enumerate().filter(|(_, item)| item.casts) {
            pass.set_bind_group(1, &self.draws_group, &[(place as u64 * DRAW_STRIDE) as u32]);
            match &item.thing {
                Thing::Grains(range, grain, shadow) if shot.stage.surface.is_none() => {
                    // Where points carry normals there are no turns.
                    let is_plain = *grain == Grain::Points && *shadow == ShadowGrain::Icosahedra;
                    let shadow = if is_plain { ShadowGrain::Squares } else { *shadow };
                    self.draw_grain_shadows(&mut pass, range, shadow);
                }
                Thing::Mesh(mesh) if mesh.count > 0 => {
                    pass.set_pipeline(&self.pipelines.mesh_shadow);
                    draw_mesh(&mut pass, mesh);
                }
                Thing::Traced(traced) => {
                    pass.set_pipeline(&self.pipelines.traced_shadow);
                    draw_box(&mut pass, traced);
                }
                _ => {}
            }
        }
    }

    fn draw_grain_shadows(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        range: &std::ops::Range<u32>,
        grain: ShadowGrain,
    ) {
        let Some(balls) = &self.uploaded.balls else { return };
        pass.set_vertex_buffer(0, balls.slice(..));
        match (grain, &self.uploaded.turns) {
            (ShadowGrain::Icosahedra, Some(turns)) => {
                pass.set_pipeline(&self.pipelines.gem_shadow);
                pass.set_vertex_buffer(1, turns.slice(..));
                pass.draw(0..TRIANGLE, range.clone());
            }
            (ShadowGrain::Squares, _) => {
                pass.set_pipeline(&self.pipelines.square_shadow);
                pass.draw(0..SQUARE, range.clone());
            }
            _ => {
                pass.set_pipeline(&self.pipelines.ball_shadow);
                pass.draw(0..TRIANGLE, range.clone());
            }
        }
    }

    pub(super) fn draw_picture(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        shot: &Shot<'_>,
        plan: &[Item],
        canvas: &Canvas,
    ) {
        let [r, g, b, a] = shot.background.map(f64::from);
        let mut load = wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a });
        let used: Vec<Coat> =
            Coat::ALL.into_iter().filter(|coat| plan.iter().any(|item| item.coat == *coat)).collect();
        // A picture of nothing is still cleared.
        let used = if used.is_empty() { vec![Coat::Middle] } else { used };
        for coat in used {
            let (target, resolved) = match &canvas.samples {
                Some(samples) => (samples, Some(&canvas.view)),
                None => (&canvas.view, None),
            };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("viewport"),
                color_attachments: &[Some(attachment(target, resolved, load))],
                depth_stencil_attachment: Some(depth_attachment(&canvas.depth)),
                ..Default::default()
            });
            let is_small = largest_ball(shot, canvas.size[1]) < SMALL;
            self.paint(&mut pass, plan, coat, if is_small { Closeness::Far } else { Closeness::Near });
            load = wgpu::LoadOp::Load;
        }
    }

    fn paint(&self, pass: &mut wgpu::RenderPass<'_>, plan: &[Item], coat: Coat, closeness: Closeness) {
        pass.set_bind_group(0, &self.globals_group, &[]);
        pass.set_bind_group(2, &self.shadow.group, &[]);
        for (place, item) in plan.iter().enumerate().filter(|(_, item)| item.coat == coat) {
            pass.set_bind_group(1, &self.draws_group, &[(place as u64 * DRAW_STRIDE) as u32]);
            let family = self.family(&item.thing, closeness);
            for pipeline in item.ink.pipelines(family) {
                pass.set_pipeline(pipeline);
                self.draw_thing(pass, &item.thing, closeness);
            }
        }
    }

    fn family(&self, thing: &Thing, closeness: Closeness) -> &Family {
        match (thing, closeness) {
            (Thing::Mesh(_), _) => &self.pipelines.meshes,
            (Thing::Traced(_), _) => &self.pipelines.traced,
            (Thing::Cut(_), _) => &self.pipelines.cuts,
            (Thing::Lines, _) => &self.pipelines.lines,
            (Thing::Grains(_, Grain::Points, _), _) => &self.pipelines.points,
            (Thing::Grains(_, Grain::Icosahedra, _), Closeness::Far) => &self.pipelines.gems,
            (Thing::Grains(_, Grain::Icosahedra, _), Closeness::Near) => &self.pipelines.solids,
            (Thing::Grains(..), Closeness::Far) => &self.pipelines.coins,
            (Thing::Grains(..), Closeness::Near) => &self.pipelines.balls,
        }
    }

    fn draw_thing(&self, pass: &mut wgpu::RenderPass<'_>, thing: &Thing, closeness: Closeness) {
        match thing {
            Thing::Mesh(mesh) => draw_mesh(pass, mesh),
            Thing::Traced(traced) | Thing::Cut(traced) => draw_box(pass, traced),
            Thing::Lines => {
                let Some(lines) = &self.uploaded.lines else { return };
                pass.set_vertex_buffer(0, lines.slice(..));
                pass.draw(0..self.uploaded.line_count, 0..1);
            }
            Thing::Grains(range, grain, _) => {
                let (Some(balls), Some(colours)) = (&self.uploaded.balls, &self.uploaded.colours) else {
                    return;
                };
                pass.set_vertex_buffer(0, balls.slice(..));
                pass.set_vertex_buffer(1, colours.slice(..));
                if matches!(grain, Grain::Points | Grain::Icosahedra) {
                    let Some(turns) = &self.uploaded.turns else { return };
                    pass.set_vertex_buffer(2, turns.slice(..));
                }
                let is_triangle = closeness == Closeness::Far && *grain != Grain::Points;
                pass.draw(0..if is_triangle { TRIANGLE } else { SQUARE }, range.clone());
            }
        }
    }
}

fn draw_box(pass: &mut wgpu::RenderPass<'_>, traced: &TraceBuffers) {
    pass.set_bind_group(3, &traced.group, &[]);
    pass.draw(0..BOX, 0..1);
}

fn draw_mesh(pass: &mut wgpu::RenderPass<'_>, mesh: &MeshBuffers) {
    if mesh.count > 0 {
        pass.set_vertex_buffer(0, mesh.vertices.slice(..));
        pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..mesh.count, 0, 0..1);
    }
}

fn attachment<'a>(
    view: &'a wgpu::TextureView,
    resolve_target: Option<&'a wgpu::TextureView>,
    load: wgpu::LoadOp<wgpu::Color>,
) -> wgpu::RenderPassColorAttachment<'a> {
    wgpu::RenderPassColorAttachment {
        view,
        resolve_target,
        ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
        depth_slice: None,
    }
}

fn depth_attachment(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Store }),
        stencil_ops: None,
    }
}
