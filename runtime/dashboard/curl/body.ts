import type { CurlOption } from "./options.js";

export interface CurlData {
  /** Undefined if no option sets a body. */
  data: string | undefined;
  /** Parts that always go to the query. */
  query: string[];
  isJson: boolean;
  /** Options whose contents are in files or forms, as written. */
  untried: string[];
}

const DATA = new Set(["data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json"]);
/** Options with a body from a file, or a body with parts. */
const ELSEWHERE = new Set(["form", "form-string", "upload-file"]);

export function dataOf(options: readonly CurlOption[]): CurlData {
  const given: CurlData = { data: undefined, query: [], isJson: false, untried: [] };
  for (const { name, value, written } of options) {
    const note = () => void given.untried.push(`${written} ${value}`);
    if (ELSEWHERE.has(name)) note();
    else if (name === "url-query") {
      const part = value.startsWith("+") ? value.slice(1) : urlencoded(value);
      if (part === undefined) note();
      else given.query.push(part);
    } else if (DATA.has(name)) {
      const part = name === "data-urlencode" ? urlencoded(value) : value;
      const isFile =
        part === undefined || (name !== "data-urlencode" && name !== "data-raw" && /^@/.test(value));
      if (isFile) note();
      const content = isFile ? "" : part;
      // Pieces of JSON are concatenated without a separator.
      const between = given.data === undefined || name === "json" ? "" : "&";
      given.data = `${given.data ?? ""}${between}${content}`;
      given.isJson ||= name === "json";
    }
  }
  return given;
}

/** Content of "name=content", or a bare content. Undefined if it is in a file. */
function urlencoded(value: string): string | undefined {
  const [, name = "", sign] = /^([^=@]*)([=@])/s.exec(value) ?? [];
  // An "@" before "=" is part of the name.
  const equal = value.indexOf("=");
  if (equal >= 0) return `${value.slice(0, equal)}${equal > 0 ? "=" : ""}${escaped(value.slice(equal + 1))}`;
  return sign === "@" || name === "@" ? undefined : escaped(value);
}

/** Encodes a text for a form, with "+" for blanks. */
const escaped = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
