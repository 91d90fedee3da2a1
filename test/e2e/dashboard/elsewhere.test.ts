// `gwc ui`: pages of this machine with the admin API of a remote gateway.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RemoteAdmin } from "../../../runtime/control/local-dashboard/remote-admin.js";
import { localDashboard } from "../../../runtime/control/local-dashboard/server.js";
import { issue } from "../../support/certificates.js";
import { CLI, gwc, useTemporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import {
  ADMIN_KEY,
  type AdminAnswer,
  AdminGateway,
  exchange,
  UPSTREAM,
  VIEWER_KEY,
} from "../control/admin.js";

const ROUTE = { uri: "/x", upstream: UPSTREAM };
const KEY = { "X-API-KEY": ADMIN_KEY };
const opened: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function listening<S extends Server>(server: S): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function ended(server: Server): void {
  server.closeAllConnections();
  server.close();
}

/** Starts a dashboard for the gateway at an address. @returns its port */
async function localFor(address: string, key?: string, waitMs?: number): Promise<number> {
  const remote = new RemoteAdmin(new URL(address), key, waitMs);
  const server = localDashboard(remote);
  opened.push({
    async close() {
      ended(server);
      await remote.close();
    },
  });
  return listening(server);
}

/** Starts a fake gateway that records the requests that it receives. */
async function standIn(answer: RequestListener): Promise<{ address: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  opened.push({ close: () => ended(server) });
  return { address: `http://127.0.0.1:${await listening(server)}`, asked };
}

describe("the dashboard for a remote gateway", () => {
  let admin: AdminGateway;
  beforeAll(async () => {
    admin = await AdminGateway.start();
  });
  afterAll(() => admin.stop());
  const address = () => `http://127.0.0.1:${admin.port("admin")}`;

  it("a local dashboard serves its pages under the gateway's content security policy, and redirects to them", async () => {
    const port = await localFor(address());
    const [here, there] = await Promise.all([
      exchange(port, "GET", "/gw/ui/routes"),
      exchange(admin.port("admin"), "GET", "/gw/ui/routes"),
    ]);
    const policy = ({ headers }: AdminAnswer) =>
      String(headers["content-security-policy"]).replace(/'nonce-[^']+'/, "");
    expect([here.status, policy(here)]).toEqual([200, policy(there)]);
    const [, script = ""] = /src="(\/gw\/ui\/assets\/[^"]+)"/.exec(here.text) ?? [];
    expect((await exchange(port, "GET", script)).status).toBe(200);
    expect(await exchange(port, "GET", "/")).toMatchObject({ status: 302, headers: { location: "/gw/ui" } });
  });

  it("a local dashboard forwards reads and conditional writes, and returns the gateway's responses", async () => {
    const port = await localFor(address());
    const headers = { ...KEY, "Content-Type": "application/json" };
    const call = (method: string, body?: object, more: Record<string, string> = {}) =>
      exchange(port, method, "/gw/admin/routes/r", body && JSON.stringify(body), { ...headers, ...more });
    expect((await call("PUT", ROUTE)).status).toBe(201);
    const read = await call("GET");
    expect(read).toMatchObject({ status: 200, json: { key: "/gw/routes/r" } });
    expect(read.headers).toMatchObject({ etag: expect.stringMatching(/^"\d+"$/), "x-api-version": "v3" });
    expect((await call("PUT", ROUTE, { "If-Match": '"0"' })).status).toBe(412);
    expect((await call("PUT", ROUTE, { "If-None-Match": "*" })).status).toBe(412);
    expect((await call("PUT", { uri: 5 })).json).toMatchObject({ diagnostics: expect.any(Array) });
    expect((await call("DELETE")).status).toBe(200);
  });

  it("a local dashboard forwards the caller's key, or adds its own to calls without a key", async () => {
    const read = (port: number, headers = {}) =>
      exchange(port, "GET", "/gw/admin/routes", undefined, headers);
    const without = await localFor(address());
    expect((await read(without)).json).toMatchObject({ description: "missing apikey" });
    expect((await read(without, { "X-API-KEY": "wrong" })).json).toMatchObject({
      description: "wrong apikey",
    });
    const withKey = await localFor(address(), VIEWER_KEY);
    expect((await read(withKey)).status).toBe(200);
    expect((await read(withKey, { "X-API-KEY": "wrong" })).status).toBe(401);
  });

  it("a local dashboard rejects a body above the admin API's limit with the same message", async () => {
    const port = await localFor(address());
    const answer = await exchange(port, "PUT", "/gw/admin/routes/r", " ".repeat(1_572_865), KEY);
    expect([answer.status, answer.json["error_msg"]]).toEqual([
      400,
      expect.stringMatching(/greater than the maximum/),
    ]);
  });

  it.each([
    ["a name that a page lets point here", { Host: "attacker.example" }, 403],
    ["a page of another origin", { Origin: "http://attacker.example" }, 403],
    ["a page of another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["a page at another port of this machine", { "Sec-Fetch-Site": "same-site" }, 403],
    ["its own page", { "Sec-Fetch-Site": "same-origin" }, 200],
  ])("a call from %s has the expected status", async (_what, headers, status) => {
    const port = await localFor(address(), ADMIN_KEY);
    const answer = await exchange(port, "GET", "/gw/admin/routes", undefined, headers);
    expect([answer.status, "list" in answer.json]).toEqual([status, status === 200]);
  });

  it.each([
    ["POST", "/gw/ui", 405],
    ["PUT", "/", 405],
    ["OPTIONS", "/gw/admin/routes", 405],
    ["GET", "/other", 404],
    ["GET", "/v1/healthcheck", 404],
    ["GET", "/gw/administration", 404],
    ["GET", "/gw/admin/../ui", 400],
    ["GET", "/gw/admin/%2E%2e/ui", 400],
    ["GET", "/gw/admin/.%2e", 400],
    ["GET", "/gw/admin/..%2f..%2fother", 400],
    ["GET", "/gw/admin/%252e%252e/ui", 400],
    ["GET", "/gw/admin/..;a=b/ui", 400],
    ["GET", "/gw/admin/..%5cother", 400],
    ["GET", "/gw/admin/routes/%zz", 400],
    ["GET", "/gw/admin/routes/a..b", 404],
    ["GET", "/gw/ui/assets/none.js", 404],
  ])("%s %s responds with %i and is no page", async (method, path, status) => {
    const port = await localFor(address());
    const { status: answered, headers } = await exchange(port, method, path, undefined, KEY);
    expect(answered).toBe(status);
    // Not a page, whatever the status.
    expect(headers).toMatchObject({
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
  });
});

describe("requests to the remote gateway and its responses", () => {
  it("a local dashboard forwards only headers that the admin API knows, in both directions", async () => {
    const { address, asked } = await standIn((_request, response) => {
      response.writeHead(200, {
        "Content-Type": "application/json",
        "Set-Cookie": "a=b",
        "Access-Control-Allow-Origin": "*",
      });
      response.end("{}");
    });
    const port = await localFor(`${address}/behind/a/proxy/`);
    const known = { "X-API-KEY": "k", "X-Gw-Note": "why", Accept: "application/json", "If-Match": "*" };
    const others = {
      Cookie: "s=1",
      Authorization: "Basic eA==",
      "User-Agent": "browser",
      "X-Forwarded-For": "1.2.3.4",
    };
    const { headers } = await exchange(port, "GET", "/gw/admin/routes?page=1", undefined, {
      ...known,
      ...others,
    });
    const [request] = asked;
    expect(request?.url).toBe("/behind/a/proxy/gw/admin/routes?page=1");
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      "accept",
      "connection",
      "host",
      "if-match",
      "x-api-key",
      "x-gw-note",
    ]);
    expect(request?.headers.host).toBe(new URL(address).host);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
    });
    expect(headers).not.toHaveProperty("set-cookie");
    expect(headers).not.toHaveProperty("access-control-allow-origin");
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'/);
  });

  it("a local dashboard forwards events as they happen, and ends the stream when the page leaves", async () => {
    const { address, asked } = await standIn((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: 1\n\n");
    });
    const port = await localFor(address);
    const leaving = new AbortController();
    const events = await fetch(`http://127.0.0.1:${port}/gw/admin/overview/stream`, {
      headers: { Accept: "text/event-stream" },
      signal: leaving.signal,
    });
    const { value } = (await events.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe("data: 1\n\n");
    const closed = once(asked[0]?.socket as IncomingMessage["socket"], "close");
    leaving.abort();
    await closed;
  });

  it("8 streams leave connections for calls, and a further one is rejected with 503 and the reason", async () => {
    const { address, asked } = await standIn((request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      if (request.url?.endsWith("/events") === true) response.write("data: 1\n\n");
      else response.end("{}");
    });
    const port = await localFor(address, undefined, 200);
    const leaving = new AbortController();
    const url = `http://127.0.0.1:${port}/gw/admin/overview/events`;
    const streams = await Promise.all(
      Array.from({ length: 12 }, () => fetch(url, { signal: leaving.signal })),
    );
    const statuses = streams.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(8).fill(200), ...Array<number>(4).fill(503)]);
    const refused = streams.find(({ status }) => status === 503);
    expect(await refused?.json()).toEqual({
      error_msg: "all 8 connections for streams to the gateway are busy, try again",
    });
    expect((await exchange(port, "GET", "/gw/admin/routes")).status).toBe(200);
    expect(asked.filter(({ url: target }) => target?.endsWith("/events"))).toHaveLength(8);
    leaving.abort();
    await until(async () => {
      const again = await fetch(url);
      await again.body?.cancel();
      return again.status === 200;
    });
  });

  it("an unreachable gateway and one that closes the connection result in 502 with the reason", async () => {
    const { address } = await standIn((request) => request.socket.destroy());
    const nobody = await localFor("http://127.0.0.1:1");
    const refused = await exchange(nobody, "GET", "/gw/admin/routes", undefined, KEY);
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      502,
      "the gateway at http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1",
    ]);
    const cut = await exchange(await localFor(address), "GET", "/gw/admin/routes", undefined, KEY);
    expect([cut.status, cut.json["error_msg"]]).toEqual([502, expect.stringMatching(/cannot be reached: /)]);
  });

  it("a truncated response of the gateway aborts the response to the page", async () => {
    const { address } = await standIn((request, response) => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
      response.write("{");
      setTimeout(() => request.socket.destroy(), 50);
    });
    const port = await localFor(address);
    const half = fetch(`http://127.0.0.1:${port}/gw/admin/routes`).then((response) => response.text());
    await expect(half).rejects.toThrow();
  });
});

describe("gwc ui", () => {
  const directory = useTemporaryDirectory();
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill("SIGKILL"));

  /** Starts `gwc ui`. @returns the address that it prints */
  async function started(args: string[], env: Record<string, string> = {}): Promise<string> {
    child = spawn(process.execPath, [CLI, "ui", "--port", "0", "--open", "never", ...args], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [text] = (await once(child.stdout as NonNullable<typeof child.stdout>, "data")) as [Buffer];
    const [, address = ""] = /: (http:\/\/127\.0\.0\.1:\d+\/gw\/ui)\n/.exec(text.toString()) ?? [];
    expect(address).not.toBe("");
    return address;
  }

  it("gwc ui prints its address, serves the gateway's admin API, and exits with 0 on SIGINT", async () => {
    const admin = await AdminGateway.start();
    opened.push({ close: () => admin.stop() });
    writeFileSync(join(directory.path, "key"), `${VIEWER_KEY}\n`);
    const remote = `http://127.0.0.1:${admin.port("admin")}`;
    const address = await started(["--admin", remote, "--key-file", join(directory.path, "key")]);
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(new URL("/gw/admin/routes", address))).status).toBe(200);
    child?.kill("SIGINT");
    expect(await once(child as ChildProcess, "exit")).toEqual([0, null]);
  });

  it("gwc ui calls over TLS and reports why it does not trust a certificate", async () => {
    const certificate = issue({ names: ["localhost"], authority: true });
    const server = createSecureServer(certificate, (_request, response) => response.end("{}"));
    opened.push({ close: () => ended(server) });
    const remote = `https://localhost:${await listening(server)}`;
    writeFileSync(join(directory.path, "ca.pem"), certificate.cert);
    const trusted = await started(["--admin", remote], {
      NODE_EXTRA_CA_CERTS: join(directory.path, "ca.pem"),
    });
    expect((await fetch(new URL("/gw/admin/routes", trusted))).status).toBe(200);
    child?.kill("SIGKILL");
    const doubted = await fetch(new URL("/gw/admin/routes", await started(["--admin", remote])));
    expect([doubted.status, await doubted.json()]).toEqual([
      502,
      { error_msg: expect.stringMatching(/cannot be reached: .*self.signed certificate/) },
    ]);
  });

  it.each([
    [["--admin", "gateway:9180"], /--admin must be a URL/],
    [["--admin", "http://me:secret@gateway:9180"], /contains a user or a password/],
    [["--admin", "http://gateway:9180/gw/admin"], /remove that path/],
    [["--admin", "http://gateway:9180", "--port", "70000"], /--port must be 0 to 65535/],
    [["--admin", "http://gateway:9180", "--key-file", "absent"], /--key-file: .*ENOENT/],
    [[], /required option '--admin/],
  ])("gwc ui rejects %j with status 2", (args, text) => {
    const { status, stderr } = gwc(directory.path, ["ui", ...args]);
    expect([status, stderr]).toEqual([2, expect.stringMatching(text)]);
    expect(stderr).not.toContain("secret");
  });

  it("gwc ui names the port that is in use", async () => {
    const { address } = await standIn((_request, response) => response.end());
    const { port } = new URL(address);
    const { status, stderr } = gwc(directory.path, ["ui", "--admin", address, "--port", port]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`port ${port} is in use: choose another with --port`),
    ]);
  });
});
