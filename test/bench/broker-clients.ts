import { createHash } from "node:crypto";
import { DEFAULTS } from "../../plugins/broker-logger/runtime/defaults.gen.js";
import { openBrokerSink } from "../../plugins/broker-logger/runtime/sink.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../runtime/abi/resource.js";
import { startBroker, TOPIC } from "./log-broker.js";

/** Rounds of each client, in turn with the other. */
const ROUNDS = 5;
const BATCHES = 100;
const BATCH = 1000;
const BYTES = 1024;

/**
 * CPU of this process for each record that the sink hands to a real broker, by client: batches of 1000 records of 1 kB, in
 * requests of 200. `node .build/test/bench/broker-clients.js [compression]`, after the build.
 */
async function measure(): Promise<void> {
  const compression = process.argv[2] ?? "none";
  const cluster = await startBroker();
  const figures: Record<string, number[]> = { kafkajs: [], platformatic: [] };
  const context: ResourceContext = {
    metrics: new MetricsRegistry(),
    worker: 0,
    spoolDirectory: undefined,
    secret: () => undefined,
    report: (event, fields) => console.error(event, fields),
  };
  try {
    // No two alike, or a codec packs them to nothing.
    const entries = Array.from({ length: BATCH }, (_, n) => ({ payload: record(n) }));
    for (let round = 0; round <= ROUNDS; round++)
      for (const [client, microseconds] of Object.entries(figures)) {
        const destination = { ...DEFAULTS.destination, client, compression, topic: TOPIC };
        const settings = { ...destination, brokers: cluster.brokers() };
        const sink = openBrokerSink({ kind: "broker-logger", id: client, settings }, context);
        await sink.send(entries);
        const before = process.cpuUsage();
        for (let batch = 0; batch < BATCHES; batch++) await sink.send(entries);
        const { user, system } = process.cpuUsage(before);
        await sink.close();
        if (round > 0) microseconds.push((user + system) / (BATCHES * BATCH));
      }
  } finally {
    await cluster.stop();
  }
  for (const [client, microseconds] of Object.entries(figures))
    console.log(
      `${client}, ${compression}: ${microseconds.map((one) => one.toFixed(1)).join(" ")} µs a record`,
    );
}

/** A record that packs as logs do: half of it names that return, half of it what no other has. */
function record(n: number): string {
  const own = Array.from({ length: BYTES / 128 }, (_, i) =>
    createHash("sha256").update(`${n} ${i}`).digest("hex"),
  );
  return JSON.stringify({
    n,
    own: own.join(""),
    same: "request_uri=/hello&status=200;".repeat(BYTES / 64),
  }).slice(0, BYTES);
}

await measure();
