import type { Random } from "../random.js";
import { arc, circle, curve, hole, type Line, moved, placed, solid, stroked } from "../raster/geometry.js";

/** Counts that people tell apart at a glance: up to five are seen at once; above that, each is larger by half. */
type Counts = readonly [number, number, number, number];
const FEW: Counts = [1, 2, 3, 4];
const SOME: Counts = [2, 3, 4, 6];

/**
 * Forms within a circle of radius 1 around 0, 0, as faces. They differ in their count (arms, spokes, holes
 * …). Length, width and distance of parts are random in each drawing.
 */
export interface Family {
  name: string;
  counts: Counts;
  /** Parts are too small for rings. */
  fine?: true;
  /** Lines leave no room for an outline. */
  thin?: true;
  /** Dots could be mistaken for its round holes. */
  holed?: true;
  faces(count: number, random: Random): Line[];
}

/** Angles are uneven, so that no rotational symmetry reveals the number of parts. */
function around(count: number, random: Random, at: (degrees: number, i: number) => number[][]): number[][] {
  const most = Math.min(13, 60 / count);
  return Array.from({ length: count }, (_, i) =>
    at((360 / count) * i - 90 + random.between(-most, most), i),
  ).flat();
}

const inRow = (count: number, step: number, random: Random): number[] =>
  Array.from({ length: count }, (_, i) => (i - (count - 1) / 2 + random.between(-0.13, 0.13)) * step);

const polar = (degrees: number, radius: number): [number, number] => [
  radius * Math.cos((degrees * Math.PI) / 180),
  radius * Math.sin((degrees * Math.PI) / 180),
];

/** Circle with two waves. */
function blob(random: Random, radius: number): number[] {
  const [two, three] = [random.between(0.06, 0.14), random.between(0.05, 0.1)];
  const [p, q] = [random.between(0, 6.28), random.between(0, 6.28)];
  return curve(72, (t) => {
    const angle = t * Math.PI * 2;
    const r = radius * (1 + two * Math.cos(2 * angle + p) + three * Math.cos(3 * angle + q));
    return [r * Math.cos(angle), r * Math.sin(angle)];
  });
}

const bar = (x0: number, y0: number, x1: number, y1: number, width: number): number[][] =>
  stroked([x0, y0, x1, y1], width);

const FAMILIES: readonly Family[] = [
  {
    name: "star",
    counts: [3, 4, 5, 8],
    faces: (n, random) => {
      const inner = random.between(0.4, 0.48) + (n - 4) * 0.03;
      const most = 24 / n;
      const corner = (i: number) =>
        polar(
          (180 / n) * i - 90 + random.between(-most, most),
          (i % 2 ? inner : 1) * random.between(i % 2 ? 0.9 : 0.78, 1),
        );
      return [solid(Array.from({ length: n * 2 }, (_, i) => corner(i)).flat())];
    },
  },
  {
    name: "flower",
    counts: [3, 4, 5, 8],
    faces: (n, random) => {
      const petal = random.between(0.9, 1.05) * Math.min(0.36, 1.25 / n);
      return [
        ...around(n, random, (degrees) => [
          moved(solid(arc(0.56, 0, 0.44, petal, 0, 360)), placed(degrees, random.between(0.82, 1.05), 0, 0)),
        ]),
        solid(circle(0, 0, 0.28)),
      ];
    },
  },
  {
    name: "wheel",
    counts: SOME,
    faces: (n, random) => {
      const rim = random.between(0.7, 0.76);
      return [
        solid(circle(0, 0, 1)),
        hole(solid(circle(0, 0, rim))),
        ...around(n, random, (degrees) => bar(0, 0, ...polar(degrees, 0.85), 0.2)),
      ];
    },
  },
  {
    name: "holes",
    holed: true,
    counts: FEW,
    faces: (n, random) => [
      solid(blob(random, 0.84)),
      ...around(n, random, (degrees) => {
        const [x, y] = polar(degrees, n === 1 ? 0.15 : random.between(0.38, 0.46));
        return [hole(solid(circle(x, y, random.between(0.16, 0.2))))];
      }),
    ],
  },
  {
    name: "chevrons",
    counts: FEW,
    faces: (n, random) => {
      const [open, step] = [random.between(0.34, 0.46), n > 3 ? 0.46 : 0.56];
      return inRow(n, step, random).flatMap((at) => {
        const [y, half] = [at + open / 2, random.between(0.66, 0.8)];
        return stroked([-half, y, 0, y - open, half, y], n > 3 ? 0.2 : 0.24);
      });
    },
  },
  {
    name: "ladder",
    counts: FEW,
    faces: (n, random) => {
      const half = random.between(0.42, 0.5);
      const rungs = inRow(n, n > 3 ? 0.4 : 0.48, random);
      return [
        ...bar(-half, -0.8, -half, 0.8, 0.24),
        ...bar(half, -0.8, half, 0.8, 0.24),
        ...rungs.flatMap((y) => bar(-half, y, half, y, 0.17)),
      ];
    },
  },
  {
    name: "arcs",
    fine: true,
    thin: true,
    counts: FEW,
    faces: (n, random) => {
      const gap = random.between(60, 80);
      return Array.from({ length: n }, (_, i) => {
        const r = 0.9 - i * (n > 3 ? 0.24 : 0.3);
        const [from, to] = [random.between(gap / 2, gap), 360 - random.between(gap / 2, gap)];
        return stroked(arc(0, 0, r, r, from, to), n > 3 ? 0.12 : 0.16);
      }).flat();
    },
  },
  {
    name: "comb",
    counts: SOME,
    faces: (n, random) => {
      const length = random.between(0.95, 1.2);
      return [
        ...bar(-0.75, -0.55, 0.75, -0.55, 0.28),
        ...Array.from({ length: n }, (_, i) => (i / (n - 1)) * 1.5 - 0.75).flatMap((x) =>
          bar(x, -0.55, x, length * random.between(0.72, 1) - 0.55, 0.18),
        ),
      ];
    },
  },
  {
    name: "pie",
    counts: FEW,
    faces: (n, random) => {
      const cut = random.between(42, 52);
      return Array.from({ length: n }, (_, i) => {
        const from = (360 / n) * i + cut / 2 - 90 + random.between(-8, 8);
        const r = random.between(0.84, 1);
        return solid([
          ...polar(from + 180 / n - cut / 2, 0.06),
          ...arc(0, 0, r, r, from, from + 360 / n - cut),
        ]);
      });
    },
  },
  {
    name: "key",
    fine: true,
    counts: FEW,
    faces: (n, random) => {
      const bow = random.between(0.36, 0.44);
      return [
        solid(circle(-0.58, 0, bow)),
        hole(solid(circle(-0.58, 0, bow * 0.44))),
        ...bar(-0.2, 0, 0.88, 0, 0.22),
        ...Array.from({ length: n }, (_, i) => 0.86 - i * random.between(0.28, 0.31)).flatMap((x) =>
          bar(x, 0, x, random.between(0.36, 0.52), 0.15),
        ),
      ];
    },
  },
  {
    name: "moon",
    fine: true,
    counts: FEW,
    faces: (n, random) => {
      const inner = random.between(0.78, 0.84);
      const outer = arc(0, 0, 1, 1, 50, 310);
      const back = arc(0.36, 0, inner, inner, 288, 72);
      return [
        solid([...outer, ...back]),
        ...inRow(n, 0.42, random).map((y) =>
          solid(circle(0.62 - 0.3 * y * y + random.between(-0.06, 0.1), y, random.between(0.13, 0.16))),
        ),
      ];
    },
  },
  {
    name: "molecule",
    counts: SOME,
    faces: (n, random) => {
      const ball = random.between(0.22, 0.26);
      return [
        solid(circle(0, 0, 0.24)),
        ...around(n, random, (degrees) => {
          const far = random.between(0.62, 0.78);
          return [...bar(0, 0, ...polar(degrees, far), 0.15), solid(circle(...polar(degrees, far), ball))];
        }),
      ];
    },
  },
  {
    name: "signpost",
    counts: FEW,
    faces: (n, random) => {
      const reach = random.between(0.6, 0.72);
      const arms = inRow(n, n > 3 ? 0.4 : 0.46, random).map((y) => y + random.between(-0.03, 0.03));
      return [
        ...bar(0, -0.85, 0, 0.85, 0.24),
        ...arms.flatMap((y) =>
          bar(-reach * random.between(0.7, 1), y, reach * random.between(0.7, 1), y, 0.17),
        ),
      ];
    },
  },
  {
    name: "zigzag",
    counts: [2, 3, 4, 5],
    faces: (n, random) => {
      const height = random.between(0.5, 0.6);
      const points = Array.from({ length: n + 2 }, (_, i) => [
        ((i + random.between(-0.12, 0.12)) / (n + 1)) * 1.6 - 0.8,
        (i % 2 ? height : -height) * random.between(0.8, 1.1),
      ]);
      return stroked(points.flat(), n > 3 ? 0.2 : 0.26);
    },
  },
  {
    name: "lens",
    fine: true,
    holed: true,
    counts: FEW,
    faces: (n, random) => {
      const bulge = random.between(0.5, 0.58);
      const outline = curve(40, (t) => [t < 0.5 ? t * 4 - 1 : 3 - t * 4, bulge * Math.sin(t * Math.PI * 2)]);
      return [
        solid(outline),
        ...inRow(n, 0.36, random).map((x) =>
          hole(solid(circle(x, random.between(-0.06, 0.06), random.between(0.11, 0.13)))),
        ),
      ];
    },
  },
];

export const families = (): readonly Family[] => FAMILIES;
