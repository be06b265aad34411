// Particles of a few pixels: balls, icosahedra and points, and how the light sees them. All of one is as deep as its middle:
// where they do not overlap this tells rightly which is in front, and one behind another is found hidden before it is
// painted. Light is worked out by the corner. Appended to shaders.wgsl.

// Corners of a triangle around the unit circle: for things of a few pixels one triangle is half the work of a square.
fn around(index: u32) -> vec2<f32> {
    return vec2((f32(index) - 1.0) * 1.7320508, select(-1.0, 2.0, index == 1u));
}

struct Lit {
    dark: vec4<f32>,   // colour without the lamp; w is the opacity
    bright: vec3<f32>, // colour the lamp adds where it shines straight on
};

fn lit(ball: vec4<f32>, colour: vec4<f32>) -> Lit {
    let base = to_light(colour.rgb) * draw.colour.rgb;
    let opacity = colour.a * draw.colour.a;
    if (draw.flags.x < 0.5) { return Lit(vec4(base, opacity), vec3(0.0)); }
    let share = lit_share(ball.xyz + globals.light.xyz * ball.w);
    return Lit(vec4(base * globals.ambient.rgb, opacity), base * lamp() * share);
}

struct CoinVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
    @location(1) @interpolate(flat) dark: vec4<f32>,
    @location(2) @interpolate(flat) bright: vec3<f32>,
    @location(3) @interpolate(flat) light: vec3<f32>,  // direction to the lamp, seen from the eye
};

@vertex
fn coin_vertex(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>, @location(1) colour: vec4<f32>) -> CoinVertex {
    var out: CoinVertex;
    let facing = facing_eye(ball.xyz);
    let to_lamp = globals.light.xyz;
    let light = lit(ball, colour);
    out.place = around(index);
    let world = ball.xyz + (facing.right * out.place.x + facing.up * out.place.y) * ball.w;
    out.clip = globals.clip_from_world * vec4(world, 1.0);
    out.light = vec3(dot(facing.right, to_lamp), dot(facing.up, to_lamp), dot(facing.back, to_lamp));
    out.dark = light.dark;
    out.bright = light.bright;
    return out;
}

@fragment
fn coin_fragment(in: CoinVertex) -> @location(0) vec4<f32> {
    let height = 1.0 - dot(in.place, in.place);
    if (height < 0.0) { discard; }
    let facing = max(dot(vec3(in.place, sqrt(height)), in.light), 0.0);
    return vec4(to_srgb(in.dark.rgb + in.bright * facing), in.dark.a);
}

// Directions are those of the icosahedron itself, in which its facets are known.
struct GemVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
    @location(1) @interpolate(flat) dark: vec4<f32>,
    @location(2) @interpolate(flat) bright: vec3<f32>,
    @location(3) @interpolate(flat) light: vec3<f32>,
    @location(4) @interpolate(flat) back: vec3<f32>,
};

@vertex
fn gem_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) ball: vec4<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) turn: vec4<f32>,
) -> GemVertex {
    var out: GemVertex;
    let facing = facing_eye(ball.xyz);
    let light = lit(ball, colour);
    let offset = around(index);
    let place = facing.right * offset.x + facing.up * offset.y;
    out.clip = globals.clip_from_world * vec4(ball.xyz + place * ball.w, 1.0);
    out.place = turned_back(turn, place);
    out.light = turned_back(turn, globals.light.xyz);
    out.back = turned_back(turn, facing.back);
    out.dark = light.dark;
    out.bright = light.bright;
    return out;
}

// Whether a point on the square is on the icosahedron, and the facet that is seen there.
fn gem(place: vec3<f32>, back: vec3<f32>) -> Meeting {
    let height = 1.0 - dot(place, place);
    if (height < 0.0) { return Meeting(back, 0.0, 1.0); }
    // From the ball around it two walks are enough for what a few pixels can show.
    return hit_solid(place + back * sqrt(height), -back, 2u);
}

@fragment
fn gem_fragment(in: GemVertex) -> @location(0) vec4<f32> {
    let meeting = gem(in.place, in.back);
    if (meeting.out > 0.01) { discard; }
    let facing = max(dot(meeting.normal, in.light), 0.0);
    return vec4(to_srgb(in.dark.rgb + in.bright * facing), in.dark.a);
}

// --- points: squares of a size in pixels, lit by the normal they carry -------------------------------------------------

struct PointVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec4<f32>,
};

@vertex
fn point_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) ball: vec4<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) turn: vec4<f32>,
) -> PointVertex {
    var out: PointVertex;
    out.clip = globals.clip_from_world * vec4(ball.xyz, 1.0);
    let offset = corner(index) * draw.flags.w / globals.screen.xy;
    out.clip = vec4(out.clip.xy + offset * out.clip.w, out.clip.zw);
    out.colour = shade(colour, seen_side(turn.xyz, ball.xyz), ball.xyz);
    return out;
}

@fragment
fn point_fragment(in: PointVertex) -> @location(0) vec4<f32> {
    return in.colour;
}

// --- as the light sees them --------------------------------------------------------------------------------------------

fn facing_light() -> Facing {
    let light = globals.light.xyz;
    let above = select(vec3(0.0, 1.0, 0.0), vec3(1.0, 0.0, 0.0), abs(light.y) > 0.9);
    let right = normalize(cross(above, light));
    return Facing(right, cross(light, right), light, 1e30);
}

fn shadow_at(ball: vec4<f32>, offset: vec2<f32>) -> ShadowVertex {
    let facing = facing_light();
    let world = ball.xyz + (facing.right * offset.x + facing.up * offset.y) * ball.w;
    return ShadowVertex(globals.light_from_world * vec4(world, 1.0), offset);
}

@vertex
fn ball_shadow(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>) -> ShadowVertex {
    return shadow_at(ball, around(index));
}

@vertex
fn square_shadow(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>) -> ShadowVertex {
    var out = shadow_at(ball, corner(index));
    out.place = vec2(0.0);
    return out;
}

struct GemShadow {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
    @location(1) @interpolate(flat) back: vec3<f32>,
};

@vertex
fn gem_shadow(
    @builtin(vertex_index) index: u32,
    @location(0) ball: vec4<f32>,
    @location(2) turn: vec4<f32>,
) -> GemShadow {
    let facing = facing_light();
    let offset = around(index);
    let place = facing.right * offset.x + facing.up * offset.y;
    let clip = globals.light_from_world * vec4(ball.xyz + place * ball.w, 1.0);
    return GemShadow(clip, turned_back(turn, place), turned_back(turn, facing.back));
}

@fragment
fn gem_shadow_fragment(in: GemShadow) -> @location(0) vec4<f32> {
    if (gem(in.place, in.back).out > 0.01) { discard; }
    return vec4(in.clip.z, 0.0, 0.0, 1.0);
}
