import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "../../compiler/regex/ast.js";
import type { Attack, WorstCase } from "../../compiler/regex/cost/worst-case.js";
import { attackText, slowest, worstCase } from "../../compiler/regex/engine.js";
import { parseRegex } from "../../compiler/regex/translate.js";
import { countAllSteps, LIMIT } from "./backtracking-steps.js";

/** A pattern as people write it, and a text made to slow it down: `before`, `pump` as often as there is room, `after`. */
export interface PublicPattern {
  pattern: string;
  options: string;
  before: string;
  pump: string;
  after: string;
}

const FOLDER = join("test", "attack", "patterns");

/** The patterns of `test/attack/patterns/calibration.json`. */
export function publicPatterns(): PublicPattern[] {
  return read<{ patterns: PublicPattern[] }>("calibration.json");
}

/** The patterns of `test/attack/patterns/public.json`, which have no texts of their own. */
export function plainPatterns(): PublicPattern[] {
  const patterns = new Set(read<{ patterns: string[] }>("public.json"));
  return [...patterns].map((pattern) => ({ pattern, options: "", before: "", pump: "a", after: "" }));
}

/** Run from the root of the checkout: benches are compiled to another folder. */
function read<Group extends { patterns: unknown[] }>(file: string): Group["patterns"] {
  const groups = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Group[];
  return groups.flatMap(({ patterns }) => patterns);
}

/** The bound of a pattern, and the text that takes most steps of those tried. */
export interface Calibration {
  written: PublicPattern;
  worst: WorstCase;
  text: string;
  /** Steps of a plain interpreter for all matches; undefined: it was given up on texts of any length. */
  steps: number | undefined;
}

const ENDS = ["", "x", "!", "\n\n", ","];
const COMMON = ["a", " ", "1", "/", "aA1", "a ", "1 ", "-"];

/** Texts of about `length` characters that a pattern may be slow on: those written for it, those of its analysis, common ones. */
export function slowTexts(
  { before, pump, after }: PublicPattern,
  worst: WorstCase,
  length: number,
): string[] {
  const written: Attack = { pumps: [{ before, pump }], end: after };
  const found = slowest(worst);
  const attacks = [written];
  if (found !== undefined)
    attacks.push(found, { ...found, pumps: found.pumps.slice(0, 1) }, withoutBeginnings(found));
  return [
    ...attacks.flatMap((attack) =>
      [attack.end, ...ENDS].map((end) => attackText({ ...attack, end }, length)),
    ),
    ...COMMON.map((each) => each.repeat(length / each.length)),
  ].map((text) => text.slice(0, length + 8));
}

const withoutBeginnings = ({ pumps, end }: Attack): Attack => ({
  pumps: pumps.map(({ pump }) => ({ before: "", pump })),
  end,
});

/** Measures a pattern on texts of `length` characters, or on shorter ones where those take more than the interpreter's limit. */
export function calibrate(written: PublicPattern, length: number): Calibration {
  const node = parseRegex(written.pattern, written.options);
  if (node === undefined) throw new Error(`not a pattern: ${written.pattern}`);
  const worst = worstCase(node);
  for (let size = length; size >= 10; size = Math.floor(size / 2)) {
    const measured = slowestText(node, slowTexts(written, worst, size));
    if (measured.steps < LIMIT) return { written, worst, ...measured };
  }
  return { written, worst, text: "", steps: undefined };
}

function slowestText(node: Node, texts: readonly string[]): { text: string; steps: number } {
  let most = { text: "", steps: 0 };
  for (const text of texts) {
    const steps = countAllSteps(node, text);
    if (steps > most.steps) most = { text, steps };
    if (steps >= LIMIT) break;
  }
  return most;
}
