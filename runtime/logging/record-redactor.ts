import type { Exchange } from "../abi/exchange.js";
import { type Credentials, NO_CREDENTIALS, type RecordView } from "../abi/log.js";
import { decodeQueryValue } from "../http/request-values.js";
import type { Steps } from "../http/time-slice.js";
import type { BodyMasks } from "./body-masks.js";
import type { LoggedBody } from "./body-text.js";
import { type DefaultRecord, defaultRecordOf } from "./default-record.js";
import type { RedactSettings } from "./logger-settings.js";
import { redactText } from "./redact-text.js";
import {
  MASK,
  type RedactedNames,
  redactedInside,
  redactedNames,
  redactedQuery,
  redactedTarget,
} from "./redaction.js";

/** Minimum length of a value to mask: no key is shorter, and a shorter one would mask half of a body. */
const SHORTEST_VALUE = 6;
/** Maximum values of one request to look for in its bodies. */
const MAX_VALUES = 8;
/** Maximum bytes of a body to mask and write as JSON without yielding: up to 3 ms. */
const AT_ONCE = 65_536;
/** Maximum bytes times names to look for without yielding: up to 2 ms. */
const SEARCHED_AT_ONCE = 2_097_152;

interface Masks {
  readonly of: Credentials;
  readonly headers: ReadonlySet<string>;
  readonly query: ReadonlySet<string>;
  /** Names of headers and of query parameters, for bodies. */
  readonly names: readonly string[];
  readonly redact: RedactedNames;
  readonly defaultRecord: DefaultRecord;
}

/** Masks the records of an exchange: the logger's own lists, and the credentials of the exchange's generation. */
export class RecordRedactor implements RecordView {
  readonly #settings: RedactSettings;
  readonly #bodies: BodyMasks | undefined;
  #masks: Masks;
  #uri = "";
  request: string | undefined = undefined;
  response: string | undefined = undefined;

  constructor(settings: RedactSettings, bodies?: BodyMasks) {
    this.#settings = settings;
    this.#bodies = bodies;
    this.#masks = masksOf(settings, NO_CREDENTIALS);
  }

  /** Selects the exchange that the next calls are about. */
  of(x: Exchange): this {
    const { credentials } = x;
    if (credentials !== this.#masks.of && this.#settings.credentials !== false)
      this.#masks = masksOf(this.#settings, credentials);
    this.#uri = x.uri;
    return this;
  }

  get redact(): RedactedNames {
    return this.#masks.redact;
  }

  get defaultRecord(): DefaultRecord {
    return this.#masks.defaultRecord;
  }

  showing(request: string | undefined, response: string | undefined): RecordView {
    this.request = request;
    this.response = response;
    return this;
  }

  /** Maximum length of a body's text that is masked and written as JSON without yielding. */
  atOnce(x: Exchange): number {
    return Math.min(AT_ONCE, Math.floor(SEARCHED_AT_ONCE / this.of(x).#masks.names.length));
  }

  /** Masks a body by its rules, and the credentials that it names or that the request came with. */
  *body(x: Exchange, body: LoggedBody, side: "request" | "response"): Steps<LoggedBody> {
    const { headers } = side === "request" ? x.request : x.response;
    const shown =
      this.#bodies === undefined ? body : yield* this.#bodies.body(body, headers.get("content-type"));
    const text = yield* this.#text(x, shown.text);
    return text === shown.text ? shown : { ...shown, text };
  }

  *message(x: Exchange, text: string): Steps<string> {
    const type = x.request.headers.get("content-type");
    return yield* this.#text(x, this.#bodies === undefined ? text : yield* this.#bodies.text(text, type));
  }

  *#text(x: Exchange, text: string): Steps<string> {
    const { names } = this.of(x).#masks;
    return names.length === 0 ? text : yield* redactText(text, names, this.#values(x));
  }

  target<T extends string | number | undefined>(value: T): T | string {
    return typeof value === "string" ? redactedTarget(value, this.redact.query(this.#uri)) : value;
  }

  query<T extends string | number | undefined>(value: T): T | string {
    return typeof value === "string" ? redactedQuery(value, this.redact.query(this.#uri)) : value;
  }

  line<T extends string | number | undefined>(value: T): T | string {
    if (typeof value !== "string") return value;
    const start = value.indexOf(" ") + 1;
    const end = value.lastIndexOf(" ");
    return value.slice(0, start) + this.target(value.slice(start, end)) + value.slice(end);
  }

  /** Returns a header that a format names: it is shown unless it is a credential. */
  field<T extends string | number | undefined>(name: string, value: T): T | string {
    if (typeof value !== "string") return value;
    return this.#masks.headers.has(name) ? MASK : redactedInside(name, value, this.redact);
  }

  parameter<T extends string | number | undefined>(name: string, value: T): T | string {
    return value !== undefined && this.#masks.query.has(name.toLowerCase()) ? MASK : value;
  }

  /** Credentials that the request came with: an upstream may echo them under any name. */
  #values(x: Exchange): string[] {
    const { headers, query } = this.#masks;
    const found = new Set<string>();
    const add = (value: string) => {
      if (value.length >= SHORTEST_VALUE && found.size < MAX_VALUES) found.add(value);
    };
    for (const name of headers) for (const value of x.request.headers.getAll(name)) add(value);
    if (query.size > 0 && x.args !== "")
      for (const pair of x.args.split("&")) {
        const equals = pair.indexOf("=");
        if (equals < 0 || !query.has(decodeQueryValue(pair.slice(0, equals)).toLowerCase())) continue;
        add(pair.slice(equals + 1));
        add(decodeQueryValue(pair.slice(equals + 1)));
      }
    return [...found];
  }
}

function masksOf(settings: RedactSettings, credentials: Credentials): Masks {
  const { headers, query } = credentials;
  return {
    of: credentials,
    headers: new Set(headers),
    query: new Set(query),
    names: [...new Set([...headers, ...query])],
    redact: redactedNames(settings, credentials),
    defaultRecord: defaultRecordOf({
      headers: [...new Set([...settings.headers, ...headers])],
      query: [...new Set([...settings.query, ...query])],
    }),
  };
}
