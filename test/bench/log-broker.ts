import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Kafka, logLevel } from "kafkajs";
import { KafkaCluster } from "../support/kafka-cluster.js";
import type { LogDestination } from "./log-destination.js";

export const TOPIC = "requests";
const PARTITIONS = [0, 1, 2];

/** One Kafka broker on a loopback port. */
export const brokerDestination = (name: string, settings: Record<string, unknown>): LogDestination => ({
  name,
  budget: { microseconds: 24 },
  async start() {
    const cluster = await startBroker();
    return {
      plugins: { "broker-logger": { brokers: cluster.brokers(), broker_topic: TOPIC, ...settings } },
      stored: () => records(cluster.bootstrap),
      stop: () => cluster.stop(),
    };
  },
});

/** One broker with the topic that is measured, of three partitions. */
export async function startBroker(): Promise<KafkaCluster> {
  const cluster = await KafkaCluster.start({ brokers: 1 });
  const admin = new Kafka({ brokers: [cluster.bootstrap], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({
    topics: [{ topic: TOPIC, numPartitions: PARTITIONS.length }],
    waitForLeaders: true,
  });
  await admin.disconnect();
  return cluster;
}

/** Ends of all partitions, asked of the broker: "requests [0] offset 4711". */
async function records(bootstrap: string): Promise<number> {
  const topics = PARTITIONS.flatMap((partition) => ["-t", `${TOPIC}:${partition}:-1`]);
  const { stdout } = await promisify(execFile)("kcat", ["-Q", "-b", bootstrap, ...topics]);
  return [...stdout.matchAll(/offset (\d+)/g)].reduce((sum, [, offset]) => sum + Number(offset), 0);
}
