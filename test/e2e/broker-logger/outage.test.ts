import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import type { BrokerDestination } from "../../../runtime/logging/logger-settings.js";
import { KafkaCluster, kafkaAbsent } from "../../support/kafka-cluster.js";
import { until } from "../../support/patience.js";
import {
  CLIENTS,
  consume,
  createTopics,
  DEFAULT_CLIENT,
  leaderOf,
  numbered,
  numbers,
  openSink,
  upTo,
} from "./sending.js";

const reason = kafkaAbsent();
/** Records of a batch with a key for each partition. */
const BATCH = 500;

const othersThan = (leader: number) => [1, 2, 3].filter((broker) => broker !== leader);

/**
 * Sends the rest of a batch again until it is delivered, like a shipper or a batch processor with retries.
 */
async function untilDelivered(sink: Sink, batch: readonly LogEntry[]): Promise<number> {
  for (let tries = 1, left = batch; ; tries++) {
    try {
      await sink.send(left);
      return tries;
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      expect(error.refused).toEqual([]);
      left = left.slice(error.delivered);
      await pause(100);
    }
  }
}

describe.skipIf(reason !== undefined)(`three brokers${reason ? ` (${reason})` : ""}`, () => {
  let cluster: KafkaCluster;
  let sink: Sink | undefined;

  beforeAll(async () => {
    cluster = await KafkaCluster.start({ brokers: 3 });
    const topic = (name: string) => ({ topic: name, numPartitions: 3, replicationFactor: 3 });
    const outages = ["killed", "handed-over", "hung", "all-away"];
    await createTopics(
      cluster,
      ...CLIENTS.flatMap((client) => outages.map((name) => topic(`${client}-${name}`))),
    );
  });
  afterEach(async () => {
    await sink?.close();
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  /** Resolves when the brokers at `bootstrap` name another leader. */
  const untilMoved = (bootstrap: string, topic: string, from: number) =>
    until(async () => othersThan(from).includes(await leaderOf({ bootstrap }, topic)));

  /** Sends batches while `disturb` runs, then compares with what kcat reads. */
  async function throughOutage(
    client: BrokerDestination["client"],
    name: string,
    disturb: (topic: string) => Promise<void>,
  ): Promise<void> {
    const topic = `${client}-${name}`;
    sink = openSink({ client, brokers: cluster.brokers(), topic, requiredAcks: -1, timeoutMs: 2000 });
    await untilDelivered(sink, numbered(0, BATCH));
    let over = false;
    const disturbed = disturb(topic).finally(() => {
      over = true;
    });
    let batches = 1;
    let tries = 1;
    while (!over || batches < 20) {
      const keyless = batches % 2 === 0;
      const entries = numbered(batches * BATCH, BATCH);
      const keyed = entries.map(({ payload }, i) => ({ payload, key: `key${i % 7}` }));
      tries += await untilDelivered(sink, keyless ? entries : keyed);
      batches++;
    }
    await disturbed;
    const arrived = numbers(await consume(cluster.bootstrap, topic));
    const distinct = new Set(arrived);
    const sent = batches * BATCH;
    const lost = upTo(sent).filter((n) => !distinct.has(n));
    console.log(
      `${topic}: sent ${sent} in ${tries} tries of ${batches} batches, received ${arrived.length}, ` +
        `duplicated ${arrived.length - distinct.size}, lost = ${lost.length}`,
    );
    expect(lost).toEqual([]);
    // A request without a response may have been stored: one for each partition and delivery attempt of the
    // current batch.
    expect(arrived.length - distinct.size).toBeLessThanOrEqual((tries - batches + 4) * BATCH);
  }

  describe.each(CLIENTS)("by %s", (client) => {
    it("the broker-logger loses no record when the leader is killed and comes back", async () => {
      await throughOutage(client, "killed", async (topic) => {
        await pause(300);
        const leader = await leaderOf(cluster, topic);
        await cluster.kill(leader);
        await untilMoved(cluster.bootstrap, topic, leader);
        await pause(1000);
        await cluster.open(leader);
        await pause(1000);
      });
    });

    it("the broker-logger loses no record when a leader hands its partitions over", async () => {
      await throughOutage(client, "handed-over", async (topic) => {
        await pause(300);
        const leader = await leaderOf(cluster, topic);
        await cluster.kill(leader, "SIGTERM");
        const next = await leaderOf(cluster, topic);
        await pause(500);
        await cluster.open(leader);
        // Without a handover the others notice the absence of this leader only after 3 s.
        expect(next).toBeOneOf(othersThan(leader));
      });
    });

    it("the broker-logger loses no record when a leader hangs without closing its connections", async () => {
      await throughOutage(client, "hung", async (topic) => {
        await pause(300);
        const leader = await leaderOf(cluster, topic);
        cluster.freeze(leader);
        await untilMoved(cluster.bootstrap, topic, leader);
        await pause(3000);
        cluster.thaw(leader);
        // Until it knows its successor, consumers read its old log to the end and miss the rest.
        await untilMoved(`127.0.0.1:${cluster.ports(leader).plaintext}`, topic, leader);
        await pause(1000);
      });
    });
  });

  it("the broker-logger loses no record when all brokers were down", async () => {
    await throughOutage(DEFAULT_CLIENT, "all-away", async () => {
      await pause(300);
      await Promise.all([1, 2, 3].map((broker) => cluster.kill(broker)));
      await pause(1000);
      await Promise.all([1, 2, 3].map((broker) => cluster.open(broker)));
    });
  });

  it("platformatic delivers to partitions with a leader while another partition has none", async () => {
    const topic = "single-copies";
    await createTopics(cluster, { topic, numPartitions: 3, replicationFactor: 1 });
    sink = openSink({ client: "platformatic", brokers: cluster.brokers(), topic, timeoutMs: 2000 });
    await untilDelivered(sink, numbered(0, BATCH));
    const away = await leaderOf(cluster, topic);
    await cluster.kill(away);
    try {
      // The other brokers notice after 3 s.
      while ((await leaderOf(cluster, topic)) >= 0) await pause(100);
      for (let batch = 1; batch <= 4; batch++) await untilDelivered(sink, numbered(batch * BATCH, BATCH));
    } finally {
      await cluster.open(away);
    }
    await pause(2000);
    expect(new Set(numbers(await consume(cluster.bootstrap, topic)))).toEqual(new Set(upTo(5 * BATCH)));
  });
});
