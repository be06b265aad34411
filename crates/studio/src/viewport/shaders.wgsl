// Everything the viewport draws. Colours arrive as sRGB and leave as sRGB; light is added up in linear numbers.

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

// --- balls: a square that faces the eye, and on it the ray that meets the ball -------------------------------------

struct BallVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) @interpolate(flat) ball: vec4<f32>,
    @location(2) @interpolate(flat) colour: vec4<f32>,
};

fn corner(index: u32) -> vec2<f32> {
    return vec2(f32(index & 1u) * 2.0 - 1.0, f32(index >> 1u) * 2.0 - 1.0);
}

@vertex
fn ball_vertex(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>, @location(1) colour: vec4<f32>) -> BallVertex {
    var out: BallVertex;
    var right = globals.right.xyz;
    var up = globals.up.xyz;
    var radius = ball.w;
    if (globals.eye.w > 0.5) {
        // Seen from near by, a ball looks larger than its cut through the middle.
        let back = globals.eye.xyz - ball.xyz;
        let distance = max(length(back), ball.w * 1.01);
        let side = cross(globals.up.xyz, back / distance);
        right = side / max(length(side), 1e-6);
        up = cross(back / distance, right);
        radius = ball.w / sqrt(max(1.0 - ball.w * ball.w / (distance * distance), 0.02));
    }
    let offset = corner(index);
    out.world = ball.xyz + (right * offset.x + up * offset.y) * radius;
    out.clip = globals.clip_from_world * vec4(out.world, 1.0);
    out.ball = ball;
    out.colour = colour;
    return out;
}

struct Painted {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
};

fn hit_ball(world: vec3<f32>, ball: vec4<f32>, direction: vec3<f32>) -> f32 {
    let from_centre = world - ball.xyz;
    let along = dot(from_centre, direction);
    let inside = along * along - dot(from_centre, from_centre) + ball.w * ball.w;
    if (inside < 0.0) { return 1e30; }
    return -along - sqrt(inside);
}

@fragment
fn ball_fragment(in: BallVertex) -> Painted {
    var direction = globals.forward.xyz;
    if (globals.eye.w > 0.5) { direction = normalize(in.world - globals.eye.xyz); }
    let distance = hit_ball(in.world, in.ball, direction);
    if (distance > 1e29) { discard; }
    let world = in.world + direction * distance;
    let clip = globals.clip_from_world * vec4(world, 1.0);
    var out: Painted;
    out.colour = shade(in.colour, (world - in.ball.xyz) / in.ball.w, world);
    out.depth = clip.z / clip.w;
    return out;
}

// --- coins: balls of a few pixels. All of a coin is as deep as its middle: of balls that do not overlap this tells rightly
// which is in front, and a coin behind another is found hidden before it is painted. Its light is worked out by the corner.

struct CoinVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
    @location(1) @interpolate(flat) dark: vec4<f32>,   // colour without the lamp; w is the opacity
    @location(2) @interpolate(flat) bright: vec3<f32>, // colour the lamp adds where it shines straight on
    @location(3) @interpolate(flat) light: vec3<f32>,  // direction to the lamp, seen from the eye
};

@vertex
fn coin_vertex(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>, @location(1) colour: vec4<f32>) -> CoinVertex {
    var out: CoinVertex;
    var right = globals.right.xyz;
    var up = globals.up.xyz;
    var back = -globals.forward.xyz;
    if (globals.eye.w > 0.5) {
        let way = globals.eye.xyz - ball.xyz;
        back = way / max(length(way), 1e-6);
        let side = cross(globals.up.xyz, back);
        right = side / max(length(side), 1e-6);
        up = cross(back, right);
    }
    let to_lamp = globals.light.xyz;
    out.place = corner(index);
    out.clip = globals.clip_from_world * vec4(ball.xyz + (right * out.place.x + up * out.place.y) * ball.w, 1.0);
    let base = to_light(colour.rgb) * draw.colour.rgb;
    out.light = vec3(dot(right, to_lamp), dot(up, to_lamp), dot(back, to_lamp));
    if (draw.flags.x < 0.5) {
        out.dark = vec4(base, colour.a * draw.colour.a);
        out.bright = vec3(0.0);
    } else {
        out.dark = vec4(base * globals.ambient.rgb, colour.a * draw.colour.a);
        out.bright = base * lamp() * lit_share(ball.xyz + to_lamp * ball.w);
    }
    return out;
}

@fragment
fn coin_fragment(in: CoinVertex) -> @location(0) vec4<f32> {
    let height = 1.0 - dot(in.place, in.place);
    if (height < 0.0) { discard; }
    let facing = max(dot(vec3(in.place, sqrt(height)), in.light), 0.0);
    return vec4(to_srgb(in.dark.rgb + in.bright * facing), in.dark.a);
}

// --- points: squares of a size in pixels, lit by the normal they carry ---------------------------------------------

struct SurfaceVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
};

@vertex
fn point_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) ball: vec4<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) turn: vec4<f32>,
) -> SurfaceVertex {
    var out: SurfaceVertex;
    out.clip = globals.clip_from_world * vec4(ball.xyz, 1.0);
    let offset = corner(index) * draw.flags.w / globals.screen.xy;
    out.clip = vec4(out.clip.xy + offset * out.clip.w, out.clip.zw);
    out.world = ball.xyz;
    out.normal = turn.xyz;
    out.colour = colour;
    return out;
}

// --- icosahedra: turned by the rotation of the deformation ----------------------------------------------------------

fn turned(turn: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
}

@vertex
fn solid_vertex(
    @location(0) ball: vec4<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) turn: vec4<f32>,
    @location(3) position: vec3<f32>,
    @location(4) normal: vec3<f32>,
) -> SurfaceVertex {
    var out: SurfaceVertex;
    out.world = ball.xyz + turned(turn, position) * ball.w;
    out.clip = globals.clip_from_world * vec4(out.world, 1.0);
    out.normal = turned(turn, normal);
    out.colour = colour;
    return out;
}

// --- meshes, lines and layers of the grid ---------------------------------------------------------------------------

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
    var direction = globals.forward.xyz;
    if (globals.eye.w > 0.5) { direction = in.world - globals.eye.xyz; }
    // Surfaces have two sides: the one that is seen is lit.
    var normal = in.normal;
    if (dot(normal, direction) > 0.0) { normal = -normal; }
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

fn facing_light(index: u32, ball: vec4<f32>) -> ShadowVertex {
    var out: ShadowVertex;
    let light = globals.light.xyz;
    let above = select(vec3(0.0, 1.0, 0.0), vec3(1.0, 0.0, 0.0), abs(light.y) > 0.9);
    let right = normalize(cross(above, light));
    let up = cross(light, right);
    let offset = corner(index);
    let world = ball.xyz + (right * offset.x + up * offset.y) * ball.w;
    out.clip = globals.light_from_world * vec4(world, 1.0);
    out.place = offset;
    return out;
}

@vertex
fn ball_shadow(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>) -> ShadowVertex {
    return facing_light(index, ball);
}

@vertex
fn square_shadow(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>) -> ShadowVertex {
    var out = facing_light(index, ball);
    out.place = vec2(0.0);
    return out;
}

@vertex
fn solid_shadow(
    @location(0) ball: vec4<f32>,
    @location(2) turn: vec4<f32>,
    @location(3) position: vec3<f32>,
) -> ShadowVertex {
    var out: ShadowVertex;
    out.clip = globals.light_from_world * vec4(ball.xyz + turned(turn, position) * ball.w, 1.0);
    out.place = vec2(0.0);
    return out;
}

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
