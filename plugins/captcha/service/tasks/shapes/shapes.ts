import { type Drawn, drawn, drawnAmong } from "../figures/choice.js";
import { drawLook } from "../figures/drawing.js";
import { families } from "../figures/families.js";
import type { Figure } from "../figures/figure.js";
import { cut, drawStrip, ground, scratch } from "../figures/ground.js";
import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { pictureOf, SCALE } from "../raster/png.js";

/** Pixels of the layout. */
const GRID = { width: 360, height: 240, columns: 4, rows: 3 } as const;
/** Radius at scale 1. */
export const RADIUS = 30;
const SCALES = [0.8, 1.1] as const;
/** Maximum deviation from the middle of a cell; with the largest scale at most 3 pixels are in the next cell. */
const OFF = 5;
/** Families of a grid, each with all four of its counts. */
const FAMILIES = 3;
/** Thin dark curves across the grid, and light ones through the figures, by level. */
const SCRATCHES = [4, 5, 7] as const;
const CUTS = [3, 4, 5] as const;

/** V1 (reference 4.3). */
export function renderShapes({ cells }: AnswerOf<"shapes">, level: Level, random: Random): Medium[] {
  const figures = random.shuffled(
    random
      .shuffled(families())
      .slice(0, FAMILIES)
      .flatMap((family) => family.counts.map((count): Figure => ({ family, count }))),
  );
  const looks = figures.map((figure) => drawn(figure, random));
  const samples = cells.map((cell) => drawn(figures[cell] as Figure, random));
  cells.forEach((cell, i) => {
    const rivals = looks.filter((_, other) => other !== cell);
    looks[cell] = drawnAmong(figures[cell] as Figure, samples[i] as Drawn, rivals, random);
  });
  return [drawGrid(looks, level, random), drawStrip(samples, random)];
}

function drawGrid(looks: readonly Drawn[], level: Level, random: Random): Medium {
  const canvas = ground(GRID.width * SCALE, GRID.height * SCALE, random);
  for (const cell of random.shuffled(looks.map((_, i) => i))) {
    const [column, row] = [cell % GRID.columns, Math.floor(cell / GRID.columns)];
    const at = {
      x: ((column + 0.5) * (GRID.width / GRID.columns) + random.between(-OFF, OFF)) * SCALE,
      y: ((row + 0.5) * (GRID.height / GRID.rows) + random.between(-OFF, OFF)) * SCALE,
      radius: RADIUS * random.between(...SCALES) * SCALE,
    };
    drawLook(canvas, (looks[cell] as Drawn).look, at, random, SCALE);
  }
  for (let i = 0; i < CUTS[level]; i++) cut(canvas, random);
  for (let i = 0; i < SCRATCHES[level]; i++) scratch(canvas, random);
  return {
    name: "grid",
    kind: "png",
    width: GRID.width,
    height: GRID.height,
    bytes: pictureOf(canvas, random),
  };
}
