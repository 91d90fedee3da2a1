import { trimBlanks } from "../../../../runtime/abi/plugin-api.js";
import { type CaptchaRequest, VERDICTS, type Verdict } from "../contract.js";
import type { VerifyReason } from "./answer.js";

const VERIFY = new Set(["jwt", "ip", "idempotency_key", "details"] as const);
const FEEDBACK = new Set(["jwt", "verdict"] as const);
/** Names under which callers send an API key that belongs in the header. */
const KEY_NAME = /^(?:x[-_]?)?(?:api[-_]?key|secret)$/i;
const KEY_VALUE = /^spk_[A-Za-z0-9]{8}_/;
/** Printable ASCII, at most 64 (reference 5.4). */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export interface Parameters {
  jwt: string | undefined;
  ip: string | undefined;
  idempotencyKey: string | undefined;
  details: boolean;
}

/** Returns the first fault. An empty parameter counts as absent. */
export function verifyParameters(request: CaptchaRequest): Parameters | VerifyReason {
  const found = new ParameterSet(VERIFY);
  const fault = readQuery(request.query, found) ?? readBody(request, found);
  if (fault !== undefined) return fault;
  const [jwt, ip, idempotencyKey] = [found.get("jwt"), found.get("ip"), found.get("idempotency_key")];
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) return "invalid_idempotency_key";
  const details = found.get("details") ?? "false";
  if (details !== "true" && details !== "false") return "invalid_details";
  return { jwt, ip, idempotencyKey, details: details === "true" };
}

/** Ignores a token in the query: reports use POST, so that no log contains it. */
export function feedbackParameters(
  request: CaptchaRequest,
): { jwt: string | undefined; verdict: Verdict } | VerifyReason {
  const found = new ParameterSet(FEEDBACK);
  const fault = readQuery(request.query, new ParameterSet(FEEDBACK)) ?? readBody(request, found);
  if (fault !== undefined) return fault;
  const verdict = VERDICTS.find((one) => one === found.get("verdict"));
  return verdict === undefined ? "invalid_verdict" : { jwt: found.get("jwt"), verdict };
}

/** Closed list, each parameter once. */
class ParameterSet<Name extends string> {
  readonly #names: ReadonlySet<string>;
  readonly #values = new Map<string, string>();

  constructor(known: ReadonlySet<Name>) {
    this.#names = known;
  }

  /** An empty value counts as absent. */
  get(name: Name): string | undefined {
    return this.#values.get(name) || undefined;
  }

  knows(name: string): boolean {
    return this.#names.has(name);
  }

  keep(name: string, value: string): VerifyReason | undefined {
    if (KEY_NAME.test(name) || KEY_VALUE.test(value)) return "api_key_misplaced";
    const bracket = name.indexOf("[");
    if (bracket > 0 && this.knows(name.slice(0, bracket))) return "duplicate_param";
    if (!this.knows(name)) return undefined;
    if (this.#values.has(name)) return "duplicate_param";
    this.#values.set(name, value);
    return undefined;
  }
}

function readQuery(text: string, found: ParameterSet<string>): VerifyReason | undefined {
  if (text === "") return undefined;
  let fault: VerifyReason | undefined;
  for (const pair of text.split("&")) {
    const mark = pair.indexOf("=");
    const name = unescaped(mark < 0 ? pair : pair.slice(0, mark));
    fault = worse(fault, found.keep(name, mark < 0 ? "" : unescaped(pair.slice(mark + 1))));
  }
  return fault;
}

/** A leaked key takes precedence over other faults. */
const worse = (a: VerifyReason | undefined, b: VerifyReason | undefined): VerifyReason | undefined =>
  b === "api_key_misplaced" ? b : (a ?? b);

/** Same names as a form or as JSON; a GET's body is ignored. */
function readBody(
  { method, headers, body }: CaptchaRequest,
  found: ParameterSet<string>,
): VerifyReason | undefined {
  if (method !== "POST" || body.length === 0) return undefined;
  const type = trimBlanks((headers.get("content-type") ?? "").split(";")[0] ?? "").toLowerCase();
  if (type === "application/x-www-form-urlencoded") return readQuery(body.toString("latin1"), found);
  return type === "application/json" ? readJson(body.toString("utf8"), found) : "invalid_body";
}

function readJson(text: string, found: ParameterSet<string>): VerifyReason | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "invalid_body";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "invalid_body";
  let fault: VerifyReason | undefined;
  for (const [name, member] of Object.entries(value)) {
    if (member === null) continue;
    if (typeof member === "string") fault = worse(fault, found.keep(name, member));
    else if (name === "details" && typeof member === "boolean")
      fault = worse(fault, found.keep(name, String(member)));
    else if (found.knows(name))
      fault = worse(fault, Array.isArray(member) ? "duplicate_param" : "invalid_body");
  }
  return fault;
}

/** An invalid escape stays as it is, so the result is no token and no address. */
function unescaped(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
