import { randomUUID } from "node:crypto";
import type { WantedTrace } from "../../../compiler/which-route/trace.js";
import { messageOf } from "../../abi/error-message.js";
import type { Trace, TraceOrder } from "../../abi/trace.js";
import { log } from "../../process/log.js";
import { withoutValues } from "./without-values.js";

/** Armed at the same time. */
const MAX_ARMED = 4;
/** Remembered, those that are over included. */
const MOST = 20;
/** How long what was caught is kept after the last request was waited for. */
const KEPT_MS = 600_000;
/** Characters of JSON that are kept of all together: the oldest go first. */
const MAX_KEPT = 16_777_216;

/** `done`: all requests that were wanted are there; `ended`: the time is over, or somebody has disarmed it. */
export type TraceState = "armed" | "done" | "ended";

/** A trace as the admin API tells it. */
export interface TraceReport extends Pick<WantedTrace, "count" | "match"> {
  id: string;
  state: TraceState;
  /** ISO 8601; when it ends by itself. */
  armed_until: string;
  caught: number;
  /** Requests that are kept, the first that was caught first. */
  traces: Trace[];
}

interface Wanted extends WantedTrace {
  id: string;
  state: TraceState;
  until: number;
  /** Requests that are being made ready are included. */
  taken: number;
  caught: number;
  /** Nobody wants more of it, not even of requests that began before. */
  isClosed: boolean;
  traces: { trace: Trace; length: number }[];
  timer: NodeJS.Timeout;
}

export interface TracesParts {
  /** Tells all workers that what is looked for is another. */
  send: () => void;
  /** Puts places in and takes secrets out; null: there is no compiler, and so nothing is armed. */
  told: ((trace: Trace) => Promise<Trace>) | null;
  /** Resolves when no write is under way. */
  settled: () => Promise<void>;
  generation: () => number;
}

/** Requests that somebody wants to see, and what has been caught of them. Nothing of it is kept on disk. */
export class Traces {
  readonly #parts: TracesParts;
  readonly #all = new Map<string, Wanted>();
  /** Traces come in the order in which they were caught. */
  #work: Promise<void> = Promise.resolve();

  constructor(parts: TracesParts) {
    this.#parts = parts;
  }

  /** @returns undefined when too many are armed already */
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
    this.#tellWorkers();
    return toldOf(armed);
  }

  /** @returns undefined when there is none with this id */
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

  /** The last one first. */
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

  /** A worker has caught one. */
  heard(ids: readonly string[], trace: Trace): void {
    const wanting = ids.flatMap((id) => this.#all.get(id) ?? []).filter(isOpen);
    if (wanting.length === 0) return;
    for (const wanted of wanting) {
      wanted.taken += 1;
      if (wanted.taken === wanted.count) this.#end(wanted, "done");
    }
    this.#work = this.#work
      .then(async () => {
        const told = await this.#told(trace);
        for (const wanted of wanting) this.#keep(wanted, told);
      })
      .catch((error: unknown) => log("trace_failed", { reason: messageOf(error) }));
  }

  close(): void {
    for (const { timer } of this.#all.values()) clearTimeout(timer);
    this.#all.clear();
  }

  /** Which texts are secrets is known of what runs; of what ran before, or is not committed yet, no value is shown. */
  async #told(trace: Trace): Promise<Trace> {
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
    this.#tellWorkers();
  }

  #forgetOldest(): void {
    for (const { id, state, timer } of [...this.#all.values()].slice(0, -MOST)) {
      if (state === "armed") continue;
      clearTimeout(timer);
      this.#all.delete(id);
    }
  }

  #tellWorkers(): void {
    this.#parts.send();
  }
}

/** A request that began while it was armed may be over later. */
const isOpen = ({ taken, count, isClosed }: Wanted) => !isClosed && taken < count;

function toldOf({ id, state: now, until, count, shown, taken, caught, traces }: Wanted): TraceReport {
  const armed_until = new Date(until).toISOString();
  const state = now === "done" && caught < taken ? "armed" : now;
  return { id, state, armed_until, count, match: shown, caught, traces: traces.map(({ trace }) => trace) };
}
