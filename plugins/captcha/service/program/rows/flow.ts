/** Rows of blocks and lines in flow (CSS 2.2 sections 8 to 10, CSS Writing Modes 4). */
import { boxes, type MakeRow, type Part, px } from "../row.js";

/** Margins collapse to the larger, or to their sum if one is negative; through a parent without padding too. */
export const collapsedMargins: MakeRow = (random) => {
  const height = random.int(5, 20);
  const above = random.int(15, 40);
  const below = random.pick([random.int(5, 39), -random.int(3, 12)]);
  const first: Part = { css: { height: px(height), "margin-bottom": px(above) } };
  const second: Part = { css: { height: px(6), "margin-top": px(below) } };
  const held: Part = random.int(0, 1) ? { parts: [second] } : second;
  const root: Part = { css: { display: "flow-root", width: px(random.int(60, 120)) }, parts: [first, held] };
  const gap = below < 0 ? above + below : Math.max(above, below);
  return { root, reads: boxes(root, "y", second), answer: [height + gap] };
};

/** The block after a float is beside it, or below if it clears the float. */
export const clearedFloat: MakeRow = (random) => {
  const [width, height, low] = [random.int(20, 60), random.int(20, 50), random.int(4, 15)];
  const side = random.pick(["left", "right"]);
  const all = random.int(100, 160);
  const floating: Part = { css: { float: side, width: px(width), height: px(height) } };
  const beside: Part = { css: { overflow: "hidden", height: px(low) } };
  const below: Part = { css: { clear: side, height: px(3) } };
  const root: Part = {
    css: { display: "flow-root", width: px(all) },
    parts: [floating, beside, below],
  };
  return {
    root,
    reads: [...boxes(root, "xw", beside), ...boxes(root, "y", below)],
    answer: [side === "left" ? width : 0, all - width, height],
    length: { of: root, property: "width", px: all },
  };
};

interface Lines {
  root: Part;
  span: Part;
  pieces: Part[];
  perLine: number;
  height: number;
}

/** Neither fonts nor white space take any room. */
function brokenLines(random: Parameters<MakeRow>[0]): Lines {
  const [size, height, perLine] = [random.int(20, 40), random.int(6, 14), random.int(2, 3)];
  const count = random.int(perLine + 1, perLine * 2 + 1);
  const pieces = Array.from(
    { length: count },
    (): Part => ({
      css: { display: "inline-block", width: px(size), height: px(height), "vertical-align": "top" },
    }),
  );
  const span: Part = { tag: "span", parts: pieces };
  const width = px(size * perLine + random.int(3, size - 4));
  const root: Part = { css: { width, "font-size": "0px", "line-height": "0px" }, parts: [span] };
  return { root, span, pieces, perLine, height };
}

export const inlineBlocks: MakeRow = (random) => {
  const { root, pieces, perLine, height } = brokenLines(random);
  return {
    root,
    reads: boxes(root, "y", ...pieces),
    answer: pieces.map((_, i) => Math.floor(i / perLine) * height),
  };
};

/** A span has one rectangle per line. */
export const brokenSpan: MakeRow = (random) => {
  const { root, span, pieces, perLine } = brokenLines(random);
  return {
    root,
    reads: [{ op: "rectangles", of: span }],
    answer: [Math.ceil(pieces.length / perLine)],
    isExact: true,
  };
};

/** Lines of vertical writing are side by side, from the right or from the left. */
export const verticalWriting: MakeRow = (random) => {
  const [all, a, b] = [random.int(90, 140), random.int(15, 40), random.int(15, 40)];
  const mode = random.pick(["vertical-rl", "vertical-lr"]);
  const [first, second]: Part[] = [a, b].map((size): Part => ({ css: { "block-size": px(size) } }));
  if (first === undefined || second === undefined) throw new Error("two blocks were made");
  const root: Part = {
    css: { "writing-mode": mode, width: px(all), height: px(random.int(20, 40)) },
    parts: [first, second],
  };
  const answer = mode === "vertical-rl" ? [all - a, all - a - b, a] : [0, a, a];
  return {
    root,
    reads: [...boxes(root, "x", first, second), ...boxes(root, "w", first)],
    answer,
  };
};
