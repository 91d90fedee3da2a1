import type { CurlOption } from "./options.js";

/** Body and query that the options of a command build. */
export interface CurlData {
  /** Undefined: no option gives any. */
  data: string | undefined;
  /** Parts that go to the query in any case. */
  query: string[];
  isJson: boolean;
  /** Options whose contents are in files or forms, as they are written. */
  untried: string[];
}

const DATA = new Set(["data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json"]);
/** Their bodies are files, or made of parts. */
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
      // Pieces of JSON are put together as they are.
      const between = given.data === undefined || name === "json" ? "" : "&";
      given.data = `${given.data ?? ""}${between}${content}`;
      given.isJson ||= name === "json";
    }
  }
  return given;
}

/** "name=content" with its content encoded, or content alone. @returns undefined where a file has it */
function urlencoded(value: string): string | undefined {
  const [, name = "", sign] = /^([^=@]*)([=@])/s.exec(value) ?? [];
  // An "@" before "=" belongs to the name.
  const equal = value.indexOf("=");
  if (equal >= 0) return `${value.slice(0, equal)}${equal > 0 ? "=" : ""}${escaped(value.slice(equal + 1))}`;
  return sign === "@" || name === "@" ? undefined : escaped(value);
}

/** Blanks are "+". */
const escaped = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
