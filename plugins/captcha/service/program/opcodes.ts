/** Operations, shared with the widget's interpreter; each program's head assigns a byte to each (code.ts). */
export const OPCODES = [
  /** tag: makes an HTML element inside the current one and enters it. */
  "element",
  /** tag: the same in the namespace of SVG. */
  "svg",
  /** Returns to the parent. */
  "up",
  /** property, value: through the CSSOM, which no policy of a frame forbids. */
  "style",
  "attribute",
  "text",
  /** Adds a shadow root to the current element and enters it. */
  "shadow",
  "sheet",
  /** Stores the current element under the next number. */
  "keep",
  /** Inserts everything into the document. */
  "insert",
  /** Starts the answers of the next row. */
  "row",
  /** element, property, row, answer, plus: sets a length to an earlier answer plus a number of pixels. */
  "link",
  /** element, base, mask: x, y relative to the base, width, height, selected by the bits 1, 2, 4, 8. */
  "box",
  /** element: number of its client rectangles. */
  "rectangles",
  /** element, pseudo-element or "", property: the numbers in the computed value. */
  "computed",
  /** element: a hash of its `innerText`. */
  "words",
  /** base, x, y, first, count: index of the kept element that is hit, from `first` on; -1 for none. */
  "hit",
  /** element, top. */
  "scroll",
  /** element, property, from, to, easing, duration, time: an animation that is paused at that time. */
  "animate",
  /** path data, x, y: whether a path contains a point. */
  "path",
  /** element: length of an SVG path. */
  "length",
  /** element, distance: x and y of the point at that distance. */
  "point",
  /** element: x, y, width and height of an SVG shape. */
  "shape",
] as const;
export type Opcode = (typeof OPCODES)[number];

/** Operands of each opcode: s an index in the table of texts, n a number. */
export const OPERANDS: Readonly<Record<Opcode, string>> = {
  element: "s",
  svg: "s",
  up: "",
  style: "ss",
  attribute: "ss",
  text: "s",
  shadow: "",
  sheet: "s",
  keep: "",
  insert: "",
  row: "",
  link: "nsnnn",
  box: "nnn",
  rectangles: "n",
  computed: "nss",
  words: "n",
  hit: "nnnnn",
  scroll: "nn",
  animate: "nssssnn",
  path: "snn",
  length: "n",
  point: "nn",
  shape: "n",
};
