import type { Headers } from "../abi/exchange.js";
import { decodeQueryValue } from "../exchange/path.js";
import { quoted } from "./json-text.js";
import { MASK } from "./redaction.js";

/** What is known of a header name; all spellings of one name share it. */
interface Field {
  readonly lower: string;
  /** `"name":` */
  readonly key: string;
  readonly masked: boolean;
  /** Object of headers in which it was seen last. */
  seenIn: number;
}

/** Spellings remembered; clients choose names, so that there must be an end. */
const MOST_SPELLINGS = 1_000;

/** Writes headers as JSON objects with lower-case names; values of masked names are hidden. */
export class HeaderWriter {
  readonly #masked: ReadonlySet<string>;
  readonly #spellings = new Map<string, Field>();
  #object = 0;
  #out = "";
  #repeated = false;
  #left: string | undefined = undefined;
  readonly #add = (name: string, value: string): void => {
    const field = this.#spellings.get(name) ?? this.#learn(name);
    if (this.#left !== undefined && leftOut(this.#left, field.lower)) return;
    if (field.seenIn === this.#object) this.#repeated = true;
    field.seenIn = this.#object;
    const comma = this.#out === "" ? "" : ",";
    this.#out += `${comma}${field.key}${field.masked ? MASKED : quoted(value)}`;
  };

  constructor(masked: ReadonlySet<string>) {
    this.#masked = masked;
  }

  /**
   * `{"name":"value",…}`. `host` and `length` are fields that the list leaves to the wire. `forwarded`: lines that were
   * sent in the place of fields of the same names.
   */
  text(headers: Headers, host?: string, length?: string, forwarded = ""): string {
    this.#object++;
    this.#out = "";
    this.#repeated = false;
    this.#left = undefined;
    if (host !== undefined) this.#add("host", host);
    if (length !== undefined) this.#add("content-length", length);
    if (forwarded !== "") this.#lines(forwarded);
    this.#left = forwarded === "" ? undefined : forwarded;
    headers.forEach(this.#add);
    if (!this.#repeated) return `{${this.#out}}`;
    return this.#grouped(headers, host, length, forwarded);
  }

  #lines(lines: string): void {
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf("\r\n", start);
      const colon = lines.indexOf(": ", start);
      this.#add(lines.slice(start, colon), lines.slice(colon + 2, end));
      start = end + 2;
    }
  }

  /** With repeated fields as lists. */
  #grouped(
    headers: Headers,
    host: string | undefined,
    length: string | undefined,
    forwarded: string,
  ): string {
    const values = new Map<string, string[]>();
    const add = (name: string, value: string): void => {
      const { lower, masked } = this.#spellings.get(name) ?? this.#learn(name);
      const shown = masked ? MASK : value;
      const known = values.get(lower);
      if (known === undefined) values.set(lower, [shown]);
      else known.push(shown);
    };
    if (host !== undefined) add("host", host);
    if (length !== undefined) add("content-length", length);
    for (const line of forwarded.split("\r\n")) {
      const colon = line.indexOf(": ");
      if (colon > 0) add(line.slice(0, colon), line.slice(colon + 2));
    }
    headers.forEach((name, value) => {
      if (forwarded === "" || !leftOut(forwarded, name.toLowerCase())) add(name, value);
    });
    return objectText(values);
  }

  #learn(name: string): Field {
    const lower = name.toLowerCase();
    if (this.#spellings.size >= MOST_SPELLINGS) this.#spellings.clear();
    const known = this.#spellings.get(lower);
    const field = known ?? {
      lower,
      key: `${quoted(lower)}:`,
      masked: this.#masked.has(lower),
      seenIn: 0,
    };
    if (known === undefined) this.#spellings.set(lower, field);
    this.#spellings.set(name, field);
    return field;
  }
}

const MASKED = quoted(MASK);

let lastForwarded = "";
let lastLower = "";

/** Forwarding fields of the gateway take the place of those that came, and of Forwarded (runtime/host/forwarding.ts). */
function leftOut(forwarded: string, lower: string): boolean {
  if (!lower.startsWith("x-")) return lower === "forwarded";
  if (forwarded !== lastForwarded) {
    lastForwarded = forwarded;
    lastLower = `\r\n${forwarded.toLowerCase()}`;
  }
  return lastLower.includes(`\r\n${lower}: `);
}

/** The query as an object: names and values decoded, repeated ones as lists, a name without "=" as true. */
export function queryText(args: string, masked: ReadonlySet<string>): string {
  if (args === "") return "{}";
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
