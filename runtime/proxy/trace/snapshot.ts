import type { ReadonlyHeaders } from "../../abi/exchange.js";
import { separatorOf } from "../../abi/text/field.js";
import type { TraceChange, TraceFields } from "../../abi/trace.js";
import type { GatewayExchange } from "../exchange/exchange.js";

export function fieldsOf(headers: ReadonlyHeaders): TraceFields {
  const fields: TraceFields = [];
  headers.forEach((name, value) => {
    fields.push([name, value]);
  });
  return fields;
}

/** Returns the parts of a request and its response that plugins can change. Byte strings. */
export function snapshotOf(x: GatewayExchange) {
  const { outgoing, response } = x;
  return {
    method: outgoing.method,
    target: outgoing.target,
    host: outgoing.host,
    consumer: x.consumerName,
    request: fieldsOf(outgoing.fields),
    status: response.status,
    response: fieldsOf(response.headers),
    answered: x.answered,
    body: bodyOf(x),
  };
}

export type Snapshot = ReturnType<typeof snapshotOf>;

function bodyOf({ response: { replacement, filters } }: GatewayExchange): string | undefined {
  if (filters !== undefined) return `${filters.length} ${filters.length === 1 ? "filter" : "filters"}`;
  return replacement === undefined ? undefined : `replaced, ${replacement.length} bytes`;
}

export function changesBetween(before: Snapshot, after: Snapshot): TraceChange[] {
  const changes: TraceChange[] = [];
  const add = (
    of: TraceChange["of"],
    what: TraceChange["what"],
    was: string | undefined,
    is: string | undefined,
  ) => {
    if (was !== is) changes.push({ of, what, before: was ?? null, after: is ?? null });
  };
  add("request", "method", before.method, after.method);
  add("request", "target", before.target, after.target);
  add("request", "host", before.host, after.host);
  add("request", "consumer", before.consumer, after.consumer);
  changes.push(...fieldChanges("request", before.request, after.request));
  // A local reply is another response: headers that it never had are not listed as removed.
  if (!before.answered && after.answered) add("response", "answer", undefined, String(after.status));
  else add("response", "status", statusText(before), statusText(after));
  changes.push(...fieldChanges("response", before.response, after.response));
  add("response", "body", before.body, after.body);
  return changes;
}

const statusText = ({ status }: Snapshot) => (status === 0 ? undefined : String(status));

/** Compares by case-insensitive name; lines of one name are reported together. */
function fieldChanges(
  of: TraceChange["of"],
  before: Readonly<TraceFields>,
  after: Readonly<TraceFields>,
): TraceChange[] {
  const [was, is] = [byName(before), byName(after)];
  const names = new Set([...was.keys(), ...is.keys()]);
  return [...names].flatMap((lower): TraceChange[] => {
    const [old, now] = [was.get(lower), is.get(lower)];
    if (old?.value === now?.value) return [];
    const name = now?.name ?? old?.name ?? lower;
    return [{ of, what: "header", name, before: old?.value ?? null, after: now?.value ?? null }];
  });
}

function byName(fields: Readonly<TraceFields>): Map<string, { name: string; value: string }> {
  const found = new Map<string, { name: string; value: string }>();
  for (const [name, value] of fields) {
    const lower = name.toLowerCase();
    const known = found.get(lower);
    if (known === undefined) found.set(lower, { name, value });
    else known.value += separatorOf(lower) + value;
  }
  return found;
}
