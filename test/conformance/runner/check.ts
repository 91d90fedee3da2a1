import { expect } from "vitest";
import { certain } from "../../../cli/in-process/log-differences.js";
import { mismatches } from "../../../cli/in-process/mismatches.js";
import { canonicalJson } from "../../../runtime/abi/hash.js";
import type { Observed as Happened } from "../../../runtime/control/in-process/exchange-spec.js";
import { type Fields, fieldValues, WIRE_HEADERS } from "../../../runtime/control/in-process/wire-message.js";
import type { LogRecord, Verification } from "../../oracle/state.js";
import type { CaseExchange } from "./case.js";

/** An observed exchange with verifications of the captcha service; undefined if not observed. */
export interface Observed extends Happened {
  verifications?: readonly Verification[] | undefined;
}

/** Compares every line of `expect` with the observed exchange. */
export function checkExchange({ expect: wanted }: CaseExchange, seen: Observed): void {
  if (wanted.verifications !== undefined && seen.verifications !== undefined)
    expect(seen.verifications, "what the captcha service was asked").toEqual(wanted.verifications);
  expect(mismatches(wanted, seen)).toEqual([]);
}

/**
 * Returns all on which two observers of an exchange must agree, without framing, date and header order.
 * A Content-Length is compared with the body, since the framing of a body is the wire's choice.
 */
export function comparable({ upstreamRequest, response, logs, verifications }: Observed) {
  const { method, target, headers, body, trailers } = upstreamRequest ?? { headers: [] };
  const { status, interim } = response;
  return {
    upstream: upstreamRequest && { method, target, headers: byName(headers), body, trailers },
    response: {
      status,
      headers: byName(response.headers),
      body: response.body,
      trailers: response.trailers,
      interim: interim.map(({ status, headers }) => ({ status, headers: byName(headers) })),
    },
    ...(logs && { logs: comparableLogs(logs) }),
    ...(verifications && { verifications }),
  };
}

function byName(fields: Fields): Record<string, string[]> {
  const names = [...new Set(fields.map(([name]) => name.toLowerCase()))].sort();
  const kept = names.filter((name) => !WIRE_HEADERS.includes(name));
  return Object.fromEntries(kept.map((name) => [name, fieldValues(fields, name)]));
}

/** Sorts records, since one whose body is decoded first may come after one that was made later. */
function comparableLogs(logs: readonly LogRecord[]) {
  const kept = logs.map((log) => ({ ...log, record: certain(log.record) }));
  const text = new Map(kept.map((log) => [log, canonicalJson(log)]));
  return kept.sort((a, b) => ((text.get(a) ?? "") < (text.get(b) ?? "") ? -1 : 1));
}
