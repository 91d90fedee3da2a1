// Hundreds of brokers at once on busy cores: some take records, some refuse connections, some accept and stay
// silent. No worker is replaced, clients are served, and working brokers get their records.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer as createUpstream, type Server } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { cpus } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consume, createTopics } from "../e2e/broker-logger/sending.js";
import { exchange } from "../e2e/control/admin.js";
import { ProcessGateway } from "../e2e/process/gateway.js";
import { KafkaCluster, kafkaAbsent } from "../support/kafka-cluster.js";
import { Load } from "../support/load.js";
import { until } from "../support/patience.js";
import { freePort } from "../support/ports.js";

const LONG = process.env["GWC_ATTACK"] === "long";
const DESTINATIONS = LONG ? 300 : 45;
const TOPIC = "records";

const absent = kafkaAbsent();
const KINDS = absent === undefined ? ["taking", "refusing", "silent"] : ["refusing", "silent"];

let upstream: Server;
let silent: ReturnType<typeof createServer>;
let cluster: KafkaCluster | undefined;
let gateway: ProcessGateway;
const sockets = new Set<Socket>();
const busy: ChildProcess[] = [];

beforeAll(async () => {
  upstream = createUpstream((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  if (absent === undefined) {
    cluster = await KafkaCluster.start({ brokers: 1 });
    await createTopics(cluster, { topic: TOPIC, numPartitions: 3 });
  }
  const brokers: Record<string, { host: string; port: number }[]> = {
    taking: cluster?.brokers() ?? [],
    refusing: [{ host: "127.0.0.1", port: await freePort() }],
    silent: [{ host: "127.0.0.1", port: (silent.address() as AddressInfo).port }],
  };
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  const logged = Array.from({ length: DESTINATIONS }, (_, i) => ({
    id: `r${i}`,
    uri: `/r${i}`,
    upstream: { nodes },
    plugins: {
      "broker-logger": {
        brokers: brokers[KINDS[i % KINDS.length] as string],
        broker_topic: TOPIC,
        // The name is part of the destination's identity, so that no two share a connection.
        cluster_name: i + 1,
        batch_max_size: 1,
      },
    },
  }));
  gateway = await ProcessGateway.start({
    routes: [{ id: "plain", uri: "/plain", upstream: { nodes } }, ...logged],
  });
}, 300_000);

afterAll(async () => {
  for (const process of busy) process.kill("SIGKILL");
  await gateway?.end();
  await cluster?.stop();
  for (const socket of sockets) socket.destroy();
  silent?.close();
  upstream?.close();
});

/** Longest pause of the event loops since the last call, in seconds. */
async function longestPause(): Promise<number> {
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  return Math.max(
    ...[...text.matchAll(/^gw_event_loop_lag_seconds\{[^}]*\} (\S+)$/gm)].map(([, value]) => Number(value)),
  );
}

describe(`${DESTINATIONS} destinations on busy cores${absent === undefined ? "" : ` (${absent})`}`, () => {
  it("no worker stalls and no request fails while all destinations connect at once", async () => {
    const pids = (await gateway.workers()).map(({ pid }) => pid);
    for (const _ of cpus()) busy.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
    await longestPause();
    const load = new Load({ port: gateway.port, path: "/plain" });
    const began = Date.now();
    const answers = await Promise.all(Array.from({ length: DESTINATIONS }, (_, i) => gateway.get(`/r${i}`)));
    expect(gateway.log("process_stalled")).toEqual([]);
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([200]));
    const taking = Array.from({ length: DESTINATIONS }, (_, i) => i).filter(
      (i) => KINDS[i % KINDS.length] === "taking",
    );
    const pauses: number[] = [];
    await until(async () => {
      pauses.push(await longestPause());
      // Waits long enough to try all destinations once, even without a broker that receives records.
      if (Date.now() - began < DESTINATIONS * 50) return undefined;
      const came = cluster === undefined ? taking.length : (await consume(cluster.bootstrap, TOPIC)).length;
      return came >= taking.length;
    });
    const { failures, requests } = await load.stop();
    process.stdout.write(
      `${DESTINATIONS} destinations in ${Date.now() - began} ms: longest pause ${Math.max(...pauses)} s, ${requests} other requests\n`,
    );
    expect(failures).toEqual([]);
    expect((await gateway.workers()).map(({ pid }) => pid)).toEqual(pids);
    expect(gateway.log("process_stalled")).toEqual([]);
  }, 300_000);
});
