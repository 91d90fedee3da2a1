/**
 * Headers whose lines are never joined. Commas are part of Set-Cookie (RFC 9110 section 5.3) and separate the
 * parameters of a challenge as well as two challenges (section 11.6.1). Of the last three only the first line
 * counts (RFC 6797 section 8.1, RFC 7469 section 2.3.1).
 */
const APART: ReadonlySet<string> = new Set([
  ...["set-cookie", "www-authenticate", "proxy-authenticate"],
  ...["strict-transport-security", "public-key-pins", "public-key-pins-report-only"],
]);

export const isApart = (lower: string): boolean => APART.has(lower);

/**
 * Separator: ", " (RFC 9110 section 5.3), "; " for cookies (RFC 6265 section 4.2.1), and a line feed, which
 * no value contains, for headers that stay apart.
 */
export function separatorOf(lower: string): string {
  if (lower === "cookie") return "; ";
  return APART.has(lower) ? "\n" : ", ";
}

const separatorBehind = (lower: string): string => (lower === "cookie" ? "; " : ",");

/** Returns `value,existing` for joinable lines. A list and its join would take 0.2 µs of each request. */
export const prependedLine = (lower: string, value: string, existing: string): string =>
  existing === "" ? value : value + separatorBehind(lower) + existing;

/** Puts `value` in front: on one line if the lines may be joined. */
export function prependedLines(lower: string, value: string, existing: readonly string[]): string[] {
  if (APART.has(lower)) return [value, ...existing];
  return [prependedLine(lower, value, existing.filter((text) => text !== "").join(separatorBehind(lower)))];
}

/** Adds a text in front of and behind each line; `absent` is the only line if there is none. */
export function wrappedLines(
  before: string,
  lines: readonly string[],
  after: string,
  absent?: string,
): string[] {
  const present = lines.length === 0 && absent !== undefined ? [absent] : lines;
  return present.map((line) => before + line + after);
}
