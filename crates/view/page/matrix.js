// Vectors of three numbers, quaternions (x, y, z, w) and 4×4 matrices in the order of WebGL (column by column).

/** @typedef {[number, number, number]} Vector */

export const add = (/** @type {Vector} */ a, /** @type {Vector} */ b) => /** @type {Vector} */ ([a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
export const sub = (a, b) => /** @type {Vector} */ ([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
export const scale = (a, s) => /** @type {Vector} */ ([a[0] * s, a[1] * s, a[2] * s]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) =>
  /** @type {Vector} */ ([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]);
export const length = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => scale(a, 1 / (length(a) || 1));

/** A vector turned by a quaternion. */
export function turn(q, v) {
  const t = scale(cross(q, v), 2);
  return add(add(v, scale(t, q[3])), cross(q, t));
}

/** The matrix that sees the world from `eye` towards `target`. */
export function lookAt(eye, target, up) {
  const back = unit(sub(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  return new Float32Array([
    right[0], top[0], back[0], 0,
    right[1], top[1], back[1], 0,
    right[2], top[2], back[2], 0,
    -dot(right, eye), -dot(top, eye), -dot(back, eye), 1,
  ]);
}

/** The projection of a camera with an opening angle (rad). */
export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
}

/** The projection without perspective, of half this height. */
export function orthographic(half, aspect, near, far) {
  return new Float32Array([1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / (far - near), 0, 0, 0, -(far + near) / (far - near), 1]);
}

/** A point (w = 1) or direction (w = 0) in another frame. */
export function transform(m, v, w = 1) {
  return [0, 1, 2, 3].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * w);
}
