import { setTimeout as wait } from "node:timers/promises";
import type { metadataV12, produceV9 } from "@platformatic/kafka";
import type { ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { type BrokerAddress, type BrokerDestination, connectTurn } from "../../../runtime/logging/index.js";
import { BrokerConnections, nameOf, type OpenBroker } from "./broker-connections.js";
import { type BrokerClient, type BrokerRecord, type Partition, ProduceError } from "./client.js";
import { providePacking } from "./codecs.js";
import { answerIn, produceErrorOf, wasAnswered } from "./platformatic-failure.js";
import { ClientReports } from "./reports.js";
import type { BrokerSecrets } from "./secrets.js";

/** Added to the broker's timeout, so that its own timeout response arrives before ours (ms). */
const ANSWER_GRACE = 500;

/** Extra ms over the library's timeout: it has left requests pending that it should have timed out. */
const LIBRARY_GRACE = 2 * ANSWER_GRACE;

/** Longest wait in ms; a broker's default quota window is 11 s. */
const MAX_THROTTLE = 60_000;

interface Topic {
  readonly partitions: readonly Partition[];
  readonly brokers: ReadonlyMap<number, BrokerAddress>;
  readonly readAt: number;
}

/**
 * Client for one topic. Uses the library's connections with their login and its request encoders and parsers,
 * but not its producer. The producer retries by itself and asks the first broker of the list, even if that
 * does not respond. One partition without a leader makes it fail the whole topic. It also keeps connections
 * that have timed out; a late response leaves such a connection out of step.
 */
export class PlatformaticClient implements BrokerClient {
  readonly #settings: BrokerDestination;
  readonly #secrets: BrokerSecrets;
  readonly #reports: ClientReports;
  #opening: Promise<BrokerConnections> | undefined;
  #topic: Topic | undefined;
  #reading: Promise<Topic> | undefined;
  /** Broker that is asked for metadata: the last that responded, and after a failure the next. */
  #turn = 0;
  readonly #closing = new AbortController();

  constructor(settings: BrokerDestination, secrets: BrokerSecrets, context: ResourceContext) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#reports = new ClientReports(context, settings.topic, secrets);
  }

  async partitions(): Promise<readonly Partition[]> {
    return (await this.#known()).partitions;
  }

  async produce(partition: number, records: readonly BrokerRecord[]): Promise<void> {
    const { topic, requiredAcks, timeoutMs, compression } = this.#settings;
    const known = await this.#known();
    const leader = known.brokers.get(known.partitions.find(({ id }) => id === partition)?.leader ?? -1);
    try {
      if (leader === undefined) throw new ProduceError(`partition ${partition} has no leader`, "retry");
      const timestamp = BigInt(Date.now());
      const messages = records.map(({ key, value }) => ({
        topic,
        partition,
        timestamp,
        value,
        ...(key !== null && { key }),
      }));
      await this.#ask(leader, ({ connection, requests }) =>
        requests.produce.async(connection, requiredAcks, timeoutMs, messages, { compression }),
      );
      this.#reports.recovered();
    } catch (error) {
      if (this.#topic === known) this.#topic = undefined;
      throw this.#reports.failed(produceErrorOf(error));
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    try {
      (await this.#opening)?.close();
    } catch {
      // There is nothing to close.
    }
  }

  /** Cached metadata, unless it has expired. */
  #known(): Promise<Topic> {
    if (this.#topic !== undefined && Date.now() - this.#topic.readAt < this.#settings.metadataRefreshMs)
      return Promise.resolve(this.#topic);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Asks as many brokers in turn as the configuration names, at least two. @throws ProduceError */
  async #read(): Promise<Topic> {
    const before = this.#topic?.brokers.values() ?? [];
    const addresses = [...this.#settings.brokers, ...before].filter(
      (one, i, all) => all.findIndex((other) => nameOf(other) === nameOf(one)) === i,
    );
    for (let tries = Math.max(2, this.#settings.brokers.length); ; tries--) {
      const address = addresses[this.#turn % addresses.length];
      if (address === undefined) throw new ProduceError("no broker is known", "settings");
      try {
        this.#topic = await this.#readFrom(address);
        return this.#topic;
      } catch (error) {
        this.#topic = undefined;
        this.#turn++;
        const failure = produceErrorOf(error);
        if (!wasAnswered(error)) this.#reports.warned(nameOf(address), failure.message);
        if (tries <= 1 || this.#closing.signal.aborted || failure.failure === "settings")
          throw this.#reports.failed(failure);
      }
    }
  }

  async #readFrom(address: BrokerAddress): Promise<Topic> {
    const { topic } = this.#settings;
    const answer = await this.#ask(address, ({ connection, requests }) =>
      // Creates the topic if the cluster allows that.
      requests.metadata.async(connection, [topic], true, false).catch((error: unknown) => {
        // Partitions without a leader turn the whole response into an error.
        const read = answerIn<metadataV12.MetadataResponse>(error);
        if (read?.topics[0]?.errorCode === 0) return read;
        throw error;
      }),
    );
    const partitions = (answer.topics[0]?.partitions ?? [])
      .map(({ partitionIndex, leaderId }) => ({ id: partitionIndex, leader: leaderId }))
      .sort((a, b) => a.id - b.id);
    if (partitions.length === 0) throw new ProduceError("the topic has no partitions", "retry");
    const brokers = new Map(answer.brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
    return { partitions, brokers, readAt: Date.now() };
  }

  /** Drops a connection without a response. */
  async #ask<Answer>(
    address: BrokerAddress,
    request: (broker: OpenBroker) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal } = this.#closing;
    if (signal.aborted) throw new ProduceError("the connection was closed", "settings");
    this.#opening ??= connectTurn().then(() => this.#open());
    const connections = await this.#opening;
    const broker = await connections.to(address);
    // A request that is throttled in the broker would time out here and still be written there.
    for (let left = quotaWait(broker); left > 0; left = quotaWait(broker))
      await wait(left, undefined, { signal });
    try {
      const answer = await inTime(request(broker), this.#settings.timeoutMs + LIBRARY_GRACE);
      throttle(broker, answer);
      return answer;
    } catch (error) {
      throttle(broker, answerIn(error));
      if (wasAnswered(error)) throw error;
      const cause = broker.brokenBy() ?? error;
      connections.drop(broker.connection);
      throw cause;
    }
  }

  async #open(): Promise<BrokerConnections> {
    const library = await import("./platformatic-library.js");
    await providePacking(this.#settings.compression, library.compressionsAlgorithms);
    const { timeoutMs } = this.#settings;
    return new BrokerConnections(library, this.#settings, this.#secrets, timeoutMs + ANSWER_GRACE);
  }
}

type Answered = Partial<produceV9.ProduceResponse | metadataV12.MetadataResponse>;

async function inTime<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ProduceError("no response in time", "retry")), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

const quotaWait = ({ throttledUntil }: OpenBroker) => throttledUntil - Date.now();

function throttle(broker: OpenBroker, answer: unknown): void {
  const ms = Math.min((answer as Answered | undefined)?.throttleTimeMs ?? 0, MAX_THROTTLE);
  if (ms > 0) broker.throttledUntil = Math.max(broker.throttledUntil, Date.now() + ms);
}
