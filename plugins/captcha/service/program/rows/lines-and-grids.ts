/** Rows of flexible lines, grids and tables (CSS Flexbox 1, CSS Grid 2, CSS 2.2 section 17). */
import { boxes, type MakeRow, type Part, px } from "../row.js";

export const growingItems: MakeRow = (random) => {
  const shares = [random.int(1, 4), random.int(1, 4), random.int(1, 4)];
  const unit = random.int(6, 20);
  const width = unit * shares.reduce((sum, share) => sum + share, 0);
  const items = shares.map(
    (share): Part => ({ css: { flex: `${share} 1 0px`, height: px(random.int(3, 9)) } }),
  );
  const root: Part = { css: { display: "flex", width: px(width) }, parts: items };
  return {
    root,
    reads: boxes(root, "w", ...items),
    answer: shares.map((share) => share * unit),
    length: { of: root, property: "width", px: width },
  };
};

/** `order` and the direction decide which item is on the left. */
export const shrinkingItems: MakeRow = (random) => {
  const [first, second] = [random.int(1, 4), random.int(1, 4)];
  const unit = random.int(8, 22);
  const width = unit * (first + second);
  const item = (shrink: number, order: number): Part => ({
    css: { flex: `0 ${shrink} ${width}px`, order: String(order), height: px(4) },
  });
  const swapped = random.int(0, 1);
  const [one, two] = [item(first, swapped ? 5 : 1), item(second, swapped ? 2 : 3)];
  const root: Part = { css: { display: "flex", direction: "rtl", width: px(width) }, parts: [one, two] };
  // Each gives its factor's share of a whole line, so it keeps the other's share.
  const [wide, rest] = [unit * second, unit * first];
  return {
    root,
    reads: [...boxes(root, "xw", one), ...boxes(root, "x", two)],
    answer: swapped ? [0, wide, wide] : [rest, wide, 0],
    length: { of: root, property: "width", px: width },
  };
};

/** A fixed column next to two that share the rest. */
export const gridTracks: MakeRow = (random) => {
  const [fixed, a, b] = [random.int(20, 60), random.int(1, 3), random.int(1, 4)];
  const unit = random.int(10, 40);
  const width = fixed + unit * (a + b);
  const cells: Part[] = [0, 1, 2].map(() => ({ css: { height: px(5) } }));
  const root: Part = {
    css: { display: "grid", "grid-template-columns": `${fixed}px ${a}fr ${b}fr`, width: px(width) },
    parts: cells,
  };
  return {
    root,
    reads: boxes(root, "w", ...cells),
    answer: [fixed, unit * a, unit * b],
    length: { of: root, property: "width", px: width },
  };
};

/** Wide cells leave holes, which dense packing fills with the next narrow cell. */
export const denseGrid: MakeRow = (random) => {
  const columns = random.int(2, 4);
  const [across, down] = [random.int(15, 40), random.int(8, 24)];
  const cell = (span: number): Part => ({ css: { "grid-column": `span ${span}` } });
  const cells = [cell(columns - 1), cell(columns), cell(1)];
  const root: Part = {
    css: {
      display: "grid",
      "grid-template-columns": `repeat(${columns}, ${across}px)`,
      "grid-auto-rows": px(down),
      "grid-auto-flow": "row dense",
      width: px(columns * across),
    },
    parts: cells,
  };
  const hole = (columns - 1) * across;
  return { root, reads: boxes(root, "xy", ...cells), answer: [0, 0, 0, down, hole, 0] };
};

/** A table with fixed layout: the first column has its set width, the others are equal. */
export const fixedTable: MakeRow = (random) => {
  const [first, other, others] = [random.int(20, 70), random.int(20, 60), random.int(2, 3)];
  const width = first + other * others;
  const cell = (css: Part["css"] = {}): Part => ({ css: { display: "table-cell", height: px(6), ...css } });
  const cells = [cell({ width: px(first) }), ...Array.from({ length: others }, () => cell())];
  const root: Part = {
    css: { display: "table", "table-layout": "fixed", "border-spacing": "0px", width: px(width) },
    parts: [{ css: { display: "table-row" }, parts: cells }],
  };
  return {
    root,
    reads: boxes(root, "w", ...cells),
    answer: [first, ...Array<number>(others).fill(other)],
    length: { of: root, property: "width", px: width },
  };
};
