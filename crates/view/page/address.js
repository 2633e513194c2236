// The state of the view is in the address, so that a link shows the same picture.

/** How a view begins, whatever is shown. */
export const START = {
  run: 0, frame: -1, array: "speed", map: "", range: "percentile", low: 2, high: 98, contacts: "none", colour: "force", strong: 0,
  thickness: 1, walls: 0.18, cell: true, slice: "none", cut: 0.5, since: 0, above: "", below: "", region: "", grains: true,
  hidden: "", smooth: false, speed: 10, curves: false, text: "", follow: false, chosen: -1, camera: "",
};

/** @typedef {typeof START} State */

/** The state that an address holds. */
export function read(hash) {
  const state = { ...START };
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const start = state[key];
    if (typeof start === "number" && Number.isFinite(Number(text))) state[key] = Number(text);
    else if (typeof start === "boolean") state[key] = text === "1";
    else if (typeof start === "string") state[key] = text;
  }
  return state;
}

/** The address of a state: what differs from the start. */
export function write(state) {
  const out = new URLSearchParams();
  for (const key of Object.keys(START)) {
    if (state[key] !== START[key]) out.set(key, typeof state[key] === "boolean" ? (state[key] ? "1" : "0") : String(state[key]));
  }
  return "#" + out.toString();
}

/** The camera in few numbers. */
export const cameraText = (camera) =>
  [...camera.target, camera.distance, camera.azimuth, camera.elevation, camera.perspective ? 1 : 0].map((x) => Number(x.toPrecision(5))).join(" ");

/** Places the camera as a text says; false if it says nothing. */
export function placeCamera(camera, text) {
  const n = text.split(" ").map(Number);
  if (n.length !== 7 || !n.every(Number.isFinite)) return false;
  camera.target = [n[0], n[1], n[2]];
  [camera.distance, camera.azimuth, camera.elevation] = n.slice(3, 6);
  camera.perspective = n[6] === 1;
  return true;
}
