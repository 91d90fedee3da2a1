/**
 * What the sink asks of a client of the brokers' protocol, and no more: which partitions there are, and one request to one
 * of them. So a request is either taken or not, and another client can take the place of the one in use
 * (docs/decisions/0005-kafka-client.md).
 */

/** One record as it goes on the wire. */
export interface BrokerRecord {
  readonly key: Buffer | null;
  readonly value: Buffer;
}

export interface Partition {
  readonly id: number;
  /** Node that leads it; -1: none at the moment. */
  readonly leader: number;
}

/** Producer for one topic. Connects with the first call, and again after a failure with the next one. */
export interface BrokerClient {
  /**
   * All partitions of the topic, ascending by id; from the last metadata when there is some.
   * @throws ProduceError
   */
  partitions(): Promise<readonly Partition[]>;
  /**
   * Sends records to one partition in one request and waits for the answer that the acks ask for.
   * @throws ProduceError; the metadata is read again before the next call
   */
  produce(partition: number, records: readonly BrokerRecord[]): Promise<void>;
  /** Closes all connections; what is under way fails. Never throws. */
  close(): Promise<void>;
}

/**
 * Why records were not taken.
 * - "retry": another try may succeed (no leader, no answer, no connection).
 * - "large": the batch, or its only record, is larger than the topic takes.
 * - "record": a record of it can never be taken.
 * - "settings": nothing will be taken until somebody changes the configuration here or there (credentials, rights).
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
