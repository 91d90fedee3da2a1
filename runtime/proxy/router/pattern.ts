/** Literal text or a `:name` segment, between two `*` of a pattern. */
export type Part = { literal: string } | { segment: string };

/** Part of a pattern that a literal prefix does not decide. */
export interface PathGlob {
  /** Parts between the `*`; the first stretch starts with the path, the last ends with it. */
  stretches: readonly (readonly Part[])[];
  /** Name of each `*`, "" for none; one less than stretches. */
  stars: readonly string[];
}

export interface PathPattern {
  /** Text before the first `*` or `:name`; the whole pattern if it is exact. */
  prefix: string;
  exact: boolean;
  /** Null if the prefix decides alone: exact paths and `/prefix*`. */
  shape: PathGlob | null;
  /** Length of the pattern in bytes: of two with the same prefix the longer precedes. */
  length: number;
}

/** `:name` is a whole segment; `*name` ends the path; any other `*` is any text, also empty or with slashes. */
const SPECIAL = /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|\*/g;

/** Unescapes `*` and `:`, which are escaped in a pattern if they are no wildcards. */
const plain = (text: string) => (text.includes("%") ? text.replace(/%2A/g, "*").replace(/%3A/g, ":") : text);

/** @param pattern normalized by `patternForm` */
export function parsePattern(pattern: string): PathPattern {
  const { length } = pattern;
  if (!pattern.includes("/:")) {
    const star = pattern.indexOf("*");
    if (star < 0) return { prefix: plain(pattern), exact: true, shape: null, length };
    if (star === length - 1)
      return { prefix: plain(pattern.slice(0, star)), exact: false, shape: null, length };
  }
  return withShape(pattern);
}

function withShape(pattern: string): PathPattern {
  const stretches: Part[][] = [[]];
  const stars: string[] = [];
  let prefix: string | undefined;
  let at = 0;
  const literal = (end: number) => {
    if (end > at) stretches.at(-1)?.push({ literal: plain(pattern.slice(at, end)) });
  };
  for (const found of pattern.matchAll(SPECIAL)) {
    prefix ??= plain(pattern.slice(0, found.index));
    literal(found.index);
    at = found.index + found[0].length;
    if (found[1] !== undefined) stretches.at(-1)?.push({ segment: found[1] });
    else {
      stars.push(found[2] ?? "");
      stretches.push([]);
    }
  }
  literal(pattern.length);
  // A colon without a name and without a star is only text.
  if (prefix === undefined)
    return { prefix: plain(pattern), exact: true, shape: null, length: pattern.length };
  const simple = plain(pattern) === `${prefix}*`;
  return { prefix, exact: false, shape: simple ? null : { stretches, stars }, length: pattern.length };
}
