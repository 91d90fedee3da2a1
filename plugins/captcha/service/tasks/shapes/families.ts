import type { Random } from "../random.js";
import { arc, circle, curve, hole, type Line, moved, placed, solid, stroked } from "../raster/geometry.js";

/**
 * Forms within a circle of radius 1 around 0, 0, as faces. `count` is what tells near twins apart (corners, spokes, holes …): small
 * numbers, so that people see it at a glance. The same random sequence gives the same form with another count.
 */
export interface Family {
  name: string;
  counts: readonly [number, number];
  /** Has round holes that dots within it could be taken for. */
  holed?: true;
  faces(count: number, random: Random): Line[];
}

const around = (count: number, at: (degrees: number, i: number) => number[][]): number[][] =>
  Array.from({ length: count }, (_, i) => at((360 / count) * i - 90, i)).flat();

const polar = (degrees: number, radius: number): [number, number] => [
  radius * Math.cos((degrees * Math.PI) / 180),
  radius * Math.sin((degrees * Math.PI) / 180),
];

const regular = (corners: number, radius: number, turned = -90): number[] =>
  Array.from({ length: corners }, (_, i) => polar(turned + (360 / corners) * i, radius)).flat();

/** A soft outline: a circle with two waves. */
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
    name: "polygon",
    counts: [3, 6],
    faces: (n, random) => [solid(regular(n, 1)), hole(solid(circle(0, 0, random.between(0.26, 0.34))))],
  },
  {
    name: "star",
    counts: [4, 6],
    faces: (n, random) => {
      const inner = random.between(0.4, 0.48);
      return [
        solid(Array.from({ length: n * 2 }, (_, i) => polar((180 / n) * i - 90, i % 2 ? inner : 1)).flat()),
      ];
    },
  },
  {
    name: "flower",
    counts: [3, 6],
    faces: (n, random) => {
      const petal = random.between(0.9, 1.05) * Math.min(0.42, 1.25 / n);
      return [
        ...around(n, (degrees) => [
          moved(solid(arc(0.56, 0, 0.44, petal, 0, 360)), placed(degrees, 1, 0, 0)),
        ]),
        solid(circle(0, 0, 0.28)),
      ];
    },
  },
  {
    name: "wheel",
    counts: [3, 6],
    faces: (n, random) => {
      const rim = random.between(0.7, 0.76);
      return [
        solid(circle(0, 0, 1)),
        hole(solid(circle(0, 0, rim))),
        ...around(n, (degrees) => bar(0, 0, ...polar(degrees, 0.85), 0.2)),
      ];
    },
  },
  {
    name: "holes",
    holed: true,
    counts: [1, 4],
    faces: (n, random) => [
      solid(blob(random, 0.84)),
      ...around(n, (degrees) => {
        const [x, y] = n === 1 ? [0, 0] : polar(degrees, 0.42);
        return [hole(solid(circle(x, y, 0.2)))];
      }),
    ],
  },
  {
    name: "chevrons",
    counts: [1, 3],
    faces: (n, random) => {
      const [open, step] = [random.between(0.34, 0.46), 0.58];
      return Array.from({ length: n }, (_, i) => {
        const y = (i - (n - 1) / 2) * step + open / 2;
        return stroked([-0.7, y, 0, y - open, 0.7, y], 0.26);
      }).flat();
    },
  },
  {
    name: "ladder",
    counts: [1, 3],
    faces: (n, random) => {
      const half = random.between(0.42, 0.5);
      const rungs = Array.from({ length: n }, (_, i) => (i - (n - 1) / 2) * 0.5);
      return [
        ...bar(-half, -0.8, -half, 0.8, 0.24),
        ...bar(half, -0.8, half, 0.8, 0.24),
        ...rungs.flatMap((y) => bar(-half, y, half, y, 0.2)),
      ];
    },
  },
  {
    name: "arcs",
    counts: [1, 3],
    faces: (n, random) => {
      const gap = random.between(60, 80);
      return Array.from({ length: n }, (_, i) => {
        const r = 0.88 - i * 0.34;
        return stroked(arc(0, 0, r, r, gap / 2, 360 - gap / 2), 0.19);
      }).flat();
    },
  },
  {
    name: "comb",
    counts: [2, 5],
    faces: (n, random) => {
      const length = random.between(0.95, 1.2);
      return [
        ...bar(-0.75, -0.55, 0.75, -0.55, 0.28),
        ...Array.from({ length: n }, (_, i) => (i / (n - 1)) * 1.5 - 0.75).flatMap((x) =>
          bar(x, -0.55, x, length - 0.55, 0.18),
        ),
      ];
    },
  },
  {
    name: "pie",
    counts: [1, 3],
    faces: (n, random) => {
      const cut = random.between(44, 54);
      return Array.from({ length: n }, (_, i) => {
        const from = (360 / n) * i + cut / 2 - 90;
        return solid([
          ...polar(from + 180 / n - cut / 2, 0.06),
          ...arc(0, 0, 1, 1, from, from + 360 / n - cut),
        ]);
      });
    },
  },
  {
    name: "spiral",
    counts: [1, 3],
    faces: (n, random) => {
      const [turns, direction] = [n * 0.75 + 0.25, random.sign()];
      return stroked(
        curve(24 * n + 12, (t) => polar(direction * t * turns * 360, 0.06 + 0.84 * t)),
        n > 2 ? 0.17 : 0.2,
      );
    },
  },
  {
    name: "key",
    counts: [1, 3],
    faces: (n) => [
      solid(circle(-0.58, 0, 0.42)),
      hole(solid(circle(-0.58, 0, 0.18))),
      ...bar(-0.2, 0, 0.88, 0, 0.22),
      ...Array.from({ length: n }, (_, i) => 0.86 - i * 0.33).flatMap((x) => bar(x, 0, x, 0.42, 0.18)),
    ],
  },
  {
    name: "moon",
    counts: [1, 3],
    faces: (n, random) => {
      const inner = random.between(0.78, 0.84);
      const outer = arc(0, 0, 1, 1, 50, 310);
      const back = arc(0.36, 0, inner, inner, 288, 72);
      return [
        solid([...outer, ...back]),
        ...Array.from({ length: n }, (_, i) => (i - (n - 1) / 2) * 0.5).map((y) =>
          solid(circle(0.52, y, 0.19)),
        ),
      ];
    },
  },
  {
    name: "molecule",
    counts: [2, 5],
    faces: (n, random) => {
      const ball = random.between(0.22, 0.26);
      return [
        solid(circle(0, 0, 0.24)),
        ...around(n, (degrees) => [
          ...bar(0, 0, ...polar(degrees, 0.7), 0.15),
          solid(circle(...polar(degrees, 0.74), ball)),
        ]),
      ];
    },
  },
  {
    name: "signpost",
    counts: [1, 3],
    faces: (n, random) => {
      const reach = random.between(0.6, 0.72);
      const arms = Array.from({ length: n }, (_, i) => i * 0.48 - 0.62);
      return [
        ...bar(0, -0.85, 0, 0.85, 0.24),
        ...arms.flatMap((y, i) => bar(-reach + i * 0.12, y, reach - i * 0.12, y, 0.2)),
      ];
    },
  },
  {
    name: "zigzag",
    counts: [1, 3],
    faces: (n, random) => {
      const height = random.between(0.5, 0.6);
      const points = Array.from({ length: n + 2 }, (_, i) => [
        (i / (n + 1)) * 1.6 - 0.8,
        i % 2 ? height : -height,
      ]);
      return stroked(points.flat(), 0.28);
    },
  },
  {
    name: "lens",
    holed: true,
    counts: [1, 3],
    faces: (n, random) => {
      const bulge = random.between(0.5, 0.58);
      const outline = curve(40, (t) => [
        t < 0.5 ? t * 4 - 1 : 3 - t * 4,
        bulge * Math.sin(t * Math.PI * 2) * (t < 0.5 ? 1 : 1),
      ]);
      return [
        solid(outline),
        ...Array.from({ length: n }, (_, i) => (i - (n - 1) / 2) * 0.46).map((x) =>
          hole(solid(circle(x, 0, 0.16))),
        ),
      ];
    },
  },
  {
    name: "flag",
    counts: [1, 3],
    faces: (n, random) => {
      const tip = random.between(0.7, 0.85);
      const height = 1.3 / n;
      return [
        ...bar(-0.55, -0.85, -0.55, 0.85, 0.22),
        ...Array.from({ length: n }, (_, i) => {
          const y = -0.85 + i * height;
          return solid([-0.55, y, tip, y + height * 0.45, -0.55, y + height * 0.9]);
        }),
      ];
    },
  },
];

export const families = (): readonly Family[] => FAMILIES;
