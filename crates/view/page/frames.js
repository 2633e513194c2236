// Frames from the server, or from this file itself where the page stands alone.

const KINDS = { f32: Float32Array, u32: Uint32Array, i32: Int32Array, i16: Int16Array, u16: Uint16Array, u8: Uint8Array };
/** What frames may take up in memory, and how many are kept at most. */
const ROOM = 3e8;
const KEPT = 24;

const embedded = (() => {
  const holder = document.getElementById("files");
  return holder ? JSON.parse(holder.textContent || "{}") : null;
})();

/** True if there is no server. */
export const standsAlone = embedded !== null;

/** The body of an address. @returns {Promise<ArrayBuffer>} */
export async function get(address) {
  if (embedded) {
    const text = embedded[address.split("?")[0]];
    if (text === undefined) throw new Error("not included in this exported page");
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  }
  const response = await fetch("./" + address, { cache: "no-store" });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return response.arrayBuffer();
}

export const getText = async (address) => new TextDecoder().decode(await get(address));
export const getJson = async (address) => JSON.parse(await getText(address));
export const press = (run, button) => fetch(`./run/${run}/live/${button}`, { method: "POST" });

/** The head of a blob and its columns by name. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const columns = {};
  for (const { name, kind, per_row, rows, from } of head.columns) columns[name] = new KINDS[kind](buffer, 4 + length + from, per_row * rows);
  return { head, columns };
}

/** The frames of one run, with what they share. */
export class Frames {
  constructor(run) {
    this.run = run;
    /** @type {Map<string, Promise<any>>} */
    this.kept = new Map();
    this.shared = new Map();
    this.most = KEPT;
  }

  /** A frame with its bodies and walls. `number` is that in the list, or "now". */
  frame(number) {
    if (number === "now") return this.load(number);
    const key = `frame/${number}`;
    if (!this.kept.has(key)) {
      this.keep(key, this.load(number));
    }
    return this.kept.get(key);
  }

  async load(number) {
    const buffer = await get(`run/${this.run}/frame/${number}`);
    const { head, columns } = unpack(buffer);
    this.most = Math.max(4, Math.min(KEPT, ROOM / buffer.byteLength));
    const bodies = await this.once(`bodies ${head.bodies}`, `run/${this.run}/bodies/${number}`);
    const walls = await this.once(`walls ${head.walls}`, `run/${this.run}/wall-surfaces/${number}`);
    return { number, head, columns, bodies, walls };
  }

  /** One number for each grain. */
  array(number, name, since) {
    const key = `array/${number}/${name}/${name === "displacement" ? since : ""}`;
    const address = `run/${this.run}/array/${number}/${name}` + (name === "displacement" ? `?since=${since}` : "");
    if (number === "now") return get(address).then((buffer) => unpack(buffer).columns.value);
    if (!this.kept.has(key)) this.keep(key, get(address).then((buffer) => unpack(buffer).columns.value));
    return this.kept.get(key);
  }

  keep(key, promise) {
    promise.catch(() => this.kept.delete(key));
    this.kept.set(key, promise);
    while (this.kept.size > this.most) this.kept.delete(this.kept.keys().next().value);
  }

  /** What has this key does not change. */
  once(key, address) {
    if (!this.shared.has(key)) {
      const promise = get(address).then(unpack);
      promise.catch(() => this.shared.delete(key));
      this.shared.set(key, promise);
      while (this.shared.size > 6) this.shared.delete(this.shared.keys().next().value);
    }
    return this.shared.get(key);
  }
}
