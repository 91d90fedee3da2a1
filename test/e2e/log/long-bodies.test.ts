import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LineServer } from "../../support/line-server.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

// Bodies of 4 MB in records, on a live worker that measures the pauses of its own event loop. Other work on
// the machine makes pauses longer: the limit is multiplied by the load on each core, and by two. Unsliced,
// these records took 75 to 400 ms.

const PAUSE_MS = 20;
const BYTES = 4 * 1_048_576;
const filled = (piece: string) => piece.repeat(Math.floor(BYTES / piece.length));
const BODIES: [string, string][] = [
  ["JSON", filled('{"id":12345,"name":"somebody","tags":["a","b"]},')],
  ["thousands of masked members", filled('{"api_key":"abc","n":1},')],
  ["what JSON has to escape", filled('"\\')],
];

let gateway: ProcessGateway;
let syslog: LineServer;
let reader: Server;

beforeAll(async () => {
  syslog = await LineServer.start();
  const logger = {
    host: "127.0.0.1",
    port: syslog.port,
    include_req_body: true,
    max_req_body_bytes: BYTES,
    batch_max_size: 1,
    drop_limit: 64 * 1_048_576,
  };
  reader = createServer((request, response) => void request.resume().on("end", () => response.end("ok")));
  await new Promise<void>((resolve) => reader.listen(0, "127.0.0.1", resolve));
  const upstream = { nodes: { [`127.0.0.1:${(reader.address() as AddressInfo).port}`]: 1 } };
  gateway = await ProcessGateway.start(
    {
      routes: [
        {
          id: "keyed",
          uri: "/keyed",
          plugins: { "key-auth": { header: "x-key", query: "api_key" } },
          upstream,
        },
        { id: "logged", uri: "/logged", plugins: { syslog: logger }, upstream },
      ],
    },
    { workers: 1 },
  );
});

afterAll(async () => {
  await gateway?.end();
  await syslog?.stop();
  reader?.close();
});

/** Lag is measured in steps of a timer, and is longer if other programs use the CPU. */
const limit = () => PAUSE_MS * 2 * Math.max(1, (loadavg()[0] ?? 0) / cpus().length);

/** Longest pause in ms since the last call. */
async function longestPause(): Promise<number> {
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  const [, value] = /^gw_event_loop_lag_seconds\{[^}]*\} (\S+)$/m.exec(text) ?? [];
  return 1000 * Number(value);
}

describe("a record with a body of 4 MB", () => {
  it.each(BODIES)("a record with a body of 4 MB blocks no worker for 20 ms: %s", async (_, body) => {
    const pauses: number[] = [];
    // Lag that other programs cause does not count: the shortest of a few measurements is compared.
    for (let time = 0; time < 10 && !(Math.min(...pauses) < limit()); time++) {
      const before = syslog.lines.length;
      await longestPause();
      const answer = await exchange(gateway.port, "POST", "/logged", body, { Host: "a" });
      expect(answer.status).toBe(200);
      const [record] = await syslog.records(1, before);
      const { request } = record as { request: { body: string } };
      expect(request.body === body.replaceAll('"abc"', '"***"')).toBe(true);
      pauses.push(await longestPause());
    }
    expect(Math.min(...pauses), `of ${pauses.join(", ")} ms`).toBeLessThan(limit());
    expect(gateway.log("process_stalled")).toEqual([]);
  });
});
