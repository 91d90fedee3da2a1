import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { type Canvas, canvasOf, fill } from "../raster/canvas.js";
import { curve, stroked } from "../raster/geometry.js";
import { maskOf } from "../raster/mask.js";
import { palette } from "../raster/palette.js";
import { png } from "../raster/png.js";
import { quantised, SCALE } from "../raster/quantise.js";
import { mesh } from "../raster/texture.js";
import { families } from "./families.js";
import { drawFigure, type Figure, twinOf } from "./figure.js";

/** Pixels of the layout. */
const GRID = { width: 360, height: 240, columns: 4, rows: 3 } as const;
const STRIP = { width: 180, height: 56 } as const;
/** Of a figure in the grid at scale 1. */
const RADIUS = 31;
/** How far a figure is off the middle of its cell; with the largest scale it is at most 3 pixels in the next one. */
const OFF = 6;
/** Cells that hold a near twin of another one. */
const TWINS = [3, 5, 6] as const;
/** Thin dark curves across the grid. */
const SCRATCHES = [4, 5, 7] as const;
/** Between a figure and its picture in the strip, either way. */
const TURN = 25;

/** "Pick the shapes in order" (V1, reference 4.3). */
export function renderShapes({ cells }: AnswerOf<"shapes">, level: Level, random: Random): Medium[] {
  const wanted = newFigures(cells.length, random);
  const figures = placedFigures(cells, wanted, TWINS[level], random);
  const turns = figures.map(() => random.between(0, 360));
  const grid = ground(GRID.width, GRID.height, random);
  for (const cell of random.shuffled(figures.map((_, i) => i))) {
    const [column, row] = [cell % GRID.columns, Math.floor(cell / GRID.columns)];
    const at = {
      x: (column + 0.5) * (GRID.width / GRID.columns) + random.between(-OFF, OFF),
      y: (row + 0.5) * (GRID.height / GRID.rows) + random.between(-OFF, OFF),
      radius: RADIUS * random.between(0.7, 1.15),
      degrees: turns[cell] ?? 0,
    };
    drawFigure(grid, figures[cell] as Figure, at, random, SCALE);
  }
  for (let i = 0; i < SCRATCHES[level]; i++) scratch(grid, random);
  const strip = ground(STRIP.width, STRIP.height, random);
  const slot = STRIP.width / cells.length;
  cells.forEach((cell, i) => {
    const at = {
      x: slot * (i + 0.5) + random.between(-2, 2),
      y: STRIP.height / 2 + random.between(-1, 1),
      radius: Math.min(slot / 2 - 3, 25) * random.between(0.86, 0.98),
      degrees: (turns[cell] ?? 0) + random.between(-TURN, TURN),
    };
    drawFigure(strip, wanted[i] as Figure, at, random, SCALE);
  });
  scratch(strip, random);
  return [
    { name: "grid", kind: "png", ...sizeOf(GRID), bytes: encoded(grid, random) },
    { name: "strip", kind: "png", ...sizeOf(STRIP), bytes: encoded(strip, random) },
  ];
}

const sizeOf = ({ width, height }: { width: number; height: number }) => ({ width, height });

function encoded(canvas: Canvas, random: Random): Uint8Array<ArrayBuffer> {
  const { width, height } = canvas;
  return png({ width, height, levels: quantised(canvas, random, 0.5), palette: palette(random) });
}

/** Figures of different families. */
function newFigures(count: number, random: Random, not: readonly Figure[] = []): Figure[] {
  const free = families().filter((family) => !not.some((figure) => figure.family === family));
  return random
    .shuffled(free)
    .slice(0, count)
    .map((family) => {
      const [least, most] = family.counts;
      const seed = new Uint8Array(16).map(() => random.word());
      return { family, count: least + random.integer(most - least + 1), seed };
    });
}

/** The figure of each cell: what is asked for in its place, twins of it and of others, and others of further families. */
function placedFigures(
  cells: readonly number[],
  wanted: readonly Figure[],
  twins: number,
  random: Random,
): Figure[] {
  const count = GRID.columns * GRID.rows;
  const others = newFigures(count - wanted.length - twins, random, wanted);
  const known = [...wanted, ...others];
  const made: Figure[] = [];
  for (let i = 0; made.length < twins; i++) {
    const twin = twinOf(known[i % known.length] as Figure, random, [...known, ...made]);
    if (twin !== undefined) made.push(twin);
  }
  const rest = random.shuffled([...others, ...made]);
  const figures: Figure[] = [];
  for (let cell = 0; cell < count; cell++) {
    const place = cells.indexOf(cell);
    figures.push((place < 0 ? rest.pop() : wanted[place]) as Figure);
  }
  return figures;
}

/** Light, uneven ground with soft curves that no cell begins or ends at. */
function ground(width: number, height: number, random: Random): Canvas {
  const [w, h] = [width * SCALE, height * SCALE];
  const canvas = canvasOf(w, h, mesh(random, random.between(110, 150), 0.84, 0.99));
  const curves = Math.round(w / 120);
  for (let i = 0; i < curves; i++) {
    const tone = random.between(0.8, 0.9);
    fill(canvas, maskOf(stroked(longCurve(canvas, random), random.between(3, 9))), () => tone);
  }
  return canvas;
}

/** A curve from side to side. */
function longCurve({ width, height }: Canvas, random: Random): number[] {
  const [from, to] = [random.between(0, height), random.between(0, height)];
  const [bend, phase] = [random.between(0.1, 0.4) * height, random.between(0, 6.28)];
  return curve(28, (t) => [t * width, from + (to - from) * t + bend * Math.sin(t * 5 + phase)]);
}

/** A thin line as dark as the figures, over all of them: people look past it, programs must take it away first. */
function scratch(canvas: Canvas, random: Random): void {
  const tone = random.between(0.1, 0.3);
  fill(canvas, maskOf(stroked(longCurve(canvas, random), random.between(2, 2.8))), () => tone);
}
