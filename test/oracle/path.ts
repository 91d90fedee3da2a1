import type { PathRules } from "../../runtime/abi/path.js";

/** A character of a path, or an escape: `code` is the byte that it stands for. */
interface Token {
  text: string;
  code: number;
  escaped: boolean;
}

const RULES: PathRules = { escapedSlashes: "keep", mergeSlashes: true };
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const UNRESERVED = new Set([...LETTERS, ..."-._~"]);
const RESERVED = new Set("!$&'()*+,;=:@");

/**
 * The path of a target in normal form (reference 17), without query. Undefined for what is answered 400.
 * @param made of a template and values: dot segments in it are refused where a client's are resolved
 */
export function normalForm(target: string, rules: PathRules | undefined, made = false): string | undefined {
  const raw = target.split("?", 1)[0] ?? "";
  if (raw === "*") return raw;
  const tokens = tokensOf(raw);
  if (tokens === undefined || tokens.some(({ code }) => code === 0)) return undefined;
  const { escapedSlashes: slashes, mergeSlashes } = rules ?? RULES;
  const isSlash = ({ escaped, code }: Token) => escaped && (code === 0x2f || code === 0x5c);
  if (slashes === "refuse" && tokens.some(isSlash)) return undefined;
  const spelled = tokens.map((token) => respelled(token, slashes)).join("");

  let segments = spelled.split("/").slice(1);
  if (mergeSlashes) segments = segments.filter((segment, i) => segment !== "" || i === segments.length - 1);
  const kept: string[] = [];
  for (const [i, segment] of segments.entries()) {
    const isDot = segment === "." || segment === "..";
    if (isDot ? made : readings(segment).some((text) => text === "." || text === "..")) return undefined;
    if (!isDot) kept.push(segment);
    if (segment === ".." && kept.pop() === undefined) return undefined;
    if (isDot && i === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** Paths that upstreams may read in one in normal form, itself among them where it is one of them. */
export function pathReadings(path: string, rules: PathRules = RULES): string[] {
  const merged = (text: string) =>
    text
      .split("/")
      .filter((segment, i, all) => segment !== "" || i === 0 || i === all.length - 1)
      .join("/");
  const tokens = tokensOf(path) ?? [];
  const kinds = [[], ["/"], ["\\"], ["/", "\\"]];
  const decoded = kinds.map((separators) =>
    tokens
      .map(({ text, code, escaped }) =>
        (escaped || code === 0x5c) && separators.includes(String.fromCharCode(code)) ? "/" : text,
      )
      .join(""),
  );
  // "//host/path" and "/\host/path" are read as the reference of a host by what makes a URL of it.
  if (path.startsWith("//") || path.startsWith("/\\")) {
    const [, , ...behind] = path.replaceAll("\\", "/").replace(/^\/+/, "//").split("/").slice(1);
    decoded.push(`/${behind.join("/")}`);
  }
  return [...decoded.map(merged), ...(rules.mergeSlashes ? [] : decoded)];
}

/** A path in normal form as routes compare it: what every upstream decodes to the same is spelled in one way. */
export function comparedForm(path: string): string {
  return (tokensOf(path) ?? [])
    .map(({ text, code, escaped }) => {
      const character = String.fromCharCode(code);
      if (UNRESERVED.has(character) || RESERVED.has(character)) return character;
      return !escaped && text === "/" ? text : hexadecimal(code);
    })
    .join("");
}

/** Undefined for a "%" that begins no escape. */
function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character !== "%") {
      tokens.push({ text: character, code: text.charCodeAt(i), escaped: false });
      continue;
    }
    const digits = text.slice(i + 1, i + 3);
    if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
    tokens.push({ text: `%${digits}`, code: Number.parseInt(digits, 16), escaped: true });
    i += 2;
  }
  return tokens;
}

function respelled({ text, code, escaped }: Token, slashes: PathRules["escapedSlashes"]): string {
  if (!escaped) return text;
  if (code === 0x2f) return slashes === "decode" ? "/" : text;
  if (code === 0x5c) return text;
  const character = String.fromCharCode(code);
  return UNRESERVED.has(character) ? character : hexadecimal(code);
}

const hexadecimal = (code: number) => `%${code.toString(16).toUpperCase().padStart(2, "0")}`;

/** What upstreams may make of one segment: decoded again and again, split at either slash, cut at a semicolon. */
function readings(segment: string): string[] {
  const all: string[] = [];
  let text = segment;
  for (let round = 0; round < 8; round++) {
    for (const part of text.split(/[\\/]/)) all.push(part, part.split(";", 1)[0] ?? "");
    text = text.replace(/%[0-9a-f]{2}/gi, (written) => String.fromCharCode(Number(`0x${written.slice(1)}`)));
  }
  return all;
}

/** What follows the first "?", or "". */
export function queryOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? "" : target.slice(mark + 1);
}
