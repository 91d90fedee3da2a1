/** Rows of sizes and positions (CSS Sizing 4, CSS Values 4, CSS Positioned Layout 3, CSS Transforms 1). */
import { boxes, type MakeRow, type Part, px } from "../row.js";

export const aspectRatio: MakeRow = (random) => {
  const [a, b, unit] = [random.int(2, 5), random.int(2, 5), random.int(6, 20)];
  const of: Part = { css: { width: px(a * unit), "aspect-ratio": `${a} / ${b}` } };
  const root: Part = { css: { width: px(200) }, parts: [of] };
  return {
    root,
    reads: boxes(root, "wh", of),
    answer: [a * unit, b * unit],
    length: { of, property: "width", px: a * unit },
  };
};

/** `clamp()` limits half of the line to two bounds; `calc()` multiplies and adds. */
export const clampAndCalc: MakeRow = (random) => {
  const width = 2 * random.int(30, 90);
  const [least, most] = [random.int(35, 55), random.int(60, 85)];
  const [a, b, c] = [random.int(3, 9), random.int(2, 4), random.int(1, 7)];
  const of: Part = {
    css: { width: `clamp(${least}px, 50%, ${most}px)`, height: `calc(${a}px * ${b} + ${c}px)` },
  };
  const root: Part = { css: { width: px(width) }, parts: [of] };
  return {
    root,
    reads: boxes(root, "wh", of),
    answer: [Math.min(most, Math.max(least, width / 2)), a * b + c],
    length: { of: root, property: "width", px: width },
  };
};

/** A rotation by a quarter swaps the sides. */
export const rotatedBox: MakeRow = (random) => {
  const [width, height] = [random.int(30, 60), random.int(8, 25)];
  const of: Part = {
    css: {
      width: px(width),
      height: px(height),
      transform: `rotate(${random.pick(["90deg", "-90deg", "0.75turn"])})`,
    },
  };
  const root: Part = { css: { width: px(100), height: px(80) }, parts: [of] };
  return { root, reads: boxes(root, "wh", of), answer: [height, width] };
};

/** Computed style turns a list of transforms into one matrix. */
export const transformMatrix: MakeRow = (random) => {
  const [x, y, a, b] = [random.int(5, 40), random.int(5, 40), random.int(2, 5), random.int(2, 5)];
  const of: Part = {
    css: { width: px(10), height: px(10), transform: `translate(${x}px, ${y}px) scale(${a}, ${b})` },
  };
  return {
    root: of,
    reads: [{ op: "computed", of, property: "transform" }],
    answer: [a, 0, 0, b, x, y],
    isExact: true,
  };
};

/** A sticky box stays at its distance once its scroller has moved. */
export const stickyBox: MakeRow = (random) => {
  const [distance, before, height] = [random.int(3, 12), random.int(15, 30), random.int(50, 90)];
  const of: Part = { css: { position: "sticky", top: px(distance), height: px(6) } };
  const root: Part = {
    css: { height: px(height), width: px(80), "overflow-y": "scroll" },
    parts: [{ css: { height: px(before) } }, of, { css: { height: px(height * 3) } }],
  };
  return {
    root,
    reads: [{ op: "scroll", of: root, top: before + random.int(5, height) }, ...boxes(root, "y", of)],
    answer: [distance],
  };
};

export const insetBox: MakeRow = (random) => {
  const [wide, high] = [20 * random.int(4, 9), 20 * random.int(2, 5)];
  const [top, side] = [random.pick([5, 10, 15, 20]), random.pick([5, 10, 20, 25, 30])];
  const of: Part = { css: { position: "absolute", inset: `${top}% ${side}%` } };
  const root: Part = { css: { position: "relative", width: px(wide), height: px(high) }, parts: [of] };
  const [x, y] = [(wide * side) / 100, (high * top) / 100];
  return {
    root,
    reads: boxes(root, "xywh", of),
    answer: [x, y, wide - 2 * x, high - 2 * y],
    length: { of: root, property: "width", px: wide },
  };
};
