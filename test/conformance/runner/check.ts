import { expect } from "vitest";
import type { LogRecord, Verification } from "../../oracle/state.js";
import { type Fields, fieldValues } from "../../support/wire-message.js";
import { byteString, type CaseExchange, type ExpectedMessage } from "./case.js";
import { checkLogs, comparableLogs } from "./check-logs.js";
import { OF_THE_WIRE } from "./of-the-wire.js";

/** What really happened, seen at both ends; framing fields are not in the headers. */
export interface Observed {
  /** Undefined when the upstream was not called. */
  upstreamRequest: { method: string; target: string; headers: Fields; body: string } | undefined;
  response: { status: number; headers: Fields; body: string; length: number | undefined };
  /** Records that were shipped, in order; undefined where nobody looked. */
  logs?: readonly LogRecord[] | undefined;
  /** What the captcha service was asked; undefined where nobody looked. */
  verifications?: readonly Verification[] | undefined;
}

/** Every line of `expect` against what was seen. */
export function checkExchange({ expect: wanted }: CaseExchange, seen: Observed): void {
  const { upstream_request: request, response, log, verifications } = wanted;
  if (verifications !== undefined && seen.verifications !== undefined)
    expect(seen.verifications, "what the captcha service was asked").toEqual(verifications);
  if (log !== undefined && seen.logs !== undefined) checkLogs(log, seen.logs);
  if (request === false) expect(seen.upstreamRequest, "the upstream is not called").toBeUndefined();
  else if (request !== undefined) {
    const got = seen.upstreamRequest;
    if (got === undefined) expect.fail("the upstream was not called");
    if (request.method !== undefined) expect(got.method, "method").toBe(request.method);
    if (request.target !== undefined) expect(got.target, "target").toBe(byteString(request.target));
    checkMessage("upstream request", request, got);
  }
  if (response === undefined) return;
  if (response.status !== undefined) expect(seen.response.status, "status").toBe(response.status);
  if (response.length === false) expect(seen.response.length, "Content-Length").toBeUndefined();
  else if (typeof response.length === "number") {
    expect(seen.response.length, "Content-Length").toBe(response.length);
  }
  checkMessage("response", response, seen.response);
}

function checkMessage(what: string, wanted: ExpectedMessage, got: { headers: Fields; body: string }): void {
  for (const [name, values] of Object.entries(wanted.headers ?? {})) {
    expect(fieldValues(got.headers, name), `${what}: ${name}`).toEqual([values].flat().map(byteString));
  }
  for (const name of wanted.absent ?? []) {
    expect(fieldValues(got.headers, name), `${what}: ${name} is absent`).toEqual([]);
  }
  if (wanted.spelled !== undefined) {
    const among = wanted.spelled.map((name) => name.toLowerCase());
    const names = got.headers.map(([name]) => name).filter((name) => among.includes(name.toLowerCase()));
    expect(names, `${what}: names in order`).toEqual(wanted.spelled);
  }
  if (wanted.body !== undefined) expect(got.body, `${what}: body`).toBe(byteString(wanted.body));
}

/**
 * What two observers of one exchange must agree on: everything but framing, date and the order of different fields.
 * Content-Length, where a response has one, is compared with the body, since the framing of a body is the wire's choice.
 */
export function comparable({ upstreamRequest, response, logs, verifications }: Observed) {
  const { method, target, headers, body } = upstreamRequest ?? { headers: [] };
  return {
    upstream: upstreamRequest && { method, target, headers: byName(headers), body },
    response: { status: response.status, headers: byName(response.headers), body: response.body },
    ...(logs && { logs: comparableLogs(logs) }),
    ...(verifications && { verifications }),
  };
}

function byName(fields: Fields): Record<string, string[]> {
  const names = [...new Set(fields.map(([name]) => name.toLowerCase()))].sort();
  const kept = names.filter((name) => !OF_THE_WIRE.includes(name));
  return Object.fromEntries(kept.map((name) => [name, fieldValues(fields, name)]));
}
