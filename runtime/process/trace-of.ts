import { mapMembers } from "../abi/json-object.js";
import type { Trace, TraceChange, TraceFields } from "../abi/trace.js";
import { CredentialMasks } from "../logging/credential-masks.js";
import type { GatewayExchange } from "../proxy/exchange/exchange.js";
import type { AttemptRecord } from "../proxy/exchange/variables.js";
import type { Recorded } from "../proxy/trace/recorder.js";
import { fieldsOf } from "../proxy/trace/snapshot.js";

/** Characters of a value, fields of a head, steps and changes. The second set applies if the trace is too long. */
const SHOWN = [
  { value: 2_048, fields: 100, steps: 100, changes: 100 },
  { value: 128, fields: 40, steps: 20, changes: 20 },
] as const;
type Shown = (typeof SHOWN)[number];
/** Maximum characters of a trace as JSON: 100 of them are 6 MB. */
const LONGEST = 65_536;

/** Returns the trace of a finished request, without bodies and credentials. Reads the exchange synchronously. */
export function traceOf(x: GatewayExchange, recorded: Recorded, worker: number): Trace {
  const trace = asText({ ...observed(x, worker), ...recorded }) as Trace;
  // Only the route's name is text already: it is not compared with bytes of a request.
  if (trace.route !== null) trace.route.name = x.route?.row.name ?? null;
  const { headers, target } = trace.request;
  const received = trace.upstream_response?.headers ?? [];
  return short(masked(trace, new CredentialMasks(x.credentials, { headers, target, received })));
}

function observed(x: GatewayExchange, worker: number): Omit<Trace, keyof Recorded> {
  const { response, route } = x;
  return {
    at: new Date(x.startedAt).toISOString(),
    ...{ worker, generation: x.generation.number, client: x.remoteAddr },
    request: {
      ...{ method: x.method, target: x.requestUri, host: x.authority.sent, protocol: x.serverProtocol },
      headers: fieldsOf(x.request.headers),
    },
    route: route === undefined ? null : routeOf(route.row),
    attempts: x.attempts.map(attemptOf),
    upstream_request: sentUpstream(x),
    response: { status: response.status, own: response.isLocalReply, headers: fieldsOf(response.headers) },
    request_bytes: x.requestLength,
    response_bytes: x.bytesSent,
    response_body_bytes: x.bodyBytesSent,
    ms: x.latency,
    cut: false,
  };
}

type Row = NonNullable<GatewayExchange["route"]>["row"];

function routeOf({ id, name, serviceId, hosts, uris, methods, priority }: Row): Trace["route"] {
  return { id, name: name ?? null, service: serviceId ?? null, hosts, uris, methods, priority };
}

const ms = (time: number) => Math.round(time * 1_000) / 1_000;
const msOrNull = (time: number | undefined) => (time === undefined ? null : ms(time));

const attemptOf = (attempt: AttemptRecord): Trace["attempts"][number] => ({
  upstream: attempt.upstream ?? "",
  node: `${attempt.node.host}:${attempt.node.port}`,
  status: attempt.status ?? null,
  error: attempt.error ?? null,
  reused: attempt.connectMs === 0,
  connect_ms: msOrNull(attempt.connectMs),
  head_ms: msOrNull(attempt.headMs),
  ms: ms(attempt.ms),
  body_bytes: attempt.bodyBytes,
});

function sentUpstream({ attempts, outgoing }: GatewayExchange): Trace["upstream_request"] {
  if (attempts.length === 0) return null;
  const forwarded = outgoing.forwardingLines.split("\r\n").flatMap((line): TraceFields => {
    const colon = line.indexOf(":");
    return colon < 0 ? [] : [[line.slice(0, colon), line.slice(colon + 1).trim()]];
  });
  const names = new Set(forwarded.map(([name]) => name.toLowerCase()));
  const fields = fieldsOf(outgoing.fields).filter(([name]) => !names.has(name.toLowerCase()));
  const { method, target, sentHost = "" } = outgoing;
  return { method, target, host: sentHost, headers: [...fields, ...forwarded] };
}

const asText = (value: unknown): unknown =>
  typeof value === "string" ? Buffer.from(value, "latin1").toString("utf8") : mapMembers(value, asText);

function masked(trace: Trace, masks: CredentialMasks): Trace {
  const { request, upstream_request: sent, upstream_response: received, response } = trace;
  const message = <T extends { headers: TraceFields }>(one: T): T =>
    masks.hidden({ ...one, headers: masks.fields(one.headers) });
  return {
    ...trace,
    request: message({ ...request, target: masks.target(request.target) }),
    upstream_request: sent && message({ ...sent, target: masks.target(sent.target) }),
    upstream_response: received && message(received),
    response: message(response),
    phases: trace.phases.map((phase) => ({
      ...phase,
      steps: phase.steps.map((step) => ({
        ...step,
        changes: step.changes.map((change) => maskedChange(change, masks)),
      })),
    })),
  };
}

function maskedChange(change: TraceChange, masks: CredentialMasks): TraceChange {
  const { what, name = "", before, after } = change;
  const shown = (value: string | null) => {
    if (value === null) return null;
    const named = what === "header" ? masks.field(name, value) : value;
    return masks.hidden(what === "target" ? masks.target(value) : named);
  };
  return { ...change, before: shown(before), after: shown(after) };
}

function short(trace: Trace): Trace {
  const [first = trace, second = trace] = SHOWN.map((shown) => within(trace, shown));
  if (JSON.stringify(first).length <= LONGEST) return first;
  if (JSON.stringify(second).length <= LONGEST) return second;
  return { ...second, phases: [], cut: true };
}

function within(trace: Trace, shown: Shown): Trace {
  let cut = false;
  const few = <T>(list: readonly T[], most: number): T[] => {
    cut ||= list.length > most;
    return list.slice(0, most);
  };
  const text = (value: string): string => {
    if (value.length <= shown.value) return value;
    cut = true;
    return `${value.slice(0, shown.value)}…`;
  };
  const limited = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    return mapMembers(Array.isArray(value) ? few(value, shown.fields) : value, limited);
  };
  const phases = few(trace.phases, shown.steps).map((phase) => ({
    ...phase,
    steps: few(phase.steps, shown.steps).map((step) => ({
      ...step,
      changes: few(step.changes, shown.changes),
    })),
  }));
  const short = limited({ ...trace, phases }) as Trace;
  return { ...short, cut };
}
