/**
 * The path that routes are matched on: without query, percent-decoded, "." and ".." resolved, slashes merged. Undefined
 * for what is answered 400 (reference 16.13): a broken escape, a zero byte, ".." above the root.
 */
export function matchedPath(target: string): string | undefined {
  const raw = target.split("?", 1)[0] ?? "";
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return undefined;
  const decoded = raw.replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  if (decoded.includes("\0")) return undefined;
  if (!decoded.startsWith("/")) return decoded;

  const segments = decoded.split("/").slice(1);
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.pop() === undefined) return undefined;
  }
  const last = segments.at(-1);
  const endsWithSlash = kept.length > 0 && (last === "" || last === "." || last === "..");
  return `/${kept.join("/")}${endsWithSlash ? "/" : ""}`;
}

/** What follows the first "?", or "". */
export function queryOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? "" : target.slice(mark + 1);
}
