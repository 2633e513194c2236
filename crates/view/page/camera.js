// The camera: it looks at a target from a direction, with or without perspective.
import { add, cross, length, lookAt, orthographic, perspective, scale, sub, transform, unit } from "view/matrix";

const ANGLE = (35 * Math.PI) / 180;

export class Camera {
  constructor() {
    /** @type {[number, number, number]} */
    this.target = [0, 0, 0];
    this.distance = 1;
    /** Around the vertical and above the horizontal (rad). */
    this.azimuth = -1.0;
    this.elevation = 0.35;
    this.perspective = true;
    this.flat = false;
    /** How far around the target there is something to see. */
    this.reach = 1;
  }

  /** The direction from the target to the eye, and what is upwards on the screen. */
  frame() {
    if (this.flat) return { towards: [0, 0, 1], up: [0, 1, 0] };
    const [c, s] = [Math.cos(this.elevation), Math.sin(this.elevation)];
    const towards = [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), s];
    const up = [-s * Math.cos(this.azimuth), -s * Math.sin(this.azimuth), c];
    return { towards, up };
  }

  view() {
    const { towards, up } = this.frame();
    return lookAt(add(this.target, scale(towards, this.distance)), this.target, up);
  }

  projection(aspect) {
    const [near, far] = [Math.max(this.distance - 2 * this.reach, 0.01 * this.distance), this.distance + 2 * this.reach];
    if (this.perspective && !this.flat) return perspective(ANGLE, aspect, near, far);
    return orthographic(this.distance * Math.tan(ANGLE / 2), aspect, this.distance - 2 * this.reach, far);
  }

  /** Shows a box as large as it fits. */
  fit(low, high, aspect) {
    this.target = scale(add(low, high), 0.5);
    const size = sub(high, low);
    const radius = this.flat ? Math.max(size[1] / 2, size[0] / 2 / aspect) : length(size) / 2;
    this.distance = (1.08 * radius) / Math.tan(ANGLE / 2) / (this.flat ? 1 : Math.min(1, aspect));
  }

  /** Looks along an axis: from `side` of x, y or z. */
  along(axis, side) {
    this.elevation = axis === 2 ? (side * Math.PI) / 2 : 0;
    this.azimuth = axis === 0 ? (side > 0 ? 0 : Math.PI) : axis === 1 ? (side * Math.PI) / 2 : -Math.PI / 2;
  }

  orbit(dx, dy) {
    if (this.flat) return;
    this.azimuth -= dx * 0.008;
    this.elevation = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, this.elevation + dy * 0.008));
  }

  /** Moves the target with the pointer; `height` is that of the canvas in pixels. */
  pan(dx, dy, height) {
    const { towards, up } = this.frame();
    const size = (2 * this.distance * Math.tan(ANGLE / 2)) / height;
    this.target = add(this.target, add(scale(unit(cross(up, towards)), -dx * size), scale(up, dy * size)));
  }

  zoom(factor) {
    this.distance *= factor;
  }

  /** Where a point of the world is on a canvas, in pixels from its upper left corner. */
  onScreen(point, width, height) {
    const seen = transform(this.view(), point);
    const [x, y, , w] = transform(this.projection(width / height), seen, seen[3]);
    return [((x / w + 1) / 2) * width, ((1 - y / w) / 2) * height];
  }
}
