// Everything that the graphics card is told.
import { BALLS, FORMS, RODS, WALLS } from "view/shaders";
import { cross, sub, transform, turn, unit } from "view/matrix";

const WALL = 0x80000000;
const NOBODY = 0xffffffff;
const BRIDGE = 4;
const BOND = 8;
/** The thickness of a bond without force, against that of the strongest contact. */
const THINNEST_BOND = 0.25;

/** Colours of contacts, which eyes without red or green tell apart too. */
const PUSH = [178, 34, 34];
const PULL = [0, 110, 165];
const PALE = [205, 198, 190];
const KIND = { contact: [150, 150, 150], bond: [177, 87, 145], bridge: [60, 160, 215] };
const MEMBRANE = [0, 138, 100];
const CRACK = [200, 0, 110];
const STATUS = [[150, 150, 150], [0, 138, 100], [213, 74, 0]];

/** A program with its uniforms. */
function compile(gl, { vertex, fragment }) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

/** A buffer of structs, read by an instanced quad or by triangles. `fields` are [location, numbers, is an integer]. */
class Batch {
  constructor(gl, fields, isInstanced) {
    this.gl = gl;
    this.count = 0;
    this.words = fields.reduce((sum, [, numbers]) => sum + numbers, 0);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.isInstanced = isInstanced;
    gl.bindVertexArray(this.array);
    if (isInstanced) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    let offset = 0;
    for (const [location, numbers, isInteger] of fields) {
      gl.enableVertexAttribArray(location);
      if (isInteger) gl.vertexAttribIPointer(location, numbers, gl.UNSIGNED_INT, 4 * this.words, offset);
      else gl.vertexAttribPointer(location, numbers, gl.FLOAT, false, 4 * this.words, offset);
      if (isInstanced) gl.vertexAttribDivisor(location, 1);
      offset += 4 * numbers;
    }
  }

  fill(/** @type {Float32Array} */ data, count) {
    this.count = count;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data.subarray(0, count * this.words), this.gl.DYNAMIC_DRAW);
  }

  draw() {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    if (this.isInstanced) this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
    else this.gl.drawArrays(this.gl.TRIANGLES, 0, this.count);
  }
}

/** Numbers and row numbers in one buffer. */
function mixed(words) {
  const floats = new Float32Array(words);
  return { floats, integers: new Uint32Array(floats.buffer) };
}

export class Drawing {
  constructor(/** @type {HTMLCanvasElement} */ canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL2; any newer Firefox, Chromium or Safari has");
    this.gl = gl;
    this.canvas = canvas;
    this.programs = { balls: compile(gl, BALLS), forms: compile(gl, FORMS), rods: compile(gl, RODS), walls: compile(gl, WALLS) };
    this.balls = new Batch(gl, [[1, 4], [2, 1], [3, 1, true]], true);
    this.contacts = new Batch(gl, [[1, 3], [2, 3], [3, 4], [4, 1], [5, 1, true]], true);
    this.lines = new Batch(gl, [[1, 3], [2, 3], [3, 4], [4, 1], [5, 1, true]], true);
    this.forms = new Batch(gl, [[0, 3], [1, 3], [2, 1, true]], false);
    this.walls = new Batch(gl, [[0, 3], [1, 3]], false);
    this.poses = gl.createTexture();
    this.map = gl.createTexture();
    this.pickTarget = null;
    this.formsOf = null;
    this.wallsOf = null;
  }

  /** The colour map: 256 colours. */
  setMap(texels) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  }

  /** The grains that are shown. `values` colours them, `shows` says of each row whether it is there. */
  setGrains({ position, orientation, bodies, values, shows }) {
    const { radius, form } = bodies.columns;
    const forms = bodies.head.forms;
    const rows = radius.length;
    let room = rows;
    for (let row = 0; row < form.length; row++) if (form[row] >= 0) room += forms[form[row]].balls.length;
    const { floats, integers } = mixed(6 * room);
    let count = 0;
    const add = (x, y, z, r, row) => {
      floats.set([x, y, z, r, values[row]], 6 * count);
      integers[6 * count + 5] = row;
      count++;
    };
    const quaternion = (row) => [0, 1, 2, 3].map((k) => orientation[4 * row + k] / 32767);
    for (let row = 0; row < rows; row++) {
      if (!shows(row)) continue;
      const [x, y, z] = [position[3 * row], position[3 * row + 1], position[3 * row + 2]];
      if (!form.length || form[row] < 0) {
        add(x, y, z, radius[row], row);
        continue;
      }
      for (const [a, b, c, r] of forms[form[row]].balls) {
        const at = turn(quaternion(row), [a, b, c]);
        add(x + at[0], y + at[1], z + at[2], r, row);
      }
    }
    this.balls.fill(floats, count);
    this.setForms(bodies);
    if (this.forms.count) this.setPoses(position, orientation, values, shows, rows);
  }

  /** The faces of all angular grains, each in its body's frame; they stay until bodies come or go. */
  setForms(bodies) {
    if (this.formsOf === bodies) return;
    this.formsOf = bodies;
    const { form } = bodies.columns;
    const forms = bodies.head.forms;
    let corners = 0;
    for (let row = 0; row < form.length; row++) if (form[row] >= 0) corners += forms[form[row]].triangles.length / 3;
    const { floats, integers } = mixed(7 * corners);
    let count = 0;
    for (let row = 0; row < form.length; row++) {
      if (form[row] < 0) continue;
      const t = forms[form[row]].triangles;
      for (let k = 0; k < t.length; k += 9) {
        const [a, b, c] = [0, 3, 6].map((j) => /** @type {[number, number, number]} */ ([t[k + j], t[k + j + 1], t[k + j + 2]]));
        const normal = unit(cross(sub(b, a), sub(c, a)));
        for (const corner of [a, b, c]) {
          floats.set([...corner, ...normal], 7 * count);
          integers[7 * count + 6] = row;
          count++;
        }
      }
    }
    this.forms.fill(floats, count);
  }

  setPoses(position, orientation, values, shows, rows) {
    const gl = this.gl;
    const width = 2048;
    const height = Math.max(1, Math.ceil((2 * rows) / width));
    const data = new Float32Array(4 * width * height);
    for (let row = 0; row < rows; row++) {
      if (!shows(row)) continue;
      data.set([position[3 * row], position[3 * row + 1], position[3 * row + 2], values[row]], 8 * row);
      for (let k = 0; k < 4; k++) data[8 * row + 4 + k] = orientation[4 * row + k] / 32767;
    }
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, width, height, 0, gl.RGBA, gl.FLOAT, data);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  }

  /**
   * Contacts as rods from centre to centre, or to the point where a wall is touched. The strongest is as thick as
   * `thickest`; the area of the others goes with their force, so that thickness goes with its root.
   */
  setContacts({ frame, position, kind, colour, strong, thickest, shows }) {
    const { contact_bodies: bodies, contact_force: force, contact_point: point, contact_friction: friction, contact_status: status } = frame.columns;
    const { low, high, period } = frame.head;
    const rows = kind === "none" ? 0 : force.length;
    let [most, sum, bearing] = [0, 0, 0];
    for (let k = 0; k < rows; k++) {
      const size = Math.abs(force[k]);
      most = Math.max(most, size);
      if (size > 0) [sum, bearing] = [sum + size, bearing + 1];
    }
    const mean = bearing ? sum / bearing : 1;
    const { floats, integers } = mixed(12 * rows);
    let count = 0;
    for (let k = 0; k < rows; k++) {
      const size = Math.abs(force[k]);
      // A bond is there even if it carries nothing.
      const isBond = (status[k] & BOND) !== 0 && (kind === "bonds" || colour === "kind");
      if ((size === 0 && !isBond) || size < strong * mean) continue;
      if ((kind === "push" && force[k] < 0) || (kind === "pull" && force[k] > 0) || (kind === "slide" && (status[k] & 3) !== 2) || (kind === "stick" && (status[k] & 3) !== 1)) continue;
      if ((kind === "bridges" && !(status[k] & BRIDGE)) || (kind === "bonds" && !(status[k] & BOND))) continue;
      const at = [0, 1, 2].map((axis) => low[axis] + (point[3 * k + axis] / 65535) * (high[axis] - low[axis]));
      const ends = [bodies[2 * k], bodies[2 * k + 1]].map((body) => {
        if (body & WALL) return at;
        // The image beside the contact point.
        return [0, 1, 2].map((axis) => {
          const x = position[3 * body + axis];
          return period[axis] > 0 ? x + Math.round((at[axis] - x) / period[axis]) * period[axis] : x;
        });
      });
      const grains = [bodies[2 * k], bodies[2 * k + 1]].filter((body) => !(body & WALL));
      if (!grains.every(shows)) continue;
      const share = most > 0 ? force[k] / most : 0;
      const tint = contactColour(colour, share, friction[k] / 255, status[k]);
      const thickness = thickest * Math.max(Math.sqrt(Math.abs(share)), isBond ? THINNEST_BOND : 0);
      floats.set([...ends[0], ...ends[1], ...tint, thickness], 12 * count);
      integers[12 * count + 11] = k;
      count++;
    }
    this.contacts.fill(floats, count);
    return { shown: count, mean, most };
  }

  /** Walls: triangles in space, segments in the plane; membranes; broken bonds; and the edges of the periodic cell. */
  setSurroundings({ frame, position, thickness, cell }) {
    const { points } = frame.walls.columns;
    const { dimension, origin, period, low, high } = frame.head;
    const segments = [];
    if (dimension === 2) {
      for (let k = 0; k < points.length; k += 6) segments.push([points.slice(k, k + 3), points.slice(k + 3, k + 6), [0.35, 0.35, 0.38, 1]]);
    }
    if (this.wallsOf !== frame.walls) {
      this.wallsOf = frame.walls;
      const corners = dimension === 2 ? 0 : points.length / 3;
      const data = new Float32Array(6 * corners);
      for (let k = 0; k < corners; k += 3) {
        const [a, b, c] = [0, 1, 2].map((j) => /** @type {any} */ (points.slice(3 * (k + j), 3 * (k + j) + 3)));
        const normal = unit(cross(sub(b, a), sub(c, a)));
        [a, b, c].forEach((corner, j) => data.set([...corner, ...normal], 6 * (k + j)));
      }
      this.walls.fill(data, corners);
    }
    if (cell && period.some((length) => length > 0)) {
      const from = [0, 1, 2].map((axis) => (period[axis] > 0 ? origin[axis] : low[axis]));
      const to = [0, 1, 2].map((axis) => (period[axis] > 0 ? origin[axis] + period[axis] : high[axis]));
      const corner = (bits) => [0, 1, 2].map((axis) => ((bits >> axis) & 1 ? to[axis] : from[axis]));
      for (let bits = 0; bits < 8; bits++) {
        for (let axis = 0; axis < (dimension === 2 ? 2 : 3); axis++) {
          if (!((bits >> axis) & 1) && (dimension === 3 || bits < 4)) segments.push([corner(bits), corner(bits | (1 << axis)), [0.5, 0.5, 0.5, 1]]);
        }
      }
    }
    const place = (row) => [0, 1, 2].map((axis) => position[3 * row + axis]);
    for (const chain of frame.bodies.head.membranes) {
      for (let k = 1; k < chain.length; k++) {
        const [a, b] = [place(chain[k - 1]), place(chain[k])];
        const near = b.map((x, axis) => (period[axis] > 0 ? x - Math.round((x - a[axis]) / period[axis]) * period[axis] : x));
        segments.push([a, near, [...MEMBRANE.map((x) => x / 255), 1], 3]);
      }
    }
    const crack = frame.columns.crack;
    for (let k = 0; k < crack.length; k += 6) segments.push([crack.slice(k, k + 3), crack.slice(k + 3, k + 6), [...CRACK.map((x) => x / 255), 1], 2]);
    const { floats, integers } = mixed(12 * segments.length);
    segments.forEach(([a, b, tint, times = 1], k) => {
      floats.set([...a, ...b, ...tint, times * thickness], 12 * k);
      integers[12 * k + 11] = NOBODY;
    });
    this.lines.fill(floats, segments.length);
  }

  /** Draws all of it. `clip` is a plane in the world, [normal, offset]: what is beyond is cut away. */
  draw({ camera, range, clip, wallOpacity, paper, chosen, flat, picks = false }) {
    const gl = this.gl;
    const aspect = gl.drawingBufferWidth / gl.drawingBufferHeight;
    const [view, projection] = [camera.view(), camera.projection(aspect)];
    const plane = clip ? transform(view, clip.normal, 0) : [0, 0, 0, 0];
    if (clip) {
      const at = transform(view, clip.point);
      plane[3] = -(plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2]);
    } else plane[3] = -1;
    const use = ({ program, uniforms }) => {
      gl.useProgram(program);
      const set = (name, value, how) => uniforms[name] !== undefined && how(uniforms[name], value);
      set("view", view, (at, m) => gl.uniformMatrix4fv(at, false, m));
      set("projection", projection, (at, m) => gl.uniformMatrix4fv(at, false, m));
      set("perspective", camera.perspective && !camera.flat ? 1 : 0, (at, x) => gl.uniform1i(at, x));
      set("clip", plane, (at, v) => gl.uniform4fv(at, v));
      set("range", range, (at, v) => gl.uniform2fv(at, v));
      set("chosen", chosen < 0 ? NOBODY : chosen, (at, x) => gl.uniform1ui(at, x));
      set("picks", picks ? 1 : 0, (at, x) => gl.uniform1i(at, x));
      set("flatLight", flat ? 1 : 0, (at, x) => gl.uniform1i(at, x));
      set("map", 0, (at, x) => gl.uniform1i(at, x));
      set("poses", 1, (at, x) => gl.uniform1i(at, x));
      set("tint", [0.45, 0.5, 0.58, wallOpacity], (at, v) => gl.uniform4fv(at, v));
    };
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.poses);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(...(picks ? [0, 0, 0, 0] : [...paper, 1]));
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    use(this.programs.balls);
    this.balls.draw();
    use(this.programs.forms);
    this.forms.draw();
    if (flat) gl.disable(gl.DEPTH_TEST);
    use(this.programs.rods);
    if (!picks) this.lines.draw();
    this.contacts.draw();
    if (!picks && wallOpacity > 0) {
      gl.enable(gl.BLEND);
      // The picture itself stays opaque, or the paper would shine through it once more.
      gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      use(this.programs.walls);
      this.walls.draw();
      gl.depthMask(true);
    }
  }

  /** What is under a pixel, from the upper left corner: a grain or a contact with its row, or nothing. */
  pick(x, y, options) {
    const gl = this.gl;
    const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
    if (!this.pickTarget || this.pickTarget.width !== width || this.pickTarget.height !== height) this.makePickTarget(width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.pickTarget.framebuffer);
    this.draw({ ...options, picks: true });
    const pixel = new Uint8Array(4);
    gl.readPixels(Math.round(x), height - 1 - Math.round(y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const row = pixel[0] + 256 * pixel[1] + 65536 * pixel[2];
    return pixel[3] === 1 ? { kind: "grain", row } : pixel[3] === 2 ? { kind: "contact", row } : null;
  }

  makePickTarget(width, height) {
    const gl = this.gl;
    const framebuffer = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    for (const [attachment, format] of [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]]) {
      const buffer = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, attachment, gl.RENDERBUFFER, buffer);
    }
    this.pickTarget = { framebuffer, width, height };
  }
}

/** What the colours of contacts mean: words with their colours. */
export function contactWords(by) {
  if (by === "status") return [["stick", STATUS[1]], ["slide", STATUS[2]]];
  if (by === "kind") return [["bond", KIND.bond], ["liquid bridge", KIND.bridge], ["contact", KIND.contact]];
  if (by === "friction") return [["no friction mobilised", PALE], ["all of it", STATUS[2]]];
  return [["weak", PALE], ["push", PUSH], ["pull", PULL]];
}

/** The colour of a contact: pushes and pulls, how much of its friction is mobilised, what it does, or what it is. */
function contactColour(by, force, mobilised, status) {
  const mix = (a, b, share) => a.map((x, i) => (x + (b[i] - x) * share) / 255);
  const plain = (colour) => [...colour.map((x) => x / 255), 1];
  if (by === "status") return plain(STATUS[status & 3]);
  if (by === "kind") return plain(status & BOND ? KIND.bond : status & BRIDGE ? KIND.bridge : KIND.contact);
  if (by === "friction") return [...mix(PALE, STATUS[2], mobilised), 1];
  return [...mix(PALE, force < 0 ? PULL : PUSH, Math.sqrt(Math.abs(force))), 1];
}
