import type { LogEntry } from "../../../runtime/logging/index.js";
import type { BrokerRecord, Partition } from "./client.js";
import { partitionOf, type Rotation } from "./partition.js";

/** Lengths, offsets and flags besides key and value (recordBatch v2). */
const RECORD_OVERHEAD = 32;

/** Records of one partition that are sent together. */
export interface ProduceRequest {
  readonly partition: number;
  /** Entries in the sink's batch, ascending. */
  readonly indexes: readonly number[];
  readonly records: readonly BrokerRecord[];
}

export interface RequestBounds {
  readonly batchNum: number;
  /** Maximum bytes; a single record may be larger. 0 sends each record alone. */
  readonly batchSize: number;
}

interface Open {
  partition: number;
  indexes: number[];
  records: BrokerRecord[];
  bytes: number;
}

/**
 * The key of an entry decides its partition. Entries without a key fill one request after the other, each for
 * the next partition. That is the sticky partitioner of Kafka's client since 2.4, with fewer and larger
 * requests. The entries of a partition keep their order.
 */
export function divide(
  entries: readonly LogEntry[],
  indexes: Iterable<number>,
  partitions: readonly Partition[],
  bounds: RequestBounds,
  rotation: Rotation,
): ProduceRequest[] {
  const done: ProduceRequest[] = [];
  const open = new Map<number | "keyless", Open>();
  const keys = new Map<string, { bytes: Buffer; partition: number }>();
  for (const index of indexes) {
    const entry = entries[index];
    if (entry === undefined) continue;
    const key = entry.key === undefined ? undefined : known(keys, entry.key, partitions);
    const value = Buffer.from(entry.payload, "latin1");
    const bytes = value.length + (key?.bytes.length ?? 0) + RECORD_OVERHEAD;
    const place = key?.partition ?? "keyless";
    let request = open.get(place);
    if (
      request === undefined ||
      request.records.length >= bounds.batchNum ||
      request.bytes + bytes > bounds.batchSize
    ) {
      request = {
        partition: key?.partition ?? rotation.next(partitions),
        indexes: [],
        records: [],
        bytes: 0,
      };
      open.set(place, request);
      done.push(request);
    }
    request.indexes.push(index);
    request.records.push({ key: key?.bytes ?? null, value });
    request.bytes += bytes;
  }
  return done;
}

/** Brokers found the request too large. */
export function halves({ partition, indexes, records }: ProduceRequest): ProduceRequest[] {
  const middle = Math.ceil(records.length / 2);
  return [
    { partition, indexes: indexes.slice(0, middle), records: records.slice(0, middle) },
    { partition, indexes: indexes.slice(middle), records: records.slice(middle) },
  ];
}

/** Most keys of a batch are equal, so each key is hashed once. */
function known(
  keys: Map<string, { bytes: Buffer; partition: number }>,
  key: string,
  partitions: readonly Partition[],
): { bytes: Buffer; partition: number } {
  const found = keys.get(key);
  if (found !== undefined) return found;
  const bytes = Buffer.from(key, "latin1");
  const made = { bytes, partition: partitions[partitionOf(bytes, partitions.length)]?.id ?? 0 };
  keys.set(key, made);
  return made;
}
