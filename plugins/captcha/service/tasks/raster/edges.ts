import type { Line } from "./geometry.js";

/** Bound of coordinates; values beyond are a bug of the drawing, not of input. */
const WIDEST = 4096;
/** Pixels, as a power of two. */
const BLOCK = 4;

/** Moves points in place: x0, y0, x1, y1, …, up to `length` numbers. */
export type Movement = (points: Float64Array, length: number) => void;

/**
 * Changes of cover from pixel to pixel, row by row, as in font rasterizers; a sum along a row gives the
 * cover. One object serves all drawings of a thread in turn, since its memory is the largest cost of drawing.
 */
class Edges {
  /** Bounds of the faces with a margin of one pixel. */
  x = 0;
  y = 0;
  width = 0;
  height = 0;
  stride = 0;
  /** Readers reset it to 0. */
  changes = new Float32Array(1 << 15);
  /** 1 if a block of sixteen pixels has a change; elsewhere cover is constant. Readers reset it to 0. */
  blocks = new Uint8Array(1 << 12);
  #points = new Float64Array(1 << 12);
  #ends: number[] = [];
  #length = 0;

  /** Rows outside of `top` to `bottom`, of the picture, stay empty. */
  enter(faces: readonly Line[], move?: Movement, top = -WIDEST, bottom = WIDEST): void {
    this.#gather(faces);
    move?.(this.#points, this.#length);
    this.#measure();
    const [first, last] = [Math.max(0, top - this.y), Math.min(this.height, bottom - this.y)];
    let from = 0;
    for (const end of this.#ends) {
      this.#addFace(from, end, first, last);
      from = end;
    }
  }

  #gather(faces: readonly Line[]): void {
    this.#length = 0;
    this.#ends.length = 0;
    for (const face of faces) {
      const end = this.#length + face.length;
      if (end > this.#points.length) {
        const more = new Float64Array(end * 2);
        more.set(this.#points);
        this.#points = more;
      }
      const points = this.#points;
      for (let i = 0, to = this.#length; i < face.length; i++, to++) points[to] = face[i] as number;
      this.#length = end;
      this.#ends.push(end);
    }
  }

  #measure(): void {
    let [left, top, right, bottom] = [WIDEST, WIDEST, -WIDEST, -WIDEST];
    for (let i = 0; i < this.#length; i += 2) {
      const x = this.#points[i] as number;
      const y = this.#points[i + 1] as number;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
    this.x = Math.floor(left) - 1;
    this.y = Math.floor(top) - 1;
    this.width = Math.max(0, Math.min(WIDEST, Math.ceil(right) + 2 - this.x));
    this.height = Math.max(0, Math.min(WIDEST, Math.ceil(bottom) + 2 - this.y));
    this.stride = (this.width >> BLOCK) + 1;
    const [pixels, blocks] = [this.width * this.height, this.stride * this.height];
    if (this.changes.length < pixels) this.changes = new Float32Array(pixels * 1.5);
    if (this.blocks.length < blocks) this.blocks = new Uint8Array(blocks * 1.5);
  }

  #addFace(from: number, end: number, first: number, last: number): void {
    const points = this.#points;
    let x0 = (points[from] as number) - this.x;
    let y0 = (points[from + 1] as number) - this.y;
    for (let i = from; i < end; i += 2) {
      const next = i + 2 === end ? from : i + 2;
      const x1 = (points[next] as number) - this.x;
      const y1 = (points[next + 1] as number) - this.y;
      if (y0 < y1) this.#addEdge(x0, y0, x1, y1, 1, first, last);
      else if (y1 < y0) this.#addEdge(x1, y1, x0, y0, -1, first, last);
      x0 = x1;
      y0 = y1;
    }
  }

  #addEdge(
    x0: number,
    y0: number,
    x1: number,
    y1: number,
    winding: number,
    first: number,
    last: number,
  ): void {
    const slope = (x1 - x0) / (y1 - y0);
    let x = x0;
    const end = Math.min(last, Math.ceil(y1));
    for (let row = Math.floor(y0); row < end; row++) {
      const part = Math.min(row + 1, y1) - Math.max(row, y0);
      const next = x + slope * part;
      if (row >= first) this.#addSpan(row, Math.min(x, next), Math.max(x, next), part * winding);
      x = next;
    }
  }

  /** Enters one row's piece of an edge; `weight`: its height, signed by its direction. */
  #addSpan(row: number, from: number, to: number, weight: number): void {
    const { changes } = this;
    const first = Math.floor(from);
    const end = Math.ceil(to);
    const start = row * this.width;
    if (end <= first + 1) {
      this.#mark(row, first, first + 1);
      const middle = (from + to) / 2 - first;
      add(changes, start + first, weight * (1 - middle));
      add(changes, start + first + 1, weight * middle);
      return;
    }
    this.#mark(row, first, end);
    // Cover grows along the edge: as a triangle in its first and last pixel, evenly between.
    const perPixel = 1 / (to - from);
    const [into, outOf] = [first + 1 - from, to - (end - 1)];
    let before = 0.5 * perPixel * into * into;
    const stop = 0.5 * perPixel * outOf * outOf;
    add(changes, start + first, weight * before);
    for (let i = first + 1; i < end - 1; i++) {
      const upTo = perPixel * (into + (i - first - 1) + 0.5);
      add(changes, start + i, weight * (upTo - before));
      before = upTo;
    }
    add(changes, start + end - 1, weight * (1 - stop - before));
    add(changes, start + end, weight * stop);
  }

  #mark(row: number, first: number, last: number): void {
    const blocks = row * this.stride;
    for (let block = first >> BLOCK; block <= last >> BLOCK; block++) this.blocks[blocks + block] = 1;
  }
}

function add(changes: Float32Array, at: number, amount: number): void {
  changes[at] = (changes[at] as number) + amount;
}

export const edges = new Edges();
export const BLOCK_PIXELS = 1 << BLOCK;
