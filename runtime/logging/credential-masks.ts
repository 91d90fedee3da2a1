import { mapMembers } from "../abi/json-object.js";
import type { Credentials } from "../abi/log.js";
import { LOGGER_DEFAULTS } from "../abi/logger-defaults.gen.js";
import { Spellings } from "../abi/spellings.js";
import { MASK, type RedactedNames, redactedNames, redactedTarget, redactedValue } from "./redaction.js";

/** Minimum length of a value to mask: no key is shorter, and a shorter one would mask half of a response. */
const SHORTEST = 6;

type Fields = [name: string, value: string][];

interface Came {
  headers: Fields;
  target: string;
  received?: Fields;
}

/** Masks the values that a request came with, under any name, and headers that carry credentials. */
export class CredentialMasks {
  readonly #names: RedactedNames;
  readonly #values: Spellings;

  /** @param headers and target of the request as it came, and headers of the upstream's response; text, not bytes */
  constructor(credentials: Credentials, { headers, target, received = [] }: Came) {
    this.#names = redactedNames(LOGGER_DEFAULTS.redact, credentials);
    const [path = "", query = ""] = target.split(/\?(.*)/s, 2);
    const asked = this.#names.query(path);
    const parameters = [...new URLSearchParams(query)].filter(([name]) => asked.has(name.toLowerCase()));
    const values = [...[...headers, ...received].filter(this.#carries), ...parameters].flatMap(
      // "Bearer abc": the key may be sent on without its scheme.
      ([name, value]) => partsOf(name, value).flatMap((part) => [part, ...part.split(/[ ;,=]+/)]),
    );
    this.#values = new Spellings(values.filter((value) => value.length >= SHORTEST));
  }

  readonly #carries = ([name]: Fields[number]): boolean => this.#names.headers.has(name.toLowerCase());

  target(written: string): string {
    return redactedTarget(written, this.#names.query(written.split("?", 1)[0] ?? ""));
  }

  field(name: string, value: string): string {
    return redactedValue(name.toLowerCase(), value, this.#names);
  }

  fields(fields: Fields): Fields {
    return fields.map(([name, value]) => [name, this.field(name, value)]);
  }

  hidden<T>(value: T): T {
    const hide = (part: unknown): unknown =>
      typeof part === "string" ? this.#values.without(part, MASK) : mapMembers(part, hide);
    return hide(value) as T;
  }
}

const BASIC = /^basic +([A-Za-z0-9+/_-]+=*)$/i;

/** Returns the credentials in a header: a Set-Cookie without its attributes, and of a user also the password. */
function partsOf(name: string, value: string): string[] {
  if (name.toLowerCase() === "set-cookie") return value.split(";", 1);
  const [, coded] = BASIC.exec(value) ?? [];
  if (coded === undefined) return [value];
  const [, password = ""] = Buffer.from(coded, "base64").toString("utf8").split(/:(.*)/s);
  return [value, password];
}
