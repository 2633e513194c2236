// Numbers to colours: ranges, maps, and how numbers are written.

/** Distinct colours for things that have names: those of Okabe and Ito. */
const NAMED = [[0, 94, 162], [213, 74, 0], [0, 138, 100], [177, 87, 145], [200, 140, 0], [60, 160, 215], [120, 120, 120], [230, 190, 60]];

/** 256 colours of a map, as a texture holds them. */
export function texels(map) {
  const out = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) {
    const along = (i / 255) * (map.length - 1);
    const below = Math.min(Math.floor(along), map.length - 2);
    for (let k = 0; k < 3; k++) out[4 * i + k] = Math.round(map[below][k] + (map[below + 1][k] - map[below][k]) * (along - below));
    out[4 * i + 3] = 255;
  }
  return out;
}

/** The map for things that have names. */
export function namedTexels() {
  const out = new Uint8Array(256 * 4).fill(255);
  for (let i = 0; i < 256; i++) out.set(NAMED[i % NAMED.length], 4 * i);
  return out;
}

export const namedColour = (i) => NAMED[i % NAMED.length];

/**
 * The range of colours: by values, or by percentiles of what is shown; symmetric about zero where signs matter.
 * @param {Float32Array} values @param {{mode: string, low: number, high: number}} choice @param {string} scale
 */
export function rangeOf(values, choice, scale) {
  if (scale === "named") return [0, 256];
  if (choice.mode === "values") return [choice.low, choice.high];
  const finite = Float32Array.from(values.filter(Number.isFinite)).sort();
  if (!finite.length) return [0, 1];
  const at = (part) => finite[Math.min(finite.length - 1, Math.max(0, Math.round(part * (finite.length - 1))))];
  let [low, high] = choice.mode === "percentile" ? [at(choice.low / 100), at(choice.high / 100)] : [finite[0], finite[finite.length - 1]];
  if (scale === "signed") {
    high = Math.max(Math.abs(low), Math.abs(high));
    low = -high;
  }
  return high > low ? [low, high] : [low, low + (Math.abs(low) || 1)];
}

/** A number in at most three digits. */
export function digits(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e4 || size < 1e-2 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
}
