// The page: joins state, frames, drawing and controls.
import { cameraText, placeCamera, read, write } from "view/address";
import { Camera } from "view/camera";
import { digits, namedColour, namedTexels, rangeOf, texels } from "view/colour";
import { curve } from "view/curves";
import { Drawing, contactWords } from "view/draw";
import { Frames, getJson, getText, press, standsAlone } from "view/frames";
import { length, sub } from "view/matrix";
import { Controls, button, h, helpSheet } from "view/panel";

const at = (id) => /** @type {any} */ (document.getElementById(id));
const canvas = at("canvas");
const AXES = ["x", "y", "z"];

class Page {
  constructor(site) {
    this.site = site;
    this.state = read(location.hash);
    this.camera = new Camera();
    this.drawing = new Drawing(canvas);
    this.isPlaced = placeCamera(this.camera, this.state.camera);
    this.marked = [];
    /** Numbers of snapshots that turned out to be damaged. */
    this.damaged = new Set();
    this.isPlaying = false;
    this.fraction = 0;
    this.counts = {};
    this.controls = new Controls(this.state, (key) => this.changed(key));
    this.frames = new Frames(this.state.run);
    this.setMap();
  }

  // ---- what is shown -------------------------------------------------------------------------------------------------

  array() {
    return this.site.arrays.find((array) => array.name === this.state.array) || this.site.arrays[0];
  }

  async begin() {
    this.overview = await getJson(`run/${this.state.run}`);
    if (this.overview.frames.length === 0 && !this.overview.live) notice("this run has no snapshots yet");
    if (this.state.frame < 0 || this.state.frame >= this.overview.frames.length) this.state.frame = this.overview.frames.length - 1;
    this.isLive = Boolean(this.overview.live && !this.overview.live.ended);
    await this.show();
    // If the newest snapshots are damaged, the last good one is shown.
    while (!this.frame && !this.isLive && this.state.frame > 0) await this.seek(this.state.frame - 1);
    this.panel();
    this.timeline();
    this.loadSeries();
    this.text();
    if (!standsAlone) setInterval(() => this.poll(), 1000);
    if (this.isLive) this.watch();
  }

  number() {
    return this.isLive ? "now" : this.state.frame;
  }

  /** Loads the frame of the state and draws it. A damaged one is told, and the one before it stays. */
  async show() {
    const number = this.number();
    if (number === -1) return;
    try {
      const asked = this.frames.array(number, this.array().name, this.state.since).catch((error) => error);
      const frame = await this.frames.frame(number);
      const values = await asked;
      if (number !== this.number()) return;
      this.frame = frame;
      this.fraction = 0;
      const isThere = values instanceof Float32Array && values.length === frame.bodies.columns.id.length;
      this.values_ = isThere ? values : new Float32Array(frame.bodies.columns.id.length).fill(NaN);
      notice(values instanceof Error ? `${this.array().label}: ${values.message}` : "");
    } catch (error) {
      if (number === this.number()) notice(`snapshot ${number === "now" ? "of the run" : number + 1} cannot be shown: ${error.message}`);
      if (error.status === 422 && number !== "now") {
        this.damaged.add(number);
        this.marks();
      }
      if (!this.frame) return;
    }
    this.camera.flat = this.frame.head.dimension === 2;
    this.setReach();
    if (!this.isPlaced) this.fit();
    this.fill();
    this.refresh();
    for (const ahead of [1, 2]) if (number !== "now" && number + ahead < this.overview.frames.length) this.frames.frame(number + ahead).catch(() => {});
  }

  /** Which rows are shown: by group, material, number and place. */
  filter(position) {
    const { material, group } = this.frame.bodies.columns;
    const hidden = new Set(this.state.hidden.split(",").filter(Boolean));
    const { materials, groups } = this.frame.bodies.head;
    const hiddenMaterial = materials.map((name) => hidden.has("m:" + name));
    const hiddenGroup = groups.map((name) => hidden.has("g:" + name));
    const [above, below] = [this.state.above, this.state.below].map((text) => (text === "" ? NaN : Number(text)));
    const region = this.state.region.split(/[\s,]+/).filter(Boolean).map(Number);
    const axes = region.length / 2;
    return (row) => {
      if (!this.state.grains || hiddenMaterial[material[row]] || hiddenGroup[group[row]]) return false;
      const value = this.values_[row];
      if (value < above || value > below) return false;
      for (let axis = 0; axis < axes; axis++) {
        const x = position[3 * row + axis];
        if (x < region[axis] || x > region[axes + axis]) return false;
      }
      return true;
    };
  }

  /** Positions between this frame and the next. */
  positions() {
    const now = this.frame.columns.position;
    if (!this.next || this.fraction === 0 || this.next.head.bodies !== this.frame.head.bodies) return now;
    const [after, period, out] = [this.next.columns.position, this.frame.head.period, new Float32Array(now.length)];
    for (let k = 0; k < now.length; k++) {
      let step = after[k] - now[k];
      if (period[k % 3] > 0) step -= Math.round(step / period[k % 3]) * period[k % 3];
      out[k] = now[k] + this.fraction * step;
    }
    return out;
  }

  /** Hands the frame over to the graphics card. */
  fill() {
    const position = this.positions();
    this.position = position;
    const { frame, state } = this;
    const passes = this.filter(position);
    const mask = Uint8Array.from(frame.bodies.columns.id, (_, row) => Number(passes(row)));
    const shows = (row) => mask[row] === 1;
    const { radius } = frame.bodies.columns;
    let size = 0;
    for (let k = 0; k < radius.length; k++) size += radius[k];
    const mean = radius.length ? size / radius.length : 1;
    this.drawing.setGrains({ position, orientation: frame.columns.orientation, bodies: frame.bodies, values: this.values_, shows });
    const all = state.grains ? shows : () => true;
    const contacts = this.drawing.setContacts({ frame, position, kind: state.contacts, colour: state.colour, strong: state.strong, thickest: 0.5 * mean * state.thickness, shows: all });
    this.drawing.setSurroundings({ frame, position, thickness: 0.06 * mean, cell: state.cell });
    this.range = rangeOf(this.values_, { mode: state.range, low: state.low, high: state.high }, this.array().scale);
    this.counts = { grains: mask.reduce((sum, one) => sum + one, 0), contacts: contacts.shown, meanForce: contacts.mean, strongest: contacts.most };
  }

  options() {
    const { head } = this.frame;
    const axis = AXES.indexOf(this.state.slice);
    const normal = [0, 0, 0];
    const point = [...head.low];
    if (axis >= 0) {
      // What lies between the plane and the eye is cut away.
      normal[axis] = this.camera.frame().towards[axis] < 0 ? -1 : 1;
      point[axis] = head.low[axis] + this.state.cut * (head.high[axis] - head.low[axis]);
    }
    const rows = this.frame.bodies.columns.id;
    return {
      camera: this.camera, range: this.range, clip: axis >= 0 ? { normal, point } : null, wallOpacity: this.state.walls, paper: paper(),
      chosen: this.state.chosen < 0 ? -1 : rows.indexOf(this.state.chosen), flat: head.dimension === 2,
    };
  }

  refresh() {
    if (this.isWaiting || !this.frame) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    if (this.state.follow) this.followChosen();
    this.drawing.draw(this.options());
    this.legend();
    this.slide();
    this.state.camera = this.isPlaced ? cameraText(this.camera) : "";
    history.replaceState(null, "", write(this.state));
    this.drawn = (this.drawn || 0) + 1;
  }

  followChosen() {
    const row = this.frame.bodies.columns.id.indexOf(this.state.chosen);
    if (row >= 0) this.camera.target = [0, 1, 2].map((axis) => this.position[3 * row + axis]);
  }

  /** Nothing between the camera and the farthest grain is cut off. */
  setReach() {
    const { low, high } = this.frame.head;
    this.camera.reach = Math.max(length(sub(high, low)) + length(sub(this.camera.target, low)), 1e-12);
  }

  fit() {
    const { low, high } = this.frame.head;
    this.camera.fit(low, high, canvas.clientWidth / Math.max(1, canvas.clientHeight));
    this.setReach();
  }

  /** The 256 colours in use. */
  colours() {
    const map = this.state.map || this.array().scale;
    if (map === "named") return namedTexels();
    return texels(map === "grey" ? [[25, 25, 25], [240, 240, 240]] : this.site.maps[map] || this.site.maps.rising);
  }

  setMap() {
    this.drawing.setMap(this.colours());
  }

  changed(key) {
    if (["array", "map"].includes(key)) this.setMap();
    if (key === "run") return location.replace(`#run=${this.state.run}`), location.reload();
    if (["array", "since", "frame"].includes(key)) this.show();
    else if (["curves"].includes(key)) this.curves();
    else if (["text"].includes(key)) this.text();
    else if (this.frame) {
      this.fill();
      this.refresh();
    }
    if (["array", "range", "slice", "contacts"].includes(key)) this.panel();
  }

  // ---- panels --------------------------------------------------------------------------------------------------------

  panel() {
    const c = this.controls;
    const { bodies, head } = this.frame || { bodies: { head: { materials: [], groups: [] }, columns: { material: [], group: [] } }, head: { dimension: 3 } };
    const hide = (key, name, k) => {
      const word = key + ":" + name;
      const hidden = this.state.hidden.split(",").filter(Boolean);
      const toggle = (event) => c.set("hidden", (event.target.checked ? hidden.filter((other) => other !== word) : [...hidden, word]).join(","));
      const mark = h("span", {}, name);
      mark.style.color = key === "m" && this.array().name === "material" ? `rgb(${namedColour(k)})` : "";
      return h("label", {}, mark, h("input", { type: "checkbox", "data-hide": word, checked: !hidden.includes(word), onchange: toggle }));
    };
    // Walls have materials and groups too; only those of grains can be switched off.
    const several = (key, title, names, rows) => {
      const used = new Set(rows);
      const some = names.map((name, k) => [name, k]).filter(([, k]) => used.has(k));
      return some.length > 1 ? [h("h2", {}, title), ...some.map(([name, k]) => hide(key, name, k))] : [];
    };
    const fold = () => at("panel").classList.toggle("folded");
    const range = this.state.range === "all" ? [] : [c.number("low", this.state.range === "values" ? "from" : "from %"), c.number("high", this.state.range === "values" ? "to" : "to %")];
    const is3d = head.dimension === 3;
    at("panel").replaceChildren(
      h("h1", { onclick: fold, title: "collapse the panel" }, this.overview.name),
      ...(this.site.runs.length > 1 ? [c.choice("run", "run", this.site.runs.map((name, k) => [k, name]))] : []),
      h("h2", {}, "Grains"),
      c.switch("grains", "show"),
      c.choice("array", "colour by", this.site.arrays.map((array) => [array.name, array.label])),
      ...(this.array().name === "displacement" ? [c.number("since", "since frame")] : []),
      c.choice("range", "range", [["percentile", "percentiles"], ["all", "all values"], ["values", "values"]]), ...range,
      c.choice("map", "colours", [["", "as suits"], ["rising", "dark to light"], ["signed", "blue to red"], ["grey", "grey"]]),
      c.text("above", "only above", "number"), c.text("below", "only below", "number"),
      c.text("region", "only within", is3d ? "x y z x y z" : "x y x y"),
      ...several("m", "Materials", bodies.head.materials, bodies.columns.material), ...several("g", "Groups", bodies.head.groups, bodies.columns.group),
      h("h2", {}, "Contacts"),
      c.choice("contacts", "show", [["none", "none"], ["all", "all forces"], ["push", "pushes"], ["pull", "pulls"], ["slide", "sliding"], ["stick", "sticking"], ["bridges", "liquid bridges"], ["bonds", "bonds"]]),
      ...(this.state.contacts === "none" ? [] : [
        c.choice("colour", "colour by", [["force", "force"], ["friction", "mobilised friction"], ["status", "stick or slide"], ["kind", "bond, bridge, contact"]]),
        c.slider("strong", "above … of the mean", 0, 4, 0.05), c.slider("thickness", "thickness", 0.1, 3, 0.05)]),
      h("h2", {}, "Around"),
      c.slider("walls", "walls", 0, 1, 0.02), c.switch("cell", "periodic cell"),
      ...(is3d ? [c.choice("slice", "cut across", [["none", "nothing"], ["x", "x"], ["y", "y"], ["z", "z"]])] : []),
      ...(is3d && this.state.slice !== "none" ? [c.slider("cut", "cut at", 0, 1, 0.005)] : []),
      h("h2", {}, "Camera"),
      h("div", { class: "row" }, button("fit", "show everything", () => { this.isPlaced = false; this.fit(); this.refresh(); }),
        ...(is3d ? [...AXES.map((axis, k) => button(axis, `look along ${axis}`, () => this.along(k))), button("perspective", "with or without perspective", () => this.flip())] : [])),
      h("h2", {}, "More"),
      c.switch("curves", "curves"),
      c.choice("text", "text", [["", "none"], ["summary", "summary"], ["log", "log"]]),
      h("div", { class: "row" }, button("save PNG", "save a picture", () => this.ask()), button("help", "keyboard and mouse", () => at("help").showModal())));
  }

  along(axis) {
    this.camera.along(axis, axis === 1 ? -1 : 1);
    this.isPlaced = true;
    this.refresh();
  }

  flip() {
    this.camera.perspective = !this.camera.perspective;
    this.isPlaced = true;
    this.refresh();
  }

  legend() {
    const { label, unit, scale } = this.array();
    const bar = h("canvas", { width: 256, height: 1 });
    const context = bar.getContext("2d");
    const pixels = context.createImageData(256, 1);
    pixels.data.set(this.colours());
    context.putImageData(pixels, 0, 0);
    const [low, high] = this.range;
    const lines = [];
    if (this.state.grains) lines.push(h("div", {}, unit ? `${label} (${unit})` : label));
    if (this.state.grains && scale !== "named") lines.push(bar, h("div", { class: "ends" }, h("span", {}, digits(low)), h("span", {}, digits(high))));
    lines.push(h("div", { id: "counts" }, `${this.counts.grains} grains` + (this.counts.contacts ? `, ${this.counts.contacts} contacts, mean ${digits(this.counts.meanForce)} N, strongest ${digits(this.counts.strongest)} N` : "")));
    if (this.counts.contacts) lines.push(h("div", { id: "contact-colours" }, ...contactWords(this.state.colour).map(([word, colour]) => {
      const swatch = h("i", {});
      swatch.style.background = `rgb(${colour})`;
      return h("span", {}, swatch, word);
    })));
    at("legend").replaceChildren(...lines);
  }

  timeline() {
    const last = Math.max(0, this.overview.frames.length - 1);
    const c = this.controls;
    const slider = h("input", { type: "range", id: "frame", min: 0, max: last, value: this.state.frame, "aria-label": "frame", oninput: (event) => { this.isLive = false; c.set("frame", Number(event.target.value)); } });
    const live = this.overview.live && !this.overview.live.ended ? [
      button("live", "follow the run", () => { this.isLive = true; this.watch(); }),
      button("pause", "pause the run", () => press(this.state.run, "pause")), button("step", "one step of the run", () => press(this.state.run, "step")),
      button("go", "continue the run", () => press(this.state.run, "go")), button("stop", "end the run; it can be resumed", () => press(this.state.run, "stop")),
    ] : [];
    const marks = h("div", { class: "marks" });
    at("timeline").replaceChildren(
      button("|◀", "first frame", () => this.seek(0)), button("◀", "previous frame", () => this.seek(this.state.frame - 1)),
      button("play", "play and pause", () => this.play()), button("▶", "frame after", () => this.seek(this.state.frame + 1)), button("▶|", "last frame", () => this.seek(last)),
      h("div", { class: "track" }, marks, slider), h("span", { id: "now" }),
      c.slider("speed", "frames/s", 1, 60, 1), c.switch("smooth", "smooth"), ...live);
    this.marks();
  }

  /** Marks steps that did not converge, warnings, and snapshots that cannot be shown. */
  marks() {
    const track = at("timeline").querySelector(".marks");
    const frames = this.overview.frames;
    if (!track || !frames.length) return;
    const [from, to] = [frames[0].time, frames[frames.length - 1].time];
    const damaged = [...this.damaged].map((k) => ({ time: frames[k].time, kind: "damaged", what: `snapshot ${k + 1} cannot be shown` }));
    const marks = [...(this.events || []), ...damaged].filter(({ time }) => time >= from && time <= to);
    track.replaceChildren(...marks.map(({ time, kind, what }) => {
      const mark = h("i", { class: `mark ${kind}`, title: `${digits(time)} s: ${what}` });
      mark.style.left = `${(100 * (time - from)) / (to - from || 1)}%`;
      return mark;
    }));
  }

  /** What the time line says. */
  slide() {
    const [slider, now] = [at("frame"), at("now")];
    if (!slider || !this.frame) return;
    slider.value = this.state.frame;
    const { time, step } = this.frame.head;
    now.textContent = `${this.isLive ? "live, " : `${this.state.frame + 1} of ${this.overview.frames.length}, `}${digits(time)} s, step ${step}`;
    if (this.state.curves && this.curvesAt !== time) this.curves();
  }

  async loadSeries() {
    this.series = await getJson(`run/${this.state.run}/series`).catch(() => null);
    this.wallSeries = await getJson(`run/${this.state.run}/walls`).catch(() => null);
    this.events = await getJson(`run/${this.state.run}/marks`).catch(() => null);
    this.marks();
    this.curves();
  }

  curves() {
    const box = at("curves");
    box.hidden = !this.state.curves;
    if (!this.state.curves || !this.frame) return;
    this.curvesAt = this.frame.head.time;
    const seek = (time) => {
      const frames = this.overview.frames;
      let best = 0;
      frames.forEach((frame, k) => { if (Math.abs(frame.time - time) < Math.abs(frames[best].time - time)) best = k; });
      this.seek(best);
    };
    const plots = [];
    const plot = (table, choice, setChoice, rows, title) => {
      const names = Object.keys(table.columns).filter((name) => name !== "time_s" && name !== "step" && table.columns[name].some((v) => v !== null));
      const chosen = names.includes(choice) ? choice : names[0];
      const pick = h("select", { "aria-label": title, onchange: (event) => { setChoice(event.target.value); this.curves(); } }, ...names.map((name) => h("option", { value: name, selected: name === chosen }, name)));
      const column = (name) => rows.map((k) => table.columns[name][k]);
      plots.push(pick, curve(column("time_s"), column(chosen), this.curvesAt, seek));
    };
    if (this.series) plot(this.series, this.column || "kinetic_energy_J", (name) => (this.column = name), this.series.columns.time_s.map((_, k) => k), "series");
    if (this.wallSeries && this.wallSeries.names.length) {
      const walls = [...new Set(this.wallSeries.names)];
      this.wall = walls.includes(this.wall) ? this.wall : walls[0];
      plots.push(h("select", { "aria-label": "wall", onchange: (event) => { this.wall = event.target.value; this.curves(); } }, ...walls.map((name) => h("option", { value: name, selected: name === this.wall }, name))));
      const rows = this.wallSeries.names.map((name, k) => (name === this.wall ? k : -1)).filter((k) => k >= 0);
      plot(this.wallSeries, this.wallColumn || "force_z_N", (name) => (this.wallColumn = name), rows, "walls");
    }
    box.replaceChildren(...plots);
  }

  async text() {
    const box = at("text");
    box.hidden = !this.state.text;
    if (!this.state.text) return;
    const text = await getText(`run/${this.state.run}/${this.state.text}`).catch((error) => error.message);
    box.replaceChildren(h("pre", {}, text));
  }

  // ---- time ----------------------------------------------------------------------------------------------------------

  seek(frame) {
    this.isLive = false;
    this.state.frame = Math.max(0, Math.min(this.overview.frames.length - 1, frame));
    return this.show();
  }

  play() {
    this.isPlaying = !this.isPlaying;
    if (!this.isPlaying) return;
    if (this.state.frame >= this.overview.frames.length - 1) this.state.frame = 0;
    let before = performance.now();
    const tick = async (now) => {
      if (!this.isPlaying) return;
      this.fraction += ((now - before) / 1000) * this.state.speed;
      before = now;
      if (this.fraction >= 1) {
        if (this.state.frame >= this.overview.frames.length - 1) {
          this.isPlaying = false;
          return;
        }
        this.state.frame++;
        await this.show();
        before = performance.now();
      } else if (this.state.smooth && this.state.frame + 1 < this.overview.frames.length) {
        this.next = await this.frames.frame(this.state.frame + 1).catch(() => null);
        this.fill();
        this.refresh();
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** Follows a run under way. */
  async watch() {
    while (this.isLive) {
      await this.show();
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** New frames of a run that goes on. */
  async poll() {
    if (this.overview.status && !this.overview.live) return;
    const overview = await getJson(`run/${this.state.run}`).catch(() => null);
    if (!overview) return;
    const isNew = overview.frames.length !== this.overview.frames.length || Boolean(overview.live?.ended) !== Boolean(this.overview.live?.ended);
    const wasLast = this.state.frame === this.overview.frames.length - 1;
    this.overview = overview;
    if (overview.live?.ended) this.isLive = false;
    if (!isNew) return;
    this.timeline();
    this.loadSeries();
    if (wasLast && !this.isLive) this.seek(overview.frames.length - 1);
  }

  // ---- grains --------------------------------------------------------------------------------------------------------

  /** What is under a pixel of the page. */
  pick(x, y) {
    const ratio = canvas.width / canvas.clientWidth;
    const found = this.drawing.pick(x * ratio, y * ratio, this.options());
    return found && found.kind === "grain" ? { ...found, id: this.frame.bodies.columns.id[found.row] } : found;
  }

  async choose(id) {
    this.state.chosen = id;
    this.refresh();
    const card = at("card");
    card.hidden = id < 0;
    if (id < 0) return;
    const vector = (v) => `(${v.map(digits).join(", ")})`;
    const close = button("✕", "close", () => this.choose(-1));
    const follow = this.controls.switch("follow", "follow");
    try {
      const grain = await getJson(`run/${this.state.run}/grain/${this.number()}/${id}`);
      const facts = [["position (m)", vector(grain.position)], ["velocity (m/s)", vector(grain.velocity)], ["spin (rad/s)", vector(grain.spin)], ["radius (m)", digits(grain.radius)], ["mass (kg)", digits(grain.mass)], ["material", grain.material || "–"], ["group", grain.group || "–"], [this.array().label, digits(this.values_[grain.row])]];
      const contacts = grain.contacts.map((k) => h("tr", {}, h("td", {}, k.wall ?? String(k.body)), h("td", {}, vector(k.force)), h("td", {}, k.status)));
      card.replaceChildren(h("h1", {}, `grain ${id} `, close), h("table", {}, ...facts.map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value)))), h("h2", {}, `${contacts.length} contacts`), h("table", {}, h("tr", {}, h("th", {}, "with"), h("th", {}, "force (N)"), h("th", {}, "")), ...contacts), follow);
    } catch {
      const row = this.frame.bodies.columns.id.indexOf(id);
      card.replaceChildren(h("h1", {}, `grain ${id} `, close), h("p", {}, `${this.array().label} ${digits(this.values_[row])}`), follow);
    }
  }

  /** Distance of two marked grains, angle of three. */
  mark(row) {
    this.marked = this.marked.length === 3 ? [row] : [...this.marked, row];
    const place = (k) => [0, 1, 2].map((axis) => this.position[3 * this.marked[k] + axis]);
    if (this.marked.length === 2) {
      this.measured = { distance: length(sub(place(1), place(0))) };
      notice(`distance of the centres ${digits(this.measured.distance)} m`);
    } else if (this.marked.length === 3) {
      const [a, b] = [sub(place(0), place(1)), sub(place(2), place(1))];
      const cos = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (length(a) * length(b));
      this.measured = { angle: (Math.acos(Math.max(-1, Math.min(1, cos))) * 180) / Math.PI };
      notice(`angle at the second grain ${digits(this.measured.angle)}°`);
    } else notice("ctrl-click a second grain for the distance, and a third for the angle");
  }

  // ---- pictures ------------------------------------------------------------------------------------------------------

  ask() {
    const text = prompt("Width and height of the picture in pixels", `${canvas.width} ${canvas.height}`);
    const [width, height] = (text || "").split(/[\s,x×]+/).map(Number);
    if (width > 0 && height > 0) this.save(width, height);
  }

  /** The picture at a size, as a PNG. */
  picture(width, height) {
    const [oldWidth, oldHeight] = [canvas.width, canvas.height];
    [canvas.width, canvas.height] = [width, height];
    const { drawingBufferWidth, drawingBufferHeight } = this.drawing.gl;
    if (drawingBufferWidth < width || drawingBufferHeight < height) notice(`this browser draws no more than ${drawingBufferWidth} × ${drawingBufferHeight} pixels of it sharply`);
    this.drawing.draw(this.options());
    const url = canvas.toDataURL("image/png");
    [canvas.width, canvas.height] = [oldWidth, oldHeight];
    this.refresh();
    return url;
  }

  save(width, height) {
    h("a", { href: this.picture(width, height), download: `${this.overview.name}-${this.frame.head.step}.png` }).click();
  }
}

/** The colour of the page, from 0 to 1. */
function paper() {
  const text = getComputedStyle(document.body).backgroundColor;
  return (text.match(/\d+/g) || [255, 255, 255]).slice(0, 3).map((x) => Number(x) / 255);
}

function notice(text) {
  at("notice").textContent = text;
}

function listen(page) {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, moved: 0, pans: event.shiftKey || event.button !== 0 || page.camera.flat };
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    drag = { ...drag, x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(dx) + Math.abs(dy) };
    if (drag.pans) page.camera.pan(dx, dy, canvas.clientHeight);
    else page.camera.orbit(dx, dy);
    page.isPlaced = true;
    page.refresh();
  });
  canvas.addEventListener("pointerup", (event) => {
    const clicked = drag && drag.moved < 4;
    drag = null;
    if (!clicked || !page.frame) return;
    const found = page.pick(event.offsetX, event.offsetY);
    if (event.ctrlKey || event.metaKey) {
      if (found?.kind === "grain") page.mark(found.row);
    } else page.choose(found?.kind === "grain" ? found.id : -1);
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    page.camera.zoom(Math.exp(event.deltaY * 0.001));
    page.isPlaced = true;
    page.refresh();
  }, { passive: false });
  const state = page.state;
  const keys = {
    " ": () => page.play(), ArrowLeft: () => page.seek(state.frame - 1), ArrowRight: () => page.seek(state.frame + 1), Home: () => page.seek(0),
    End: () => page.seek(page.overview.frames.length - 1), 1: () => page.along(0), 2: () => page.along(1), 3: () => page.along(2),
    0: () => { page.isPlaced = false; page.fit(); page.refresh(); }, p: () => page.flip(), "+": () => { page.camera.zoom(0.9); page.isPlaced = true; page.refresh(); },
    "-": () => { page.camera.zoom(1.1); page.isPlaced = true; page.refresh(); },
    c: () => { page.controls.set("contacts", state.contacts === "none" ? "all" : "none"); }, w: () => { page.controls.set("walls", state.walls ? 0 : 0.18); page.panel(); },
    k: () => { page.controls.set("curves", !state.curves); page.panel(); }, f: () => page.controls.set("follow", !state.follow), s: () => page.ask(),
    h: () => at("help").showModal(), "?": () => at("help").showModal(), Escape: () => page.choose(-1),
  };
  document.addEventListener("keydown", (event) => {
    // The help sheet has its own keys: Escape closes it.
    if (at("help").open || takes(event.target, event.key) || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  window.addEventListener("resize", () => page.refresh());
}

/** Whether the control that has the focus uses this key itself: the space bar presses buttons and ticks boxes, arrows move sliders, fields and lists take all. */
function takes(target, key) {
  if (target.tagName === "BUTTON" || target.type === "checkbox") return key === " ";
  if (target.type === "range") return key.startsWith("Arrow") || key === "Home" || key === "End";
  return ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
}

try {
  at("help").append(helpSheet());
  const page = new Page(await getJson("site"));
  listen(page);
  await page.begin();
  // For whoever wants to steer the page from a console, and for its tests.
  window.riprap = page;
} catch (error) {
  notice(error.message);
  throw error;
}

