import { trimBlanks } from "../../../../runtime/abi/text/field.js";
import type { CaptchaRequest } from "../contract.js";
import type { VerifyReason } from "./answer.js";

const NAMES = ["jwt", "ip", "idempotency_key"] as const;
type Name = (typeof NAMES)[number];
const KNOWN: ReadonlySet<string> = new Set(NAMES);
const ARRAY = /^(?:jwt|ip|idempotency_key)\[/;
/** Where an API key was put that belongs in the header; and anything that looks like one. */
const KEY_NAME = /^(?:x[-_]?)?(?:api[-_]?key|secret)$/i;
const KEY_VALUE = /^spk_[A-Za-z0-9]{8}_/;
/** Printable ASCII, at most 64 (reference 5.4). */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,64}$/;

export interface Parameters {
  jwt: string | undefined;
  ip: string | undefined;
  idempotencyKey: string | undefined;
}

/** What the request says, or the first thing that is wrong with how it says it. Empty is absent. */
export function parametersOf(request: CaptchaRequest): Parameters | VerifyReason {
  const found = new Map<string, string>();
  const fault = readQuery(request.query, found) ?? readBody(request, found);
  if (fault !== undefined) return fault;
  const given = (name: Name) => found.get(name) || undefined;
  const idempotencyKey = given("idempotency_key");
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) return "invalid_idempotency_key";
  return { jwt: given("jwt"), ip: given("ip"), idempotencyKey };
}

function readQuery(text: string, found: Map<string, string>): VerifyReason | undefined {
  if (text === "") return undefined;
  let fault: VerifyReason | undefined;
  for (const pair of text.split("&")) {
    const mark = pair.indexOf("=");
    const name = unescaped(mark < 0 ? pair : pair.slice(0, mark));
    fault = worse(fault, keep(found, name, mark < 0 ? "" : unescaped(pair.slice(mark + 1))));
  }
  return fault;
}

/** A leaked key is told before anything else. */
const worse = (a: VerifyReason | undefined, b: VerifyReason | undefined): VerifyReason | undefined =>
  b === "api_key_misplaced" ? b : (a ?? b);

function keep(found: Map<string, string>, name: string, value: string): VerifyReason | undefined {
  if (KEY_NAME.test(name) || KEY_VALUE.test(value)) return "api_key_misplaced";
  if (ARRAY.test(name)) return "duplicate_param";
  if (!KNOWN.has(name)) return undefined;
  if (found.has(name)) return "duplicate_param";
  found.set(name, value);
  return undefined;
}

/** Of the POST alias: the same names as a form or as JSON. A GET's body is nobody's business. */
function readBody(
  { method, headers, body }: CaptchaRequest,
  found: Map<string, string>,
): VerifyReason | undefined {
  if (method !== "POST" || body.length === 0) return undefined;
  const type = trimBlanks((headers.get("content-type") ?? "").split(";")[0] ?? "").toLowerCase();
  if (type === "application/x-www-form-urlencoded") return readQuery(body.toString("latin1"), found);
  return type === "application/json" ? readJson(body.toString("utf8"), found) : "invalid_body";
}

function readJson(text: string, found: Map<string, string>): VerifyReason | undefined {
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
    if (typeof member === "string") fault = worse(fault, keep(found, name, member));
    else if (KNOWN.has(name))
      fault = worse(fault, Array.isArray(member) ? "duplicate_param" : "invalid_body");
  }
  return fault;
}

/** Percent escapes and "+" of a form; what is no escape stays as it is, and then is no token and no address. */
function unescaped(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
