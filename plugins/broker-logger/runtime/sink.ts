import { setTimeout as wait } from "node:timers/promises";
import { messageOf, type ResourceContext } from "../../../runtime/abi/plugin-api.js";
import {
  type BrokerDestination,
  type Destination,
  type LogEntry,
  SendError,
  type Sink,
  unopenedSink,
} from "../../../runtime/logging/index.js";
import { type BrokerClient, ProduceError } from "./client.js";
import { KafkajsClient } from "./kafkajs-client.js";
import { Rotation } from "./partition.js";
import { PlatformaticClient } from "./platformatic-client.js";
import { divide, halves, type ProduceRequest } from "./requests.js";
import { openSecrets } from "./secrets.js";

/**
 * Retries, and the first delay in ms, which doubles: 3.1 s in all. That is enough for a handover of
 * partitions and for most leader elections. Longer outages are left to the batch processor or the shipper.
 */
const RETRIES = 5;
const RETRY_DELAY = 100;

const CLIENTS = { kafkajs: KafkajsClient, platformatic: PlatformaticClient } as const;

/** Connects at the first batch. */
export function openBrokerSink(destination: Destination, context: ResourceContext): Sink {
  const settings = destination.settings as unknown as BrokerDestination;
  const secrets = openSecrets(settings, context);
  if (typeof secrets === "string") return unopenedSink(secrets, context);
  const Client = CLIENTS[settings.client];
  return new BrokerSink(new Client(settings, secrets, context), settings);
}

interface Attempt {
  readonly entries: readonly LogEntry[];
  readonly delivered: Set<number>;
  readonly refused: Set<number>;
  /** Last failure that splitting or dropping records does not solve. */
  failure: ProduceError | undefined;
}

/** A request holds records of one partition, so a response covers all; only other requests are sent again. */
export class BrokerSink implements Sink {
  readonly #client: BrokerClient;
  readonly #settings: Pick<BrokerDestination, "topic" | "batchNum" | "batchSize">;
  readonly #rotation = new Rotation();
  readonly #closing = new AbortController();
  /** Entries that the brokers stored behind a failed one; the next attempt skips them. */
  readonly #taken = new WeakSet<LogEntry>();
  readonly #retryDelay: number;

  constructor(
    client: BrokerClient,
    settings: Pick<BrokerDestination, "topic" | "batchNum" | "batchSize">,
    retryDelay = RETRY_DELAY,
  ) {
    this.#client = client;
    this.#settings = settings;
    this.#retryDelay = retryDelay;
  }

  /** @throws SendError */
  async send(entries: readonly LogEntry[]): Promise<void> {
    const attempt: Attempt = { entries, delivered: new Set(), refused: new Set(), failure: undefined };
    for (const [index, entry] of entries.entries()) if (this.#taken.has(entry)) attempt.delivered.add(index);
    for (let tries = 0; ; tries++) {
      attempt.failure = undefined;
      await this.#try(attempt);
      if (attempt.failure === undefined) break;
      if (this.#closing.signal.aborted || failureOf(attempt) !== "retry" || tries === RETRIES) break;
      await this.#pause(this.#retryDelay * 2 ** tries);
    }
    this.#conclude(attempt);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client.close();
  }

  /** Partitions in parallel, requests of a partition in sequence. */
  async #try(attempt: Attempt): Promise<void> {
    if (this.#closing.signal.aborted) {
      attempt.failure = new ProduceError("the connection was closed", "settings");
      return;
    }
    const left = [...unsettled(attempt)];
    if (left.length === 0) return;
    try {
      const partitions = await this.#client.partitions();
      const requests = divide(attempt.entries, left, partitions, this.#settings, this.#rotation);
      await Promise.all(byPartition(requests).map((lane) => this.#sendLane(lane, attempt)));
    } catch (error) {
      attempt.failure = asProduceError(error);
    }
  }

  /** Stops at the first failure, so that records of a partition stay in order. */
  async #sendLane(lane: ProduceRequest[], attempt: Attempt): Promise<void> {
    for (let request = lane.shift(); request !== undefined; request = lane.shift()) {
      try {
        await this.#client.produce(request.partition, request.records);
        for (const index of request.indexes) attempt.delivered.add(index);
      } catch (error) {
        const failure = asProduceError(error);
        const single = request.records.length === 1;
        if (failure.failure !== "large" && failure.failure !== "record") {
          attempt.failure = failure;
          return;
        }
        if (single) for (const index of request.indexes) attempt.refused.add(index);
        else lane.unshift(...halves(request));
      }
    }
  }

  /** @throws SendError unless everything was delivered */
  #conclude(attempt: Attempt): void {
    const { entries, delivered, refused, failure } = attempt;
    if (delivered.size === entries.length) return;
    let start = 0;
    while (delivered.has(start)) start++;
    for (const index of delivered) {
      const entry = entries[index];
      if (index >= start && entry !== undefined) this.#taken.add(entry);
    }
    const left = entries.length - delivered.size - refused.size;
    const parts = [
      ...(refused.size > 0 ? [`${refused.size} records are invalid or too large for the topic`] : []),
      ...(failure ? [`${left} records were not accepted: ${failure.message}`] : []),
    ];
    const message = `topic ${this.#settings.topic}: ${parts.join("; ")}`;
    throw new SendError(
      message,
      start,
      [...refused].sort((a, b) => a - b),
      { cause: failure },
    );
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

function* unsettled({ entries, delivered, refused }: Attempt): Generator<number> {
  for (let index = 0; index < entries.length; index++)
    if (!delivered.has(index) && !refused.has(index)) yield index;
}

function byPartition(requests: readonly ProduceRequest[]): ProduceRequest[][] {
  const lanes = new Map<number, ProduceRequest[]>();
  for (const request of requests) {
    const lane = lanes.get(request.partition);
    if (lane) lane.push(request);
    else lanes.set(request.partition, [request]);
  }
  return [...lanes.values()];
}

const failureOf = ({ failure }: Attempt) => failure?.failure;

function asProduceError(error: unknown): ProduceError {
  if (error instanceof ProduceError) return error;
  return new ProduceError(messageOf(error), "retry", { cause: error });
}
