// A picture over all of its place: one triangle that reaches beyond it.

@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler;

struct Corner {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
};

@vertex
fn paste_vertex(@builtin(vertex_index) index: u32) -> Corner {
    let place = vec2(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return Corner(vec4(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0), place);
}

@fragment
fn paste_srgb(in: Corner) -> @location(0) vec4<f32> {
    return textureSample(picture, nearest, in.place);
}

@fragment
fn paste_light(in: Corner) -> @location(0) vec4<f32> {
    let srgb = textureSample(picture, nearest, in.place);
    let low = srgb.rgb / 12.92;
    let high = pow((srgb.rgb + 0.055) / 1.055, vec3(2.4));
    return vec4(select(high, low, srgb.rgb < vec3(0.04045)), srgb.a);
}
