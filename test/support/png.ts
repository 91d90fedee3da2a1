import { crc32, deflateSync, inflateSync } from "node:zlib";

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and opacity of each pixel. */
  rgba: Uint8Array;
}

export interface Chunk {
  type: string;
  data: Buffer;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/**
 * Chunks of a PNG in order.
 * @throws Error if the signature, a length or a checksum is wrong
 */
export function chunksOf(png: Buffer): Chunk[] {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error("no PNG signature");
  const chunks: Chunk[] = [];
  let at = 8;
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const named = png.subarray(at + 4, at + 8 + length);
    if (named.length !== length + 4 || png.readUInt32BE(at + 8 + length) !== crc32(named))
      throw new Error("damaged chunk");
    chunks.push({ type: named.toString("latin1", 0, 4), data: named.subarray(4) });
    at += length + 12;
  }
  return chunks;
}

const one = (chunks: readonly Chunk[], type: string): Buffer => {
  const found = chunks.filter((chunk) => chunk.type === type);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} chunks ${type}`);
  return found[0].data;
};

/** Palette indexes of an indexed PNG of 8 bits whose rows have filter 0, 1 or 2. */
export function indexesOf(png: Buffer): { width: number; height: number; indexes: Uint8Array } {
  const chunks = chunksOf(png);
  const header = one(chunks, "IHDR");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = inflateSync(one(chunks, "IDAT"));
  if (packed.length !== (width + 1) * height) throw new Error("wrong amount of pixels");
  const indexes = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (width + 1)];
    for (let x = 0; x < width; x++) {
      const [raw = 0, at] = [packed[y * (width + 1) + 1 + x], y * width + x];
      const left = filter === 1 && x > 0 ? (indexes[at - 1] ?? 0) : 0;
      const above = filter === 2 && y > 0 ? (indexes[at - width] ?? 0) : 0;
      indexes[at] = raw + left + above;
    }
  }
  return { width, height, indexes };
}

export function decodePng(png: Buffer): Pixels {
  const chunks = chunksOf(png);
  const { width, height, indexes } = indexesOf(png);
  const palette = one(chunks, "PLTE");
  const opacities = chunks.find(({ type }) => type === "tRNS")?.data;
  const rgba = new Uint8Array(width * height * 4);
  indexes.forEach((index, i) => {
    rgba.set(palette.subarray(index * 3, index * 3 + 3), i * 4);
    rgba[i * 4 + 3] = opacities?.[index] ?? 255;
  });
  return { width, height, rgba };
}

/**
 * Draws pictures on a white background, each with its upper left corner at x, y and rotated clockwise by
 * `degrees`.
 */
export function sheet(
  width: number,
  height: number,
  pictures: readonly { x: number; y: number; pixels: Pixels; degrees?: number }[],
): Buffer {
  const out = new Uint8Array(width * height * 3).fill(255);
  for (const { x: left, y: top, pixels, degrees = 0 } of pictures) {
    const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const middle = [pixels.width / 2, pixels.height / 2] as const;
    for (let y = 0; y < pixels.height; y++)
      for (let x = 0; x < pixels.width; x++) {
        const [u, v] = [x + 0.5 - middle[0], y + 0.5 - middle[1]];
        const column = Math.floor(u * cos + v * sin + middle[0]);
        const row = Math.floor(v * cos - u * sin + middle[1]);
        if (column < 0 || row < 0 || column >= pixels.width || row >= pixels.height) continue;
        if (x + left >= width || y + top >= height) continue;
        const from = (row * pixels.width + column) * 4;
        const to = ((y + top) * width + x + left) * 3;
        const share = (pixels.rgba[from + 3] ?? 0) / 255;
        for (let i = 0; i < 3; i++)
          out[to + i] = (out[to + i] ?? 0) * (1 - share) + (pixels.rgba[from + i] ?? 0) * share;
      }
  }
  return trueColour(width, height, out);
}

function trueColour(width: number, height: number, rgb: Uint8Array): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y++)
    rows.set(rgb.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const body = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...body]);
}
