/** Rows of hit tests and of drawn geometry (CSSOM View 1, SVG 2, HTML section 4.12.5). */
import { type MakeRow, type Part, px, type Read } from "../row.js";

/** The largest `z-index` is topmost. All are in the frame's corner: only points inside it can be hit. */
export const topmostBox: MakeRow = (random) => {
  const order = random.shuffled([0, 1, 2]);
  const [size, shift] = [random.int(14, 20), random.int(6, 9)];
  const among = order.map(
    (level, i): Part => ({
      css: {
        position: "absolute",
        left: px(i * shift),
        top: "0px",
        width: px(size),
        height: px(size),
        "z-index": String(level + 1),
      },
    }),
  );
  const root: Part = { css: { position: "relative", width: px(60), height: px(24) }, parts: among };
  const at = (x: number) => {
    const covering = order.map((level, i) => (x > i * shift && x < i * shift + size ? level : -1));
    return covering.indexOf(Math.max(...covering, 0));
  };
  const points = [2, shift + 2, 2 * shift + 2, size + shift - 2, size + 2 * shift - 2];
  const y = random.int(3, 11);
  return {
    root,
    reads: points.map((x): Read => ({ op: "hit", base: root, x, y, among })),
    answer: points.map(at),
    isExact: true,
  };
};

/** A round box is hit in its middle; outside of its corners the box below is. */
export const roundCorner: MakeRow = (random) => {
  const size = 2 * random.int(9, 12);
  const side = { position: "absolute", left: "0px", top: "0px", width: px(size), height: px(size) };
  const below: Part = { css: { ...side, "z-index": "1" } };
  const round: Part = { css: { ...side, "z-index": "2", "border-radius": px(size / 2) } };
  const root: Part = {
    css: { position: "relative", width: px(size), height: px(size) },
    parts: [below, round],
  };
  const corners: [number, number, number][] = [
    [1, 1, 0],
    [size - 1, 1, 0],
    [size / 2, 2, 1],
    [2, size / 2, 1],
    [size / 2, size / 2, 1],
    [1, size - 1, 0],
  ];
  const points = random.shuffled(corners).slice(0, 4);
  return {
    root,
    reads: points.map(([x, y]): Read => ({ op: "hit", base: root, x, y, among: [below, round] })),
    answer: points.map(([, , hit]) => hit),
    isExact: true,
  };
};

/** Two nested rectangles of opposite direction. */
export const pathHits: MakeRow = (random) => {
  const [outer, inner, width] = [random.int(40, 60), random.int(10, 14), random.int(8, 14)];
  // The inner one is reversed, so inside both the winding number is zero.
  const data = `M0 0h${outer}v${outer}h${-outer}z` + `M${inner} ${inner}v${width}h${width}v${-width}z`;
  const points: [number, number, number][] = [
    [inner - 4, inner - 4, 1],
    [inner + 3, inner + 4, 0],
    [inner + width + 5, inner + 2, 1],
    [outer + 6, inner, 0],
  ];
  const asked = random.shuffled(points);
  return {
    root: {},
    reads: asked.map(([x, y]): Read => ({ op: "path", data, x, y })),
    answer: asked.map(([, , hit]) => hit),
    isExact: true,
  };
};

/** Line with one turn. */
export const drawnLine: MakeRow = (random) => {
  const [x, y, across, down] = [random.int(2, 20), random.int(2, 20), random.int(20, 60), random.int(20, 60)];
  const of: Part = {
    tag: "path",
    svg: true,
    attributes: { d: `M${x} ${y}h${across}v${down}`, fill: "none" },
  };
  const root: Part = {
    css: { width: px(100), height: px(100) },
    parts: [{ tag: "svg", svg: true, attributes: { width: "100", height: "100" }, parts: [of] }],
  };
  const at = random.int(1, across + down - 1);
  const point = at <= across ? [x + at, y] : [x + across, y + at - across];
  return {
    root,
    reads: [
      { op: "length", of },
      { op: "point", of, at },
      { op: "shape", of },
    ],
    answer: [across + down, ...point, x, y, across, down],
  };
};
