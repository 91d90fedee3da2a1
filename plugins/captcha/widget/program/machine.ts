import { numberOf } from "../../service/program/digest.js";
import type { Opcode } from "../../service/program/opcodes.js";
import type { Operation } from "./code.js";

/** Host above the page's own content so that hits find it. Nobody sees it: it is removed before a paint. */
const HOST: Readonly<Record<string, string>> = {
  all: "initial",
  position: "fixed",
  left: "0",
  top: "0",
  width: "300px",
  height: "60px",
  opacity: "0",
  "z-index": "2147483647",
};
const SVG = "http://www.w3.org/2000/svg";

type Operands = Operation["operands"];

/** Executes one program: one insert, all reads, then removes everything. */
export class Machine {
  readonly rows: (number[] | null)[] = [];
  readonly #document: Document;
  readonly #host: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #kept: Element[] = [];
  #current: Node;
  /** An operation of the row threw: its other reads are skipped. */
  #broken = false;

  constructor(document: Document) {
    this.#document = document;
    this.#host = document.createElement("div");
    this.#host.setAttribute("aria-hidden", "true");
    for (const name of Object.keys(HOST)) this.#host.style.setProperty(name, HOST[name] ?? "");
    this.#root = this.#host.attachShadow({ mode: "closed" });
    this.#current = this.#root;
  }

  /** @throws errors of the browser before the first read */
  run(operations: readonly Operation[]): void {
    try {
      for (const { opcode, operands } of operations) {
        if (this.rows.length === 0 || opcode === "row") this.#do[opcode](operands);
        else this.#read(opcode, operands);
      }
    } finally {
      this.#host.remove();
    }
  }

  #read(opcode: Opcode, operands: Operands): void {
    if (this.#broken) return;
    try {
      this.#do[opcode](operands);
    } catch {
      this.#broken = true;
      this.rows[this.rows.length - 1] = null;
    }
  }

  #push(...values: number[]): void {
    // A browser without the feature returns nothing, or no number.
    if (!values.every(Number.isFinite)) throw new TypeError("answer");
    this.rows.at(-1)?.push(...values.map(Math.round));
  }

  /** @throws TypeError if there is none, which breaks the row */
  #element(number: unknown): Element {
    const element = this.#kept[Number(number)];
    if (element === undefined) throw new TypeError("element");
    return element;
  }

  #append(element: Node): void {
    this.#current.appendChild(element);
    this.#current = element;
  }

  readonly #do: Record<Opcode, (operands: Operands) => void> = {
    element: ([tag]) => this.#append(this.#document.createElement(`${tag}`)),
    svg: ([tag]) => this.#append(this.#document.createElementNS(SVG, `${tag}`)),
    up: () => {
      const above = this.#current.parentNode;
      if (above !== null) this.#current = above;
      else this.#current = (this.#current as ShadowRoot).host;
    },
    style: ([property, value]) => (this.#current as HTMLElement).style.setProperty(`${property}`, `${value}`),
    attribute: ([name, value]) => (this.#current as Element).setAttribute(`${name}`, `${value}`),
    text: ([text]) => void this.#current.appendChild(this.#document.createTextNode(`${text}`)),
    shadow: () => {
      this.#current = (this.#current as Element).attachShadow({ mode: "open" });
    },
    sheet: ([rules]) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(`${rules}`);
      this.#root.adoptedStyleSheets = [sheet];
    },
    keep: () => void this.#kept.push(this.#current as Element),
    insert: () => void this.#document.body.appendChild(this.#host),
    row: () => {
      this.#broken = false;
      this.rows.push([]);
    },
    link: ([of, property, row, answer, plus]) => {
      const length = this.rows[Number(row)]?.[Number(answer)];
      if (length === undefined) throw new TypeError("link");
      (this.#element(of) as HTMLElement).style.setProperty(`${property}`, `${length + Number(plus)}px`);
    },
    box: ([of, base, mask]) => {
      const { left, top, width, height } = this.#element(of).getBoundingClientRect();
      const from = this.#element(base).getBoundingClientRect();
      const all = [left - from.left, top - from.top, width, height];
      this.#push(...all.filter((_, side) => (Number(mask) >> side) & 1));
    },
    rectangles: ([of]) => this.#push(this.#element(of).getClientRects().length),
    computed: ([of, pseudo, property]) => {
      const style = getComputedStyle(this.#element(of), `${pseudo}` || null);
      const value = style.getPropertyValue(`${property}`);
      this.#push(...(value.match(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g) ?? []).map(Number));
    },
    words: ([of]) => this.#push(numberOf((this.#element(of) as HTMLElement).innerText.trim())),
    hit: ([base, x, y, first, count]) => {
      const { left, top } = this.#element(base).getBoundingClientRect();
      const hit = this.#root.elementFromPoint(left + Number(x), top + Number(y));
      const number = hit === null ? -1 : this.#kept.indexOf(hit) - Number(first);
      this.#push(number >= 0 && number < Number(count) ? number : -1);
    },
    scroll: ([of, top]) => {
      this.#element(of).scrollTop = Number(top);
    },
    animate: ([of, property, from, to, easing, duration, time]) => {
      const frames = { [`${property}`]: [`${from}`, `${to}`] };
      const options = { duration: Number(duration), easing: `${easing}`, fill: "both" } as const;
      const animation = this.#element(of).animate(frames, options);
      animation.pause();
      animation.currentTime = Number(time);
    },
    path: ([data, x, y]) => {
      const context = this.#document.createElement("canvas").getContext("2d");
      if (context === null) throw new TypeError("canvas");
      this.#push(Number(context.isPointInPath(new Path2D(`${data}`), Number(x), Number(y))));
    },
    length: ([of]) => this.#push((this.#element(of) as SVGPathElement).getTotalLength()),
    point: ([of, at]) => {
      const { x, y } = (this.#element(of) as SVGPathElement).getPointAtLength(Number(at));
      this.#push(x, y);
    },
    shape: ([of]) => {
      const { x, y, width, height } = (this.#element(of) as SVGPathElement).getBBox();
      this.#push(x, y, width, height);
    },
  };
}
