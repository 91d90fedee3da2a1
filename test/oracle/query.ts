/** Percent-decoding as in query strings; a broken escape stays as it is. */
export function decoded(text: string, plusIsBlank: boolean): string {
  const spaced = plusIsBlank ? text.replaceAll("+", " ") : text;
  return spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** First value of a parameter, decoded; "" for a bare name; undefined when absent. */
export function parameter(query: string, name: string): string | undefined {
  for (const pair of query.split("&")) {
    const [key = "", ...rest] = pair.split("=");
    if (decoded(key, true) === name && pair !== "") return decoded(rest.join("="), true);
  }
  return undefined;
}

/** Without the blanks of HTTP around it. */
const unblank = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, "");

/** First cookie of that name; names are case-sensitive. */
export function cookie(lines: readonly string[], name: string): string | undefined {
  for (const pair of lines.flatMap((line) => line.split(";"))) {
    const [key = "", ...rest] = pair.split("=");
    if (unblank(key) === name && rest.length > 0) return unblank(rest.join("="));
  }
  return undefined;
}
