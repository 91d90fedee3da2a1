import { type CurlOption, curlArguments } from "./options.js";
import { shellWords } from "./shell-words.js";

interface CurlData {
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

function dataOf(options: readonly CurlOption[]): CurlData {
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

export interface CurlRequest {
  method: string;
  url: string;
  /** In order; a name may occur twice. */
  headers: [name: string, value: string][];
  body?: string;
}

/** Parts of a command that are missing in the request. */
export interface CurlNotes {
  /** Options whose contents are in files, in parts of forms, or known only to the peer: "-d @order.json". */
  untried: string[];
  unknown: string[];
  /** Variables of the shell: "$TOKEN". */
  open: string[];
  /** The command makes several requests; this is the first. */
  isFirst: boolean;
}

export interface ReadCommand {
  /** Undefined if the command has no URL. */
  request: CurlRequest | undefined;
  notes: CurlNotes;
}

/** Maximum length in characters; splitting a longer text would take time, and nobody pastes one. */
const LONGEST = 64 * 1024;
const PROGRAM = /^(?:.*[/\\])?curl(?:\.exe)?$/is;

/** Reports whether a text is a curl command. It must not reach the URL, which ends up in logs and histories. */
export const isCurl = (text: string): boolean =>
  /^\s*(?:[$%#>]\s+)?(?:\w+=\S*\s+|sudo\s+|exec\s+|time\s+)*(?:\S*[/\\])?curl(?:\.exe)?(?=\s|$)/i.test(text);

/** Parses as a shell and curl do. Undefined if the text is no curl command. */
export function curlCommand(text: string): ReadCommand | undefined {
  if (!isCurl(text) || text.length > LONGEST) return undefined;
  const { words, open } = shellWords(text.replace(/^\s*[$%#>]\s+/, ""));
  const { options, addresses, unknown, hasNext } = curlArguments(
    words.slice(words.findIndex((word) => PROGRAM.test(word)) + 1),
  );
  const has = (name: string) => options.some((option) => option.name === name);
  const last = (name: string) => options.filter((option) => option.name === name).at(-1)?.value;
  const { data, query, isJson, untried } = dataOf(options);
  const [first] = addresses;
  const inQuery = has("get") && data !== undefined;
  const hasBody = data !== undefined && !inQuery;
  const at = readAddress(first ?? "", inQuery ? [...query, data] : query, has("path-as-is"));
  const head = fieldsOf(options, { user: at.user, isJson, hasBody });
  const written = last("request-target");
  // "*" is no path of a URL.
  const target = written?.startsWith("/") ? written : undefined;
  const isSeveral =
    addresses.length > 1 || hasNext || (!has("globoff") && /[[{].*[,-].*[\]}]/.test(first ?? ""));
  const notes = { untried: [...untried, ...head.untried], unknown, open, isFirst: isSeveral };
  if (written !== undefined && target === undefined) notes.untried.push(`--request-target ${written}`);
  if (first === undefined) return { request: undefined, notes };
  const method = last("request") ?? methodOf({ has, hasBody });
  const url =
    target === undefined
      ? at.url
      : at.url.replace(/^([^/]*\/\/[^/]*).*$/s, (_, host: string) => `${host}${target}`);
  const request = { method, url, headers: head.headers, ...(hasBody && { body: data }) };
  return { request, notes };
}

function methodOf({ has, hasBody }: { has: (name: string) => boolean; hasBody: boolean }): string {
  if (has("upload-file")) return "PUT";
  if (has("head")) return "HEAD";
  return hasBody || has("form") || has("form-string") ? "POST" : "GET";
}

type Fields = [name: string, value: string][];

/** The version of curl is unknown; rules for clients check only the name. */
const AGENT = "curl/8.0.0";

interface Own {
  user: string | undefined;
  isJson: boolean;
  hasBody: boolean;
}

/** Headers of the request: curl's defaults, unless they are overridden or removed, followed by the given ones. */
function fieldsOf(options: readonly CurlOption[], { user, isJson, hasBody }: Own) {
  const given: Fields = [];
  const taken = new Set<string>();
  const untried: string[] = [];
  for (const { name, value, written } of options) {
    if (name !== "header") continue;
    if (value.startsWith("@")) untried.push(`${written} ${value}`);
    // "X:" removes a header, "X;" sets one without a value.
    const [, field = "", sign, content = ""] = /^([^:;]+)([:;])\s*(.*?)\s*$/s.exec(value) ?? [];
    if (sign === undefined || (sign === ";" && content !== "")) continue;
    taken.add(field.trim().toLowerCase());
    if (sign === ";" || content !== "") given.push([field.trim(), content]);
  }
  const own = ownFields(options, { user, isJson, hasBody }, untried);
  return { headers: [...own.filter(([name]) => !taken.has(name.toLowerCase())), ...given], untried };
}

function ownFields(
  options: readonly CurlOption[],
  { user, isJson, hasBody }: Own,
  untried: string[],
): Fields {
  const last = (name: string) => options.filter((option) => option.name === name).at(-1)?.value;
  const has = (name: string) => options.some((option) => option.name === name);
  const cookies = options.filter(({ name }) => name === "cookie");
  for (const { value, written } of cookies) if (!value.includes("=")) untried.push(`${written} ${value}`);
  const bearer = last("oauth2-bearer");
  const signed = last("user") ?? user;
  const scheme = ["digest", "ntlm", "negotiate", "anyauth", "aws-sigv4"].find(has);
  if (scheme !== undefined) untried.push(`--${scheme}`);
  const range = last("range");
  const fields: [string, string | undefined][] = [
    ["Authorization", scheme === undefined ? authorization(bearer, signed) : undefined],
    ["Range", range && `bytes=${range}`],
    ["User-Agent", last("user-agent") ?? AGENT],
    ["Accept", isJson ? "application/json" : "*/*"],
    ["Accept-Encoding", has("compressed") ? "deflate, gzip, br, zstd" : undefined],
    ["Referer", last("referer")?.replace(/;auto$/, "")],
    ["Cookie", cookies.flatMap(({ value }) => (value.includes("=") ? value : [])).join(";")],
    ["Content-Type", hasBody ? `application/${isJson ? "json" : "x-www-form-urlencoded"}` : undefined],
  ];
  return fields.flatMap(
    ([name, value]): Fields => (value === undefined || value === "" ? [] : [[name, value]]),
  );
}

function authorization(bearer: string | undefined, user: string | undefined): string | undefined {
  if (bearer !== undefined) return `Bearer ${bearer}`;
  if (user === undefined) return undefined;
  // Without a password curl prompts for it.
  const whole = user.includes(":") ? user : `${user}:`;
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(whole)))}`;
}

/** URL of a command after curl's normalization. */
interface ReadAddress {
  url: string;
  /** User information of the URL, decoded: "user:password". */
  user: string | undefined;
}

/** @param asIs keeps dot segments in the path */
function readAddress(written: string, query: readonly string[], asIs: boolean): ReadAddress {
  // curl rejects a path alone as a URL; here the host may be in a header.
  const whole = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/)/i.test(written) ? written : `http://${written}`;
  const [, scheme = "", authority = "", path = "", asked = ""] =
    /^(?:([a-z][a-z0-9+.-]*:\/\/)([^/?#]*))?([^?#]*)(\?[^#]*)?/is.exec(whole) ?? [];
  const at = authority.lastIndexOf("@");
  const added = query.filter((part) => part !== "").join("&");
  const search = added === "" ? asked : `${asked === "" ? "?" : asked === "?" ? asked : `${asked}&`}${added}`;
  const straight = asIs ? path : withoutDots(path);
  return {
    url: `${scheme}${authority.slice(at + 1)}${straight === "" ? "/" : encoded(straight)}${search.replaceAll(" ", "%20")}`,
    user: at < 0 ? undefined : decoded(authority.slice(0, at)),
  };
}

/** Removes dot segments (RFC 3986 section 5.2.4). */
function withoutDots(path: string): string {
  if (!/(?:^|\/)\.{1,2}(?:\/|$)/.test(path)) return path;
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    if (segment === "..") kept.pop();
    if (segment !== "." && segment !== "..") kept.push(segment);
    else if (isLast) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** Percent-encodes bytes that no path may contain; curl leaves them in a query. */
const encoded = (path: string): string =>
  path.replace(/[^\x21-\x7e]+/gu, (text) =>
    Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  );

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
