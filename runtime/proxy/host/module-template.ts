/**
 * Splits generated modules into a template and holes: comments, and literals outside of functions, so that
 * code of requests keeps its constants. A literal that stays only makes fewer modules alike.
 */

/** Kind of hole; "text": a string; "pattern": a regular expression. */
export type HoleKind = "text" | "pattern" | "comment";

interface Hole {
  kind: HoleKind;
  raw: string;
  line: number;
}

/** Module template with its holes; pieces and holes alternate, and the first and the last are pieces. */
export interface ModuleTemplate {
  pieces: string[];
  holes: Hole[];
}

class Unclear extends Error {}

interface Frame {
  open: string;
  /** True if all code in it runs later, if at all. */
  later: boolean;
  /** True after `=>`, up to the next comma or semicolon of this frame. */
  arrow: boolean;
}

/** Characters before a value that is not a property name. */
const BEFORE_VALUE = new Set(["(", ",", "[", ":", "="]);
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

const NEWLINE = 0x0a;
const SPACE = 0x20;
/** By character code: characters that start or end a literal, or matter next to one. */
const IS_SIGN = new Uint8Array(65_536);
for (const sign of "\"'`/()[]{},;:=>") IS_SIGN[sign.charCodeAt(0)] = 1;

/** Syntax of holes by kind. The end of a hole does not depend on what follows it. */
const SOURCES: Readonly<Record<HoleKind, string>> = {
  text: String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`,
  pattern: String.raw`\/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/[a-z]*`,
  comment: String.raw`\/\/[^\n]*`,
};

/** @returns undefined if the parts joined again might have another meaning */
export function parseModuleTemplate(code: string): ModuleTemplate | undefined {
  try {
    return new Scanner(code).shaped();
  } catch (error) {
    if (error instanceof Unclear) return undefined;
    throw error;
  }
}

/**
 * Matches the modules of a template, with holes as groups: six times as fast as splitting them. A match would
 * be split the same way, since splitting looks at nothing inside of a hole.
 */
export function matcherOf({ pieces, holes }: ModuleTemplate): RegExp {
  const escaped = pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const groups = holes.map(({ kind }, i) => `(${SOURCES[kind]})${escaped[i + 1] ?? ""}`);
  return new RegExp(`^${escaped[0] ?? ""}${groups.join("")}$`);
}

class Scanner {
  readonly #code: string;
  #at = 0;
  #line = 1;
  /** Start of the next piece. */
  #from = 0;
  readonly #pieces: string[] = [];
  readonly #holes: Hole[] = [];
  /** Last character that is neither blank nor in a comment; "a" for all that need no distinction. */
  #last = "";
  readonly #frames: Frame[] = [{ open: "", later: false, arrow: false }];

  constructor(code: string) {
    this.#code = code;
  }

  shaped(): ModuleTemplate {
    const code = this.#code;
    while (this.#at < code.length) this.#consume(code.charCodeAt(this.#at));
    if (this.#frames.length !== 1) throw new Unclear();
    return { pieces: [...this.#pieces, code.slice(this.#from)], holes: this.#holes };
  }

  #consume(code: number): void {
    switch (code) {
      case NEWLINE:
        this.#line++;
        this.#at++;
        return;
      case SPACE:
        this.#at++;
        return;
      case 0x2f:
        if (this.#code.charCodeAt(this.#at + 1) === 0x2f) this.#hole("comment", this.#end("comment"));
        else this.#regex();
        return;
      case 0x22:
      case 0x27:
        this.#string();
        return;
      case 0x60:
        this.#at++;
        this.#template();
        return;
      default:
        if (IS_SIGN[code] === 1) this.#sign(String.fromCharCode(code));
        else this.#word();
    }
  }

  /** Skips names, numbers, and signs that are not next to literals. */
  #word(): void {
    const code = this.#code;
    let at = this.#at;
    for (;;) {
      const c = code.charCodeAt(++at);
      if (c === SPACE || c === NEWLINE || IS_SIGN[c] === 1 || at >= code.length) break;
    }
    this.#at = at;
    this.#last = "a";
  }

  #sign(c: string): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new Unclear();
    this.#at++;
    if (c === "(" || c === "[" || c === "{") {
      const body = c === "{" && this.#last === ")";
      this.#frames.push({ open: c, later: frame.later || frame.arrow || body, arrow: false });
    } else if (c === "}" && frame.open === "${") {
      this.#frames.pop();
      this.#template();
      return;
    } else if (CLOSES[c] !== undefined) {
      if (frame.open !== CLOSES[c]) throw new Unclear();
      this.#frames.pop();
    } else if (c === "," || c === ";") frame.arrow = false;
    else if (c === ">" && this.#last === "=") frame.arrow = true;
    this.#last = c;
  }

  #string(): void {
    const end = this.#end("text");
    let behind = end;
    while (this.#code.charCodeAt(behind) === SPACE || this.#code.charCodeAt(behind) === NEWLINE) behind++;
    // After a comma it may be the name of a property.
    if (this.#isTaken() && this.#code[behind] !== ":") this.#hole("text", end);
    else this.#at = end;
    this.#last = "a";
  }

  #regex(): void {
    // Anything else is a division, or a block comment.
    if (!BEFORE_VALUE.has(this.#last)) throw new Unclear();
    const end = this.#end("pattern");
    if (this.#isTaken()) this.#hole("pattern", end);
    else this.#at = end;
    this.#last = "a";
  }

  /** Skips from behind the first character of a template literal, or a `}` in it, to its end or the next `${`. */
  #template(): void {
    const code = this.#code;
    for (; this.#at < code.length; this.#at++) {
      const c = code[this.#at];
      if (c === "\\") this.#at++;
      else if (c === "\n") this.#line++;
      else if (c === "`") {
        this.#at++;
        this.#last = "a";
        return;
      } else if (c === "$" && code[this.#at + 1] === "{") {
        this.#at += 2;
        this.#frames.push({ open: "${", later: true, arrow: false });
        this.#last = "(";
        return;
      }
    }
    throw new Unclear();
  }

  /** End of the literal or comment that starts here. */
  #end(kind: HoleKind): number {
    const pattern = STICKY[kind];
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#code)) throw new Unclear();
    return pattern.lastIndex;
  }

  /** Reports whether a literal here is evaluated once, as a value. */
  #isTaken(): boolean {
    const frame = this.#frames.at(-1);
    return frame?.later === false && !frame.arrow && BEFORE_VALUE.has(this.#last);
  }

  #hole(kind: HoleKind, end: number): void {
    this.#pieces.push(this.#code.slice(this.#from, this.#at));
    this.#holes.push({ kind, raw: this.#code.slice(this.#at, end), line: this.#line });
    this.#from = this.#at = end;
  }
}

const STICKY: Readonly<Record<HoleKind, RegExp>> = {
  text: new RegExp(SOURCES.text, "y"),
  pattern: new RegExp(SOURCES.pattern, "y"),
  comment: new RegExp(SOURCES.comment, "y"),
};
