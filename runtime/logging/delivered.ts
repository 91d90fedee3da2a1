import type { Destination } from "../abi/delivery.js";
import { messageOf } from "../abi/error-message.js";
import type { Metrics } from "../abi/metrics.js";
import { addressOf } from "./spool/layout.js";

export interface DeliveryFailure {
  readonly message: string;
  /** Time in ISO 8601. */
  readonly at: string;
  /** Set if a later attempt succeeded. */
  readonly over: boolean;
}

export interface OutputLevels {
  readonly entries: number;
  readonly bytes: number;
  readonly sent: number;
  readonly dropped: number;
  /** Age of the oldest pending entry in ms; undefined: none is pending. */
  readonly oldestMs?: number | undefined;
  readonly failure?: DeliveryFailure | undefined;
}

export interface DeliveryReport extends OutputLevels {
  readonly id: string;
  readonly kind: string;
  /** Address of the receiver, for people. */
  readonly address: string;
  readonly delivery: "memory" | "durable";
}

interface Kept {
  readonly destination: Destination;
  readonly delivery: "memory" | "durable";
  readonly open: Set<() => OutputLevels>;
  /** Counts of closed outputs: another batch size makes a new output. */
  sent: number;
  dropped: number;
  failure: DeliveryFailure | undefined;
}

/** State by registry: two gateways in one process are separate. */
const known = new WeakMap<Metrics, Map<string, Kept>>();

/** Registers an open output. @returns callback for when it is closed */
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

export const newestFailure = (
  one: DeliveryFailure | undefined,
  other: DeliveryFailure | undefined,
): DeliveryFailure | undefined =>
  one !== undefined && (other === undefined || other.at < one.at) ? one : other;

export const failed = (error: unknown): DeliveryFailure => ({
  message: messageOf(error),
  at: new Date().toISOString(),
  over: false,
});

/** Marks a failure as over, after a successful attempt. */
export const recovered = (failure: DeliveryFailure | undefined): DeliveryFailure | undefined =>
  failure?.over === false ? { ...failure, over: true } : failure;
