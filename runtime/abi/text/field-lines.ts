/**
 * Fields whose lines are never joined. Commas are part of Set-Cookie (RFC 9110 section 5.3) and separate the parameters of a
 * challenge as well as two of them (section 11.6.1); of the last three only the first line counts (RFC 6797 section 8.1, RFC 7469
 * section 2.3.1).
 */
const APART: ReadonlySet<string> = new Set([
  ...["set-cookie", "www-authenticate", "proxy-authenticate"],
  ...["strict-transport-security", "public-key-pins", "public-key-pins-report-only"],
]);

/** Reports whether the lines of a field stay apart; `lower` is its name in lower case. */
export const isApart = (lower: string): boolean => APART.has(lower);

/**
 * Separator of the values of one field where they become one text: ", " of a list (RFC 9110 section 5.3), "; " of cookies (RFC 6265
 * section 4.2.1), and a line feed, which no value has, of those that stay apart.
 */
export function separatorOf(lower: string): string {
  if (lower === "cookie") return "; ";
  return APART.has(lower) ? "\n" : ", ";
}

const separatorBehind = (lower: string): string => (lower === "cookie" ? "; " : ",");

/** The line `value,existing` of a field whose lines may be joined. A list and its join would take 0.2 µs of each request. */
export const prependedLine = (lower: string, value: string, existing: string): string =>
  existing === "" ? value : value + separatorBehind(lower) + existing;

/** Lines of a field once `value` stands before those that it has: one line where they may be joined. */
export function prependedLines(lower: string, value: string, existing: readonly string[]): string[] {
  if (APART.has(lower)) return [value, ...existing];
  return [prependedLine(lower, value, existing.filter((text) => text !== "").join(separatorBehind(lower)))];
}

/** Each line with a text before and behind it; `absent` stands for the only line where there is none. */
export function wrappedLines(
  before: string,
  lines: readonly string[],
  after: string,
  absent?: string,
): string[] {
  const present = lines.length === 0 && absent !== undefined ? [absent] : lines;
  return present.map((line) => before + line + after);
}
