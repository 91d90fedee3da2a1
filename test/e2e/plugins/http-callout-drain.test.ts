import { cpSync, symlinkSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

let gateway: ProcessGateway;
let upstream: Server;
let lookup: Server;
/** Current connections of the service, and the number of all connections. */
const open = new Set<Socket>();
let accepted = 0;
/** Pending calls by subject. */
const held = new Map<string, ServerResponse>();

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listening = (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));

beforeAll(async () => {
  upstream = await listening(
    createServer((request, response) => response.end(JSON.stringify(request.headers))),
  );
  lookup = await listening(
    createServer((request, response) => {
      const subject = new URL(request.url ?? "", "http://x").searchParams.get("subject") ?? "";
      if (subject.startsWith("slow")) held.set(subject, response);
      else response.end(JSON.stringify({ plan: "gold" }));
    }),
  );
  lookup.on("connection", (socket) => {
    accepted++;
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await started();
});
beforeEach(async () => {
  await reloaded(callout());
  await until(async () => (await plan("anna")) === "gold");
});
afterAll(async () => {
  await gateway.end();
  for (const server of [upstream, lookup]) {
    server.close();
    server.closeAllConnections();
  }
});

function resources(plugins: object, more: object[] = []) {
  const nodes = { [`127.0.0.1:${portOf(upstream)}`]: 1 };
  return {
    plugins: ["./http-callout"],
    upstreams: [{ id: "main", nodes }],
    routes: [{ id: "asked", uri: "/asked", upstream_id: "main", plugins }, ...more],
  };
}

const callout = () => ({
  "http-callout": {
    ...{
      url: `http://127.0.0.1:${portOf(lookup)}/lookup`,
      subject: "$arg_user",
      headers: { "X-Plan": "plan" },
    },
    ...{ timeout: 5000, cache_size: 0, on_failure: "open" },
  },
});

async function started(): Promise<void> {
  gateway = await ProcessGateway.prepare(resources(callout()), { workers: 1 });
  cpSync(join(ROOT, "examples/plugins/http-callout"), join(gateway.directory, "http-callout"), {
    recursive: true,
  });
  symlinkSync(join(ROOT, "node_modules"), join(gateway.directory, "node_modules"));
  await gateway.open();
}

/** The plan of a user as the upstream receives it. */
const plan = async (user: string) =>
  (await gateway.get(`/asked?user=${user}`).catch(() => undefined))?.json["x-plan"];

/** Responds to the pending lookup of a user. */
async function answer(user: string): Promise<void> {
  const response = await until(() => held.get(user));
  held.delete(user);
  response.end(JSON.stringify({ plan: "late" }));
}

async function reloaded(plugins: object, more: object[] = []): Promise<void> {
  const before = gateway.log("reloaded").length;
  gateway.write(resources(plugins, more), { workers: 1 });
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reloaded").length > before);
}

const noneOpen = () => until(() => open.size === 0);

it("a client keeps its connections in a generation that names it as well", async () => {
  const before = accepted;
  const other = { id: "other", uri: "/other", upstream_id: "main" };
  await reloaded(callout(), [other]);
  expect(await plan("berta")).toBe("gold");
  expect(accepted).toBe(before);
});

it("a client closes after the last response of the last generation that names it", async () => {
  const waiting = plan("slow-1");
  await until(() => held.get("slow-1"));
  await reloaded({});
  expect(await plan("carla")).toBeUndefined();
  // The next generation serves; the call of the previous one continues.
  expect(open.size).toBe(1);
  await answer("slow-1");
  expect(await waiting).toBe("late");
  await noneOpen();
});

it("a client closes after a call that times out", async () => {
  const waiting = plan("slow-2");
  await until(() => held.get("slow-2"));
  await reloaded({});
  expect(await waiting).toBeUndefined();
  await noneOpen();
  expect(gateway.log("lookup_unanswered")).toHaveLength(1);
});

it("a client finishes its calls when the gateway stops, and leaves no connection", async () => {
  const waiting = plan("slow-3");
  await until(() => held.get("slow-3"));
  const stopped = gateway.stop();
  await until(() =>
    gateway.get("/none").then(
      () => false,
      () => true,
    ),
  );
  await answer("slow-3");
  expect(await waiting).toBe("late");
  expect(await stopped).toBe(0);
  await noneOpen();
});
