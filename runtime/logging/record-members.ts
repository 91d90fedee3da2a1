import type { Headers } from "../abi/exchange.js";
import { validUtf8 } from "../abi/text/record-text.js";
import { decodeQueryValue } from "../http/request-values.js";
import { quoted } from "./json-text.js";
import { isRedacted, MASK, type RedactedNames, redactedValue } from "./redaction.js";

interface Field {
  readonly lower: string;
  /** `,"name":` */
  readonly key: string;
  readonly redacted: boolean;
  /** Number of the last headers object that contained it. */
  seenIn: number;
  /** Last written value and its member: most requests of one client differ in few headers. */
  value: string | undefined;
  member: string;
}

/** Limits of cached spellings (at the start of an object) and forwarding headers: clients choose them. */
const MAX_SPELLINGS = 256;
const MAX_FORWARDED = 1_024;
/** Maximum length of a cached value: a slice of a head keeps the whole head in memory. */
const MAX_KEPT = 256;

const MASKED = `"${MASK}"`;

export class HeaderWriter {
  readonly #redact: RedactedNames;
  readonly #spellings = new Map<string, Field>();
  readonly #forwarded = new Map<string, string>();
  #object = 0;
  #out = "";
  #repeated = false;
  #left = "";
  readonly #add = (name: string, value: string): void => {
    const field = this.#spellings.get(name) ?? this.#learn(name);
    if (this.#left !== "" && leftOut(this.#left, field.lower)) return;
    if (field.seenIn === this.#object) this.#repeated = true;
    field.seenIn = this.#object;
    this.#out += value === field.value ? field.member : written(field, value, this.#redact);
  };

  constructor(redact: RedactedNames) {
    this.#redact = redact;
  }

  /**
   * Writes `{"name":"value",…}`. `host` and `length` are headers that the list leaves to the wire.
   * @param forwarded lines that were sent instead of headers with the same names
   */
  text(headers: Headers, host?: string, length?: string, forwarded = ""): string {
    // Not within an object: a field that is forgotten there would repeat its key.
    if (this.#spellings.size >= MAX_SPELLINGS) this.#spellings.clear();
    this.#object++;
    this.#repeated = false;
    this.#left = "";
    this.#out = forwarded === "" ? "" : this.#forwardedText(forwarded);
    if (host !== undefined) this.#add("host", host);
    if (length !== undefined) this.#add("content-length", length);
    this.#left = forwarded;
    headers.forEach(this.#add);
    if (this.#repeated) return this.#grouped(headers, host, length, forwarded);
    return `{${this.#out.slice(1)}}`;
  }

  /** Returns the members of forwarding headers, cached: they are the same for all requests of a connection. */
  #forwardedText(lines: string): string {
    const known = this.#forwarded.get(lines);
    if (known !== undefined) return known;
    let out = "";
    for (const [name, value] of forwardedFields(lines))
      out += `,${quoted(name.toLowerCase())}:${quoted(redactedValue(name.toLowerCase(), value, this.#redact))}`;
    if (this.#forwarded.size >= MAX_FORWARDED) this.#forwarded.clear();
    if (!BEYOND_ASCII.test(lines)) this.#forwarded.set(lines, out);
    return out;
  }

  #grouped(
    headers: Headers,
    host: string | undefined,
    length: string | undefined,
    forwarded: string,
  ): string {
    const values = new Map<string, string[]>();
    const add = (name: string, value: string): void => {
      const { lower } = this.#spellings.get(name) ?? this.#learn(name);
      const shown = redactedValue(lower, value, this.#redact);
      const known = values.get(lower);
      if (known === undefined) values.set(lower, [shown]);
      else known.push(shown);
    };
    if (host !== undefined) add("host", host);
    if (length !== undefined) add("content-length", length);
    for (const [name, value] of forwardedFields(forwarded)) add(name, value);
    headers.forEach((name, value) => {
      if (forwarded === "" || !leftOut(forwarded, name.toLowerCase())) add(name, value);
    });
    return objectText(values);
  }

  #learn(name: string): Field {
    const lower = name.toLowerCase();
    const known = this.#spellings.get(lower);
    const field = known ?? {
      lower,
      key: `,${validUtf8(quoted(lower))}:`,
      redacted: isRedacted(lower, this.#redact),
      seenIn: 0,
      value: undefined,
      member: "",
    };
    if (known === undefined) this.#spellings.set(lower, field);
    this.#spellings.set(name, field);
    return field;
  }
}

const BEYOND_ASCII = /[\x80-\xff]/;

function written(field: Field, value: string, redact: RedactedNames): string {
  const member = field.key + quoted(field.redacted ? redactedValue(field.lower, value, redact) : value);
  // A value beyond ASCII is not cached: it must request a check of the record each time.
  if (value.length <= MAX_KEPT && !BEYOND_ASCII.test(value)) {
    field.value = value;
    field.member = member;
  }
  return member;
}

function forwardedFields(lines: string): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (const line of lines.split("\r\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) pairs.push([line.slice(0, colon), line.slice(colon + 2)]);
  }
  return pairs;
}

let lastForwarded = "";
let lastLower = "";

/** Forwarding headers of the gateway replace received ones, and Forwarded (runtime/proxy/host/forwarding.ts). */
function leftOut(forwarded: string, lower: string): boolean {
  if (!lower.startsWith("x-")) return lower === "forwarded";
  if (forwarded !== lastForwarded) {
    lastForwarded = forwarded;
    lastLower = `\r\n${forwarded.toLowerCase()}`;
  }
  return lastLower.includes(`\r\n${lower}: `);
}

const PLAIN_QUERY = /^[\w\-.~!$'()*,;:@/?=&]*$/;
/** Maximum number of parameters to compare one by one. */
const FEW = 16;

/** Writes the query as an object: decoded names and values, repeated ones as lists, a name without "=" as true. */
export function queryText(args: string, masked: ReadonlySet<string>): string {
  if (args === "") return "{}";
  const plain = PLAIN_QUERY.test(args) ? plainQueryText(args, masked) : undefined;
  return plain ?? groupedQueryText(args, masked);
}

/** @returns undefined if a name is repeated, or there are many */
function plainQueryText(args: string, masked: ReadonlySet<string>): string | undefined {
  const names: string[] = [];
  let out = "";
  for (const pair of args.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals < 0 ? pair : pair.slice(0, equals);
    if (name === "") continue;
    if (names.length === FEW || names.includes(name)) return undefined;
    names.push(name);
    const hidden = masked.size > 0 && masked.has(name.toLowerCase());
    const value = equals < 0 ? "true" : hidden ? MASKED : `"${pair.slice(equals + 1)}"`;
    out += `${out === "" ? "" : ","}"${name}":${value}`;
  }
  return `{${out}}`;
}

function groupedQueryText(args: string, masked: ReadonlySet<string>): string {
  const values = new Map<string, (string | true)[]>();
  for (const pair of args.split("&")) {
    const equals = pair.indexOf("=");
    const name = decodeQueryValue(equals < 0 ? pair : pair.slice(0, equals));
    if (name === "") continue;
    const hidden = masked.size > 0 && equals >= 0 && masked.has(name.toLowerCase());
    const value = equals < 0 ? true : hidden ? MASK : decodeQueryValue(pair.slice(equals + 1));
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return objectText(values);
}

function objectText(values: ReadonlyMap<string, readonly (string | true)[]>): string {
  let out = "";
  for (const [name, list] of values) {
    const texts = list.map((value) => (value === true ? "true" : quoted(value)));
    out += `${out === "" ? "" : ","}${quoted(name)}:${texts.length === 1 ? texts[0] : `[${texts.join(",")}]`}`;
  }
  return `{${out}}`;
}
