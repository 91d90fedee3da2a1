/**
 * Interface between the sink and a client of the Kafka protocol. A request is either stored or not, and
 * clients can be exchanged (docs/decisions/0005-kafka-client.md).
 */

export interface BrokerRecord {
  readonly key: Buffer | null;
  readonly value: Buffer;
}

export interface Partition {
  readonly id: number;
  /** Leader node; -1 if there is none at the moment. */
  readonly leader: number;
}

/** Producer for one topic. Connects at the first call, and again at the first call after a failure. */
export interface BrokerClient {
  /** Ascending by id, from cached metadata if there is some. @throws ProduceError */
  partitions(): Promise<readonly Partition[]>;
  /** Waits for the response that the acks require. @throws ProduceError; the next call reads the metadata again */
  produce(partition: number, records: readonly BrokerRecord[]): Promise<void>;
  /** Requests in flight fail. Never throws. */
  close(): Promise<void>;
}

/**
 * Reason why records were not stored.
 * - "retry": a retry may succeed (no leader, no response, no connection).
 * - "large": the batch, or its only record, exceeds the size limit of the topic.
 * - "record": the brokers will never store one of its records.
 * - "settings": all records fail until somebody changes the configuration here or there (credentials,
 * rights).
 */
export type ProduceFailure = "retry" | "large" | "record" | "settings";

export class ProduceError extends Error {
  override readonly name = "ProduceError";
  readonly failure: ProduceFailure;

  constructor(message: string, failure: ProduceFailure, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
