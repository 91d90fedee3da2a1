/** Suffix of a pattern with "*", which replaces any beginning, as in routes. */
const suffix = (pattern: string) => (pattern.startsWith("*") ? pattern.slice(1) : undefined);

/** Reports whether every host that matches `pattern` matches `other`. */
export function isWithin(pattern: string, other: string): boolean {
  const end = suffix(other.toLowerCase());
  if (end === undefined) return pattern === other.toLowerCase();
  const own = suffix(pattern) ?? pattern;
  return own.endsWith(end) && (pattern.startsWith("*") || own.length > end.length);
}

export function overlap(pattern: string, other: string): boolean {
  const [own, end] = [suffix(pattern), suffix(other.toLowerCase())];
  if (own !== undefined && end !== undefined) return own.endsWith(end) || end.endsWith(own);
  return isWithin(pattern, other) || isWithin(other.toLowerCase(), pattern);
}
