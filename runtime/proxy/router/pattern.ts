/** Between two `*` of a pattern: literal text and `:name` segments in turn. */
export type Part = { literal: string } | { segment: string };

/** The part of a pattern that a literal prefix does not decide. */
export interface PathGlob {
  /** Stretches around the `*`; the first begins with the path, the last ends with it. */
  stretches: readonly (readonly Part[])[];
  /** Name of each `*`, "" for none; one fewer than stretches. */
  stars: readonly string[];
}

/** A path pattern, ready to be indexed. */
export interface PathPattern {
  /** Text before the first `*` or `:name`; the whole pattern when it is exact. */
  prefix: string;
  exact: boolean;
  /** Null when the prefix decides alone: exact paths and `/prefix*`. */
  shape: PathGlob | null;
  /** Length of the pattern as written, in bytes: of two with the same prefix the longer goes first. */
  length: number;
}

/** `:name` is a whole segment; `*name` ends the path; any other `*` stands for any text, also none and also slashes. */
const SPECIAL = /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|\*/g;

/** What stands escaped in a pattern because it is no wildcard there; in paths it stands for itself. */
const plain = (text: string) => (text.includes("%") ? text.replace(/%2A/g, "*").replace(/%3A/g, ":") : text);

/** `pattern` is in the form that `patternForm` gives it. */
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
