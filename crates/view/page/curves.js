// Curves over time, drawn as SVG, with a cursor at the time that is shown.
import { digits } from "view/colour";

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [360, 150, 54, 22, 8];
const SVG = "http://www.w3.org/2000/svg";

const element = (name, attributes, ...children) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
};

/** Round places of ticks within a range. */
function ticks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || rough;
  const out = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) out.push(t);
  return out;
}

/** A curve of `values` over `times`, with the cursor at `now`; a click on it calls `seek` with a time. */
export function curve(times, values, now, seek) {
  const points = times.map((t, k) => [t, values[k]]).filter(([t, v]) => Number.isFinite(t) && Number.isFinite(v) && t !== null && v !== null);
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img" });
  if (points.length < 2) {
    svg.append(element("text", { x: 20, y: 40, fill: "currentColor" }, "no data yet"));
    return svg;
  }
  const span = (k) => {
    const all = points.map((p) => p[k]);
    const [low, high] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
    return high > low ? [low, high] : [low - 0.5 * (Math.abs(low) || 1), high + 0.5 * (Math.abs(high) || 1)];
  };
  const [[t0, t1], [v0, v1]] = [span(0), span(1)];
  const x = (t) => LEFT + ((t - t0) / (t1 - t0)) * (WIDTH - LEFT - 8);
  const y = (v) => HEIGHT - BOTTOM - ((v - v0) / (v1 - v0)) * (HEIGHT - BOTTOM - TOP);
  const pale = { stroke: "var(--pale)", "stroke-width": 1 };
  for (const t of ticks(t0, t1)) svg.append(element("line", { x1: x(t), x2: x(t), y1: TOP, y2: HEIGHT - BOTTOM, ...pale }), element("text", { x: x(t), y: HEIGHT - 6, "text-anchor": "middle", "font-size": 10, fill: "currentColor" }, digits(t)));
  for (const v of ticks(v0, v1)) svg.append(element("line", { x1: LEFT, x2: WIDTH - 8, y1: y(v), y2: y(v), ...pale }), element("text", { x: LEFT - 4, y: y(v) + 3, "text-anchor": "end", "font-size": 10, fill: "currentColor" }, digits(v)));
  const path = points.map(([t, v], k) => `${k ? "L" : "M"}${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join("");
  svg.append(element("path", { d: path, fill: "none", stroke: "var(--accent)", "stroke-width": 1.5 }));
  if (now >= t0 && now <= t1) svg.append(element("line", { x1: x(now), x2: x(now), y1: TOP, y2: HEIGHT - BOTTOM, stroke: "var(--alarm)", class: "cursor" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const along = ((event.clientX - box.left) / box.width) * WIDTH;
    seek(t0 + ((along - LEFT) / (WIDTH - LEFT - 8)) * (t1 - t0));
  });
  return svg;
}
