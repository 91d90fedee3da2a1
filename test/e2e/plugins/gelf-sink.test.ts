// The sink and the records of examples/plugins/gelf-logger.
import { once } from "node:events";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { LogEntry, Sink } from "../../../runtime/abi/delivery.js";
import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const site = temporaryDirectory();
const sockets = new Set<Socket>();
let server: Server;
let runtime: PluginRuntime;
/** Text that the server received. */
let received = "";

beforeAll(async () => {
  cpSync(join(ROOT, "examples/plugins/gelf-logger"), join(site.path, "gelf-logger"), { recursive: true });
  mkdirSync(join(site.path, "node_modules"));
  symlinkSync(ROOT, join(site.path, "node_modules/gwc"));
  const module: { runtime: PluginRuntime } = await import(
    pathToFileURL(join(site.path, "gelf-logger/runtime/index.js")).href
  );
  runtime = module.runtime;
});
afterAll(() => site.remove());
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** Opens a sink for a new server. */
async function sinkOf(accept: (socket: Socket) => void, timeoutMs: number): Promise<Sink> {
  received = "";
  server = createServer((socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
    accept(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = { host: "127.0.0.1", port, timeoutMs, source: "shop" };
  const sink = runtime.openSink?.({ kind: "gelf-logger", id: "x", settings }, {
    report: () => {},
  } as never);
  if (sink === undefined) throw new Error("no sink");
  return sink;
}

const reading = (socket: Socket) =>
  socket.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
const entry = (record: object): LogEntry => ({ payload: JSON.stringify(record) });

it("the GELF sink sends each record as a message with a NUL byte behind it", async () => {
  const sink = await sinkOf(reading, 5_000);
  await sink.send([entry({ route_id: "a", request: { method: "GET", uri: "/" } }), entry({ route_id: "b" })]);
  await until(() => received.endsWith("\0") && received.split("\0").length === 3);
  const [first = ""] = received.split("\0");
  expect(JSON.parse(first)).toMatchObject({
    version: "1.1",
    host: "shop",
    _route_id: "a",
    _request_uri: "/",
  });
  await sink.close();
  await until(() => sockets.size === 0);
});

it("a batch fails at the timeout if the server reads nothing, and closes the connection", async () => {
  const sink = await sinkOf((socket) => socket.pause(), 300);
  const large = entry({ body: "x".repeat(32 * 1024 * 1024) });
  await expect(sink.send([large])).rejects.toThrow("batch not sent within 300 ms");
  for (const socket of sockets) socket.resume();
  await until(() => sockets.size === 0);
});

it("a sink that is closed while it connects leaves no connection, and its batch fails", async () => {
  const sink = await sinkOf(reading, 5_000);
  const sent = expect(sink.send([entry({ route_id: "a" })])).rejects.toThrow("the connection is closed");
  await sink.close();
  await sent;
  await setTimeout(100);
  await until(() => sockets.size === 0);
  expect(received).toBe("");
});

it("tests of a configuration compare the records of gelf-logger as those of other loggers", () => {
  const text = `plugins: [./gelf-logger]
upstreams: [{ id: main, nodes: { "127.0.0.1:8080": 1 } }]
routes:
  - { id: shop, uri: /*, upstream_id: main, plugins: { gelf-logger: { host: graylog.internal } } }
tests:
  - name: a request is logged
    request: { target: /a }
    expect: { log: [{ plugin: gelf-logger, holds: { route_id: shop, request: { uri: /a } } }] }
`;
  writeFileSync(join(site.path, "gateway.yaml"), text);
  const { status, stdout } = gwc(site.path, ["test", "gateway.yaml"]);
  expect(stdout).toContain("1 test passed");
  expect(status).toBe(0);
});
