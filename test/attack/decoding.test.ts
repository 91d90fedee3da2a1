import { createServer, get, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import zlib from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { ProcessGateway } from "../e2e/process/gateway.js";
import { brotli, EMPTY_FRAME, emptyBlocks, textOf, times, WITHOUT_TEXT } from "../support/coded-bodies.js";
import { until } from "../support/patience.js";
import { memoryUnwatched, resident } from "../support/process-memory.js";

/** `gw.limits.buffered_body_bytes` of these gateways. */
const HELD = 64 * 1_048_576;
/** Memory of a worker apart from buffered bodies: code, heap and decoders. */
const BESIDE = 512 * 1_048_576;

let gateway: ProcessGateway;
afterEach(() => gateway.end());

interface Coded {
  coding: string;
  bytes: Buffer;
}

/** Upstream that sends a text for `/plain` and `answer` for everything else. */
async function upstream(answer: Coded): Promise<number> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    if (incoming.url === "/plain") response.end("plain");
    else {
      response.writeHead(200, { "Content-Encoding": answer.coding, "Content-Length": answer.bytes.length });
      response.end(answer.bytes);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/**
 * Starts one worker with routes that log request bodies, filter response bodies in two ways, and do neither.
 */
async function start(answer: Coded = { coding: "identity", bytes: Buffer.from("hello") }): Promise<number> {
  const port = await upstream(answer);
  const filters = (regex: string) => ({
    "response-rewrite": { filters: [{ regex, replace: "***" }], max_resp_body_size: 16_777_216 },
  });
  gateway = await ProcessGateway.prepare({}, {});
  const logger = {
    path: join(gateway.directory, "records.jsonl"),
    include_req_body: true,
    batch_max_size: 1,
  };
  gateway.write(
    {
      upstreams: [{ id: "u", nodes: { [`127.0.0.1:${port}`]: 1 } }],
      routes: [
        { id: "plain", uri: "/plain", upstream_id: "u" },
        { id: "logged", uri: "/logged", upstream_id: "u", plugins: { "file-logger": logger } },
        { id: "streamed", uri: "/streamed", upstream_id: "u", plugins: filters("secret") },
        // A match of unlimited length makes the filter buffer the body.
        { id: "held", uri: "/held", upstream_id: "u", plugins: filters("<b[^>]*>") },
      ],
    },
    { workers: 1, limits: { buffered_body_bytes: HELD } },
  );
  await gateway.open();
  return pidOfWorker();
}

async function pidOfWorker(): Promise<number> {
  const [worker] = await gateway.workers();
  if (worker === undefined) throw new Error("no worker");
  return worker.pid;
}

/** @returns the status; 0 if the connection ended without one or before the end of the body */
const statusOf = (method: string, path: string, body?: Coded): Promise<number> =>
  new Promise((resolve) => {
    const headers = body && { "Content-Encoding": body.coding, "Content-Length": body.bytes.length };
    const options = { host: "127.0.0.1", port: gateway.port, path, method, agent: false, headers };
    const outgoing = request(options, (incoming: IncomingMessage) => {
      incoming.resume();
      incoming.on("end", () => resolve(incoming.statusCode ?? 0));
      incoming.on("error", () => resolve(0));
    });
    outgoing.on("error", () => resolve(0));
    outgoing.end(body?.bytes);
  });

const plain = () => statusOf("GET", "/plain");

/** Runs the attack with other requests until it ends. @returns statuses of the attack */
async function besideOthers(attack: readonly Promise<number>[]): Promise<number[]> {
  let isOver = false;
  const all = Promise.all(attack).finally(() => {
    isOver = true;
  });
  const others: number[] = [];
  do others.push(await plain());
  while (!isOver);
  others.push(await plain());
  expect(others.filter((status) => status !== 200)).toEqual([]);
  return all;
}

async function heldBytes(): Promise<number> {
  const page = await new Promise<string>((resolve, reject) => {
    const options = { host: "127.0.0.1", port: gateway.metricsPort, path: "/gw/prometheus/metrics" };
    get(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
  const [, value] = /^gw_buffered_body_bytes(?:\{[^}]*\})? ([\d.e+]+)$/m.exec(page) ?? [];
  return Number(value);
}

/** Expects the same worker without buffered bytes and without a quarantined route. */
async function expectUntouched(pid: number): Promise<void> {
  await until(async () => (await heldBytes()) === 0);
  expect(await pidOfWorker()).toBe(pid);
  const bad = [
    "route_quarantined",
    "worker_stalled",
    "worker_unresponsive",
    "child_ended",
    "child_unresponsive",
  ];
  expect(bad.flatMap((event) => gateway.log(event))).toEqual([]);
}

describe("a request body that a logger decodes", () => {
  const bodies: [string, Coded][] = [
    ["58,254 empty frames of zstd", { coding: "zstd", bytes: times(58_254, EMPTY_FRAME) }],
    ...WITHOUT_TEXT.map(([coding, what, make]): [string, Coded] => [
      `512 kB of ${coding} in empty ${what}`,
      { coding, bytes: make(524_288) },
    ]),
    // 77 bytes with a window that brotli fills before it outputs any of it.
    ["a short bomb of br", { coding: "br", bytes: brotli(Buffer.alloc(100_000_000), 24) }],
    ["a bomb of gzip", { coding: "gzip", bytes: zlib.gzipSync(Buffer.alloc(300 * 1_048_576)) }],
  ];
  it.each(bodies)(
    "a request body that a logger decodes neither ends its worker nor quarantines a route: %s, 24 at once",
    async (_, body) => {
      const pid = await start();
      const statuses = await besideOthers(
        Array.from({ length: 24 }, () => statusOf("POST", "/logged", body)),
      );
      expect(statuses).toEqual(Array(24).fill(200));
      expect(await statusOf("POST", "/logged", { coding: "identity", bytes: Buffer.from("a") })).toBe(200);
      await expectUntouched(pid);
    },
  );
});

describe("a response body that a filter decodes", () => {
  const bodies: [string, Coded][] = [
    ["1,000,000 empty frames of zstd", { coding: "zstd", bytes: times(1_000_000, EMPTY_FRAME) }],
    ["3,000,000 empty blocks of zstd", { coding: "zstd", bytes: emptyBlocks(3_000_000) }],
    ...WITHOUT_TEXT.map(([coding, what, make]): [string, Coded] => [
      `4 MB of ${coding} in empty ${what}`,
      { coding, bytes: make(4_194_304) },
    ]),
  ];
  it.each(bodies)(
    "a response body that a filter decodes neither ends the worker nor quarantines its route: %s",
    async (_, body) => {
      const pid = await start(body);
      const statuses = await besideOthers(
        [1, 2, 3, 4].map((i) => statusOf("GET", i % 2 === 0 ? "/held" : "/streamed")),
      );
      // A body that costs too much is rejected, or cut if its head has been sent.
      expect(statuses.filter((status) => ![0, 200, 502, 503].includes(status))).toEqual([]);
      await expectUntouched(pid);
    },
  );

  it("decoded bodies of 40 clients that do not read count as buffered and stay within the limit", async () => {
    const bytes = zlib.gzipSync(textOf(12 * 1_048_576));
    const pid = await start({ coding: "gzip", bytes });
    const clients: Socket[] = [];
    onTestFinished(() => {
      for (const client of clients) client.destroy();
    });
    for (let count = 0; count < 40; count += 1) {
      const client = connect(gateway.port, "127.0.0.1");
      clients.push(client);
      client.on("error", () => {});
      client.pause();
      client.write("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    const held: number[] = [];
    await until(async () => {
      held.push(await heldBytes());
      expect(await plain()).toBe(200);
      return held.length >= 20;
    });
    expect(Math.max(...held)).toBeGreaterThan(0);
    expect(Math.max(...held)).toBeLessThanOrEqual(HELD);
    if (memoryUnwatched === undefined) expect(resident(pid)).toBeLessThan(HELD + BESIDE);
    for (const client of clients) client.destroy();
    await expectUntouched(pid);
  });
});
