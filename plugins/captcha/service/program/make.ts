import { Composer } from "./compose.js";
import { type Link, linksOf } from "./links.js";
import type { Row } from "./row.js";
import { ROW_NAMES, ROWS } from "./rows/catalogue.js";
import { SeededRandom } from "./seed.js";

/** Rows of a program, of the 25 of the catalogue. */
const ROWS_OF_ONE = { least: 12, most: 16 };
/** Samples before the tick, and the milliseconds from the program on in which they are due. */
const SAMPLES = { least: 3, most: 5, from: 150, to: 6_000 };

/** What the service knows of a program. Made again from the same seed it is the same. */
export interface Program {
  /** Milliseconds after the program's arrival at which the frame takes a sample, ascending. */
  times: number[];
  /** Of the running digest (digest.ts): two unsigned integers of 32 bits. */
  key: [number, number];
  rows: ExpectedRow[];
  /** The bytes that a frame gets; of use once, and not needed to judge an answer. */
  code(): Buffer;
}

export interface ExpectedRow {
  answer: readonly number[];
  /** By how much each number may differ. */
  slack: 0 | 1;
}

/** The program of a seed (seed.ts). */
export function makeProgram(seed: Buffer): Program {
  const random = new SeededRandom(seed);
  const key: [number, number] = [random.word(), random.word()];
  const times = sampleTimes(random);
  const names = new Set<string>();
  const name = () => className(random, names);
  const { rows, links } = linkedRows(random, name);
  return {
    times,
    key,
    rows: rows.map(({ answer, lengths }) => ({ answer, slack: lengths ? 1 : 0 })),
    code: () => new Composer(random, name).compose(rows, links),
  };
}

/** Rows in their order, of which some are sized by others. */
function linkedRows(random: SeededRandom, name: () => string): { rows: Row[]; links: Map<number, Link> } {
  for (;;) {
    const rows = random
      .shuffled(ROW_NAMES)
      .slice(0, random.int(ROWS_OF_ONE.least, ROWS_OF_ONE.most))
      .map((row) => ROWS[row](random, name));
    const links = linksOf(rows, random);
    if (links !== undefined) return { rows, links };
  }
}

function sampleTimes(random: SeededRandom): number[] {
  const count = random.int(SAMPLES.least, SAMPLES.most);
  return Array.from({ length: count }, () => random.int(SAMPLES.from, SAMPLES.to)).sort((a, b) => a - b);
}

function className(random: SeededRandom, taken: Set<string>): string {
  for (;;) {
    const name = `${String.fromCharCode(97 + random.int(0, 25))}${random.word().toString(36)}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}
