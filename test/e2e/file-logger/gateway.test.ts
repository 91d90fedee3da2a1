import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const file = (name = "orders.log") => join(gateway.directory, name);
const own = { "response-rewrite": { status_code: 200, body: "own" } };
const routes = (settings: object = {}) => ({
  routes: [{ id: "orders", uri: "/*", plugins: { ...own, "file-logger": { path: file(), ...settings } } }],
});

async function start(settings?: object): Promise<void> {
  gateway = await ProcessGateway.prepare({});
  gateway.write(routes(settings));
  await gateway.open();
}

/** `uri` of each record in the files with this prefix. */
function logged(prefix = "orders.log"): string[] {
  return readdirSync(gateway.directory)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => readFileSync(file(name), "utf8").split("\n").slice(0, -1))
    .map((line) => (JSON.parse(line) as { request: { uri: string } }).request.uri);
}

const send = (from: number, count: number, headers = {}) =>
  Promise.all(Array.from({ length: count }, (_, n) => gateway.get(`/${from + n}`, headers)));
const whenLogged = (count: number) => until(() => logged().length >= count);
const expected = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`).sort();

describe("a gateway that logs to a file", () => {
  it("SIGUSR1 opens a new file after a rename, and no record of two workers is lost or torn", async () => {
    await start();
    await send(0, 200, { "x-filling": "f".repeat(2_000) });
    await whenLogged(200);
    renameSync(file(), file("orders.log.1"));
    gateway.process.kill("SIGUSR1");
    await until(() => existsSync(file()));
    await send(200, 200, { "x-filling": "f".repeat(2_000) });
    await whenLogged(400);
    expect(logged().sort()).toEqual(expected(400));
    expect(logged("orders.log.1")).toHaveLength(200);
  });

  it("two workers rotate the file by max_bytes without losing a record", async () => {
    await start({ max_bytes: 10_000, keep: 1_000, batch_max_size: 5 });
    for (let n = 0; n < 400; n += 40) await send(n, 40);
    await whenLogged(400);
    expect(logged().sort()).toEqual(expected(400));
    expect(
      readdirSync(gateway.directory).filter((name) => name.startsWith("orders.log.")).length,
    ).toBeGreaterThan(8);
  });

  it("requests are served while the log folder is missing, and the failure is logged and counted", async () => {
    await start();
    gateway.write(routes({ path: file("later/orders.log"), retry_delay: 0 }));
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length > 0);
    await until(async () => {
      for (const { status } of await send(0, 4)) expect(status).toBe(200);
      return /ENOENT: no such file or directory/.test(gateway.errors);
    });
    await until(async () => {
      const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
      return /gw_log_entries_failed_total\{name="file logger",route_id="orders"[^}]*\} [1-9]/.test(text)
        ? true
        : undefined;
    });
  });

  it("a durable file-logger writes every record of a completed request once the folder exists", async () => {
    gateway = await ProcessGateway.prepare({});
    gateway.write(routes({ path: file("later/orders.log"), delivery: "durable", ack: "response" }));
    await gateway.open();
    await send(0, 20);
    await until(() => /ENOENT: no such file or directory/.test(gateway.errors));
    mkdirSync(file("later"));
    await until(() => existsSync(file("later/orders.log")));
    await until(() => {
      const lines = readFileSync(file("later/orders.log"), "utf8").split("\n").slice(0, -1);
      return lines.length >= 20;
    });
    const lines = readFileSync(file("later/orders.log"), "utf8").split("\n").slice(0, -1);
    const uris = lines.map((line) => (JSON.parse(line) as { request: { uri: string } }).request.uri);
    expect([...new Set(uris)].sort()).toEqual(expected(20));
  });

  it("the file-logger writes the line that its page shows", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../../plugins/file-logger/README.md"), "utf8");
    const [, yaml = "", target = "", line = ""] =
      /```yaml\n([^`]*)```\n\nThis writes, for a request of `([^`]+)`:\n\n```json\n([^`]*)```/.exec(page) ??
      [];
    const upstream = createServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { port } = upstream.address() as AddressInfo;
    try {
      gateway = await ProcessGateway.prepare({});
      const example = yaml
        .replace("/var/log/gwc", gateway.directory)
        .replace("127.0.0.1:8080", `127.0.0.1:${port}`);
      gateway.write(parse(example) as object);
      await gateway.open();
      await gateway.get(target);
      await until(() => existsSync(file()) && readFileSync(file(), "utf8") !== "");
      const timeless = (text: string) => text.replace(/"at":"[^"]+"/, '"at":""');
      expect(timeless(readFileSync(file(), "utf8"))).toBe(timeless(line));
    } finally {
      upstream.close();
    }
  });

  it("the file-logger writes to standard output", async () => {
    await start({ path: "/dev/stdout", log_format: { seen: "$uri" } });
    await send(0, 3);
    await until(() => {
      const found = gateway.output.match(/^\{"seen":"\/\d","route_id":"orders"\}$/gm) ?? [];
      return found.length === 3;
    });
  });
});
