import type { Random } from "../tasks/random.js";
import type { Row } from "./row.js";

const LINKS = { least: 2, most: 4 };

export interface Link {
  row: number;
  answer: number;
  plus: number;
}

/** Links by the index of the sized row; undefined if there are fewer than two, which is rare. */
export function linksOf(rows: readonly Row[], random: Random): Map<number, Link> | undefined {
  const links = new Map<number, Link>();
  const most = random.int(LINKS.least, LINKS.most);
  const used = new Set<number>();
  for (const i of random.shuffled([...rows.keys()])) {
    if (links.size === most) break;
    const own = rows[i]?.length;
    if (own === undefined) continue;
    const from = random.shuffled([...rows.keys()].filter((row) => row < i && !used.has(row)));
    const row = from.find((at) => !rows[at]?.isExact && rows[at]?.answer.some((value) => value > 0));
    if (row === undefined) continue;
    const answers = rows[row]?.answer ?? [];
    const [answer = 0] = random.shuffled([...answers.keys()].filter((at) => (answers[at] ?? 0) > 0));
    links.set(i, { row, answer, plus: own.px - (answers[answer] ?? 0) });
    used.add(row);
  }
  return links.size < LINKS.least ? undefined : links;
}
