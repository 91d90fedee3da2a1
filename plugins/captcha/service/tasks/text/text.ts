import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { canvasOf, fillFaces } from "../raster/canvas.js";
import { arc, type Line, moved, placed, stroked } from "../raster/geometry.js";
import { pictureOf, SCALE } from "../raster/png.js";
import { mesh } from "../raster/texture.js";

const LEFT = [0, 0, 0, 1];

/** Lines of a pen, in a box one high and about 0.65 wide. */
const GLYPHS: Readonly<Record<string, readonly Line[]>> = {
  D: [[0, 0, ...arc(0.05, 0.5, 0.6, 0.5, -90, 90), 0, 1], LEFT],
  F: [
    [0.6, 0, 0, 0, 0, 1],
    [0, 0.47, 0.46, 0.47],
  ],
  G: [[...arc(0.36, 0.5, 0.36, 0.5, -42, -360), 0.4, 0.52]],
  J: [
    [0.52, 0, ...arc(0.26, 0.72, 0.26, 0.28, 0, 170)],
    [0.24, 0, 0.7, 0],
  ],
  L: [[0, 0, 0, 1, 0.56, 1]],
  N: [[0, 1, 0, 0, 0.62, 1, 0.62, 0]],
  Q: [arc(0.36, 0.48, 0.36, 0.48, 0, 360), [0.42, 0.68, 0.76, 1.08]],
  R: [
    [0, 1, 0, 0, ...arc(0.3, 0.26, 0.28, 0.26, -90, 90), 0, 0.52],
    [0.24, 0.52, 0.62, 1],
  ],
  S: [[...arc(0.32, 0.25, 0.28, 0.25, -30, -250), ...arc(0.32, 0.75, 0.31, 0.26, -70, 155)]],
  V: [[0, 0, 0.33, 1, 0.66, 0]],
  W: [[0, 0, 0.2, 1, 0.42, 0.22, 0.64, 1, 0.84, 0]],
  Z: [[0, 0, 0.6, 0, 0.02, 1, 0.62, 1]],
};

/** Pixels of the layout. */
const SIZE = { width: 240, height: 88 } as const;
/** Height of a letter. */
const LETTER = 46;
/** Amplitude in pixels, by level. */
const WARP = [3, 4, 4.5] as const;
const ARCS = [2, 3, 3] as const;

/** V3 (reference 4.3): our own pen strokes, each letter rotated and sheared, the whole line warped, arcs across. */
export function renderText({ text }: AnswerOf<"text">, level: Level, random: Random): Medium[] {
  const canvas = canvasOf(
    SIZE.width * SCALE,
    SIZE.height * SCALE,
    mesh(random, random.between(70, 110), 0.82, 0.99),
  );
  const warp = newWarp(WARP[level], random);
  const draw = (line: Line, width: number, tone: number) =>
    fillFaces(
      canvas,
      stroked(
        warp(finer(line)).map((at) => at * SCALE),
        width * SCALE,
      ),
      tone,
    );
  for (let i = 0; i < ARCS[level]; i++)
    draw(crossing(i, random), random.between(1.6, 2.4), random.between(0.1, 0.3));
  const slot = (SIZE.width - 20) / text.length;
  [...text].forEach((letter, i) => {
    const tone = random.between(0, 0.14);
    const width = random.between(4.6, 6.2);
    for (const line of letterAt(letter, 10 + slot * (i + 0.5), slot, random)) draw(line, width, tone);
  });
  return [{ name: "text", kind: "png", ...SIZE, bytes: pictureOf(canvas, random) }];
}

/** Wide letters are narrowed so that neighbours stay apart. */
function letterAt(letter: string, x: number, slot: number, random: Random): Line[] {
  const lines = GLYPHS[letter] ?? [];
  const xs = lines.flatMap((line) => line.filter((_, i) => i % 2 === 0));
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const height = LETTER * random.between(0.86, 1.08);
  const stretch = Math.min(1, (slot - 9) / ((right - left) * height));
  const y = SIZE.height / 2 + random.between(-7, 7);
  const turn = placed(random.between(-16, 16), height, x + random.between(-2, 2), y, stretch);
  const shear = random.between(-0.16, 0.16);
  const upright = { a: 1, b: 0, c: shear, d: 1, e: -(left + right) / 2 - shear / 2, f: -0.5 };
  return lines.map((line) => moved(moved(line, upright), turn));
}

/** Part of a large ellipse. */
function crossing(i: number, random: Random): Line {
  const [middle, flat] = [random.between(20, 220), random.between(20, 46)];
  const bowl = i % 2 === 0;
  const y = bowl ? random.between(10, 34) : random.between(54, 78);
  return arc(middle, y, random.between(110, 190), flat, bowl ? 15 : 195, bowl ? 165 : 345);
}

/** Waves through the picture, the same for all lines. */
function newWarp(most: number, random: Random): (line: Line) => number[] {
  const wave = () =>
    [random.between(0.5, 1) * most, random.between(0.035, 0.06), random.between(0, 6.28)] as const;
  const [across, down] = [wave(), wave()];
  return (line) => {
    const out: number[] = [];
    for (let i = 0; i < line.length; i += 2) {
      const [x, y] = [line[i] as number, line[i + 1] as number];
      out.push(x + across[0] * Math.sin(y * across[1] + across[2]));
      out.push(y + down[0] * Math.sin(x * down[1] + down[2]));
    }
    return out;
  };
}

/** Pieces of about two pixels, so that the line bends. */
function finer(line: Line): number[] {
  const out: number[] = [];
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x0, y0, x1, y1] = line.slice(i, i + 4) as [number, number, number, number];
    const steps = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 2));
    for (let s = 0; s < steps; s++) out.push(x0 + ((x1 - x0) * s) / steps, y0 + ((y1 - y0) * s) / steps);
  }
  out.push(...line.slice(-2));
  return out;
}
