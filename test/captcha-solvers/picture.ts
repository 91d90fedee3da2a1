import type { RenderedTask } from "../../plugins/captcha/service/tasks/media.js";
import { indexesOf } from "../support/png.js";

/** A picture as tones 0 (dark) … 31 (light); 32 where it is transparent. */
export interface Tones {
  width: number;
  height: number;
  tones: Uint8Array;
}

/** A part of a task as a program receives it. */
export function tonesOf(task: RenderedTask, name: string): Tones {
  const bytes = task.media.find((medium) => medium.name === name)?.bytes ?? new Uint8Array();
  const { width, height, indexes } = indexesOf(Buffer.from(bytes));
  return { width, height, tones: indexes.map((index) => Math.min(index, 32)) };
}

/** A square around a point; light beyond the picture's edge. */
export function squareAt({ width, height, tones }: Tones, x: number, y: number, half: number): Tones {
  const side = half * 2;
  const out = new Uint8Array(side * side).fill(31);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const [u, v] = [Math.round(x) - half + column, Math.round(y) - half + row];
      const tone = u >= 0 && v >= 0 && u < width && v < height ? (tones[v * width + u] as number) : 32;
      out[row * side + column] = tone > 31 ? 31 : tone;
    }
  return { width: side, height: side, tones: out };
}
