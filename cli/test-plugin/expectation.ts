import type { Path } from "../../compiler/model/source.js";
import type { Field } from "../../compiler/plugin/package.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { ShippedRecord } from "../../runtime/control/in-process/exchange-spec.js";
import { fieldValues } from "../../runtime/control/in-process/wire-message.js";
import { logDifferences } from "../in-process/log-differences.js";
import { pluralize } from "../output.js";
import type { CaseExchange, ExpectedMessage } from "./case-file.js";

/** Messages observed at both ends; texts are byte strings. */
export interface Seen {
  /** Undefined if the upstream was not called. */
  upstreamRequest: { method: string; target: string; headers: Field[]; body: string } | undefined;
  response: { status: number; headers: Field[]; body: string };
  /** Number of requests to services during the exchange, by name. */
  serviceRequests: ReadonlyMap<string, number>;
  /** Records that loggers queued for delivery, by plugin. */
  logs: readonly ShippedRecord[];
  /** Errors of the gateway during the exchange, which explain any other mismatch. */
  faults: readonly Fault[];
}

/** Event that the data plane reports, such as "module_failed", and the thrown error. */
export interface Fault {
  event: string;
  reason: unknown;
}

export interface Difference {
  path: Path;
  message: string;
}

const shown = (text: string) => JSON.stringify(Buffer.from(text, "latin1").toString("utf8"));

export function differences({ expect }: CaseExchange, seen: Seen): Difference[] {
  const { upstream_request: request, response } = expect;
  const found = [...calledServices(expect, seen), ...shippedRecords(expect, seen)];
  const at: Path = ["expect", "upstream_request"];
  if (request === false) {
    if (seen.upstreamRequest !== undefined) found.push({ path: at, message: "the upstream was called" });
  } else if (request !== undefined) {
    if (seen.upstreamRequest === undefined)
      found.push({
        path: at,
        message: `the upstream was not called; the client got ${seen.response.status}`,
      });
    else {
      const { method, target } = seen.upstreamRequest;
      found.push(
        ...same([...at, "method"], "the method", method, request.method),
        ...same([...at, "target"], "the target", target, request.target),
        ...inMessage(at, "the upstream's request", request, seen.upstreamRequest),
      );
    }
  }
  if (response === undefined) return found;
  const place: Path = ["expect", "response"];
  if (response.status !== undefined && response.status !== seen.response.status)
    found.push({
      path: [...place, "status"],
      message: `the status is ${seen.response.status}, expected ${response.status}`,
    });
  return [...found, ...inMessage(place, "the response", response, seen.response)];
}

function calledServices({ service_requests: wanted = {} }: CaseExchange["expect"], seen: Seen): Difference[] {
  return Object.entries(wanted).flatMap(([name, count]) => {
    const got = seen.serviceRequests.get(name) ?? 0;
    if (got === count) return [];
    const message = `the service "${name}" got ${pluralize(got, "request")}, expected ${count}`;
    return [{ path: ["expect", "service_requests", name], message }];
  });
}

function shippedRecords({ log }: CaseExchange["expect"], { logs }: Seen): Difference[] {
  if (log === undefined) return [];
  const shownValue = (value: unknown) => (value === undefined ? "none" : JSON.stringify(value));
  return logDifferences(log, logs).map(({ path, what, expected, actual }) => ({
    path: ["expect", ...path],
    message: `${what}: got ${shownValue(actual)}, expected ${shownValue(expected)}`,
  }));
}

function same(path: Path, what: string, got: string, wanted: string | undefined): Difference[] {
  if (wanted === undefined || got === utf8(wanted)) return [];
  return [{ path, message: `${what} is ${shown(got)}, expected ${JSON.stringify(wanted)}` }];
}

function inMessage(
  path: Path,
  what: string,
  { headers = {}, absent = [], body }: ExpectedMessage,
  got: { headers: Field[]; body: string },
): Difference[] {
  const fields = Object.entries(headers).flatMap(([name, value]) => {
    const wanted = [value].flat();
    const values = fieldValues(got.headers, name);
    if (values.length === wanted.length && values.every((one, i) => one === utf8(wanted[i] ?? ""))) return [];
    const list = values.length === 0 ? "absent" : values.map(shown).join(" and ");
    const expected = wanted.map((one) => JSON.stringify(one)).join(" and ");
    return [
      { path: [...path, "headers", name], message: `${name} of ${what} is ${list}, expected ${expected}` },
    ];
  });
  const present = absent.flatMap((name, i) => {
    const [value] = fieldValues(got.headers, name);
    if (value === undefined) return [];
    return [
      { path: [...path, "absent", i], message: `${name} of ${what} is ${shown(value)}, expected none` },
    ];
  });
  return [...fields, ...present, ...same([...path, "body"], `the body of ${what}`, got.body, body)];
}
