// The programs of the graphics card.

const LIGHT = `
uniform bool flatLight;
vec3 lit(vec3 colour, vec3 n) {
  if (flatLight) return colour;
  float front = max(n.z, 0.0), side = max(dot(n, normalize(vec3(0.5, 0.8, 0.6))), 0.0);
  return colour * (0.32 + 0.3 * front + 0.42 * side) + 0.1 * pow(side, 24.0);
}`;

const COLOUR = `
uniform sampler2D map;
uniform vec2 range;
vec3 colourOf(float value) {
  if (isnan(value)) return vec3(0.6);
  float share = (value - range.x) / (range.y - range.x);
  return texture(map, vec2((clamp(share, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}`;

// Rows go to the screen as colours when a pixel asks who is there: the row in three bytes, and what it is a row of.
const PICK = `
uniform bool picks;
out vec4 pixel;
vec4 name(uint row, float kind) {
  return vec4(float(row & 255u), float((row >> 8) & 255u), float((row >> 16) & 255u), kind) / 255.0;
}`;

// A plane in view coordinates: what is on its positive side is cut away.
const CLIP = `
uniform vec4 clip;
bool isCut(vec3 p) { return dot(clip.xyz, p) + clip.w > 0.0; }`;

/** Balls: one quad each, on which every pixel cuts its ray with the sphere. */
export const BALLS = {
  vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 ball;
layout(location = 2) in float value;
layout(location = 3) in uint row;
uniform mat4 view, projection;
uniform bool perspective;
out vec3 place;
flat out vec4 sphere;
flat out float number;
flat out uint who;
void main() {
  vec3 c = (view * vec4(ball.xyz, 1.0)).xyz;
  float r = ball.w, size = r;
  vec3 u = vec3(1.0, 0.0, 0.0), v = vec3(0.0, 1.0, 0.0);
  if (perspective) {
    // The cone of rays that touch the sphere, where it passes the centre.
    float d = length(c);
    vec3 w = c / d;
    u = normalize(cross(vec3(0.0, 1.0, 0.0), w));
    v = cross(w, u);
    size = r * d / sqrt(max(d * d - r * r, 0.01 * r * r));
  }
  place = c + size * (corner.x * u + corner.y * v);
  sphere = vec4(c, r);
  number = value;
  who = row;
  gl_Position = projection * vec4(place, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 place;
flat in vec4 sphere;
flat in float number;
flat in uint who;
uniform mat4 projection;
uniform bool perspective;
uniform uint chosen;
${PICK}${LIGHT}${COLOUR}${CLIP}
void main() {
  vec3 o = perspective ? vec3(0.0) : vec3(place.xy, sphere.z + 2.0 * sphere.w);
  vec3 dir = perspective ? normalize(place) : vec3(0.0, 0.0, -1.0);
  vec3 oc = o - sphere.xyz;
  float b = dot(oc, dir);
  // The distance of the ray from the centre, without the difference of two large numbers.
  vec3 across = oc - b * dir;
  float inside = sphere.w * sphere.w - dot(across, across);
  if (inside < 0.0) discard;
  float half_way = sqrt(inside), t = -b - half_way;
  vec3 p = o + t * dir, n = (p - sphere.xyz) / sphere.w;
  if (isCut(p)) {
    // Cut open: the pixel shows the plane of the cut, if the ray meets it within the ball.
    float fall = dot(clip.xyz, dir);
    t = -(dot(clip.xyz, o) + clip.w) / fall;
    if (fall >= 0.0 || t > -b + half_way) discard;
    p = o + t * dir;
    n = clip.xyz;
  }
  vec4 q = projection * vec4(p, 1.0);
  gl_FragDepth = 0.5 * q.z / q.w + 0.5;
  if (picks) { pixel = name(who, 1.0); return; }
  vec3 colour = lit(colourOf(number), n);
  float rim = sqrt(dot(across, across)) / sphere.w;
  if (flatLight && rim > 0.93) colour *= 0.6;
  if (who == chosen) colour = mix(colour, vec3(1.0, 0.85, 0.1), rim > 0.75 ? 1.0 : 0.25);
  pixel = vec4(colour, 1.0);
}`,
};

/** Angular grains: their corners are fixed in the body's frame; where the bodies are is in a texture. */
export const FORMS = {
  vertex: `#version 300 es
precision highp float;
precision highp sampler2D;
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
layout(location = 2) in uint row;
uniform mat4 view, projection;
uniform sampler2D poses;
out vec3 place, facing;
flat out float number;
flat out uint who;
vec3 turned(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
vec4 texel(uint i) { uint w = uint(textureSize(poses, 0).x); return texelFetch(poses, ivec2(i % w, i / w), 0); }
void main() {
  vec4 at = texel(2u * row), q = texel(2u * row + 1u);
  who = row;
  number = at.w;
  if (dot(q, q) == 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); return; }
  place = (view * vec4(at.xyz + turned(q, corner), 1.0)).xyz;
  facing = (view * vec4(turned(q, normal), 0.0)).xyz;
  gl_Position = projection * vec4(place, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 place, facing;
flat in float number;
flat in uint who;
uniform uint chosen;
${PICK}${LIGHT}${COLOUR}${CLIP}
void main() {
  if (isCut(place)) discard;
  if (picks) { pixel = name(who, 1.0); return; }
  vec3 colour = lit(colourOf(number), normalize(gl_FrontFacing ? facing : -facing));
  if (who == chosen) colour = mix(colour, vec3(1.0, 0.85, 0.1), 0.5);
  pixel = vec4(colour, 1.0);
}`,
};

/** Rods between two points that face the eye: contacts, segments of walls, edges of the cell. */
export const RODS = {
  vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 a;
layout(location = 2) in vec3 b;
layout(location = 3) in vec4 colour;
layout(location = 4) in float radius;
layout(location = 5) in uint row;
uniform mat4 view, projection;
uniform bool perspective;
out vec3 place;
out float across;
flat out vec4 tint;
flat out uint who;
void main() {
  vec3 from = (view * vec4(a, 1.0)).xyz, to = (view * vec4(b, 1.0)).xyz;
  vec3 along = to - from, eye = perspective ? normalize(0.5 * (from + to)) : vec3(0.0, 0.0, -1.0);
  vec3 side = cross(along, eye);
  side = dot(side, side) > 0.0 ? normalize(side) : vec3(1.0, 0.0, 0.0);
  across = corner.y;
  place = mix(from, to, 0.5 * (corner.x + 1.0)) + side * corner.y * radius - eye * radius;
  tint = colour;
  who = row;
  gl_Position = projection * vec4(place, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 place;
in float across;
flat in vec4 tint;
flat in uint who;
${PICK}${CLIP}
void main() {
  if (isCut(place)) discard;
  if (picks) { pixel = name(who, 2.0); return; }
  pixel = vec4(tint.rgb * (0.55 + 0.45 * sqrt(max(1.0 - across * across, 0.0))), tint.a);
}`,
};

/** Walls: triangles that one sees through. */
export const WALLS = {
  vertex: `#version 300 es
precision highp float;
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
uniform mat4 view, projection;
out vec3 place, facing;
void main() {
  place = (view * vec4(corner, 1.0)).xyz;
  facing = (view * vec4(normal, 0.0)).xyz;
  gl_Position = projection * vec4(place, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec3 place, facing;
uniform vec4 tint;
out vec4 pixel;
${CLIP}
void main() {
  if (isCut(place)) discard;
  pixel = vec4(tint.rgb * (0.6 + 0.4 * abs(normalize(facing).z)), tint.a);
}`,
};
