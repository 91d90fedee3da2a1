import { readAddress } from "./address.js";
import { dataOf } from "./body.js";
import { fieldsOf } from "./head.js";
import { curlArguments } from "./options.js";
import { shellWords } from "./shell-words.js";

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
