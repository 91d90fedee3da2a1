/**
 * Contact sheets of the captcha's pictures, for people to judge whether tasks are fair:
 * `node .build/test/tools/captcha-sheets.js [directory] [level]`, after a build. The default directory is docs/captcha/tasks.
 */

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskAnswer } from "../../plugins/captcha/service/contract.js";
import { levelOf } from "../../plugins/captcha/service/tasks/media.js";
import { Random } from "../../plugins/captcha/service/tasks/random.js";
import { LETTERS, render } from "../../plugins/captcha/service/tasks/render.js";
import { decodePng, sheet } from "../support/png.js";

const [directory = "docs/captcha/tasks", given = "0"] = process.argv.slice(2);
const level = levelOf(Number(given));
const GAP = 12;

const seedOf = (text: string) => createHash("sha256").update(text).digest().subarray(0, 16);

/** Always the same, so that a sheet changes only when the drawing does. */
function answerOf(type: "shapes" | "rings" | "text", random: Random): TaskAnswer {
  const cells = random.shuffled(Array.from({ length: 12 }, (_, cell) => cell)).slice(0, [3, 5, 5][level]);
  const turn = () => 30 + random.integer(300);
  const letters = Array.from({ length: level > 1 ? 6 : 5 }, () =>
    LETTERS.charAt(random.integer(LETTERS.length)),
  );
  if (type === "shapes") return { type, cells };
  return type === "rings"
    ? { type, angles: Array.from({ length: [4, 5, 5][level] ?? 4 }, turn) }
    : { type, text: letters.join("") };
}

/** Parts of a task as pixels, in their order. */
function pictures(type: "shapes" | "rings" | "text", number: number) {
  const seed = seedOf(`${type} ${number}`);
  const answer = answerOf(type, new Random(seed));
  const parts = render(answer, level, seed).map(({ bytes }) => decodePng(Buffer.from(bytes)));
  return { answer, parts };
}

type Placed = Parameters<typeof sheet>[2][number];

function shapes(columns: number, rows: number): Buffer {
  const [width, height] = [720 + GAP, 144 + 480 + GAP * 3];
  const all: Placed[] = [];
  for (let i = 0; i < columns * rows; i++) {
    const [x, y] = [(i % columns) * width, Math.floor(i / columns) * height];
    const [grid, strip] = pictures("shapes", i).parts;
    if (strip) all.push({ x: x + GAP / 2, y: y + GAP, pixels: strip });
    if (grid) all.push({ x: x + GAP / 2, y: y + 144 + GAP * 2, pixels: grid });
  }
  return sheet(columns * width, rows * height, all);
}

/** One task in each row: as its rings come, and beside each as it is set right. */
function rings(rows: number): Buffer {
  const side = 232 + GAP;
  const all: Placed[] = [];
  let columns = 0;
  for (let row = 0; row < rows; row++) {
    const { answer, parts } = pictures("rings", row);
    const angles = answer.type === "rings" ? answer.angles : [];
    columns = parts.length * 2;
    parts.forEach((pixels, part) => {
      const [x, y] = [part * 2 * side + GAP / 2, row * side + GAP / 2];
      all.push({ x, y, pixels }, { x: x + side - GAP / 2, y, pixels, degrees: angles[part] ?? 0 });
    });
  }
  return sheet(columns * side, rows * side, all);
}

function texts(columns: number, rows: number): Buffer {
  const [width, height] = [480 + GAP, 176 + GAP];
  const all: Placed[] = [];
  for (let i = 0; i < columns * rows; i++) {
    const [pixels] = pictures("text", i).parts;
    const [x, y] = [(i % columns) * width + GAP / 2, Math.floor(i / columns) * height + GAP / 2];
    if (pixels) all.push({ x, y, pixels });
  }
  return sheet(columns * width, rows * height, all);
}

mkdirSync(directory, { recursive: true });
writeFileSync(join(directory, "shapes.png"), shapes(2, 2));
writeFileSync(join(directory, "rings.png"), rings(4));
writeFileSync(join(directory, "text.png"), texts(3, 4));
