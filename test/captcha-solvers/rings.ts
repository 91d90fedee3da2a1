import type { RenderedTask } from "../../plugins/captcha/service/tasks/media.js";
import { added, type Seen, STRATEGIES, type Strategy, seen, table } from "./compare.js";
import { squareAt, type Tones, tonesOf } from "./picture.js";

const NAMES = Object.keys(STRATEGIES) as Strategy[];
/** Distance from a ring's middle to those of its figures, and half the side of a figure, in pixels. */
const FAR = 83;
const HALF = 34;
const PLACES = 7;

/** Replies by each strategy, and by all together. */
export function solveRings(task: RenderedTask): Record<string, { angles: number[] }> {
  const replies: Record<string, { angles: number[] }> = {};
  for (const { name } of task.media) {
    const ring = tonesOf(task, name);
    const middle = ring.width / 2;
    const first = firstPlace(ring);
    const places = Array.from({ length: PLACES }, (_, place) => first + (place * 360) / PLACES);
    const cells = places.map((degrees): Seen => {
      const radians = (degrees * Math.PI) / 180;
      return seen(
        enlarged(squareAt(ring, middle + FAR * Math.cos(radians), middle + FAR * Math.sin(radians), HALF)),
      );
    });
    const sample = seen(enlarged(squareAt(ring, middle, middle, HALF + 2)));
    const tables = NAMES.map((strategy) => table(strategy, [sample], cells)[0] ?? []);
    const add = (strategy: string, likeness: readonly number[]): void => {
      const place = places[likeness.indexOf(Math.max(...likeness))] ?? 0;
      (replies[strategy] ??= { angles: [] }).angles.push((((-90 - place) % 360) + 360) % 360);
    };
    for (const [n, strategy] of NAMES.entries()) add(strategy, tables[n] ?? []);
    add("all", added(tables.map((one) => [one]))[0] ?? []);
  }
  return replies;
}

/** Degrees of the first place: the angle at which dark pixels around the ring repeat best. */
function firstPlace(ring: Tones): number {
  const middle = ring.width / 2;
  const darkAt = Array.from({ length: 720 }, (_, step) => {
    const radians = (step * Math.PI) / 360;
    let dark = 0;
    for (let off = -20; off <= 20; off += 2) {
      const [x, y] = [middle + (FAR + off) * Math.cos(radians), middle + (FAR + off) * Math.sin(radians)];
      if ((ring.tones[Math.round(y) * ring.width + Math.round(x)] ?? 31) < 20) dark++;
    }
    return dark;
  });
  const every = 720 / PLACES;
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let first = 0; first < every; first++) {
    const sum = darkAt.reduce(
      (all, dark, step) => all + dark * Math.cos(((step - first) / every) * Math.PI * 2),
      0,
    );
    if (sum > most) [best, most] = [first, sum];
  }
  return best / 2;
}

/** The figure at about twice its size: readings are made for figures of shapes tasks. */
function enlarged({ width, tones }: Tones): Tones {
  const side = Math.round(width * 2.4);
  const out = new Uint8Array(side * side);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      out[y * side + x] = tones[Math.floor(y / 2.4) * width + Math.floor(x / 2.4)] ?? 31;
  return { width: side, height: side, tones: out };
}
