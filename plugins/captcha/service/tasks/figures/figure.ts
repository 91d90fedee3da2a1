import { Random, type Seed } from "../random.js";
import type { Movement } from "../raster/edges.js";
import { type Affine, placed } from "../raster/geometry.js";
import { eroded, type Mask, maskOf } from "../raster/mask.js";
import type { Family } from "./families.js";

/** One form: the same however it is drawn. */
export interface Figure {
  family: Family;
  count: number;
}

/** How a figure is drawn: to people all of them show the same form, to a template none. */
export type Style = "filled" | "outline" | "broken" | "card" | "card outline";

/** All that makes one drawing of a figure differ from another one but for its place and size. */
export interface Look {
  figure: Figure;
  /** Of the lengths and distances of its parts. */
  parts: Seed;
  style: Style;
  /** Degrees clockwise. */
  degrees: number;
  stretch: number;
  /** Degrees: direction of the stretch, as random as the figure's own place on it. */
  axis: number;
  warp: Warp;
}

/** Waves across and down: how often, where, and how far a point is moved, in radii. */
interface Warp {
  across: readonly [number, number, number];
  down: readonly [number, number, number];
}

const WARP = 0.075;
const STRETCH = [0.64, 1.56] as const;
/** Radii that the longer axis of a stretched figure may have: its card is no larger. */
const LONGEST = 1.12;
const STYLES: readonly Style[] = ["filled", "filled", "outline", "broken", "card", "card outline"];

const SMALL: readonly Style[] = ["filled", "filled", "outline", "card", "card outline"];
/** For forms of thin lines: outlined they would be twice as many. */
const SOLID: readonly Style[] = ["filled", "filled", "card"];

/** @param isSmall drawn so small that a broken line would fall apart */
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

/** Middle and size, in pixels of what is drawn on. */
export interface Place {
  x: number;
  y: number;
  radius: number;
}

/** What a figure covers. */
export function bodyOf(look: Look, at: Place): Mask {
  const longer = Math.sqrt(Math.max(look.stretch, 1 / look.stretch));
  const radius = at.radius * Math.min(1, LONGEST / longer);
  const transform = placed(look.degrees, radius / Math.sqrt(look.stretch), at.x, at.y, look.stretch);
  const onAxis = turnedBefore(transform, -look.axis);
  const faces = look.figure.family.faces(look.figure.count, new Random(look.parts));
  return maskOf(faces, bending(look.warp, placed(look.axis, 1, 0, 0), onAxis));
}

/** The rim of a body. @param pixels how thick */
export function rimOf(body: Mask, pixels: number): Mask {
  const inside = eroded(body, pixels);
  const { cover } = inside;
  for (let i = 0; i < cover.length; i++) cover[i] = (body.cover[i] as number) - (cover[i] as number);
  return inside;
}

/** The same movement for a drawing that was turned before. */
function turnedBefore(transform: Affine, degrees: number): Affine {
  const { a, b, c, d } = placed(degrees, 1, 0, 0);
  return {
    ...transform,
    ...{ a: transform.a * a + transform.c * b, b: transform.b * a + transform.d * b },
    ...{ c: transform.a * c + transform.c * d, d: transform.b * c + transform.d * d },
  };
}

/** The waves, then one movement after the other. */
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
