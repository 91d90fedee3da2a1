/**
 * The operations of a browser program. The widget's interpreter imports this list, so that neither side knows an operation that the
 * other does not; each program says at its head which byte stands for which of them (code.ts).
 */
export const OPCODES = [
  /** tag: makes an HTML element inside the current one, which it becomes. */
  "element",
  /** tag: the same in the namespace of SVG. */
  "svg",
  /** The parent is the current one again. */
  "up",
  /** property, value: through the CSSOM, which no policy of a frame forbids. */
  "style",
  /** name, value. */
  "attribute",
  /** text. */
  "text",
  /** A shadow root of the current element becomes the current one. */
  "shadow",
  /** rules: a constructed sheet for all that is outside of nested shadow roots. */
  "sheet",
  /** Remembers the current element under the next number. */
  "keep",
  /** Puts everything into the document. */
  "insert",
  /** From here on answers belong to the next row. */
  "row",
  /** element, property, row, answer, plus: the length is an earlier answer plus so many pixels. */
  "link",
  /** element, base, mask: x, y relative to the base, width, height, as the bits 1, 2, 4, 8 say. */
  "box",
  /** element: number of its client rectangles. */
  "rectangles",
  /** element, pseudo-element or "", property: the numbers in the computed value. */
  "computed",
  /** element: a hash of what `innerText` says. */
  "words",
  /** base, x, y, first, count: which of the kept elements from `first` on is hit, -1 for none of them. */
  "hit",
  /** element, top. */
  "scroll",
  /** element, property, from, to, easing, duration, time: an animation that stands still at that time. */
  "animate",
  /** path data, x, y: whether a path holds a point. */
  "path",
  /** element: length of an SVG path. */
  "length",
  /** element, distance: x and y of the point at that distance. */
  "point",
  /** element: x, y, width and height of an SVG shape. */
  "shape",
] as const;
export type Opcode = (typeof OPCODES)[number];

/** Elements, texts and numbers after an opcode: s a text's number in the table, n a number. */
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
