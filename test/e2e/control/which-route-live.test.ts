import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { useUpstream } from "../../support/http-upstream.js";
import { freePort } from "../../support/ports.js";
import { ProcessGateway } from "../process/gateway.js";
import { AdminGateway, exchange, VIEWER_KEY } from "./admin.js";

interface Told {
  live: boolean;
  asked: { node: string; status: number | null; error: string | null }[];
  matched: string | null;
  upstream_request: { target: string; headers: [string, string][]; body: string } | null;
  response: { status: number; headers: [string, string][]; body: string } | null;
  logs: unknown[];
  faults: string[];
}

const field = (message: { headers: [string, string][] } | null, name: string) =>
  message?.headers.find(([one]) => one.toLowerCase() === name)?.[1];

describe("which_route/live with a real upstream", () => {
  let requests = 0;
  const upstream = useUpstream((request, response) => {
    requests += 1;
    if (request.url === "/endless") {
      response.writeHead(200);
      response.write("x".repeat(2 * 1_048_576));
      return;
    }
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      response.writeHead(201, { "X-From": "node", "X-Seen": request.headers["x-set"] ?? "" });
      response.end(`secret of ${request.method} ${request.url}: ${Buffer.concat(pieces).toString()}`);
    });
  });
  const secure = createSecureServer(TEST_CERTIFICATE, (_request, response) => response.end("over TLS"));
  const silent = createServer((socket) => void socket.on("data", () => socket.destroy()));
  let gateway: ProcessGateway;
  beforeAll(async () => {
    for (const server of [secure, silent]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    const at = (server: typeof silent) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const closed = `127.0.0.1:${await freePort()}`;
    const [node = ""] = Object.keys(upstream.nodes);
    const of = (nodes: object, more = {}) => ({ nodes, ...more });
    const priorities = [closed, node].map((one, i) => {
      const [host, port] = one.split(":");
      return { host, port: Number(port), weight: 1, priority: 10 - i };
    });
    gateway = await ProcessGateway.start({
      routes: [
        {
          ...{ id: "whole", uri: "/orders/*", upstream: of(upstream.nodes) },
          plugins: {
            "proxy-rewrite": { headers: { set: { "X-Set": "by-the-gateway" } } },
            "response-rewrite": { filters: [{ regex: "secret", replace: "***" }] },
          },
        },
        { id: "endless", uri: "/endless", upstream: of(upstream.nodes) },
        {
          id: "secure",
          uri: "/secure",
          upstream: of({ [at(secure)]: 1 }, { scheme: "https", tls: { verify: false } }),
        },
        {
          ...{ id: "checked", uri: "/checked" },
          upstream: of({ [at(secure)]: 1 }, { scheme: "https", tls: { verify: true } }),
        },
        { id: "silent", uri: "/silent", upstream: of({ [at(silent)]: 1 }) },
        { id: "second", uri: "/second", upstream: { nodes: priorities } },
        { id: "own", uri: "/own", upstream: of(upstream.nodes), plugins: { "key-auth": {} } },
      ],
    });
  });
  afterAll(async () => {
    await gateway?.end();
    secure.close();
    silent.close();
  });

  async function tried(asked: object, path = "which_route/live"): Promise<Told> {
    const key = { "X-API-KEY": ProcessGateway.KEY };
    const answer = await exchange(gateway.adminPort, "POST", `/gw/admin/${path}`, JSON.stringify(asked), key);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json as unknown as Told;
  }
  const node = () => Object.keys(upstream.nodes)[0];

  it("a live question sends the request through the modules to a node and returns the client's response", async () => {
    const before = requests;
    const told = await tried({ method: "POST", url: "/orders/7?a=b", body: "größe" });
    expect(requests).toBe(before + 1);
    expect(told).toMatchObject({ live: true, matched: "whole", faults: [] });
    expect(told.asked).toMatchObject([{ node: node(), status: 201, error: null }]);
    expect(told.upstream_request).toMatchObject({ target: "/orders/7?a=b", body: "größe" });
    expect(told.response).toMatchObject({ status: 201, body: "*** of POST /orders/7?a=b: größe" });
    expect([field(told.response, "x-from"), field(told.response, "x-seen")]).toEqual([
      "node",
      "by-the-gateway",
    ]);
  });

  it("a node receives no request for a question that is not live, and none that a plugin replies to", async () => {
    const before = requests;
    expect(await tried({ url: "/orders/7" }, "which_route")).toMatchObject({ live: false, asked: [] });
    expect(await tried({ url: "/own" })).toMatchObject({
      ...{ live: true, asked: [], upstream_request: null },
      response: { status: 401 },
    });
    expect(requests).toBe(before);
  });

  it("a live question uses TLS and verifies the certificate if the upstream requires it", async () => {
    expect(await tried({ url: "/secure" })).toMatchObject({ response: { status: 200, body: "over TLS" } });
    const { asked, response } = await tried({ url: "/checked" });
    expect([asked[0]?.status, response?.status]).toEqual([null, 502]);
    expect(asked[0]?.error).not.toBeNull();
  });

  it("a live question is retried on the next node and returns the outcome of each attempt", async () => {
    const { asked, response } = await tried({ url: "/second" });
    expect(asked).toMatchObject([
      { status: null, error: "ECONNREFUSED" },
      { node: node(), status: 201, error: null },
    ]);
    expect(response?.status).toBe(201);
  });

  it("a live question returns the error of the node", async () => {
    expect(await tried({ method: "POST", url: "/silent" })).toMatchObject({
      asked: [{ status: null, error: "closed" }],
      response: { status: 502 },
    });
  });

  it("a live question gives up a response body above 1 MiB and reports it", async () => {
    const { asked, response, faults } = await tried({ url: "/endless" });
    expect(asked).toMatchObject([{ status: 200 }]);
    expect([response, faults]).toEqual([
      null,
      ["reading the response of the upstream failed: the body is longer than 1 MiB"],
    ]);
  });

  it("a live question with a stub response is rejected, and the log shows live questions without their URL", async () => {
    const body = JSON.stringify({ url: "/orders/1", upstream_response: { status: 404 } });
    const key = { "X-API-KEY": ProcessGateway.KEY };
    const { status, text } = await exchange(
      gateway.adminPort,
      "POST",
      "/gw/admin/which_route/live",
      body,
      key,
    );
    expect([status, text]).toEqual([400, expect.stringContaining("upstream_response")]);
    expect(gateway.log("which_route_live").length).toBeGreaterThan(0);
    expect(JSON.stringify(gateway.log("which_route_live"))).not.toContain("orders");
  });
});

describe("which_route/live for a viewer", () => {
  let gateway: AdminGateway;
  beforeAll(async () => {
    gateway = await AdminGateway.start();
  });
  afterAll(() => gateway.stop());

  it("a live question of a viewer is rejected with 403", async () => {
    const of = (key: string) => gateway.call("POST", "/which_route/live", { url: "/a" }, { key });
    expect([(await of(VIEWER_KEY)).status, (await of("none")).status]).toEqual([403, 401]);
  });
});
