/** What a command of curl asks for. */
export interface CurlRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Options of curl that take no value; letters may stand together ("-sSL"). */
const FLAGS = new RegExp(
  "^(?:-[0-46aBfgijklLMnNOpqRsSvVZ#]+|--(?:no-.+|tlsv1.*|http[0-9.]+|ipv[46]|compressed|insecure|silent|show-error|" +
    "location(?:-trusted)?|include|verbose|fail(?:-.+)?|globoff|path-as-is|progress-bar|raw|remote-name|parallel))$",
);
const BODY = new Set([
  "-d",
  "--data",
  "--data-raw",
  "--data-binary",
  "--data-ascii",
  "--data-urlencode",
  "--json",
]);
/** Beyond it nobody pastes a command; to split a text into words takes time. */
const LONGEST = 64 * 1024;

/** Whether a text is meant as a command of curl: then none of it belongs into an address, which ends in logs and histories. */
export const isCurl = (text: string): boolean =>
  /^\s*(?:[$%#>]\s+)?(?:\w+=\S*\s+|sudo\s+|exec\s+|time\s+)*(?:\S*[/\\])?curl(?:\.exe)?(?=\s|$)/i.test(text);

/** Reads a command of curl as a shell would split it; undefined: it is none, or names no address. */
export function curlCommand(text: string): CurlRequest | undefined {
  if (!isCurl(text) || text.length > LONGEST) return undefined;
  const words = shellWords(text.trim());
  const start = words.findIndex((word) => /^(?:.*[/\\])?curl(?:\.exe)?$/i.test(word)) + 1;
  const read = new Command(words.slice(start));
  return read.request();
}

/** The words behind the program's name, taken one by one. */
class Command {
  readonly #words: readonly string[];
  #at = 0;
  readonly #headers = new Map<string, string>();
  readonly #bodies: string[] = [];
  /** Words that may be the address. */
  readonly #addresses: string[] = [];
  #method = "";
  #inQuery = false;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  request(): CurlRequest | undefined {
    while (this.#at < this.#words.length) this.#take(this.#next());
    const found =
      this.#addresses.find((word) => /^https?:\/\//i.test(word)) ?? this.#addresses.find(isAddress);
    if (found === undefined) return undefined;
    const url = this.#withoutUser(found);
    const headers = Object.fromEntries(this.#headers);
    const data = this.#bodies.join("&");
    const method = this.#method || (this.#bodies.length > 0 && !this.#inQuery ? "POST" : "GET");
    if (this.#bodies.length === 0) return { method, url, headers };
    if (this.#inQuery) return { method, url: `${url}${url.includes("?") ? "&" : "?"}${data}`, headers };
    return { method, url, headers, body: data };
  }

  #next(): string {
    this.#at += 1;
    return this.#words[this.#at - 1] ?? "";
  }

  #take(word: string): void {
    const [, short = "", glued = ""] = /^(-[XHdAbue])(.+)$/s.exec(word) ?? [];
    const [, long = "", equal] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = short || long || word;
    const value = () => glued || (equal ?? this.#next());
    if (option === "-X" || option === "--request") this.#method = value();
    else if (option === "-H" || option === "--header") this.#addHeader(value());
    else if (option === "-A" || option === "--user-agent") this.#headers.set("User-Agent", value());
    else if (option === "-e" || option === "--referer") this.#headers.set("Referer", value());
    else if (option === "-b" || option === "--cookie") this.#headers.set("Cookie", value());
    else if (option === "-u" || option === "--user") this.#headers.set("Authorization", basic(value()));
    else if (option === "--oauth2-bearer") this.#headers.set("Authorization", `Bearer ${value()}`);
    else if (option === "-I" || option === "--head") this.#method = "HEAD";
    else if (option === "-G" || option === "--get") this.#inQuery = true;
    else if (option === "--url") this.#addresses.push(value());
    else if (BODY.has(option)) this.#bodies.push(value());
    else if (!option.startsWith("-")) this.#addresses.push(option);
    // Of an option that nobody knows the next word is its value, unless that can only be the address.
    else if (!FLAGS.test(option) && !isWhole(this.#words[this.#at])) value();
  }

  #addHeader(line: string): void {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/s.exec(line) ?? [];
    if (name !== "") this.#headers.set(name, value);
  }

  /** curl sends a user that stands in the address as credentials, and so do we. */
  #withoutUser(url: string): string {
    const [, scheme = "", user = "", rest = ""] = /^(https?:\/\/)([^/@?#]*)@(.*)$/is.exec(url) ?? [];
    if (scheme === "") return url;
    this.#headers.set("Authorization", basic(decoded(user)));
    return scheme + rest;
  }
}

const isWhole = (word = ""): boolean => /^https?:\/\//i.test(word);

/** An address without a scheme: a path, or a host with a dot, a port or a path. */
const isAddress = (word: string): boolean =>
  /^(?:\/|[\w-]+(?:\.[\w-]+)+(?=[:/?]|$)|[\w-]+(?=[:/]))[^\s=]*/.test(word);

const basic = (user: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(user)))}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Words with quotes and backslashes taken as a POSIX shell takes them, ends of lines after a backslash too. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const pieces = text.matchAll(/\\\r?\n|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|(\s+)|([^\s'"\\]+)/gs);
  for (const [piece, single, double, escaped, blank, plain] of pieces) {
    if (/^\\\r?\n$/.test(piece)) continue;
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? "") + (single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? plain ?? "");
  }
  if (word !== undefined) words.push(word);
  return words;
}
