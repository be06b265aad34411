// What all drawing shares, and meshes. Colours arrive as sRGB and leave as sRGB; light is added up in linear numbers.

struct Globals {
    clip_from_world: mat4x4<f32>,
    light_from_world: mat4x4<f32>,
    eye: vec4<f32>,      // place; w is 1 for a perspective lens, 0 for an orthographic one
    right: vec4<f32>,    // w of these three: red, green and blue of the lamp
    up: vec4<f32>,
    forward: vec4<f32>,
    light: vec4<f32>,    // direction to the light
    ambient: vec4<f32>,  // colour of the light from everywhere; w is 1 where shadows are drawn
    screen: vec4<f32>,   // width, height, unused, side of the shadow map
    background: vec4<f32>, // colour behind everything, sRGB and opacity
};

struct Draw {
    world_from_model: mat4x4<f32>,
    colour: vec4<f32>,   // multiplies; w is the opacity
    flags: vec4<f32>,    // 0: lit or flat; 1: takes shadows; 2: distance of grid lines, 0 for none;
                         // 3: pixels of a point, where a cut is drawn, or how far a plane is seen
};

@group(0) @binding(0) var<uniform> globals: Globals;
@group(1) @binding(0) var<uniform> draw: Draw;
@group(2) @binding(0) var shadow_map: texture_2d<f32>;
@group(2) @binding(1) var shadow_sampler: sampler;

// Squares and roots in place of the 2.2 of sRGB: a power costs an adapter in software as much as all the rest.
fn lamp() -> vec3<f32> { return vec3(globals.right.w, globals.up.w, globals.forward.w); }

fn to_light(colour: vec3<f32>) -> vec3<f32> { return colour * colour; }
fn to_srgb(colour: vec3<f32>) -> vec3<f32> { return sqrt(clamp(colour, vec3(0.0), vec3(1.0))); }

// Share of the light that reaches a point: exponential shadow map (Annen et al. 2008), mean of four texels.
fn lit_share(world: vec3<f32>) -> f32 {
    if (globals.ambient.w < 0.5 || draw.flags.y < 0.5) { return 1.0; }
    let clip = globals.light_from_world * vec4(world, 1.0);
    let side = globals.screen.w;
    let place = vec2(clip.x * 0.5 + 0.5, 0.5 - clip.y * 0.5) * side;
    if (place.x < 1.0 || place.y < 1.0 || place.x > side - 2.0 || place.y > side - 2.0) { return 1.0; }
    let sharpness = 400.0;
    let share = fract(place - 0.5);
    // The four texels around: lower left, lower right, upper right, upper left, with rows counted downwards.
    let nearest = textureGather(0, shadow_map, shadow_sampler, (floor(place - 0.5) + 1.0) / side);
    let lit = exp(min(sharpness * (nearest - vec4(clip.z - 0.003)), vec4(0.0)));
    return mix(mix(lit.w, lit.z, share.x), mix(lit.x, lit.y, share.x), share.y);
}

fn shade(colour: vec4<f32>, normal: vec3<f32>, world: vec3<f32>) -> vec4<f32> {
    let base = to_light(colour.rgb) * draw.colour.rgb;
    let opacity = colour.a * draw.colour.a;
    if (draw.flags.x < 0.5 || dot(normal, normal) < 1e-6) { return vec4(to_srgb(base), opacity); }
    let facing = max(dot(normalize(normal), globals.light.xyz), 0.0) * lit_share(world);
    return vec4(to_srgb(base * (globals.ambient.rgb + lamp() * facing)), opacity);
}

// Surfaces have two sides: the one that is seen is lit.
fn seen_side(normal: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    var direction = globals.forward.xyz;
    if (globals.eye.w > 0.5) { direction = world - globals.eye.xyz; }
    return select(normal, -normal, dot(normal, direction) > 0.0);
}

// --- meshes, lines and layers of the grid ---------------------------------------------------------------------------

struct SurfaceVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
};

@vertex
fn mesh_vertex(
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
) -> SurfaceVertex {
    var out: SurfaceVertex;
    let world = draw.world_from_model * vec4(position, 1.0);
    out.world = world.xyz;
    out.clip = globals.clip_from_world * world;
    out.normal = (draw.world_from_model * vec4(normal, 0.0)).xyz;
    out.colour = colour;
    return out;
}

@fragment
fn surface_fragment(in: SurfaceVertex) -> @location(0) vec4<f32> {
    let normal = seen_side(in.normal, in.world);
    var painted = shade(in.colour, normal, in.world);
    let spacing = draw.flags.z;
    if (spacing > 0.0) {
        let across = abs(normal);
        var place = in.world.xz;
        if (across.x > across.y && across.x > across.z) { place = in.world.yz; }
        else if (across.z > across.y) { place = in.world.xy; }
        let cells = place / spacing;
        let width = max(fwidth(cells), vec2(1e-6));
        let line = abs(fract(cells - 0.5) - 0.5) / width;
        let strength = (1.0 - min(min(line.x, line.y), 1.0)) * clamp(0.5 / max(width.x, width.y) - 1.0, 0.0, 1.0);
        painted = vec4(painted.rgb * (1.0 - 0.18 * strength), painted.a);
        // A plane without end fades into the distance; the square that stands for it has no edge.
        let far = smoothstep(0.3, 1.0, length(in.world - globals.eye.xyz) / draw.flags.w);
        painted = mix(painted, vec4(globals.background.rgb, painted.a * globals.background.a), far);
    }
    return painted;
}

// --- the scene as the light sees it ---------------------------------------------------------------------------------

struct ShadowVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
};

@vertex
fn mesh_shadow(@location(0) position: vec3<f32>) -> ShadowVertex {
    var out: ShadowVertex;
    out.clip = globals.light_from_world * draw.world_from_model * vec4(position, 1.0);
    out.place = vec2(0.0);
    return out;
}

@fragment
fn shadow_fragment(in: ShadowVertex) -> @location(0) vec4<f32> {
    if (dot(in.place, in.place) > 1.0) { discard; }
    return vec4(in.clip.z, 0.0, 0.0, 1.0);
}
