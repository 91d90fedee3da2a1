import { askPcre2, byteString } from "./pcre2.js";

/** Characters that pcre2test takes for the same with options `iu`: sets of two or more, sorted. */
export function caseSets(): number[][] {
  const asked = candidates().flatMap((set) => set.map((code) => ({ code, set })));
  const answers = askPcre2(
    asked.map(({ code, set }) => ({
      pattern: byteString(String.fromCodePoint(code)),
      modifiers: ["caseless", "utf"],
      subjects: set.map((other) => ({ bytes: byteString(String.fromCodePoint(other)), offset: 0 })),
    })),
  );
  const sets = new Map<string, number[]>();
  for (const [i, { set }] of asked.entries()) {
    const answer = answers[i];
    if (answer === undefined || "error" in answer) throw new Error("a single character is no valid pattern");
    const same = set.filter((_, k) => answer.matches[k] !== null);
    if (same.length > 1) sets.set(same.join(), same);
  }
  return [...sets.values()].sort(([a = 0], [b = 0]) => a - b);
}

/** Everything that JavaScript's case mappings connect: at least what Unicode's simple case folding connects. */
function candidates(): number[][] {
  const parents = new Map<number, number>();
  const rootOf = (code: number): number => {
    const parent = parents.get(code);
    return parent === undefined ? code : rootOf(parent);
  };
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    for (const other of mappings(String.fromCodePoint(code))) {
      const [a, b] = [rootOf(code), rootOf(other)];
      if (a !== b) parents.set(a, b);
    }
  }
  const sets = new Map<number, number[]>();
  for (const code of parents.keys()) {
    const root = rootOf(code);
    const set = sets.get(root) ?? [root];
    sets.set(root, [...set, code]);
  }
  return [...sets.values()].map((set) => set.sort((a, b) => a - b));
}

function mappings(character: string): number[] {
  const upper = character.toUpperCase();
  const lower = character.toLowerCase();
  return [upper, lower, upper.toLowerCase(), lower.toUpperCase()].flatMap((mapped) => {
    const [first, second] = mapped;
    return first !== undefined && second === undefined
      ? (first.codePointAt(0) ?? [])
      : (codeOfPair(mapped) ?? []);
  });
}

/** The code point of a text that is one surrogate pair. */
function codeOfPair(text: string): number | undefined {
  return [...text].length === 1 ? text.codePointAt(0) : undefined;
}

/** The source of `compiler/regex/folding.gen.ts`. */
export function foldingSource(sets: readonly (readonly number[])[]): string {
  const rows: { from: number; to: number; stride: number; distance: number }[] = [];
  for (const [a = 0, b = 0, more] of sets) {
    if (more !== undefined) continue;
    const distance = b - a;
    const row = rows.findLast((each) => each.distance === distance && fits(each, a));
    if (row === undefined) {
      rows.push({ from: a, to: a, stride: 1, distance });
    } else {
      if (row.from === row.to) row.stride = a - row.from;
      row.to = a;
    }
  }
  const pairs = rows.map(
    ({ from, to, stride, distance }) => `  [${hex(from)}, ${hex(to)}, ${stride}, ${distance}],`,
  );
  const larger = sets.filter((set) => set.length > 2).map((set) => `  [${set.map(hex).join(", ")}],`);
  return `// Made from pcre2test 10.42 (Unicode 14) by test/unit/regex/folding.live.test.ts (UPDATE=1); do not edit.

/** Pairs of cases: each \`stride\`-th code point from \`from\` to \`to\` has its other case \`distance\` further on. */
export const CASE_PAIRS: readonly (readonly [from: number, to: number, stride: number, distance: number])[] = [
${pairs.join("\n")}
];

/** Characters of which more than two are the same without regard to case. */
export const CASE_SETS: readonly (readonly number[])[] = [
${larger.join("\n")}
];
`;
}

function fits(row: { from: number; to: number; stride: number }, code: number): boolean {
  return row.from === row.to ? code - row.to <= 2 : code - row.to === row.stride;
}

function hex(code: number): string {
  return `0x${code.toString(16)}`;
}
