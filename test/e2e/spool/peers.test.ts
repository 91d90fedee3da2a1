import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { DurableHarness } from "../../support/durable-harness.js";
import { KafkaCluster, kafkaAbsent } from "../../support/kafka-cluster.js";
import { absent, SyslogServer } from "../../support/syslog-server.js";
import { UniqueLoad } from "../../support/unique-load.js";
import { consume, createTopics } from "../broker-logger/sending.js";

const started: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of started.splice(0).reverse()) await one.stop();
});

async function harnessWith(plugins: (settings: object) => object): Promise<DurableHarness> {
  const harness = await DurableHarness.start({ ack: "response", plugins });
  started.push({ stop: () => harness.end() });
  return harness;
}

function loadOf(harness: DurableHarness): UniqueLoad {
  const load = new UniqueLoad(harness.port, { connections: 4, pauseMs: 2 });
  started.push(load);
  return load;
}

interface Arrived {
  path: string;
  record_id: string;
}

/** Number of completed requests without a record at the end, and of duplicate records. */
async function outcome(load: UniqueLoad, read: () => Promise<Arrived[]>) {
  await load.stop();
  for (const end = Date.now() + 40_000; ; await pause(500)) {
    const records = await read();
    const paths = new Set(records.map(({ path }) => path));
    const lost = [...load.answered.keys()].filter((path) => !paths.has(path)).length;
    if (lost > 0 && Date.now() < end) continue;
    const received = new Set(records.map(({ record_id }) => record_id)).size;
    const result = { answered: load.answered.size, received, duplicated: records.length - received, lost };
    console.log(JSON.stringify(result));
    return result;
  }
}

/** Kills the gateway while its peer is down, and later the gateway alone. */
async function blows(harness: DurableHarness, peer: { kill(): Promise<void>; open(): Promise<void> }) {
  await pause(700);
  await peer.kill();
  await pause(700);
  await harness.killWorkers();
  await pause(500);
  await harness.ready();
  await peer.open();
  await pause(1_000);
  await harness.killAll();
  await harness.open();
  await pause(700);
}

const noKafka = kafkaAbsent();
describe.skipIf(noKafka !== undefined)(`Apache Kafka${noKafka ? ` (${noKafka})` : ""}`, () => {
  it("Kafka has the record of every completed request after broker and gateway were killed under load", async () => {
    const cluster = await KafkaCluster.start({ brokers: 1 });
    started.push(cluster);
    await createTopics(cluster, { topic: "durable", numPartitions: 3 });
    const settings = { brokers: cluster.brokers(), broker_topic: "durable", required_acks: -1 };
    const harness = await harnessWith((given) => ({
      "broker-logger": { ...settings, delivery: "durable", log_format: { path: "$uri" }, ...given },
    }));
    const load = loadOf(harness);
    await blows(harness, { kill: () => cluster.kill(1), open: () => cluster.open(1) });
    const result = await outcome(load, async () =>
      (await consume(cluster.bootstrap, "durable")).map(({ payload }) => JSON.parse(payload) as Arrived),
    );
    expect(result.lost).toBe(0);
    expect(result.answered).toBeGreaterThan(100);
  });
});

/** Records in the file of a syslog server. A line that a kill cut off has the next one at its end. */
const recordsIn = (text: string): Arrived[] =>
  Array.from(
    text.replaceAll("\\", "").matchAll(/"path":"([^"]+)"[^{}]*"record_id":"([^"]+)/g),
    ([, path = "", record_id = ""]) => ({ path, record_id }),
  );

const noRsyslog = absent("rsyslog");
describe.skipIf(noRsyslog !== undefined)(`rsyslog${noRsyslog ? ` (${noRsyslog})` : ""}`, () => {
  it("rsyslog has the record of every completed request after it and the gateway were killed under load", async () => {
    const server = await SyslogServer.start("rsyslog");
    started.push(server);
    const settings = { host: "127.0.0.1", port: server.ports.tcp };
    const harness = await harnessWith((given) => ({
      syslog: { ...settings, delivery: "durable", log_format: { path: "$uri" }, ...given },
    }));
    const load = loadOf(harness);
    await blows(harness, { kill: () => server.kill(), open: () => server.open() });
    const result = await outcome(load, async () => recordsIn(readFileSync(server.messages, "utf8")));
    expect(result.lost).toBe(0);
    expect(result.answered).toBeGreaterThan(100);
  });
});
