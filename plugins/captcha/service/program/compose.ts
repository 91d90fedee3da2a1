import type { Random } from "../tasks/random.js";
import { CodeWriter } from "./code.js";
import type { Link } from "./links.js";
import type { Opcode } from "./opcodes.js";
import { type Part, px, type Read, type Row } from "./row.js";

/** Wrappers around a row do not change its answer. */
const MAX_WRAPPERS = 3;

/** Writes all elements first, then the insert, then the reads, row by row. */
export class Composer {
  readonly #random: Random;
  readonly #code: CodeWriter;
  readonly #name: () => string;
  readonly #weights = new Map<Part, number>();
  #rules = "";
  #hits = 0;

  constructor(random: Random, name: () => string) {
    this.#random = random;
    this.#code = new CodeWriter(random);
    this.#name = name;
  }

  compose(rows: readonly Row[], links: ReadonlyMap<number, Link>): Buffer {
    rows.forEach((row, i) => void this.#place(row, links.has(i)));
    this.#code.add("sheet", this.#rules);
    this.#code.add("insert");
    rows.forEach((row, i) => {
      this.#code.add("row");
      const link = links.get(i);
      if (link !== undefined && row.length !== undefined) {
        const { of, property } = row.length;
        this.#code.add("link", this.#number(of), property, link.row, link.answer, link.plus);
      }
      for (const read of row.reads) this.#code.add(...this.#operation(read));
    });
    return this.#code.bytes();
  }

  /** Separates a row from the others, so that they do not move each other. */
  #place({ root, rules = "", reads, length }: Row, linked: boolean): void {
    this.#rules += rules;
    const read = partsRead(reads);
    // Only points inside the frame can be hit, which is 60 pixels high in its smallest form.
    const hit = reads.some(({ op }) => op === "hit");
    const left = hit ? 64 * this.#hits++ : 0;
    this.#open({ css: { position: "absolute", left: px(left), top: "0px", "z-index": hit ? "9" : "0" } });
    const wrappers = hit ? 0 : this.#random.int(0, MAX_WRAPPERS);
    for (let i = 0; i < wrappers; i++) {
      const space = this.#random.pick(["padding", "margin-top", "margin-left"]);
      this.#open({ css: { [space]: px(this.#random.int(0, 9)) } });
    }
    this.#build(root, read, linked ? length : undefined, false);
    for (let i = 0; i <= wrappers; i++) this.#code.add("up");
  }

  #build(part: Part, read: ReadonlySet<Part>, linked: Row["length"], inShadow: boolean): void {
    const isLinked = part === linked?.of;
    this.#open(part, inShadow, isLinked ? linked?.property : undefined);
    if (read.has(part) || isLinked) {
      this.#weights.set(part, this.#weights.size);
      this.#code.add("keep");
    }
    if (part.text !== undefined) this.#code.add("text", part.text);
    for (const inner of part.parts ?? []) {
      this.#build(inner, read, linked, inShadow);
      this.#code.add("up");
    }
    if (part.shadow === undefined) return;
    this.#code.add("shadow");
    for (const inner of part.shadow) {
      this.#build(inner, read, linked, true);
      this.#code.add("up");
    }
    this.#code.add("up");
  }

  /** Chance puts the styles on the element or in the sheet; a length that a link sets is omitted. */
  #open(part: Part, inShadow = false, linked?: string): void {
    const { tag = "div", svg = false, css = {}, attributes = {} } = part;
    this.#code.add(svg ? "svg" : "element", tag);
    for (const name in attributes) this.#code.add("attribute", name, attributes[name] ?? "");
    const bySheet =
      !(inShadow || linked !== undefined || "class" in attributes) && this.#random.int(0, 3) === 0;
    let rules = "";
    for (const property in css) {
      const value = css[property] ?? "";
      if (property === linked) continue;
      if (bySheet) rules += `${property}:${value};`;
      else this.#code.add("style", property, value);
    }
    if (rules === "") return;
    const name = this.#name();
    this.#code.add("attribute", "class", name);
    this.#rules += `.${name}{${rules}}`;
  }

  #number(part: Part): number {
    const number = this.#weights.get(part);
    if (number === undefined) throw new Error("an element that is read was not kept");
    return number;
  }

  #operation(read: Read): readonly [Opcode, ...(string | number)[]] {
    switch (read.op) {
      case "box":
        return ["box", this.#number(read.of), this.#number(read.base), maskOf(read.what)];
      case "rectangles":
      case "words":
      case "length":
      case "shape":
        return [read.op, this.#number(read.of)];
      case "computed":
        return ["computed", this.#number(read.of), read.pseudo ?? "", read.property];
      case "hit": {
        const { base, x, y, among } = read;
        const numbers = among.map((part) => this.#number(part));
        return ["hit", this.#number(base), x, y, Math.min(...numbers), numbers.length];
      }
      case "scroll":
        return ["scroll", this.#number(read.of), read.top];
      case "animate": {
        const { of, property, ends, easing, duration, time } = read;
        return ["animate", this.#number(of), property, ...ends, easing, duration, time];
      }
      case "path":
        return ["path", read.data, read.x, read.y];
      case "point":
        return ["point", this.#number(read.of), read.at];
    }
  }
}

const MASK: Readonly<Record<string, number>> = { x: 1, y: 2, w: 4, h: 8 };
const maskOf = (what: string): number => [...what].reduce((sum, side) => sum + (MASK[side] ?? 0), 0);

function partsRead(reads: readonly Read[]): Set<Part> {
  const parts = new Set<Part>();
  for (const read of reads) {
    if ("of" in read) parts.add(read.of);
    if ("base" in read) parts.add(read.base);
    if (read.op === "hit") for (const part of read.among) parts.add(part);
  }
  return parts;
}
