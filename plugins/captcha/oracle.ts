import { fieldOf, valuesOf, without } from "../../test/oracle/message.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import { decoded } from "../../test/oracle/query.js";
import type { State } from "../../test/oracle/state.js";
import type { CaptchaData } from "./index.js";

/** `error` is the service's verdict; `failure` means none. Absent: the token passes. */
export interface PredictedVerdict {
  status?: number | undefined;
  error?: string | undefined;
  failure?: boolean | undefined;
}

interface Split {
  token: string;
  rest: string;
}
type Look = Split | "absent" | "late" | { fault: string };

const MALFORMED = { fault: "The body does not match its Content-Type" };
const REPEATED = { fault: "The request contains more than one captcha token" };
const NO_TEXT = { fault: "The captcha token is not a text" };
const NO_TOKEN = "The captcha token is malformed";

const GATEWAY_FIELD = /^x[^a-z\d]captcha[^a-z\d]/i;
const ABSENT = { error: "captcha_required", message: "Solve the captcha first" };
const SPENT = {
  error: "captcha_invalid",
  message: "The captcha has expired or was used already: solve it again",
};
const WRONG = { error: "captcha_misconfigured", message: "The captcha of this site is not set up correctly" };
const AWAY = { error: "captcha_unavailable", message: "The captcha cannot be verified now: try again later" };

/** Rewrite phase: only the gateway may set X-Captcha-*. */
export function cleanCaptcha({ received, forwarded }: State): void {
  for (const [name] of received)
    if (GATEWAY_FIELD.test(name)) forwarded.headers = without(forwarded.headers, name.toLowerCase());
}

/** Access phase: a token that the service verifies, or a local reply. */
export function captcha(data: CaptchaData, errorResponse: string | undefined, state: State): void {
  if (!data.methods.includes(state.request.method.toUpperCase())) return;
  const answer = (status: number, said: object, again = false) => {
    const json = errorResponse === undefined || errorResponse.startsWith("{");
    state.answered = {
      status,
      body:
        errorResponse === undefined
          ? `${JSON.stringify(said)}\n`
          : Buffer.from(errorResponse).toString("latin1"),
      contentType: json ? "application/json" : "text/plain",
      ...(again && { headers: [["Retry-After", "10"]] }),
    };
  };
  const { look, maxBytes } = search(data, state);
  if (look === "absent") answer(data.rejectStatus, ABSENT);
  else if (look === "late")
    answer(413, {
      error: "captcha_too_late",
      message: `No captcha token within the first ${maxBytes} bytes of the body`,
    });
  else if ("fault" in look) answer(data.rejectStatus, { error: "captcha_invalid", message: look.fault });
  else if (look.token === "" || look.token.length > 2048 || /[^\w.-]/.test(look.token))
    answer(data.rejectStatus, { error: "captcha_invalid", message: NO_TOKEN });
  else verify(look.token, data, state, answer);
}

function verify(
  token: string,
  data: CaptchaData,
  state: State,
  answer: (status: number, said: object, again?: boolean) => void,
): void {
  const { status = 200, error, failure = false } = state.verdicts[token] ?? {};
  const isDown = failure || status >= 500 || error === "storage_error";
  const ask = () =>
    state.verifications.push({
      site_key: data.siteKey,
      jwt: token,
      ...(data.sendIp && { ip: state.request.clientAddress }),
    });
  for (let i = 0; i <= (isDown ? data.retries : 0); i++) ask();
  const put = (name: string, value: string) => {
    state.forwarded.headers = [...without(state.forwarded.headers, name), [name, value]];
  };
  const tell = (result: string) => put("X-Captcha-Result", result);
  if (isDown && data.policy === "fail-open") tell("unverified");
  else if (isDown) answer(503, AWAY, true);
  else if (status === 200 && error === undefined) {
    tell("verified");
    put("X-Captcha-Request-Id", "req_1");
  } else answer(data.rejectStatus, status === 200 && error === "invalid_jwt" ? SPENT : WRONG);
}

/** First place of the list with a token, and the request without it. */
function search(data: CaptchaData, state: State): { look: Look; maxBytes: number } {
  const type = fieldOf(state.received, "content-type") ?? "";
  const kind = /^application\/x-www-form-urlencoded\b/i.test(type)
    ? "form"
    : /^application\/(?:.*\+)?json\b/i.test(type)
      ? "json"
      : /^multipart\/form-data\b/i.test(type)
        ? "multipart"
        : undefined;
  const maxBytes = kind === "multipart" ? data.maxMultipartBytes : data.maxBodyBytes;
  for (const place of data.tokenFrom) {
    const look =
      place === "header"
        ? inHeader(data, state)
        : place === kind
          ? inBody(kind, type, data, state)
          : "absent";
    if (look !== "absent") return { look, maxBytes };
  }
  return { look: "absent", maxBytes };
}

function inHeader({ header, stripField }: CaptchaData, state: State): Look {
  const lines = valuesOf(state.received, header).filter((line) => line !== "");
  if (stripField) state.forwarded.headers = without(state.forwarded.headers, header);
  const [token] = lines;
  if (token === undefined) return "absent";
  return lines.length > 1 ? REPEATED : { token, rest: "" };
}

function inBody(kind: "form" | "json" | "multipart", type: string, data: CaptchaData, state: State): Look {
  const { body } = state.request;
  if (kind !== "multipart" && body.length > data.maxBodyBytes) return "late";
  const look =
    kind === "form"
      ? inForm(body, data.field)
      : kind === "json"
        ? inJson(body, data.pointer)
        : inParts(body, /boundary="?([^";]+)/i.exec(type)?.[1] ?? "", data.field, data.maxMultipartBytes);
  if (typeof look === "string" || "fault" in look) return look;
  state.loggedBody = look.rest;
  if (data.stripField) state.forwarded.body = look.rest;
  return look.token === "" ? "absent" : look;
}

function inForm(body: string, field: string): Look {
  const pairs = body.split("&");
  const isField = (pair: string) => decoded(pair.split("=")[0] ?? "", true) === field;
  const own = pairs.filter(isField).map((pair) => decoded(pair.split("=").slice(1).join("="), true));
  if (own.length === 0) return "absent";
  const values = own.filter((value) => value !== "");
  if (values.length > 1) return REPEATED;
  return { token: values[0] ?? "", rest: pairs.filter((pair) => !isField(pair)).join("&") };
}

/** Sufficient for the cases: one object, the token's name once; a member ends at a comma outside strings. */
function inJson(body: string, path: readonly string[]): Look {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
  } catch {
    return MALFORMED;
  }
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "absent";
    value = (value as Record<string, unknown>)[name];
  }
  const last = JSON.stringify(path.at(-1));
  const written = new RegExp(`${last}\\s*:\\s*(?:"[^"]*"|null|\\d+)`, "g");
  const members = [...body.matchAll(written)];
  const [member] = members;
  if (value === undefined || member === undefined) return "absent";
  if (members.length > 1) return REPEATED;
  if (typeof value !== "string" && value !== null) return NO_TEXT;
  const before = body.slice(0, member.index);
  const after = body.slice(member.index + member[0].length);
  const rest = /^\s*,/.test(after)
    ? before + after.replace(/^\s*,/, "")
    : before.replace(/,\s*$/, "") + after;
  return { token: value ?? "", rest };
}

const GONE = "\0";

function inParts(body: string, boundary: string, field: string, maxBytes: number): Look {
  const mark = `\r\n--${boundary}`;
  const pieces = `\r\n${body}`.split(mark);
  // A delimiter counts if the two bytes behind it, which classify it, are within the limit.
  const isBeyond = (at: number) => body.length > maxBytes && at + mark.length + 2 > maxBytes;
  const others = [...pieces];
  const rest = () =>
    others
      .filter((piece) => piece !== GONE)
      .join(mark)
      .slice(2);
  const ended = (how: "late" | "absent"): Look => (others.includes(GONE) ? { token: "", rest: rest() } : how);
  let at = (pieces[0]?.length ?? 0) - 2;
  for (const [i, piece] of pieces.entries()) {
    if (i === 0) continue;
    if (isBeyond(at)) return ended("late");
    if (piece.startsWith("--")) return ended("absent");
    at += mark.length + piece.length;
    const [head = "", ...content] = piece.split("\r\n\r\n");
    const named = / name="([^"]*)"/.exec(head)?.[1];
    if (named !== field || / filename="/.test(head) || i === pieces.length - 1) continue;
    if (isBeyond(at)) return ended("late");
    others[i] = GONE;
    const token = content.join("\r\n\r\n");
    if (token !== "") return { token, rest: rest() };
  }
  return ended(body.length > maxBytes ? "late" : "absent");
}

export const oracle: OracleStep = (step, state, { resources = [] }) => {
  const data = resources.find(({ plugin }) => plugin === step.plugin)?.data as CaptchaData;
  if (step.phase === "rewrite") cleanCaptcha(state);
  else captcha(data, step.errorResponse, state);
};
