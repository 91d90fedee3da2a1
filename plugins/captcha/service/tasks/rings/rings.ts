import type { AnswerOf, Level, Medium } from "../media.js";
import type { Random } from "../random.js";
import { type Canvas, canvasOf, fill } from "../raster/canvas.js";
import { circle, hole, type Line, moved, placed, solid, stroked } from "../raster/geometry.js";
import { type Mask, maskOf } from "../raster/mask.js";
import { type Palette, palette } from "../raster/palette.js";
import { png } from "../raster/png.js";
import { quantised, SCALE } from "../raster/quantise.js";
import { mesh } from "../raster/texture.js";
import { newScene, type Scene } from "./scene.js";

/** Radii in pixels of the layout: 3 pixels between pieces, so that their edges cannot simply be compared. */
const PIECES = [
  { name: "outer", side: 240, from: 84, to: 119 },
  { name: "inner", side: 164, from: 47, to: 81 },
  { name: "core", side: 92, from: 0, to: 44 },
] as const;
type Piece = (typeof PIECES)[number];

/** Bands that begin at a gap and go on nowhere, for each edge of a ring. */
const FALSE_BANDS = [3, 4, 4] as const;
/** How much lighter or darker a thing is in one piece than in the next, of the whole range. */
const TONE = 0.12;
/** Share of the whole range by which a piece is lighter or darker. */
const BRIGHTNESS = 0.04;

/** "Align the rings" (V2, reference 4.3). */
export function renderRings({ angles }: AnswerOf<"rings">, level: Level, random: Random): Medium[] {
  const scene = newScene(120, random);
  const colours = palette(random);
  return PIECES.map((piece, i) => ({
    name: piece.name,
    kind: "png",
    width: piece.side,
    height: piece.side,
    bytes: drawPiece(scene, piece, angles[i] ?? 0, { falseBands: FALSE_BANDS[level], colours, random }),
  }));
}

interface Style {
  falseBands: number;
  colours: Palette;
  random: Random;
}

/** A piece turned back by its angle. Drawn anew rather than turned as pixels: no resampling tells how far it was turned. */
function drawPiece(
  scene: Scene,
  piece: Piece,
  angle: number,
  { falseBands, colours, random }: Style,
): Uint8Array<ArrayBuffer> {
  const side = piece.side * SCALE;
  const transform = placed(-angle, SCALE, side / 2, side / 2);
  // Each piece has a ground of its own: only drawn things go on from one to the next.
  const canvas = canvasOf(side, side, mesh(random, random.between(90, 130), 0.25, 0.75));
  const draw = (faces: readonly Line[], tone: number, opacity: number) =>
    fill(canvas, maskOf(faces.map((face) => moved(face, transform))), () => tone, opacity);
  for (const { faces, tone, opacity } of scene.things)
    draw(faces, tone + random.between(-TONE, TONE), opacity);
  const edges = piece.from === 0 ? [piece.to] : [piece.from, piece.to];
  for (const edge of edges.filter((radius) => radius < 100))
    for (let i = 0; i < falseBands; i++)
      draw(falseBand(edge, edge === piece.from, random), random.pick([0.1, 0.9]), 1);
  const shift = random.between(-BRIGHTNESS, BRIGHTNESS);
  for (let i = 0; i < canvas.tones.length; i++) canvas.tones[i] = (canvas.tones[i] as number) + shift;
  return encoded(canvas, shapeOf(piece), colours, random);
}

/** A short band from an edge into its piece, as wide as the true ones. */
function falseBand(radius: number, inward: boolean, random: Random): Line[] {
  const at = placed(random.between(0, 360), 1, 0, 0);
  const length = random.between(8, 15) * (inward ? 1 : -1);
  const slant = random.between(-8, 8);
  return stroked(moved([radius - length * 0.3, 0, radius + length, slant], at), random.between(6, 13));
}

function shapeOf({ side, from, to }: Piece): Mask {
  const middle = (side * SCALE) / 2;
  const outside = solid(circle(middle, middle, to * SCALE));
  return maskOf(from === 0 ? [outside] : [outside, hole(solid(circle(middle, middle, from * SCALE)))]);
}

function encoded(canvas: Canvas, shape: Mask, colours: Palette, random: Random): Uint8Array<ArrayBuffer> {
  const { width, height } = canvas;
  const cover = new Float32Array(width * height);
  // The shape lies within the picture but for the empty rim of its mask.
  for (let y = Math.max(0, -shape.y); y < Math.min(shape.height, height - shape.y); y++) {
    const from = Math.max(0, -shape.x);
    const to = Math.min(shape.width, width - shape.x);
    const row = shape.cover.subarray(y * shape.width + from, y * shape.width + to);
    cover.set(row, (y + shape.y) * width + shape.x + from);
  }
  const levels = quantised(canvas, random, 0.6);
  return png({ width, height, levels, palette: colours, cover });
}
