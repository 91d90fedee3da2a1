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
