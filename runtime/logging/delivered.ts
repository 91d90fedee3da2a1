import type { Destination, LogEntry, Sink } from "../abi/delivery.js";
import { messageOf } from "../abi/error-message.js";
import type { Metrics } from "../abi/metrics.js";
import { addressOf } from "./spool/layout.js";

/** Why a try to deliver failed. */
export interface DeliveryFailure {
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
  /** A later try has succeeded. */
  readonly over: boolean;
}

/** What one output of logs has counted since it was opened. */
export interface OutputLevels {
  readonly entries: number;
  readonly bytes: number;
  readonly sent: number;
  readonly dropped: number;
  /** Milliseconds that the oldest waiting entry waits; undefined: none waits. */
  readonly oldestMs?: number | undefined;
  readonly failure?: DeliveryFailure | undefined;
}

/** What this process knows of a destination that its loggers deliver to. */
export interface DeliveryReport extends OutputLevels {
  readonly id: string;
  readonly kind: string;
  /** Where it delivers to, for people. */
  readonly address: string;
  readonly delivery: "memory" | "durable";
}

interface Kept {
  readonly destination: Destination;
  readonly delivery: "memory" | "durable";
  readonly open: Set<() => OutputLevels>;
  /** Of outputs that are closed: another batch size makes a new one. */
  sent: number;
  dropped: number;
  failure: DeliveryFailure | undefined;
}

/** By what the process counts with: two gateways in one process know nothing of each other. */
const known = new WeakMap<Metrics, Map<string, Kept>>();

/** An output is open. @returns called once it is closed */
export function delivering(
  metrics: Metrics,
  destination: Destination,
  delivery: "memory" | "durable",
  levels: () => OutputLevels,
): () => void {
  const all = known.get(metrics) ?? new Map<string, Kept>();
  known.set(metrics, all);
  const key = `${delivery} ${destination.id}`;
  const kept: Kept = all.get(key) ?? {
    ...{ destination, delivery, open: new Set(), sent: 0, dropped: 0, failure: undefined },
  };
  all.set(key, kept);
  kept.open.add(levels);
  return () => {
    const { sent, dropped, failure } = levels();
    if (!kept.open.delete(levels)) return;
    kept.sent += sent;
    kept.dropped += dropped;
    kept.failure = newestFailure(kept.failure, failure);
    if (kept.open.size === 0) all.delete(key);
  };
}

/** Every destination that some output is open for. */
export function deliveriesOf(metrics: Metrics): DeliveryReport[] {
  return Array.from(known.get(metrics)?.values() ?? [], (kept) => {
    const { id, kind, settings } = kept.destination;
    const levels = Array.from(kept.open, (read) => read());
    const sum = (name: "entries" | "bytes" | "sent" | "dropped") =>
      levels.reduce((all, one) => all + one[name], 0);
    return {
      ...{ id, kind, address: addressOf(settings), delivery: kept.delivery },
      ...{ entries: sum("entries"), bytes: sum("bytes") },
      ...{ sent: kept.sent + sum("sent"), dropped: kept.dropped + sum("dropped") },
      oldestMs: oldest(levels),
      failure: levels.reduce((last, { failure }) => newestFailure(last, failure), kept.failure),
    };
  });
}

function oldest(levels: readonly OutputLevels[]): number | undefined {
  const waits = levels.flatMap(({ oldestMs }) => oldestMs ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The later of two failures. */
export const newestFailure = (
  one: DeliveryFailure | undefined,
  other: DeliveryFailure | undefined,
): DeliveryFailure | undefined =>
  one !== undefined && (other === undefined || other.at < one.at) ? one : other;

/** A sink that remembers why it failed last. */
export class RememberingSink implements Sink {
  failure: DeliveryFailure | undefined = undefined;
  readonly #sink: Sink;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get batchBytes(): number | undefined {
    return this.#sink.batchBytes;
  }

  async send(entries: readonly LogEntry[]): Promise<void> {
    try {
      await this.#sink.send(entries);
      if (this.failure?.over === false) this.failure = { ...this.failure, over: true };
    } catch (error) {
      this.failure = failed(error);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}

export const failed = (error: unknown): DeliveryFailure => ({
  message: messageOf(error),
  at: new Date().toISOString(),
  over: false,
});
