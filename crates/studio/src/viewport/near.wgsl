// Particles seen from near by: balls and icosahedra on squares that face the eye. The ray through each pixel is followed to
// where it meets them. Appended to shaders.wgsl.

fn corner(index: u32) -> vec2<f32> {
    return vec2(f32(index & 1u) * 2.0 - 1.0, f32(index >> 1u) * 2.0 - 1.0);
}

// Axes of the square on which a particle is seen.
struct Facing {
    right: vec3<f32>,
    up: vec3<f32>,
    back: vec3<f32>, // to the eye
    distance: f32,
};

fn facing_eye(place: vec3<f32>) -> Facing {
    if (globals.eye.w < 0.5) {
        return Facing(globals.right.xyz, globals.up.xyz, -globals.forward.xyz, 1e30);
    }
    let way = globals.eye.xyz - place;
    let distance = max(length(way), 1e-6);
    let back = way / distance;
    let side = cross(globals.up.xyz, back);
    let right = side / max(length(side), 1e-6);
    return Facing(right, cross(back, right), back, distance);
}

struct NearVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) @interpolate(perspective, sample) world: vec3<f32>, // by the sample: rims and edges are smooth
    @location(1) @interpolate(flat) ball: vec4<f32>,
    @location(2) @interpolate(flat) colour: vec4<f32>,
    @location(3) @interpolate(flat) turn: vec4<f32>,
};

fn near_vertex(index: u32, ball: vec4<f32>, colour: vec4<f32>, turn: vec4<f32>) -> NearVertex {
    var out: NearVertex;
    let facing = facing_eye(ball.xyz);
    // Seen from near by, a ball looks larger than its cut through the middle.
    let distance = max(facing.distance, ball.w * 1.01);
    let radius = ball.w / sqrt(max(1.0 - ball.w * ball.w / (distance * distance), 0.02));
    let offset = corner(index);
    out.world = ball.xyz + (facing.right * offset.x + facing.up * offset.y) * radius;
    out.clip = globals.clip_from_world * vec4(out.world, 1.0);
    out.ball = ball;
    out.colour = colour;
    out.turn = turn;
    return out;
}

@vertex
fn ball_vertex(@builtin(vertex_index) index: u32, @location(0) ball: vec4<f32>, @location(1) colour: vec4<f32>) -> NearVertex {
    return near_vertex(index, ball, colour, vec4(0.0));
}

@vertex
fn solid_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) ball: vec4<f32>,
    @location(1) colour: vec4<f32>,
    @location(2) turn: vec4<f32>,
) -> NearVertex {
    return near_vertex(index, ball, colour, turn);
}

struct Painted {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
};

fn painted(colour: vec4<f32>, normal: vec3<f32>, world: vec3<f32>) -> Painted {
    let clip = globals.clip_from_world * vec4(world, 1.0);
    return Painted(shade(colour, normal, world), clip.z / clip.w);
}

fn through(world: vec3<f32>) -> vec3<f32> {
    if (globals.eye.w < 0.5) { return globals.forward.xyz; }
    return normalize(world - globals.eye.xyz);
}

fn hit_ball(world: vec3<f32>, ball: vec4<f32>, direction: vec3<f32>) -> f32 {
    let from_centre = world - ball.xyz;
    let along = dot(from_centre, direction);
    let inside = along * along - dot(from_centre, from_centre) + ball.w * ball.w;
    if (inside < 0.0) { return 1e30; }
    return -along - sqrt(inside);
}

@fragment
fn ball_fragment(in: NearVertex) -> Painted {
    let direction = through(in.world);
    let distance = hit_ball(in.world, in.ball, direction);
    if (distance > 1e29) { discard; }
    let world = in.world + direction * distance;
    return painted(in.colour, (world - in.ball.xyz) / in.ball.w, world);
}

// --- icosahedra ---------------------------------------------------------------------------------------------------------

// Distance of the facets of an icosahedron from its middle, where its corners are at 1.
const INNER: f32 = 0.7946545;

fn turned(turn: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
}

fn turned_back(turn: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    return turned(vec4(-turn.xyz, turn.w), v);
}

// Normal of the facet that lies farthest out in the direction of a point. The twenty normals are the corners of a
// dodecahedron: in the octant where no coordinate is negative there are four of them, the others are their mirror images.
fn facet(p: vec3<f32>) -> vec3<f32> {
    let long = 0.9341724;  // golden ratio / sqrt(3)
    let short = 0.3568221; // 1 / (golden ratio sqrt(3))
    let a = abs(p);
    let along = vec3(long * a.x + short * a.y, long * a.y + short * a.z, long * a.z + short * a.x);
    var normal = vec3(0.5773503);
    var most = dot(normal, a);
    if (along.x > most) { normal = vec3(long, short, 0.0); most = along.x; }
    if (along.y > most) { normal = vec3(0.0, long, short); most = along.y; }
    if (along.z > most) { normal = vec3(short, 0.0, long); }
    return select(-normal, normal, p >= vec3(0.0));
}

// Goes from a point outside along a ray to the plane of the facet that lies farthest out, again and again. How far out a
// point is, is a convex function: the walk never passes the solid, and ends on it unless the ray misses it.
struct Meeting {
    normal: vec3<f32>,
    along: f32,
    out: f32, // how far out the walk has ended
};

fn hit_solid(start: vec3<f32>, direction: vec3<f32>, walks: u32) -> Meeting {
    var meeting = Meeting(facet(start), 0.0, 0.0);
    meeting.out = dot(meeting.normal, start) - INNER;
    for (var walk = 0u; walk < walks; walk += 1u) {
        let steep = -dot(meeting.normal, direction);
        // A ray that runs along the facet or away from it never comes in.
        meeting.along += select(4.0, meeting.out / max(steep, 1e-6), steep > 1e-6);
        let place = start + direction * meeting.along;
        meeting.normal = facet(place);
        meeting.out = dot(meeting.normal, place) - INNER;
    }
    return meeting;
}

@fragment
fn solid_fragment(in: NearVertex) -> Painted {
    let direction = through(in.world);
    let distance = hit_ball(in.world, in.ball, direction);
    if (distance > 1e29) { discard; }
    let on_ball = in.world + direction * distance;
    let start = turned_back(in.turn, (on_ball - in.ball.xyz) / in.ball.w);
    let meeting = hit_solid(start, turned_back(in.turn, direction), 6u);
    if (meeting.out > 1e-3) { discard; }
    return painted(in.colour, turned(in.turn, meeting.normal), on_ball + direction * (meeting.along * in.ball.w));
}
