import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { absent, type Program, type ReceivedMessage, SyslogServer } from "../../support/syslog-server.js";
import { exchange } from "../control/admin.js";
import { childrenOf, isAlive, ProcessGateway } from "../process/gateway.js";
import { Authority } from "./authority.js";

const PROGRAMS: readonly Program[] = ["rsyslog", "syslog-ng"];

let upstream: Server;
/** Ends the response to a request with "held" in its query; undefined before there is one. */
let release: (() => void) | undefined;
let nodes: Record<string, number>;
beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.resume();
    const end = () => void response.end("hello");
    if (request.url?.endsWith("?held")) release = end;
    else request.on("end", end);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
});
afterAll(() => upstream.close());

const recordOf = (message: ReceivedMessage | undefined) =>
  JSON.parse(message?.msg ?? "null") as Record<string, unknown>;

for (const program of PROGRAMS) {
  const reason = absent(program);
  describe.skipIf(reason !== undefined)(`a gateway before ${program}${reason ? ` (${reason})` : ""}`, () => {
    let server: SyslogServer;
    let gateway: ProcessGateway;
    const authority = new Authority();
    afterAll(() => authority.remove());
    beforeEach(async () => {
      server = await SyslogServer.start(program, { tls: authority });
      gateway = await ProcessGateway.start({});
    });
    afterEach(async () => {
      await gateway.end();
      await server.stop();
    });

    const put = async (path: string, body: object) => {
      const { status, text } = await gateway.admin("PUT", path, body);
      expect([200, 201], text).toContain(status);
    };
    /** The route of the specification's table of endpoints. */
    const route = (settings: object = {}) => ({
      plugins: {
        syslog: { host: "127.0.0.1", port: server.ports.tcp, flush_limit: 1, hostname: "$host", ...settings },
      },
      upstream: { type: "roundrobin", nodes },
      uri: "/hello",
    });

    it("[log.endpoint.3] [log.endpoint.5] [log.endpoint.6] [log.endpoint.7] [log.syslog.text.3] the requests of the specification enable, format and disable the syslog logger", async () => {
      await put("/routes/1", route());
      const before = Date.now();
      await gateway.get("/hello?a=1", { Host: "shop.example.com", Authorization: "Bearer secret" });
      const [first] = await server.receives(1);
      expect(first).toMatchObject({ pri: "46", host: "shop.example.com", app: "gwc" });
      const record = recordOf(first);
      expect(record).toMatchObject({
        upstream: Object.keys(nodes)[0],
        client_ip: "127.0.0.1",
        service_id: "",
        route_id: "1",
        request: { method: "GET", uri: "/hello?a=1", querystring: { a: "1" } },
        response: { status: 200 },
        server: { hostname: hostname() },
        latency: expect.any(Number),
        gw_latency: expect.any(Number),
        upstream_latency: expect.any(Number),
      });
      expect(record["start_time"]).toBeGreaterThanOrEqual(before - 1000);
      expect(first?.msg).not.toContain("secret");

      // The format of every route with the plugin changes at once; this one only waits less for its batch from here on.
      await put("/routes/1", route({ inactive_timeout: 1 }));
      await put("/plugin_metadata/syslog", {
        log_format: { host: "$host", "@timestamp": "$time_iso8601", status: "$status" },
      });
      await gateway.get("/hello", { Host: "shop.example.com" });
      const [, second] = await server.receives(2);
      expect(recordOf(second)).toEqual({
        host: "shop.example.com",
        "@timestamp": expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        status: 200,
        route_id: "1",
      });

      await put("/routes/1", { methods: ["GET"], uri: "/hello", plugins: {}, upstream: route().upstream });
      await gateway.get("/hello", { Host: "removed.example.com" });
      await put("/routes/1", route({ inactive_timeout: 1 }));
      await gateway.get("/hello", { Host: "again.example.com" });
      const hosts = (await server.receives(3)).map(({ host }) => host);
      expect(hosts).toEqual(["shop.example.com", "shop.example.com", "again.example.com"]);
    });

    it("[log.scope.4] [log.auth.1] [log.auth.2] only a request below /gw/admin with an admin key enables the logger", async () => {
      const asked = (path: string, key: string) =>
        exchange(gateway.adminPort, "PUT", path, JSON.stringify(route()), { "X-API-KEY": key });
      expect((await asked("/gw/admin/routes/1", "another key")).status).toBe(401);
      expect((await asked("/other/admin/routes/1", ProcessGateway.KEY)).status).toBe(404);
      expect((await asked("/gw/admin/routes/1", ProcessGateway.KEY)).status).toBe(201);
    });

    it("[log.service.2] [log.syslog.row5] [log.syslog.row8] the syslog logger sends over udp, and over TLS with its own authority", async () => {
      const more = { batch_max_size: 1 };
      await put("/routes/1", route({ ...more, sock_type: "udp", port: server.ports.udp }));
      await gateway.get("/hello", { Host: "udp.example.com" });
      await server.receives(1);
      const secured = { tls: true, host: "localhost", port: server.ports.tls, ca: authority.caText };
      await put("/routes/1", route({ ...more, ...secured }));
      await gateway.get("/hello", { Host: "tls.example.com" });
      expect((await server.receives(2)).map(({ host }) => host)).toEqual([
        "udp.example.com",
        "tls.example.com",
      ]);
    });

    it("[log.syslog.row10] [log.syslog.row11] [log.syslog.row14] a record has the route's own log_format, or both bodies", async () => {
      await put("/routes/1", route({ log_format: { request: "$request_line" }, batch_max_size: 1 }));
      await gateway.get("/hello");
      expect(recordOf((await server.receives(1))[0])).toEqual({
        request: "GET /hello HTTP/1.1",
        route_id: "1",
      });
      await put("/routes/1", route({ include_req_body: true, include_resp_body: true, batch_max_size: 1 }));
      await fetch(`http://127.0.0.1:${gateway.port}/hello`, { method: "POST", body: "größer" });
      expect(recordOf((await server.receives(2))[1])).toMatchObject({
        request: { body: "größer" },
        response: { body: "hello" },
      });
    });

    it("[log.batch.3] records of 20 finished requests are delivered when the gateway stops", async () => {
      await put("/routes/1", route());
      for (let n = 0; n < 20; n++) await gateway.get("/hello");
      await gateway.stop();
      expect(await server.receives(20)).toHaveLength(20);
    });

    it("[log.batch.3] the record of a request in flight when the gateway stops is delivered", async () => {
      release = undefined;
      await put("/routes/1", route());
      const response = gateway.get("/hello?held");
      const respond = await until(() => release);
      const stopped = gateway.stop();
      const isRefused = () =>
        gateway.get("/elsewhere").then(
          () => false,
          () => true,
        );
      await until(isRefused);
      respond();
      expect((await response).status).toBe(200);
      await stopped;
      const [message] = await server.receives(1);
      expect(recordOf(message)).toMatchObject({ request: { uri: "/hello?held" }, response: { status: 200 } });
    });

    it("a durable logger delivers records of requests during an outage, also after a kill -9 of the gateway", async () => {
      await put("/routes/1", route({ delivery: "durable", ack: "response" }));
      const targets: string[] = [];
      const ask = async (count: number) => {
        for (let n = 0; n < count; n++) {
          const target = `/hello?n=${targets.length}`;
          await gateway.get(target);
          targets.push(target);
        }
      };
      await ask(10);
      await server.kill();
      await ask(30);
      const children = childrenOf(gateway.process.pid ?? 0);
      gateway.process.kill("SIGKILL");
      await until(() => !children.some(isAlive));
      await gateway.open();
      await ask(5);
      await server.open();
      const arrived = () =>
        new Set(server.received().map((m) => (recordOf(m)["request"] as { uri: string }).uri));
      await expect.poll(() => targets.filter((target) => !arrived().has(target))).toEqual([]);
      const ids = server.received().map((message) => recordOf(message)["record_id"]);
      expect(new Set(ids).size).toBe(targets.length);
    });
  });
}
