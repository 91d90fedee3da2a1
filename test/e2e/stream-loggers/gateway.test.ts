import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { issue } from "../../support/certificates.js";
import { LineServer } from "../../support/line-server.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

let upstream: Server;
let node: string;
beforeAll(async () => {
  upstream = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  node = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => upstream.close());

let gateway: ProcessGateway;
afterEach(() => gateway.end());

/** The example of a plugin's page with this server in it, and the line that the page shows. */
function exampleOf(plugin: string, port: number) {
  const page = readFileSync(join(import.meta.dirname, `../../../plugins/${plugin}/README.md`), "utf8");
  const [, yaml = "", target = "", line = ""] =
    /```yaml\n([^`]*)```\n\nThis sends, for a request of `([^`]+)`:\n\n```json\n([^`]*)```/.exec(page) ?? [];
  const text = yaml
    .replace("127.0.0.1:8080", node)
    .replace("logs.internal", "127.0.0.1")
    .replace("port: 5170", `port: ${port}\n        inactive_timeout: 1`);
  return { configuration: parse(text) as object, target, line: line.trimEnd() };
}

const timeless = (text: string | undefined) => text?.replace(/"at":"[^"]+"/, '"at":""');
const routes = (plugins: object) => ({
  routes: [{ id: "orders", uri: "/*", upstream: { nodes: { [node]: 1 } }, plugins }],
});

describe("a gateway with tcp-logger", () => {
  it("the tcp-logger sends the line that its page shows", async () => {
    const server = await LineServer.start();
    const { configuration, target, line } = exampleOf("tcp-logger", server.port);
    gateway = await ProcessGateway.start(configuration, { workers: 1 });
    await gateway.get(target);
    await server.records(1);
    expect(timeless(server.lines[0])).toBe(timeless(line));
    await server.stop();
  });

  it("the tcp-logger presents its certificate to a server with another name, and no output shows its key", async () => {
    const names = ["logs.internal"];
    const [ofServer, ofClient] = [issue({ names }), issue({ names: ["gateway"] })];
    const seen: { subject: string; servername: unknown; text: string }[] = [];
    const tls = { ...ofServer, ca: ofClient.cert, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer(tls, (socket: TLSSocket) => {
      const subject = String(socket.getPeerCertificate().subject.CN);
      socket.setEncoding("utf8").on("data", (text: string) => {
        seen.push({ subject, servername: socket.servername, text });
      });
      socket.on("error", () => {});
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = { ca: ofServer.cert, cert: ofClient.cert, key: ofClient.key };
    const settings = { host: "127.0.0.1", port, tls: true, tls_options: "logs.internal", ...client };
    gateway = await ProcessGateway.start({});
    const route = routes({ "tcp-logger": { ...settings, batch_max_size: 1 } }).routes[0];
    const { status, text } = await gateway.admin("PUT", "/routes/orders", route ?? {});
    expect(status, text).toBe(201);
    await gateway.get("/a");
    const [first] = await until(() => (seen.length > 0 ? seen : undefined));
    expect(first).toMatchObject({ subject: "gateway", servername: "logs.internal" });
    expect(JSON.parse(first?.text ?? "")).toMatchObject({ request: { uri: "/a" } });
    const { text: shown } = await gateway.admin("GET", "/routes/orders");
    const secret = ofClient.key.split("\n")[1] ?? "no key";
    for (const output of [text, shown, gateway.errors]) expect(output).not.toContain(secret);
    server.close();
  });

  it("a durable tcp-logger delivers the records of 30 completed requests to a server that was down", async () => {
    const first = await LineServer.start();
    const { port } = first;
    await first.stop();
    const settings = { host: "127.0.0.1", port, delivery: "durable", ack: "response" };
    gateway = await ProcessGateway.start(routes({ "tcp-logger": settings }));
    for (let n = 0; n < 30; n++) await gateway.get(`/${n}`);
    await until(() => /log server 127\.0\.0\.1:\d+: connect ECONNREFUSED/.test(gateway.errors));
    const server = await LineServer.start(port);
    const uris = () =>
      new Set(server.lines.map((line) => (JSON.parse(line) as { request: { uri: string } }).request.uri));
    await until(() => uris().size === 30);
    await server.stop();
  });
});

describe("a gateway with udp-logger", () => {
  let receiver: Socket;
  let received: string[];
  let port: number;
  beforeEach(async () => {
    received = [];
    receiver = createSocket("udp4");
    receiver.on("message", (message) => received.push(message.toString("utf8")));
    receiver.bind(0, "127.0.0.1");
    await once(receiver, "listening");
    port = receiver.address().port;
  });
  afterEach(() => new Promise<void>((resolve) => receiver.close(() => resolve())));

  it("the udp-logger sends the datagram that its page shows", async () => {
    const { configuration, target, line } = exampleOf("udp-logger", port);
    gateway = await ProcessGateway.start(configuration, { workers: 1 });
    await gateway.get(target);
    await until(() => received.length > 0);
    expect(timeless(received[0])).toBe(`${timeless(line)}\n`);
  });

  it("the udp-logger refuses and counts a record longer than a datagram, and sends the others", async () => {
    const log_format = { path: "$uri", filling: "$arg_filling" };
    const settings = {
      host: "127.0.0.1",
      port,
      max_datagram: 480,
      batch_max_size: 3,
      inactive_timeout: 1,
      log_format,
    };
    gateway = await ProcessGateway.prepare({});
    gateway.write(routes({ "udp-logger": settings }), { workers: 1 });
    await gateway.open();
    await gateway.get("/first");
    await gateway.get(`/long?filling=${"x".repeat(600)}`);
    await gateway.get("/last");
    await until(() => received.length === 2);
    expect(received.map((text) => (JSON.parse(text) as { path: string }).path)).toEqual(["/first", "/last"]);
    await until(async () => {
      const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
      const refused =
        /gw_log_entries_dropped_total\{name="udp logger",route_id="orders",reason="refused"\} 1\b/;
      return refused.test(text);
    });
    expect(gateway.errors).toContain("records longer than a datagram, 480 bytes");
  });
});
