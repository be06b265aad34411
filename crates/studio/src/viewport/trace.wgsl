// Obstacles by sphere tracing: the back of a box around a shape is drawn, and from its front the ray goes on by as much as
// the distance of the shape allows. Appended to shaders.wgsl.

struct Order {
    head: vec4<f32>,  // what to do, and three numbers
    turn: vec4<f32>,  // from the axes of the whole to those of the part
    place: vec4<f32>, // origin of the part; w is its size factor
    more: vec4<f32>,
};

struct Tracing {
    low: vec4<f32>,         // box around the shape; w is the number of orders
    high: vec4<f32>,        // w is its diagonal
    lattice_low: vec4<f32>, // first node of the lattice of distances
    lattice_size: vec4<f32>,
    orders: array<Order, 48>,
};

@group(3) @binding(0) var<uniform> tracing: Tracing;
@group(3) @binding(1) var lattice: texture_3d<f32>;
@group(3) @binding(2) var lattice_sampler: sampler;

fn corner_distance(q: vec2<f32>) -> f32 {
    return length(max(q, vec2(0.0))) + min(max(q.x, q.y), 0.0);
}

fn cone_distance(q: vec2<f32>, bottom: f32, top: f32, half_height: f32) -> f32 {
    let cap = select(top, bottom, q.y < 0.0);
    let to_caps = vec2(q.x - min(q.x, cap), abs(q.y) - half_height);
    let edge = vec2(top, half_height);
    let downwards = vec2(bottom - top, -2.0 * half_height);
    let along = clamp(dot(q - edge, downwards) / dot(downwards, downwards), 0.0, 1.0);
    let to_flank = q - edge - downwards * along;
    let distance = min(length(to_caps), length(to_flank));
    return select(distance, -distance, to_flank.x < 0.0 && to_caps.y < 0.0);
}

fn limb_distance(p: vec3<f32>, first: f32, second: f32, long: f32) -> f32 {
    let at_first = length(p) - first;
    let at_second = length(p - vec3(0.0, long, 0.0)) - second;
    let taper = first - second;
    let cone_squared = long * long - taper * taper;
    if (cone_squared <= 0.0) { return min(at_first, at_second); }
    let radius = length(p.xz);
    let foot = p.y - radius * taper / sqrt(cone_squared);
    if (foot <= 0.0) { return at_first; }
    if (foot >= long) { return at_second; }
    return (radius * sqrt(cone_squared) + p.y * taper) / long - first;
}

fn lattice_distance(p: vec3<f32>) -> f32 {
    let size = tracing.lattice_size.xyz;
    let inside = clamp(p - tracing.lattice_low.xyz, vec3(0.0), size);
    let nodes = vec3<f32>(textureDimensions(lattice));
    // Nodes are the middles of texels.
    let place = (inside / size * (nodes - 1.0) + 0.5) / nodes;
    let beyond = length(p - tracing.lattice_low.xyz - inside);
    return textureSampleLevel(lattice, lattice_sampler, place, 0.0).x + beyond;
}

fn body_distance(number: u32, whole: vec3<f32>) -> f32 {
    let order = tracing.orders[number];
    let scale = order.place.w;
    let p = turned(order.turn, whole - order.place.xyz) / scale;
    let a = order.head.yzw;
    let q = vec2(length(p.xz), p.y);
    var d = 0.0;
    switch u32(order.head.x) {
        case 0u: { d = length(p) - a.x; }
        case 1u: {
            let e = abs(p) - a;
            d = length(max(e, vec3(0.0))) + min(max(e.x, max(e.y, e.z)), 0.0);
        }
        case 2u: {
            // Over its slope a convex function is never more than the distance.
            let k = length(p / a);
            d = k * (k - 1.0) / max(length(p / (a * a)), 1e-9);
        }
        case 3u: { d = corner_distance(vec2(q.x - a.x, abs(q.y) - a.y)); }
        case 4u: { d = cone_distance(q, a.x, a.y, a.z); }
        case 5u: { d = length(vec2(q.x, max(abs(q.y) - a.y, 0.0))) - a.x; }
        case 6u: { d = length(vec2(q.x - a.x, q.y)) - a.y; }
        case 7u: { d = limb_distance(p, a.x, a.y, a.z); }
        case 8u: { d = dot(a, p) - order.more.x; }
        default: { d = lattice_distance(p); }
    }
    return d * scale;
}

fn shape_distance(p: vec3<f32>) -> f32 {
    let count = u32(tracing.low.w);
    if (count == 1u) { return body_distance(0u, p); }
    var waiting: array<f32, 10>;
    var top = 0u;
    for (var i = 0u; i < count; i++) {
        let head = tracing.orders[i].head;
        if (head.x < 9.5) {
            waiting[top] = body_distance(i, p);
            top++;
            continue;
        }
        top--;
        let a = waiting[top - 1u];
        let b = waiting[top];
        var joined = min(a, b);
        switch u32(head.x) {
            case 11u: { joined = max(a, b); }
            case 12u: { joined = max(a, -b); }
            case 13u: {
                let overlap = max(head.y - abs(a - b), 0.0);
                joined = min(a, b) - overlap * overlap / (4.0 * head.y);
            }
            case 14u: { joined = mix(a, b, head.y); }
            default: {}
        }
        waiting[top - 1u] = joined;
    }
    return waiting[0];
}

fn shape_normal(p: vec3<f32>) -> vec3<f32> {
    let h = 4e-4 * tracing.high.w;
    let k = vec2(1.0, -1.0);
    return normalize(k.xyy * shape_distance(p + k.xyy * h) + k.yyx * shape_distance(p + k.yyx * h)
        + k.yxy * shape_distance(p + k.yxy * h) + k.xxx * shape_distance(p + k.xxx * h));
}

fn to_model(v: vec3<f32>) -> vec3<f32> {
    let m = draw.world_from_model;
    return vec3(dot(m[0].xyz, v), dot(m[1].xyz, v), dot(m[2].xyz, v));
}

// How far along the ray the shape begins; negative if it is missed. An eye inside the shape looks out of it: what is negative
// counts as positive until the first positive value (Nilles 2020, §7.6.2).
fn trace(origin: vec3<f32>, direction: vec3<f32>) -> f32 {
    let inverse = 1.0 / select(direction, vec3(1e-9), abs(direction) < vec3(1e-9));
    let a = (tracing.low.xyz - origin) * inverse;
    let b = (tracing.high.xyz - origin) * inverse;
    let enter = min(a, b);
    let leave = max(a, b);
    let last = min(leave.x, min(leave.y, leave.z));
    var t = max(0.0, max(enter.x, max(enter.y, enter.z)));
    let close = 1e-4 * tracing.high.w;
    var d = shape_distance(origin + direction * t);
    var is_outside = d > 0.0;
    for (var i = 0; i < 160; i++) {
        if (is_outside && d < close) { return t; }
        is_outside = is_outside || d > 0.0;
        t += max(abs(d), close);
        if (t > last) { return -1.0; }
        d = shape_distance(origin + direction * t);
    }
    // A ray that grazes the surface uses up its steps beside it.
    return select(-1.0, t, d < 20.0 * close);
}

struct BoxVertex {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
};

fn box_corner(index: u32) -> vec3<f32> {
    // Two triangles a side; bits of the corners, outsides counterclockwise.
    var corners = array<u32, 36>(
        0u, 4u, 6u, 0u, 6u, 2u, 1u, 3u, 7u, 1u, 7u, 5u, 0u, 1u, 5u, 0u, 5u, 4u,
        2u, 6u, 7u, 2u, 7u, 3u, 0u, 2u, 3u, 0u, 3u, 1u, 4u, 5u, 7u, 4u, 7u, 6u);
    let bits = corners[index];
    let share = vec3(f32(bits & 1u), f32(bits >> 1u & 1u), f32(bits >> 2u));
    return (draw.world_from_model * vec4(mix(tracing.low.xyz, tracing.high.xyz, share), 1.0)).xyz;
}

@vertex
fn traced_vertex(@builtin(vertex_index) index: u32) -> BoxVertex {
    var out: BoxVertex;
    out.world = box_corner(index);
    out.clip = globals.clip_from_world * vec4(out.world, 1.0);
    return out;
}

@fragment
fn traced_fragment(in: BoxVertex) -> Painted {
    var direction = globals.forward.xyz;
    var start = in.world - direction * (2.0 * tracing.high.w);
    if (globals.eye.w > 0.5) {
        start = globals.eye.xyz;
        direction = normalize(in.world - start);
    }
    let origin = to_model(start - draw.world_from_model[3].xyz);
    let along = to_model(direction);
    let t = trace(origin, along);
    if (t < 0.0) { discard; }
    let world = start + direction * t;
    let normal = shape_normal(origin + along * t);
    let clip = globals.clip_from_world * vec4(world, 1.0);
    var out: Painted;
    out.colour = shade(vec4(1.0), (draw.world_from_model * vec4(normal, 0.0)).xyz, world);
    out.depth = clip.z / clip.w;
    return out;
}

// In the plane: what lies inside the shape, by the sign of its distance (Nilles 2020, §7.6.1), drawn a little behind.
@fragment
fn cut_fragment(in: BoxVertex) -> Painted {
    var direction = globals.forward.xyz;
    if (globals.eye.w > 0.5) { direction = in.world - globals.eye.xyz; }
    let steep = select(direction.z, -1e-6, abs(direction.z) < 1e-6);
    let place = in.world + direction * ((draw.flags.w - in.world.z) / steep);
    let in_plane = vec3(place.xy, 0.0);
    if (shape_distance(to_model(in_plane - draw.world_from_model[3].xyz)) > 0.0) { discard; }
    let clip = globals.clip_from_world * vec4(place, 1.0);
    var out: Painted;
    out.colour = shade(vec4(1.0), vec3(0.0), place);
    out.depth = clip.z / clip.w;
    return out;
}

struct Shaded {
    @location(0) colour: vec4<f32>,
    @builtin(frag_depth) depth: f32,
};

@vertex
fn traced_shadow(@builtin(vertex_index) index: u32) -> BoxVertex {
    var out: BoxVertex;
    out.world = box_corner(index);
    out.clip = globals.light_from_world * vec4(out.world, 1.0);
    return out;
}

@fragment
fn traced_shadow_fragment(in: BoxVertex) -> Shaded {
    let direction = -globals.light.xyz;
    let start = in.world - direction * (2.0 * tracing.high.w);
    let origin = to_model(start - draw.world_from_model[3].xyz);
    let t = trace(origin, to_model(direction));
    if (t < 0.0) { discard; }
    let depth = (globals.light_from_world * vec4(start + direction * t, 1.0)).z;
    return Shaded(vec4(depth, 0.0, 0.0, 1.0), depth);
}
