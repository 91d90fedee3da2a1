import { trimBlanks } from "../wire/blanks.js";

const PLAIN = /^\/(?![/.])(?:[!-$&-.0-~]|\/(?![/.]))*$/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * The path that routes are matched on: percent-decoded, dot segments resolved, slashes merged; a byte string.
 * Undefined for what no path may be (400): above the root, a broken or cut escape, a decoded NUL (reference 16.13).
 */
export function normalisePath(raw: string): string | undefined {
  // Nothing to decode, no "//", no segment that starts with a dot: the path is what was received.
  if (PLAIN.test(raw)) return raw;
  let path = raw;
  if (path.includes("%")) {
    if (/%(?![0-9A-Fa-f]{2})/.test(path) || path.includes("%00")) return undefined;
    path = path.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  if (path.includes("//")) path = path.replace(/\/{2,}/g, "/");
  return DOT_SEGMENT.test(path) ? withoutDots(path) : path;
}

function withoutDots(path: string): string | undefined {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [i, segment] of segments.entries()) {
    const last = i === segments.length - 1;
    if (segment === "..") {
      if (kept.pop() === undefined) return undefined;
      if (last) kept.push("");
    } else if (segment === ".") {
      if (last) kept.push("");
    } else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/** Decodes "+" and percent escapes of a query value; broken escapes stay as they are. A byte string. */
export function decodeQueryValue(text: string): string {
  const spaced = text.includes("+") ? text.replace(/\+/g, " ") : text;
  if (!spaced.includes("%")) return spaced;
  return spaced.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** First value of a query parameter, decoded; "" for a bare name (reference 16.7). */
export function queryValue(args: string, name: string): string | undefined {
  if (args === "") return undefined;
  for (let start = 0; start <= args.length; ) {
    let end = args.indexOf("&", start);
    if (end < 0) end = args.length;
    const equals = args.indexOf("=", start);
    const nameEnd = equals >= 0 && equals < end ? equals : end;
    const raw = args.slice(start, nameEnd);
    if (raw === name || (raw.includes("%") && decodeQueryValue(raw) === name)) {
      return nameEnd === end ? "" : decodeQueryValue(args.slice(nameEnd + 1, end));
    }
    start = end + 1;
  }
  return undefined;
}

/** Value of a cookie in one Cookie line; names are case-sensitive, and a comma is part of the value as it is in nginx. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && trimBlanks(part.slice(0, equals)) === name) return trimBlanks(part.slice(equals + 1));
  }
  return undefined;
}
