/**
 * Simple programs against the captcha's tasks, written in an afternoon by somebody who has read how they are drawn: what they solve is
 * the honest upper bound of what docs/captcha/tasks.md may claim. `node .build/test/tools/captcha-attacks.js [tasks]`, after a build.
 */
import { checkReply } from "../../plugins/captcha/service/tasks/check-reply.js";
import type { Level, RenderedTask } from "../../plugins/captcha/service/tasks/media.js";
import { newTask } from "../../plugins/captcha/service/tasks/render.js";
import { countBeeps, decodeWav } from "../support/beeps.js";
import { indexesOf } from "../support/png.js";

/** Tones 0..31; -1 where a picture is transparent. */
interface Tones {
  width: number;
  height: number;
  at(x: number, y: number): number;
}

function tonesOf(task: RenderedTask, name: string): Tones {
  const bytes = task.media.find((medium) => medium.name === name)?.bytes ?? new Uint8Array();
  const { width, height, indexes } = indexesOf(Buffer.from(bytes));
  const at = (x: number, y: number) => {
    const [column, row] = [Math.round(x), Math.round(y)];
    if (column < 0 || row < 0 || column >= width || row >= height) return -1;
    const tone = indexes[row * width + column] ?? 32;
    return tone > 31 ? -1 : tone;
  };
  return { width, height, at };
}

const normalised = (values: readonly number[]): number[] => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0)) || 1;
  return values.map((value) => (value - mean) / spread);
};

/** Rings: how well the tones along two neighbouring edges agree, for every turn. */
const STEPS = 720;

function edge(tones: Tones, radius: number): number[] {
  const middle = tones.width / 2;
  return normalised(
    Array.from({ length: STEPS }, (_, i) => {
      const angle = (i / STEPS) * Math.PI * 2;
      // Three rows of pixels, against grain.
      const samples = [0, 1, 2].map((off) =>
        tones.at(middle + (radius + off) * Math.cos(angle), middle + (radius + off) * Math.sin(angle)),
      );
      return samples.reduce((sum, value) => sum + value, 0);
    }),
  );
}

/** Degrees clockwise to turn the first edge so that it fits the second best. */
function bestTurn(turned: readonly number[], fixed: readonly number[]): number {
  let [best, most] = [0, Number.NEGATIVE_INFINITY];
  for (let shift = 0; shift < STEPS; shift++) {
    let sum = 0;
    for (let i = 0; i < STEPS; i++) sum += (turned[i] ?? 0) * (fixed[(i + shift) % STEPS] ?? 0);
    if (sum > most) [best, most] = [shift, sum];
  }
  return (best * 360) / STEPS;
}

function attackRings(task: RenderedTask) {
  const [outer, inner, core] = ["outer", "inner", "core"].map((name) => tonesOf(task, name));
  if (!outer || !inner || !core) throw new Error("a piece is missing");
  const innerTurn = bestTurn(edge(inner, 96), edge(core, 84));
  const outerTurn = bestTurn(edge(outer, 170), edge(inner, 157)) + innerTurn;
  return { angles: [outerTurn % 360, innerTurn] as [number, number] };
}

/** Shapes: cover on rings around the middle of what is dark, as far as it reaches; a turn is a shift. */
const RADII = 20;
const ANGLES = 72;

function descriptor(tones: Tones, left: number, top: number, width: number, height: number): number[][] {
  const dark: [number, number][] = [];
  for (let y = top; y < top + height; y++)
    for (let x = left; x < left + width; x++)
      if (tones.at(x, y) >= 0 && tones.at(x, y) < 22) dark.push([x, y]);
  const count = dark.length || 1;
  const [cx, cy] = [dark.reduce((s, [x]) => s + x, 0) / count, dark.reduce((s, [, y]) => s + y, 0) / count];
  const size = Math.sqrt(dark.reduce((s, [x, y]) => s + (x - cx) ** 2 + (y - cy) ** 2, 0) / count);
  return Array.from({ length: ANGLES }, (_, a) =>
    Array.from({ length: RADII }, (_, r) => {
      const [radius, angle] = [((r + 0.5) / RADII) * 2.1 * size, (a / ANGLES) * Math.PI * 2];
      const tone = tones.at(cx + radius * Math.cos(angle), cy + radius * Math.sin(angle));
      return tone >= 0 && tone < 22 ? 1 : 0;
    }),
  );
}

/** Best agreement within 30 degrees: the strip is never turned further. */
function likeness(one: readonly number[][], other: readonly number[][]): number {
  let most = 0;
  for (let shift = -6; shift <= 6; shift++) {
    let same = 0;
    for (let a = 0; a < ANGLES; a++)
      for (let r = 0; r < RADII; r++)
        // Rings further out have more pixels.
        if (one[a]?.[r] === other[(a + shift + ANGLES) % ANGLES]?.[r]) same += r + 1;
    most = Math.max(most, same);
  }
  return most;
}

function attackShapes(task: RenderedTask) {
  const [grid, strip] = [tonesOf(task, "grid"), tonesOf(task, "strip")];
  const count = task.answer.type === "shapes" ? task.answer.cells.length : 0;
  const slot = Math.floor(strip.width / count);
  const cells = Array.from({ length: 12 }, (_, i) =>
    descriptor(grid, (i % 4) * 180, Math.floor(i / 4) * 160, 180, 160),
  );
  const picked: number[] = [];
  for (let i = 0; i < count; i++) {
    const wanted = descriptor(strip, i * slot, 0, slot, strip.height);
    const ranked = cells
      .map((cell, at) => ({ at, like: likeness(wanted, cell) }))
      .sort((a, b) => b.like - a.like);
    picked.push(ranked.find(({ at }) => !picked.includes(at))?.at ?? 0);
  }
  return { cells: picked };
}

function attackAudio(task: RenderedTask) {
  return { text: countBeeps(decodeWav(Buffer.from(task.media[0]?.bytes ?? []))).join(" ") };
}

const tries = Number(process.argv[2] ?? 200);
const attacks = { shapes: attackShapes, rings: attackRings, audio: attackAudio } as const;
for (const type of ["shapes", "rings", "audio"] as const)
  for (const level of [0, 1, 2] as Level[]) {
    let [right, ms] = [0, 0];
    for (let i = 0; i < tries; i++) {
      const task = newTask(type, level);
      const begin = performance.now();
      const reply = attacks[type](task);
      ms += performance.now() - begin;
      if (checkReply(task.answer, reply)) right++;
    }
    process.stdout.write(
      `${type} level ${level}: ${right} of ${tries} in ${(ms / tries).toFixed(0)} ms each\n`,
    );
  }
