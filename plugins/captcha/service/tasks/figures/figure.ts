import { Random, type Seed } from "../random.js";
import type { Movement } from "../raster/edges.js";
import { type Affine, placed } from "../raster/geometry.js";
import { eroded, type Mask, maskOf } from "../raster/mask.js";
import type { Family } from "./families.js";

export interface Figure {
  family: Family;
  count: number;
}

/** People see the same form in all styles, template matching in none. */
type Style = "filled" | "outline" | "broken" | "card" | "card outline";

/** Parameters of a drawing, except position and size. */
export interface Look {
  figure: Figure;
  /** Lengths and distances of its parts. */
  parts: Seed;
  style: Style;
  /** Clockwise. */
  degrees: number;
  stretch: number;
  /** Direction of the stretch in degrees, as random as the figure's own rotation. */
  axis: number;
  warp: Warp;
}

/** Frequency, phase, and amplitude in radii. */
interface Warp {
  across: readonly [number, number, number];
  down: readonly [number, number, number];
}

const WARP = 0.075;
const STRETCH = [0.64, 1.56] as const;
/** Maximum longer axis of a stretched figure, in radii: its card is no larger. */
const LONGEST = 1.12;
const STYLES: readonly Style[] = ["filled", "filled", "outline", "broken", "card", "card outline"];

const SMALL: readonly Style[] = ["filled", "filled", "outline", "card", "card outline"];
/** Styles for forms of thin lines, whose outlines would double them. */
const SOLID: readonly Style[] = ["filled", "filled", "card"];

/** @param isSmall a broken line would fall apart */
export function newLook(figure: Figure, random: Random, isSmall = false): Look {
  const wave = () =>
    [random.between(1.4, 2.4), random.between(0, 6.28), random.between(0.5, 1) * WARP] as const;
  return {
    figure,
    parts: new Uint8Array(16).map(() => random.word()),
    style: random.pick(figure.family.thin ? SOLID : isSmall ? SMALL : STYLES),
    degrees: random.between(0, 360),
    stretch: random.between(...STRETCH),
    axis: random.between(0, 180),
    warp: { across: wave(), down: wave() },
  };
}

/** Pixels of the canvas. */
export interface Place {
  x: number;
  y: number;
  radius: number;
}

export function bodyOf(look: Look, at: Place): Mask {
  const longer = Math.sqrt(Math.max(look.stretch, 1 / look.stretch));
  const radius = at.radius * Math.min(1, LONGEST / longer);
  const transform = placed(look.degrees, radius / Math.sqrt(look.stretch), at.x, at.y, look.stretch);
  const onAxis = turnedBefore(transform, -look.axis);
  const faces = look.figure.family.faces(look.figure.count, new Random(look.parts));
  return maskOf(faces, bending(look.warp, placed(look.axis, 1, 0, 0), onAxis));
}

export function rimOf(body: Mask, pixels: number): Mask {
  const inside = eroded(body, pixels);
  const { cover } = inside;
  for (let i = 0; i < cover.length; i++) cover[i] = (body.cover[i] as number) - (cover[i] as number);
  return inside;
}

/** Transform for a drawing that was rotated before. */
function turnedBefore(transform: Affine, degrees: number): Affine {
  const { a, b, c, d } = placed(degrees, 1, 0, 0);
  return {
    ...transform,
    ...{ a: transform.a * a + transform.c * b, b: transform.b * a + transform.d * b },
    ...{ c: transform.a * c + transform.c * d, d: transform.b * c + transform.d * d },
  };
}

function bending({ across, down }: Warp, first: Affine, then: Affine): Movement {
  const a = then.a * first.a + then.c * first.b;
  const b = then.b * first.a + then.d * first.b;
  const c = then.a * first.c + then.c * first.d;
  const d = then.b * first.c + then.d * first.d;
  const [often, at, by] = across;
  const [oftenDown, atDown, byDown] = down;
  return (points, length) => {
    for (let i = 0; i < length; i += 2) {
      const x = points[i] as number;
      const y = points[i + 1] as number;
      const u = x + by * Math.sin(y * often + at);
      const v = y + byDown * Math.sin(x * oftenDown + atDown);
      points[i] = a * u + c * v + then.e;
      points[i + 1] = b * u + d * v + then.f;
    }
  };
}
