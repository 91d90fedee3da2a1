import { Random } from "../tasks/random.js";
import { Composer } from "./compose.js";
import { type Link, linksOf } from "./links.js";
import type { Row } from "./row.js";
import { ROW_NAMES, ROWS } from "./rows/catalogue.js";

/** Number of rows of one program, of the 25 of the catalogue. */
const ROWS_OF_ONE = { least: 12, most: 16 };
/** Number before the tick, and range in ms from the program's arrival. */
const SAMPLES = { least: 3, most: 5, from: 150, to: 6_000 };

export interface Program {
  /** Samples in ms after the program's arrival, ascending. */
  times: number[];
  /** Two unsigned integers for the running digest. */
  key: [number, number];
  rows: ExpectedRow[];
  /** Usable once; not needed to check an answer. */
  code(): Buffer;
}

export interface ExpectedRow {
  answer: readonly number[];
  slack: 0 | 1;
}

export function makeProgram(seed: Buffer): Program {
  const random = new Random(seed);
  const key: [number, number] = [random.word(), random.word()];
  const times = sampleTimes(random);
  const names = new Set<string>();
  const name = () => className(random, names);
  const { rows, links } = linkedRows(random, name);
  return {
    times,
    key,
    rows: rows.map(({ answer, isExact }) => ({ answer, slack: isExact ? 0 : 1 })),
    code: () => new Composer(random, name).compose(rows, links),
  };
}

function linkedRows(random: Random, name: () => string): { rows: Row[]; links: Map<number, Link> } {
  for (;;) {
    const rows = random
      .shuffled(ROW_NAMES)
      .slice(0, random.int(ROWS_OF_ONE.least, ROWS_OF_ONE.most))
      .map((row) => ROWS[row](random, name));
    const links = linksOf(rows, random);
    if (links !== undefined) return { rows, links };
  }
}

function sampleTimes(random: Random): number[] {
  const count = random.int(SAMPLES.least, SAMPLES.most);
  return Array.from({ length: count }, () => random.int(SAMPLES.from, SAMPLES.to)).sort((a, b) => a - b);
}

function className(random: Random, taken: Set<string>): string {
  for (;;) {
    const name = `${String.fromCharCode(97 + random.int(0, 25))}${random.word().toString(36)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
