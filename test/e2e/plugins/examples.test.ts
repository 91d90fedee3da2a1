import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI, gwc, temporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";

// The packages of examples/plugins as users get them: packed, unpacked outside of the checkout, built, and
// run as processes from the build alone.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const site = temporaryDirectory();
const path = (...names: string[]) => join(site.path, ...names);

let gateway: ChildProcess | undefined;
let upstream: Server;
let lookup: Server;
let graylog: TcpServer;
/** GELF messages that Graylog received. */
const messages: Record<string, unknown>[] = [];
let port = 0;
const NAMES = ["request-id", "http-callout", "gelf-logger"];
const asked: string[] = [];
/** Last line of `gwc test-plugin` for each. */
const tested: unknown[] = [];
let lookupAnswers = true;

const listening = async (server: Server | TcpServer): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

function install(name: string): void {
  const source = join(ROOT, "examples/plugins", name);
  execFileSync("npm", ["pack", "--silent", "--pack-destination", site.path], {
    cwd: source,
    stdio: "ignore",
  });
  const folder = path("node_modules", `gwc-plugin-${name}`);
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", path(`gwc-plugin-${name}-1.0.0.tgz`), "-C", folder, "--strip-components=1"]);
}

function configuration(
  ports: Record<"upstream" | "lookup" | "graylog" | "admin" | "status", number>,
): string {
  return `plugins: [gwc-plugin-request-id, gwc-plugin-http-callout, gwc-plugin-gelf-logger]
gw:
  node_listen: [{ ip: 127.0.0.1, port: ${port} }]
  workers: 2
  status: { ip: 127.0.0.1, port: ${ports.status} }
deployment:
  admin: { admin_listen: { ip: 127.0.0.1, port: ${ports.admin} }, admin_key_required: false }
upstreams:
  - { id: main, nodes: { "127.0.0.1:${ports.upstream}": 1 } }
routes:
  - { id: id, uri: /id, upstream_id: main, plugins: { request-id: {} } }
  - id: logged
    uri: /logged
    upstream_id: main
    plugins:
      gelf-logger: { host: 127.0.0.1, port: ${ports.graylog}, source: shop, batch_max_size: 1, delivery: durable }
  - { id: quiet, uri: /quiet, upstream_id: main, plugins: { request-id: { header_name: X-Trace, include_in_response: false } } }
${["closed", "open"]
  .map(
    (policy) => `  - id: ${policy}
    uri: /${policy}
    upstream_id: main
    plugins:
      http-callout:
        url: http://127.0.0.1:${ports.lookup}/lookup
        subject: $arg_user
        headers: { X-Plan: plan, X-Seats: seats }
        cache_ttl: 60
        timeout: 500
        on_failure: ${policy}
`,
  )
  .join("")}`;
}

beforeAll(async () => {
  upstream = createServer((request: IncomingMessage, response) =>
    response.end(JSON.stringify(request.headers)),
  );
  lookup = createServer((request, response) => {
    const subject = new URL(request.url ?? "", "http://x").searchParams.get("subject") ?? "";
    asked.push(subject);
    if (!lookupAnswers) response.destroy();
    else if (subject === "nobody") response.writeHead(404).end();
    else response.end(JSON.stringify({ plan: `gold of ${subject}`, seats: 7 }));
  });
  graylog = createTcpServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      for (let end = text.indexOf("\0"); end >= 0; end = text.indexOf("\0")) {
        messages.push(JSON.parse(text.slice(0, end)) as Record<string, unknown>);
        text = text.slice(end + 1);
      }
    });
  });
  port = await freePort();
  const ports = {
    upstream: await listening(upstream),
    lookup: await listening(lookup),
    graylog: await listening(graylog),
    admin: await freePort(),
    status: await freePort(),
  };
  for (const name of NAMES) install(name);
  for (const name of ["undici", "lru-cache"])
    cpSync(join(ROOT, "node_modules", name), path("node_modules", name), {
      recursive: true,
      dereference: true,
    });
  writeFileSync(path("gateway.yaml"), configuration(ports));
  for (const name of NAMES) {
    cpSync(join(ROOT, "examples/plugins", name), path(name), { recursive: true });
    tested.push(gwc(path(name), ["test-plugin"]).stdout.split("\n").at(-2));
  }
  const built = gwc(site.path, ["build", "--quiet", "--out", "dist"]);
  expect(built.stderr).toBe("");
  rmSync(path("node_modules"), { recursive: true });
  rmSync(path("gateway.yaml"));
  gateway = spawn(process.execPath, [CLI, "run", "dist"], {
    cwd: site.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [gateway.stdout, gateway.stderr]) stream?.on("data", (text) => (output += text));
  for (let i = 0; i < 300 && !output.includes("gateway  http"); i++) {
    if (gateway.exitCode !== null) throw new Error(output);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

afterAll(async () => {
  if (gateway !== undefined) {
    const ended = once(gateway, "exit");
    gateway.kill("SIGTERM");
    await ended;
  }
  for (const server of [upstream, lookup]) {
    server?.close();
    server?.closeAllConnections();
  }
  graylog?.close();
  site.remove();
});

/** Fetches on a connection of its own, so that both workers respond. */
async function curl(target: string, headers: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${target}`, {
    headers: { Connection: "close", ...headers },
  });
  const text = await response.text();
  const seen = response.ok ? (JSON.parse(text) as Record<string, string>) : {};
  return { status: response.status, headers: response.headers, text, seen };
}

it("the example plugins pass gwc test-plugin", () => {
  expect(tested).toEqual(NAMES.map((name) => `gwc-plugin-${name} 1.0.0 passes`));
});

describe("request-id, packed and run from a build", () => {
  it("request-id makes an id for upstream and client, and keeps a received one", async () => {
    const { seen, headers } = await curl("/id");
    expect(seen["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get("x-request-id")).toBe(seen["x-request-id"]);
    const given = await curl("/id", { "X-Request-Id": "abc" });
    expect([given.seen["x-request-id"], given.headers.get("x-request-id")]).toEqual(["abc", "abc"]);
  });

  it("request-id follows header_name and include_in_response", async () => {
    const { seen, headers } = await curl("/quiet");
    expect(seen["x-trace"]).toMatch(/^[0-9a-f]{32}$/);
    expect(headers.get("x-trace")).toBeNull();
  });
});

describe("http-callout, packed and run from a build", () => {
  it("http-callout sets headers from the lookup, never from the client, and caches the lookup", async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => curl("/closed?user=j%C3%B6rg", { "X-Plan": "mine" })),
    );
    for (const { seen } of answers) {
      expect(Buffer.from(seen["x-plan"] ?? "", "latin1").toString()).toBe("gold of jörg");
      expect(seen["x-seats"]).toBe("7");
    }
    // Two workers, each with a cache of its own.
    expect(asked.filter((subject) => subject === "jörg").length).toBeLessThanOrEqual(2);
  });

  it("http-callout makes no lookup without a subject, and treats 404 as an empty result", async () => {
    const before = asked.length;
    expect((await curl("/closed", { "X-Plan": "mine" })).seen["x-plan"]).toBeUndefined();
    expect(asked).toHaveLength(before);
    const unknown = await curl("/closed?user=nobody");
    expect([unknown.status, unknown.seen["x-plan"]]).toEqual([200, undefined]);
  });

  it("http-callout rejects or passes requests while the service is down, by on_failure", async () => {
    lookupAnswers = false;
    const closed = await curl("/closed?user=away");
    expect([closed.status, closed.text]).toEqual([503, '{"message":"lookup service unavailable"}\n']);
    const open = await curl("/open?user=away", { "X-Plan": "mine" });
    expect([open.status, open.seen["x-plan"]]).toEqual([200, undefined]);
    lookupAnswers = true;
    expect((await curl("/closed?user=away")).seen["x-plan"]).toBe("gold of away");
  });
});

describe("gelf-logger, packed and run from a build", () => {
  it("gelf-logger sends the record of each request once, by way of its spool", async () => {
    const users = ["ann", "jörg", "eve"];
    for (const user of users)
      expect((await curl(`/logged?user=${encodeURIComponent(user)}`)).status).toBe(200);
    await until(() => messages.length >= users.length);
    const uris = users.map((user) => `/logged?user=${encodeURIComponent(user)}`);
    expect(messages.map((one) => one["_request_uri"]).sort()).toEqual(uris.sort());
    expect(messages[0]).toMatchObject({
      ...{ version: "1.1", host: "shop", _route_id: "logged", _response_status: 200 },
      short_message: expect.stringMatching(/^GET \/logged\?user=\S+ 200$/),
      timestamp: expect.any(Number),
    });
  });
});
