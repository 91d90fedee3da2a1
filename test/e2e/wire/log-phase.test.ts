import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { answering, type GatewaySettings, GET, listening, OK, proxyTo, startGateway } from "./gateway.js";
import { answer, collect, own } from "./holding.js";

/** A route that stores the result of `read` in the log phase. */
function logging<T>(read: (x: Exchange) => T) {
  const records: T[] = [];
  const module = { log: (x: Exchange) => void records.push(read(x)) };
  return { records, module, settings: { module } satisfies GatewaySettings };
}

const variables =
  (...names: string[]) =>
  (x: Exchange) =>
    names.map((name) => x.variable(name));

const OWNER = {};

/** A port without a listener. */
const NOBODY = 1;

describe("the log phase", () => {
  it("the log phase runs once for each pipelined request", async () => {
    const { records, settings } = logging((x) => [x.uri, x.response.status]);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(["/1", "/2", "/3"].map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(""));
    for (let i = 0; i < 3; i++) await client.response("GET");
    await expect
      .poll(() => records)
      .toEqual([
        ["/1", 200],
        ["/2", 200],
        ["/3", 200],
      ]);
  });

  it("the log phase sees a disconnected client as 499, and a rejected body with the status of its reply", async () => {
    const { records, settings } = logging((x) => x.response.status);
    const gateway = await proxyTo(() => undefined, { ...settings, options: { limits: { bodyBytes: 4 } } });
    const [gone, long] = [await gateway.client(), await gateway.client()];
    await gone.send(GET);
    await expect.poll(() => gateway.upstream.requests.length).toBe(1);
    gone.socket.resetAndDestroy();
    await expect.poll(() => records).toEqual([499]);
    await long.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n");
    expect((await long.response("POST")).status).toBe(413);
    await expect.poll(() => records).toEqual([499, 413]);
  });

  it("the log phase does not run for a malformed request", async () => {
    const { records, module } = logging((x) => x.response.status);
    const gateway = await startGateway({ globalRules: [module] });
    const client = await gateway.client();
    await client.send("GET /\r\n\r\n");
    expect((await client.response("GET")).status).toBe(400);
    await wait(20);
    expect(records).toEqual([]);
  });

  it("an error in the log phase does not reach the client, and the other log steps run", async () => {
    const { records, module } = logging((x) => x.response.status);
    const broken = {
      log() {
        throw new Error("broken");
      },
    };
    const gateway = await proxyTo(answer(OK), { globalRules: [broken], module });
    const client = await gateway.client();
    for (const n of [1, 2]) {
      await client.send(GET);
      expect((await client.response("GET")).body).toBe("ok");
      await expect.poll(() => records).toHaveLength(n);
    }
    expect(gateway.events.map(({ event }) => event)).toEqual(["module_failed", "module_failed"]);
    expect(gateway.server.stats()).toMatchObject({ inFlight: 0, moduleFailures: 2 });
  });
});

describe("times of a finished exchange", () => {
  it("the times of a finished exchange do not change", async () => {
    const { records, settings } = logging((x) => x);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toHaveLength(1);
    const times = () => records.map((x) => [x.latency, x.upstreamLatency, x.variable("request_time")]);
    const first = times();
    await wait(15);
    expect(times()).toEqual(first);
  });

  it("the upstream latency lasts until the upstream's body is complete", async () => {
    const { records, settings } = logging((x) => ({
      latency: x.latency,
      upstream: x.upstreamLatency ?? 0,
      texts: variables("upstream_header_time", "upstream_response_time", "upstream_response_length")(x),
    }));
    let sendRest = () => {};
    const slow = await listening((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
      sendRest = () => void socket.write("def");
    });
    const gateway = await startGateway({ nodes: [slow.port], ...settings });
    const client = await gateway.client();
    const begins = once(client.socket, "data");
    await client.send(GET);
    await begins;
    await wait(80);
    sendRest();
    await client.response("GET");
    await expect.poll(() => records).toHaveLength(1);
    const [record] = records;
    expect(record?.upstream).toBeGreaterThan(70);
    expect(record?.latency).toBeGreaterThanOrEqual(Math.floor(record?.upstream ?? 0));
    const [head, response, length] = record?.texts ?? [];
    expect(Number(response) - Number(head)).toBeGreaterThan(0.06);
    expect(length).toBe("6");
  });

  it("the delay by acknowledge counts in the latency, but not in the upstream latency", async () => {
    const { records, module } = logging((x) => ({ latency: x.latency, upstream: x.upstreamLatency ?? 0 }));
    const gateway = await proxyTo(answer(OK), {
      module: { ...module, acknowledge: (x) => x.delayEndOfResponse(wait(80)) },
    });
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toHaveLength(1);
    const [record] = records;
    expect((record?.latency ?? 0) - (record?.upstream ?? 0)).toBeGreaterThan(70);
  });
});

describe("bytes sent", () => {
  const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  it.each([
    ["of known length", ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc", "def"], GET, 6],
    ["chunked", [`${CHUNKED}3\r\nabc\r\n`, "3\r\ndef\r\n", "0\r\n\r\n"], GET, 6],
    ["chunked with trailers", [`${CHUNKED}1\r\na\r\n0\r\nX: y\r\n\r\n`], GET, 1],
    ["without a body", ["HTTP/1.1 204 No Content\r\n\r\n"], GET, 0],
    ["after interim responses", [`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`], GET, 2],
    ["to HEAD", ["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"], GET.replace("GET", "HEAD"), 0],
    ["to HTTP/1.0", [`${CHUNKED}3\r\nabc\r\n0\r\n\r\n`], "GET / HTTP/1.0\r\n\r\n", 3],
    ["of 100 kB", ["HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x".repeat(100_000)], GET, 100_000],
    ["of 100 kB, chunked", [`${CHUNKED}186a0\r\n`, "x".repeat(100_000), "\r\n0\r\n\r\n"], GET, 100_000],
  ])("the bytes sent equal the bytes that the client received, %s", async (_, writes, request, bodyBytes) => {
    const { records, settings } = logging((x) => [x.bytesSent, x.variable("body_bytes_sent")]);
    const gateway = await proxyTo(answer(...writes), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(request);
    await expect.poll(() => records).toHaveLength(1);
    await expect.poll(() => [received().length, bodyBytes]).toEqual(records[0]);
  });

  it("the bytes sent include 100 Continue and a rejection", async () => {
    const { records, settings } = logging((x) => x.bytesSent);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    await expect.poll(received).toContain("100 Continue");
    await client.send("zz\r\n");
    await expect.poll(() => records).toHaveLength(1);
    await expect.poll(() => received().length).toBe(records[0]);
    expect(received()).toContain("400 Bad Request");
  });

  it("the bytes sent of a local reply equal the bytes that the client received", async () => {
    const { records, module } = logging((x) => [x.bytesSent, x.variable("body_bytes_sent")]);
    const gateway = await startGateway({ module: { ...module, ...own(403, "no") } });
    const client = await gateway.client();
    const received = collect(client.socket);
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toEqual([[received().length, 2]]);
  });
});

describe("variables of attempts", () => {
  const NAMES = [
    "upstream_addr",
    "upstream_status",
    "upstream_connect_time",
    "upstream_header_time",
    "upstream_response_time",
    "upstream_response_length",
  ];

  it("upstream variables list each node that was tried", async () => {
    const { records, settings } = logging(variables(...NAMES, "balancer_ip", "upstream_unresolved_host"));
    const { port } = await answering(OK);
    const gateway = await startGateway({ nodes: [NOBODY, port], ...settings });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).status).toBe(200);
    await expect.poll(() => records).toHaveLength(1);
    const time = expect.stringMatching(/^\d+\.\d{3}, \d+\.\d{3}$/);
    const second = expect.stringMatching(/^-, \d+\.\d{3}$/);
    expect(records[0]).toEqual([
      `127.0.0.1:1, 127.0.0.1:${port}`,
      "502, 200",
      second,
      second,
      time,
      "0, 2",
      "127.0.0.1",
      "127.0.0.1",
    ]);
  });

  it("upstream_connect_time is 0.000 for a reused connection", async () => {
    const { records, settings } = logging(variables("upstream_connect_time"));
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    for (const n of [1, 2]) {
      await client.send(GET);
      await client.response("GET");
      await expect.poll(() => records).toHaveLength(n);
    }
    expect(records[1]).toEqual(["0.000"]);
  });

  it("upstream_addr names a node that had not responded when the client disconnected", async () => {
    const { records, settings } = logging(
      variables("upstream_addr", "upstream_status", "upstream_header_time"),
    );
    const gateway = await proxyTo(() => undefined, settings);
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.upstream.requests.length).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => records).toEqual([[`127.0.0.1:${gateway.upstream.port}`, "-", "-"]]);
    expect(gateway.nodes[0]?.active).toBe(0);
  });

  it("upstream variables are undefined if no node was tried", async () => {
    const { records, module } = logging(variables(...NAMES, "upstream_uri", "upstream_host"));
    const gateway = await startGateway({ module: { ...module, ...own(403, "no") } });
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toEqual([new Array(8).fill(undefined)]);
  });

  it("upstream variables hold the scheme, Host and target that were sent", async () => {
    const { records, module } = logging(variables("upstream_scheme", "upstream_host", "upstream_uri"));
    const rewrite = (x: Exchange) => {
      x.upstream.target = "/new?x=1";
      x.upstream.host = "b.example";
    };
    const gateway = await proxyTo(answer(OK), { module: { ...module, rewrite } });
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toEqual([["http", "b.example", "/new?x=1"]]);
  });
});

describe("variables of the client's connection", () => {
  it("connection numbers a connection, and connection_requests its requests", async () => {
    const { records, settings } = logging(variables("connection", "connection_requests"));
    const gateway = await proxyTo(answer(OK), settings);
    const [one, two] = [await gateway.client(), await gateway.client()];
    await one.send(GET + GET);
    for (let i = 0; i < 2; i++) await one.response("GET");
    await two.send(GET);
    await two.response("GET");
    await expect.poll(() => records).toHaveLength(3);
    expect(records.map(([, requests]) => requests)).toEqual([1, 2, 1]);
    const [first, second, third] = records.map(([connection]) => connection);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it.each([
    ["Basic YWxpY2U6c2VjcmV0", "alice"],
    ["basic  OnNlY3JldA==", ""],
    ["Basic YWxpY2U=", undefined],
    ["Basic %%%", undefined],
    ["Bearer YWxpY2U6c2VjcmV0", undefined],
  ])("remote_user is the user of Authorization: %s", async (credentials, user) => {
    const { records, settings } = logging(variables("remote_user"));
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(`GET / HTTP/1.1\r\nHost: a\r\nAuthorization: ${credentials}\r\n\r\n`);
    await client.response("GET");
    await expect.poll(() => records).toEqual([[user]]);
  });

  it("variables of TLS and consumer groups are undefined without them, and server variables are constant", async () => {
    const { records, settings } = logging(
      variables("ssl_protocol", "ssl_server_name", "consumer_group_id", "server_name", "nginx_version"),
    );
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    const version = expect.stringMatching(/^\d+\.\d+\.\d+/);
    await expect.poll(() => records).toEqual([[undefined, undefined, undefined, "_", version]]);
  });
});

describe("variables of the request body", () => {
  const read = (x: Exchange) => {
    const body = x.captured(OWNER, "request")?.text;
    return [
      x.formField(body, "a"),
      x.bodyValue(body, "a"),
      x.bodyValue(body, "b.c"),
      x.graphql(body, "name"),
    ];
  };

  it.each([
    ["application/x-www-form-urlencoded", "a=1+2", ["1 2", "1 2", undefined, undefined]],
    ["application/json", '{"a":3,"b":{"c":"d"},"query":"query Q { x }"}', [undefined, "3", "d", "Q"]],
    ["text/plain", "a=1", [undefined, undefined, undefined, undefined]],
  ])("form, body and GraphQL values are read by the type of the body: %s", async (type, body, expected) => {
    const { records, module } = logging(read);
    const rewrite = (x: Exchange) => x.captureRequest(OWNER, 1_000);
    const gateway = await proxyTo(answer(OK), { module: { ...module, rewrite } });
    const client = await gateway.client();
    const fields = `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
    await client.send(`POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n${body}`);
    await client.response("POST");
    await expect.poll(() => records).toEqual([expected]);
  });

  it("variables of the request body are undefined if no body is captured", async () => {
    const { records, settings } = logging(read);
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => records).toEqual([[undefined, undefined, undefined, undefined]]);
  });
});
