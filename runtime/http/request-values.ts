import { trimBlanks } from "../abi/text/field.js";

/** Decodes "+" and percent escapes of a query value; broken escapes are kept. A byte string. */
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

/** Value of a cookie in a Cookie header; names are case-sensitive, and a comma is part of the value, as in nginx. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0 && trimBlanks(part.slice(0, equals)) === name) return trimBlanks(part.slice(equals + 1));
  }
  return undefined;
}

export interface Authority {
  /** Value of X-Forwarded-Host: as received, without a trailing dot and without the colon of an empty port. */
  readonly named: string;
  /** Host for matching routes: lower case, without port; IPv6 keeps its brackets. */
  readonly host: string;
  /** Port as received; "" if there is none. */
  readonly port: string;
  /** Host header for `pass_host: pass`: `host` and port. */
  readonly sent: string;
}

let lastText = "";
let last: Authority = { named: "", host: "", port: "", sent: "" };

/**
 * Parses a Host value. "a.test." and "a.test" are one name (RFC 3986 section 3.2.2), so one trailing dot is
 * removed; "a.test:" is "a.test" (section 6.2.3). A cache of one: most connections repeat one host.
 */
export function authorityOf(text: string): Authority {
  if (text === lastText) return last;
  const colon = text.lastIndexOf(":");
  const ported = colon > 0 && colon > text.lastIndexOf("]");
  const name = ported ? text.slice(0, colon) : text;
  const port = ported ? text.slice(colon + 1) : "";
  const bare = name.length > 1 && name.endsWith(".") ? name.slice(0, -1) : name;
  const host = bare.toLowerCase();
  const behind = port === "" ? "" : `:${port}`;
  lastText = text;
  last = { named: bare + behind, host, port, sent: host + behind };
  return last;
}
