import type { CompressionTypes, Kafka, PartitionMetadata, Producer, SASLOptions } from "kafkajs";
import { messageOf, type ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { type BrokerDestination, connectTurn } from "../../../runtime/logging/index.js";
import { failureOfAnswer } from "./answers.js";
import {
  type BrokerClient,
  type BrokerRecord,
  type Partition,
  ProduceError,
  type ProduceFailure,
} from "./client.js";
import { provideCodec } from "./codecs.js";
import { ClientReports } from "./reports.js";
import { type BrokerSecrets, tlsOptions } from "./secrets.js";

/** Ends a send as soon as the partitions of its topic are known. */
class ProbedError extends Error {
  override readonly name = "Probed";

  /** kafkajs wraps this error. */
  static in(error: unknown): boolean {
    return chain(error).some((one) => one instanceof ProbedError);
  }
}

/** Unknown errors are retried, which loses nothing. */
function failureOf(error: unknown): ProduceFailure {
  for (const one of chain(error)) {
    const { name, type } = one as { name?: unknown; type?: unknown };
    if (name === "KafkaJSSASLAuthenticationError") return "settings";
    const failure = failureOfAnswer(type);
    if (failure !== undefined) return failure;
  }
  return "retry";
}

function timedOut(error: unknown): boolean {
  return chain(error).some((one) => (one as { name?: unknown }).name === "KafkaJSRequestTimeoutError");
}

function chain(error: unknown): object[] {
  const found: object[] = [];
  for (let one = error; typeof one === "object" && one !== null && !found.includes(one); ) {
    found.push(one);
    one = (one as { cause?: unknown }).cause;
  }
  return found;
}

const COMPRESSION: Record<BrokerDestination["compression"], CompressionTypes> = {
  none: 0,
  gzip: 1,
  snappy: 2,
  zstd: 4,
};

/** Added to the broker's timeout, so that its own timeout response arrives before ours (ms). */
const ANSWER_GRACE = 500;

interface Open {
  producer: Producer;
  connected: boolean;
}

/**
 * Client for one topic, since one deleted topic fails kafkajs's metadata request for all topics. kafkajs's
 * own retries of a send are off because they lose track of stored partitions. If a partition moves to a
 * broker that has already responded, they report success without sending it: sendMessages.js of 2.2.4 skips
 * brokers with a response.
 */
export class KafkajsClient implements BrokerClient {
  readonly #settings: BrokerDestination;
  readonly #secrets: BrokerSecrets;
  readonly #reports: ClientReports;
  #opening: Promise<Open> | undefined;
  #partitions: readonly Partition[] | undefined;
  /** Metadata from which `#partitions` was computed. */
  #seen: readonly PartitionMetadata[] | undefined;
  #closed = false;

  constructor(settings: BrokerDestination, secrets: BrokerSecrets, context: ResourceContext) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#reports = new ClientReports(context, settings.topic, secrets);
  }

  async partitions(): Promise<readonly Partition[]> {
    if (this.#partitions !== undefined) return this.#partitions;
    await this.#send(undefined, []);
    if (this.#partitions === undefined) throw new ProduceError("the topic has no partitions", "retry");
    return this.#partitions;
  }

  async produce(partition: number, records: readonly BrokerRecord[]): Promise<void> {
    await this.#send(partition, records);
  }

  async close(): Promise<void> {
    this.#closed = true;
    try {
      await (await this.#opening)?.producer.disconnect();
    } catch {
      // There is nothing to close.
    }
  }

  /** Only reads the metadata without a partition: the partitioner sees it and ends the send. */
  async #send(partition: number | undefined, records: readonly BrokerRecord[]): Promise<void> {
    const { topic, requiredAcks, timeoutMs, compression } = this.#settings;
    try {
      if (this.#closed) throw new ProduceError("the connection was closed", "settings");
      const { producer } = await this.#connected();
      const messages =
        partition === undefined
          ? [{ value: Buffer.alloc(0) }]
          : records.map(({ key, value }) => ({ key, value, partition }));
      await producer.send({
        topic,
        messages,
        acks: requiredAcks,
        timeout: timeoutMs,
        compression: COMPRESSION[compression],
      });
      this.#reports.recovered();
    } catch (error) {
      if (error instanceof ProduceError) throw error;
      if (partition === undefined && ProbedError.in(error)) return;
      this.#partitions = undefined;
      this.#seen = undefined;
      // The metadata cannot be read: kafkajs may ask a disconnected broker for ever.
      if (timedOut(error) || partition === undefined) this.#abandon();
      throw this.#reports.failed(new ProduceError(messageOf(error), failureOf(error), { cause: error }));
    }
  }

  /** Connects again if the last `connect` failed. */
  async #connected(): Promise<Open> {
    this.#opening ??= connectTurn().then(() => this.#open());
    const open = await this.#opening;
    if (!open.connected) {
      await open.producer.connect();
      open.connected = true;
      // `close` was called during `connect`, whose sockets would stay open.
      if (this.#closed) await open.producer.disconnect();
    }
    return open;
  }

  /** kafkajs keeps the connection to a hung broker after a timeout; the next call starts again with `brokers`. */
  #abandon(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    opening
      ?.then(({ producer }) => producer.disconnect())
      .catch(() => {
        // The connection is gone in either case.
      });
  }

  async #open(): Promise<Open> {
    // kafkajs takes 60 ms to load, so only workers that log to brokers load it. The default export is needed:
    // Node does not find all names of this CommonJS module.
    const { Kafka: Client, logLevel, CompressionCodecs } = (await import("kafkajs")).default;
    await provideCodec(this.#settings.compression, CompressionCodecs);
    const { timeoutMs, tls, brokers, metadataRefreshMs } = this.#settings;
    const kafka: Kafka = new Client({
      clientId: "gwc",
      brokers: brokers.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`),
      ...(tls && { ssl: tlsOptions(tls, this.#secrets) }),
      ...(this.#settings.sasl && { sasl: this.#sasl() }),
      connectionTimeout: timeoutMs,
      authenticationTimeout: timeoutMs,
      requestTimeout: timeoutMs + ANSWER_GRACE,
      // Each attempt takes the next address of the list.
      retry: { retries: Math.max(1, brokers.length - 1), initialRetryTime: 50, maxRetryTime: 500 },
      logLevel: logLevel.WARN,
      logCreator: () => this.#reports.log,
    });
    const producer = kafka.producer({
      metadataMaxAge: metadataRefreshMs,
      retry: { retries: 0 },
      createPartitioner: () => (choice) => this.#choose(choice),
    });
    return { producer, connected: false };
  }

  #choose({
    partitionMetadata,
    message,
  }: {
    partitionMetadata: PartitionMetadata[];
    message: { partition?: number };
  }) {
    if (partitionMetadata !== this.#seen) {
      this.#seen = partitionMetadata;
      this.#partitions = partitionMetadata
        .map(({ partitionId, leader }) => ({ id: partitionId, leader }))
        .sort((a, b) => a.id - b.id);
    }
    if (message.partition === undefined) throw new ProbedError();
    return message.partition;
  }

  #sasl(): SASLOptions {
    const { sasl } = this.#settings;
    const mechanism = sasl?.mechanism.toLowerCase() as "plain" | "scram-sha-256" | "scram-sha-512";
    const login = { username: sasl?.user ?? "", password: this.#secrets.password ?? "" };
    return { mechanism, ...login } as SASLOptions;
  }
}
