import { crc32, deflateSync } from "node:zlib";
import { LEVELS, type Palette } from "./palette.js";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** IHDR: 8 bits, indexed, no interlacing. */
const FORMAT = [8, 3, 0, 0, 0];
/**
 * Difference to the left, and to above in every other row: grain is two rows high, so most of such a row is 0. The pattern is the
 * same in all pictures and tells nothing. Measured on 720x480 pixels with twelve figures: 47 kB instead of 55 kB with the first alone.
 */
const FILTER_SUB = 1;
const FILTER_UP = 2;
/** Level 6 takes more than twice as long for 8 % fewer bytes. */
const COMPRESSION = 4;

/** Opacities of the soft rim, beside the opaque levels: the first is outside. */
const RIM = [0, 64, 128, 192] as const;

export interface Indexed {
  width: number;
  height: number;
  /** Levels 0..31, row by row. */
  levels: Uint8Array;
  palette: Palette;
  /** How much of each pixel is part of the picture, 0..1, where it is not a rectangle. */
  cover?: Float32Array;
}

/** A PNG (RFC 2083) of IHDR, PLTE, tRNS where parts are transparent, one IDAT and IEND: no other chunk, so nothing to read. */
export function png({ width, height, levels, palette, cover }: Indexed): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set(FORMAT, 8);
  const chunks: [string, Uint8Array][] = [["IHDR", header]];
  if (cover === undefined) chunks.push(["PLTE", palette]);
  else {
    const rim = palette.subarray(0, 3);
    chunks.push(["PLTE", Uint8Array.from([...palette, ...RIM.flatMap(() => [...rim])])]);
    chunks.push(["tRNS", Uint8Array.from([...new Array<number>(LEVELS).fill(255), ...RIM])]);
  }
  const indexes = cover === undefined ? levels : levels.map((level, i) => covered(level, cover[i] as number));
  const pixels = deflateSync(filtered(width, height, indexes), { level: COMPRESSION });
  chunks.push(["IDAT", pixels], ["IEND", new Uint8Array(0)]);
  return joined(chunks);
}

function filtered(width: number, height: number, indexes: Uint8Array): Uint8Array {
  const out = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y++) {
    const up = y % 2 === 1;
    const from = y * width;
    const to = y * (width + 1);
    out[to] = up ? FILTER_UP : FILTER_SUB;
    for (let x = 0; x < width; x++) {
      const at = from + x;
      const before = up ? (indexes[at - width] as number) : x > 0 ? (indexes[at - 1] as number) : 0;
      out[to + x + 1] = (indexes[at] as number) - before;
    }
  }
  return out;
}

function covered(level: number, cover: number): number {
  return cover > 0.875 ? level : LEVELS + Math.floor(cover * RIM.length + 0.5);
}

function joined(chunks: readonly (readonly [string, Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const bytes = chunks.reduce((sum, [, data]) => sum + data.length + 12, SIGNATURE.length);
  const out = new Uint8Array(bytes);
  const view = new DataView(out.buffer);
  out.set(SIGNATURE);
  let at = SIGNATURE.length;
  for (const [name, data] of chunks) {
    view.setUint32(at, data.length);
    for (let i = 0; i < 4; i++) out[at + 4 + i] = name.charCodeAt(i);
    out.set(data, at + 8);
    view.setUint32(at + 8 + data.length, crc32(out.subarray(at + 4, at + 8 + data.length)));
    at += data.length + 12;
  }
  return out;
}
