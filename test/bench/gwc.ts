import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/ports.js";
import { type Peer, scratchDirectory, stopProcess, untilServing, type Work } from "./peer.js";

const WORKS: readonly Work[] = ["pass", "headers", "rewrite", "filter-large", "filter-stream"];
export const CLI = fileURLToPath(new URL("../../bundle/gwc.js", import.meta.url));

const REQUEST_ACTIONS = {
  headers: { add: { "X-Forwarded-Via": "gw" }, remove: ["X-Debug-Token"], set: { "X-Api-Version": "2" } },
};
const RESPONSE_ACTIONS = { remove: ["X-Internal-Service"], set: { "Cache-Control": "no-store" } };
const FILTERS = [{ regex: "orders-[0-9]+\\.internal", scope: "global", replace: "orders.example.com" }];
/** The same with a bounded match, so that it streams. */
const STREAMING = [{ ...FILTERS[0], regex: "orders-[0-9]{1,9}\\.internal" }];
const VARS = [["status", "==", 200]];

const PLUGINS: Record<Work, Record<string, unknown>> = {
  pass: {},
  headers: { "proxy-rewrite": REQUEST_ACTIONS, "response-rewrite": { headers: RESPONSE_ACTIONS } },
  rewrite: {
    "proxy-rewrite": REQUEST_ACTIONS,
    "response-rewrite": { vars: VARS, headers: RESPONSE_ACTIONS, filters: FILTERS },
  },
  "filter-large": { "response-rewrite": { vars: VARS, headers: RESPONSE_ACTIONS, filters: FILTERS } },
  "filter-stream": { "response-rewrite": { vars: VARS, headers: RESPONSE_ACTIONS, filters: STREAMING } },
};

/** Deployment keys of a gateway for measurements: one worker, as every peer; everything on free loopback ports. */
export async function deployment(
  directory: string,
): Promise<{ keys: Record<string, unknown>; port: number; admin: number; status: number }> {
  const [port, status, admin, metrics] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const keys = {
    gw: { node_listen: [{ ip: "127.0.0.1", port }], workers: 1, status: { ip: "127.0.0.1", port: status } },
    deployment: {
      admin: {
        admin_listen: { ip: "127.0.0.1", port: admin },
        admin_key: [{ name: "bench", key: "bench-key-0123456789abcdef0123456789", role: "admin" }],
      },
      store: { type: "lmdb", path: join(directory, "store") },
    },
    plugin_attr: { prometheus: { export_addr: { ip: "127.0.0.1", port: metrics } } },
  };
  return { keys, port, admin, status };
}

export const ADMIN_KEY = "bench-key-0123456789abcdef0123456789";

/**
 * Runs a configuration in a process of its own, until it serves.
 * @param port where it is measured; @param cli path of `gwc.js`, default: of this tree
 */
export async function runGateway(
  configuration: object,
  { path, remove, port }: ReturnType<typeof scratchDirectory> & { port: number },
  cli = CLI,
): Promise<Awaited<ReturnType<Peer["start"]>>> {
  const file = join(path, "gateway.json");
  writeFileSync(file, JSON.stringify(configuration));
  const child = spawn(process.execPath, [cli, "run", file], {
    cwd: path,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await untilServing(port);
  return { pid: child.pid ?? 0, port: () => port, stop: () => stopProcess(child).finally(remove) };
}

/** A gateway with one route for each work, whose plugins are given. */
export const gatewayPeer = (
  name: string,
  works: readonly Work[],
  plugins: Partial<Record<Work, Record<string, unknown>>>,
  cli = CLI,
): Peer => ({
  name,
  works,
  async start(upstreamPort) {
    const { path, remove } = scratchDirectory();
    const { keys, port } = await deployment(path);
    const configuration = {
      ...keys,
      upstreams: [{ id: "orders", nodes: { [`127.0.0.1:${upstreamPort}`]: 1 } }],
      routes: works.map((work) => ({
        id: work,
        host: `${work}.example.com`,
        uri: "/*",
        upstream_id: "orders",
        plugins: plugins[work] ?? {},
      })),
    };
    return runGateway(configuration, { path, remove, port }, cli);
  },
});

export const gwc: Peer = gatewayPeer("gwc", WORKS, PLUGINS);

/** gwc of another tree. @param cli path of its `gwc.js` */
export const gwcOf = (name: string, cli: string): Peer => gatewayPeer(name, WORKS, PLUGINS, cli);
