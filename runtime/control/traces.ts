import { randomUUID } from "node:crypto";
import type { CompilerThread } from "../../compiler/thread/compiler-client.js";
import type { WantedTrace } from "../../compiler/which-route/trace.js";
import { messageOf } from "../abi/error-message.js";
import type { Trace, TraceFields, TraceOrder } from "../abi/trace.js";
import { MASK } from "../logging/redaction.js";
import { log } from "../process/log.js";
import type { Configuration } from "./configuration.js";
import type { Workers } from "./workers.js";

const MAX_ARMED = 4;
/** Maximum number of traces, including ended ones. */
const MAX_TRACES = 20;
/** Time in ms for which a trace is kept after it ends. */
const KEPT_MS = 600_000;
/** Maximum size of all recorded requests in characters of JSON; the oldest are dropped first. */
const MAX_KEPT = 16_777_216;

/** `done`: all wanted requests are recorded. `ended`: it timed out or was disarmed. */
type TraceState = "armed" | "done" | "ended";

export interface TraceReport extends Pick<WantedTrace, "count" | "match"> {
  id: string;
  state: TraceState;
  /** ISO 8601; the time at which it ends by itself. */
  armed_until: string;
  caught: number;
  traces: Trace[];
}

interface Wanted extends WantedTrace {
  id: string;
  state: TraceState;
  until: number;
  /** Number of matched requests, including those still being processed. */
  taken: number;
  caught: number;
  /** Disarmed: accepts no more requests, not even those that started before. */
  isClosed: boolean;
  traces: { trace: Trace; length: number }[];
  timer: NodeJS.Timeout;
}

export interface TracesParts {
  send: () => void;
  /** Adds source locations and redacts secrets; null without a compiler, when no trace can be armed. */
  told: ((trace: Trace) => Promise<Trace>) | null;
  settled: () => Promise<void>;
  generation: () => number;
}

/** Armed traces and the requests recorded for them. Nothing is stored on disk. */
export class Traces {
  readonly #parts: TracesParts;
  readonly #all = new Map<string, Wanted>();
  /** Processes requests in the order in which they were recorded. */
  #work: Promise<void> = Promise.resolve();

  constructor(parts: TracesParts) {
    this.#parts = parts;
  }

  /** @returns undefined if too many are armed already */
  arm(wanted: WantedTrace): TraceReport | undefined {
    if (this.orders.length >= MAX_ARMED) return undefined;
    const ms = wanted.forSeconds * 1_000;
    const id = randomUUID();
    const timer = setTimeout(() => this.#end(armed, "ended"), ms).unref();
    const armed: Wanted = {
      ...wanted,
      ...{ id, state: "armed", until: Date.now() + ms, timer },
      ...{ taken: 0, caught: 0, isClosed: false, traces: [] },
    };
    this.#all.set(id, armed);
    this.#forgetOldest();
    this.#parts.send();
    return toldOf(armed);
  }

  disarm(id: string): TraceReport | undefined {
    const found = this.#all.get(id);
    if (found === undefined) return undefined;
    found.isClosed = true;
    if (found.state === "armed") this.#end(found, "ended");
    return toldOf(found);
  }

  of(id: string): TraceReport | undefined {
    const found = this.#all.get(id);
    return found && toldOf(found);
  }

  list(): Omit<TraceReport, "traces">[] {
    return [...this.#all.values()].reverse().map((one) => {
      const { traces: _, ...summary } = toldOf(one);
      return summary;
    });
  }

  /** Traces that workers look for now. */
  get orders(): TraceOrder[] {
    const armed = [...this.#all.values()].filter(({ state }) => state === "armed");
    return armed.map(({ id, count, taken, match, until }) => ({
      ...{ id, count: count - taken, match },
      forMs: Math.max(1, until - Date.now()),
    }));
  }

  heard(ids: readonly string[], trace: Trace): void {
    const wanting = ids.flatMap((id) => this.#all.get(id) ?? []).filter(isOpen);
    if (wanting.length === 0) return;
    for (const wanted of wanting) {
      wanted.taken += 1;
      if (wanted.taken === wanted.count) this.#end(wanted, "done");
    }
    this.#work = this.#work
      .then(async () => {
        const told = await this.#redacted(trace);
        for (const wanted of wanting) this.#keep(wanted, told);
      })
      .catch((error: unknown) => log("trace_failed", { reason: messageOf(error) }));
  }

  close(): void {
    for (const { timer } of this.#all.values()) clearTimeout(timer);
    this.#all.clear();
  }

  /** Redacts a request; hides all values unless its generation, whose secrets are known, is running. */
  async #redacted(trace: Trace): Promise<Trace> {
    const { told, settled, generation } = this.#parts;
    if (told === null) return withoutValues(trace);
    await settled();
    const before = generation();
    const shown = await told(trace);
    return trace.generation === before && before === generation() ? shown : withoutValues(shown);
  }

  #keep(wanted: Wanted, trace: Trace): void {
    if (wanted.isClosed) return;
    wanted.caught += 1;
    wanted.traces.push({ trace, length: JSON.stringify(trace).length });
    const all = [...this.#all.values()];
    let kept = all.flatMap(({ traces }) => traces).reduce((sum, { length }) => sum + length, 0);
    for (const { traces } of all)
      while (kept > MAX_KEPT && traces.length > 0) kept -= traces.shift()?.length ?? 0;
  }

  #end(wanted: Wanted, state: "done" | "ended"): void {
    wanted.state = state;
    clearTimeout(wanted.timer);
    wanted.timer = setTimeout(() => this.#all.delete(wanted.id), KEPT_MS).unref();
    this.#parts.send();
  }

  #forgetOldest(): void {
    for (const { id, state, timer } of [...this.#all.values()].slice(0, -MAX_TRACES)) {
      if (state === "armed") continue;
      clearTimeout(timer);
      this.#all.delete(id);
    }
  }
}

export function tracesOf(
  workers: Workers,
  configuration: Configuration,
  compiler: CompilerThread | null,
  generation: () => number,
): Traces {
  const traces = new Traces({
    send: () => workers.trace(() => traces.orders),
    told: compiler && ((trace) => compiler.redactTrace(trace)),
    settled: () => configuration.settled(),
    generation,
  });
  workers.traced = (ids, trace) => traces.heard(ids, trace);
  return traces;
}

/** Reports whether a trace accepts requests: one that started while it was armed may end later. */
const isOpen = ({ taken, count, isClosed }: Wanted) => !isClosed && taken < count;

function toldOf({ id, state: now, until, count, shown, taken, caught, traces }: Wanted): TraceReport {
  const armed_until = new Date(until).toISOString();
  const state = now === "done" && caught < taken ? "armed" : now;
  return { id, state, armed_until, count, match: shown, caught, traces: traces.map(({ trace }) => trace) };
}

/** Returns the trace without values: only names of headers, and parts that no variable can contain. */
function withoutValues(trace: Trace): Trace {
  const { request, route, upstream_request: sent, upstream_response: received, response } = trace;
  const message = <T extends { headers: TraceFields }>(one: T): T => ({
    ...one,
    headers: one.headers.map(([name]): [string, string] => [name, MASK]),
  });
  const shown = (value: string | null) => value && MASK;
  return {
    ...trace,
    request: { ...message(request), target: MASK },
    route: route && {
      ...{ ...route, name: shown(route.name) },
      ...{ hosts: route.hosts.map(() => MASK), uris: route.uris.map(() => MASK) },
    },
    attempts: trace.attempts.map((attempt) => ({ ...attempt, node: MASK })),
    upstream_request: sent && { ...message(sent), target: MASK, host: MASK },
    upstream_response: received && message(received),
    response: message(response),
    phases: trace.phases.map((phase) => ({
      ...phase,
      steps: phase.steps.map((step) => ({
        ...step,
        condition: shown(step.condition),
        changes: step.changes.map((change) => ({
          ...change,
          before: shown(change.before),
          after: shown(change.after),
        })),
      })),
    })),
  };
}
