import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { type ITopicConfig, Kafka, logLevel } from "kafkajs";
import { DEFAULTS } from "../../../plugins/broker-logger/runtime/defaults.gen.js";
import { openBrokerSink } from "../../../plugins/broker-logger/runtime/sink.js";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import type { BrokerDestination } from "../../../runtime/logging/logger-settings.js";
import type { KafkaCluster } from "../../support/kafka-cluster.js";
import { PATIENCE_MS } from "../../support/patience.js";
import { SenderContext } from "../../support/sender-context.js";

export { bytes, SenderContext, upTo } from "../../support/sender-context.js";

/** The default client, and both clients. */
export const DEFAULT_CLIENT: BrokerDestination["client"] = DEFAULTS.destination.client;
export const CLIENTS = ["kafkajs", "platformatic"] as const satisfies readonly BrokerDestination["client"][];

export function openSink(
  settings: Partial<BrokerDestination> & Pick<BrokerDestination, "brokers" | "topic">,
  context: ResourceContext = new SenderContext(),
): Sink {
  const all: BrokerDestination = {
    client: DEFAULT_CLIENT,
    producerType: "async",
    requiredAcks: 1,
    timeoutMs: 3000,
    clusterName: 1,
    batchNum: 200,
    batchSize: 1_048_576,
    maxBuffering: 50_000,
    lingerMs: 1000,
    metadataRefreshMs: 30_000,
    compression: "none",
    ...settings,
  };
  return openBrokerSink({ kind: "broker-logger", id: "test", settings: { ...all } }, context);
}

/** Entries {n: from} to {n: from + count - 1}. */
export function numbered(from: number, count: number, key?: string, padding = ""): LogEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const payload = JSON.stringify({ n: from + i, padding });
    return key === undefined ? { payload } : { payload, key };
  });
}

/** A record as kcat reads it. */
export interface ConsumedRecord {
  partition: number;
  offset: number;
  key: string | null;
  payload: string;
}

/** All records of a topic, read with kcat. `options`: further -X options. */
export async function consume(
  bootstrap: string,
  topic: string,
  ...options: string[]
): Promise<ConsumedRecord[]> {
  const args = ["-C", "-b", bootstrap, "-t", topic, "-o", "beginning", "-e", "-q", "-J"];
  const { stdout } = await promisify(execFile)(
    "kcat",
    [...args, ...["check.crcs=true", ...options].flatMap((option) => ["-X", option])],
    { maxBuffer: 1 << 29, timeout: PATIENCE_MS },
  );
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ConsumedRecord);
}

/** The n of each record. */
export const numbers = (records: readonly ConsumedRecord[]) =>
  records.map(({ payload }) => (JSON.parse(payload) as { n: number }).n);

/** Makes topics and waits until every partition has a leader. */
export async function createTopics(cluster: KafkaCluster, ...topics: ITopicConfig[]): Promise<void> {
  const brokers = cluster.bootstrap.split(",");
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    // kafkajs's own waiting fails if the broker that it asks does not know the topic yet.
    await admin.createTopics({ topics, waitForLeaders: false });
  } finally {
    await admin.disconnect();
  }
  for (const { topic } of topics)
    for (const end = Date.now() + PATIENCE_MS; (await leaderOf(cluster, topic)) < 0; await pause(100))
      if (Date.now() > end) throw new Error(`topic ${topic} has no leader`);
}

/** Number of the broker that leads a partition, as kcat sees it. */
export async function leaderOf(
  { bootstrap }: Pick<KafkaCluster, "bootstrap">,
  topic: string,
  partition = 0,
): Promise<number> {
  const { stdout } = await promisify(execFile)("kcat", ["-L", "-J", "-b", bootstrap, "-t", topic]);
  const { topics } = JSON.parse(stdout) as {
    topics: { partitions: { partition: number; leader: number }[] }[];
  };
  return topics[0]?.partitions.find((one) => one.partition === partition)?.leader ?? -1;
}
