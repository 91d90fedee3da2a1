import { type AddressInfo, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import { Deadlines } from "../../../runtime/http/deadlines.js";
import type { LiveGeneration, LiveNode, LiveUpstream } from "../../../runtime/proxy/host/contract.js";
import { DataServer, type DataServerOptions } from "../../../runtime/proxy/host/data-server.js";
import { liveNode } from "../../../runtime/proxy/upstream/balancer.js";
import type { NodeFailure } from "../../../runtime/proxy/upstream/node-health.js";
import type { DeadlineClock } from "../../support/deadline-clock.js";
import { RawClient } from "../../support/raw-client.js";
import { RawUpstream, type Respond } from "../../support/raw-upstream.js";
import { OVER_TLS, presentedToAll } from "../../support/secure-peer.js";

export interface GatewaySettings {
  /** Ports of the nodes; picked in this order, each once a request. */
  nodes?: number[];
  module?: Omit<PipelineModule, "id">;
  globalRules?: Omit<PipelineModule, "id">[];
  table?: Partial<UpstreamTable>;
  enableWebsocket?: boolean;
  options?: Partial<DataServerOptions>;
  /**
   * Clock of the timeouts; "monotonic": the machine's. Default: a stopped one, so that no pause of the
   * machine ends anything.
   */
  clock?: DeadlineClock | "monotonic";
  /** Clients speak TLS. Default: in the project "tls". */
  secure?: boolean;
  /** No route matches. */
  noRoute?: boolean;
  /** The route has no upstream. */
  noUpstream?: boolean;
}

export interface TestGateway {
  port: number;
  server: DataServer;
  /** Events that an operator would see. */
  events: { event: string; reason: unknown }[];
  /** Results of attempts as the load balancer receives them. */
  outcomes: ({ ms: number } | { failure: NodeFailure | undefined } | { abandoned: true })[];
  nodes: LiveNode[];
  client(): Promise<RawClient>;
}

const TABLE: UpstreamTable = {
  key: "u",
  type: "roundrobin",
  scheme: "http",
  nodes: [],
  retries: 2,
  retryTimeout: 0,
  timeout: { connect: 2, send: 2, read: 2 },
  passHost: "pass",
  keepalive: { size: 8, idleTimeout: 60, requests: 1_000 },
  tlsVerify: true,
};

const standing = () => new Deadlines(1_000_000, () => 0);

/** A data server with one route to the nodes, stopped when the test is over. */
export async function startGateway(settings: GatewaySettings = {}): Promise<TestGateway> {
  const { secure = OVER_TLS } = settings;
  const table = { ...TABLE, ...settings.table };
  const nodes: LiveNode[] = (settings.nodes ?? []).map((port) =>
    liveNode({ host: "127.0.0.1", port }, `${table.scheme}:127.0.0.1:${port}`),
  );
  const outcomes: TestGateway["outcomes"] = [];
  const upstream: LiveUpstream = {
    table,
    mayRetry: () => true,
    pick: (_, tried) => nodes.find((node) => !tried.includes(node)) ?? null,
    answered: ({ ms }) => {
      outcomes.push({ ms });
      return undefined;
    },
    failed: (_, failure) => {
      outcomes.push({ failure });
      return undefined;
    },
    abandoned: () => outcomes.push({ abandoned: true }),
  };
  const module = settings.module ? { id: "r", ...settings.module } : null;
  const route = {
    row: {
      id: "r",
      hosts: [],
      uris: ["/*"],
      methods: [],
      remoteAddrs: [],
      priority: 0,
      order: 0,
      moduleId: null,
      hasMatch: false,
      upstream: "u",
      enableWebsocket: settings.enableWebsocket ?? false,
    },
    number: 0,
    module,
    upstream: settings.noUpstream ? null : upstream,
  };
  const generation: LiveGeneration = {
    number: 1,
    pluginMetadata: new Map(),
    globalRules: (settings.globalRules ?? []).map((rule, i) => ({
      row: { id: `g${i}`, moduleId: `global_rule:g${i}` },
      module: { id: `g${i}`, ...rule },
    })),
    match: () => (settings.noRoute ? undefined : route),
  };
  const events: TestGateway["events"] = [];
  const server = new DataServer({
    generation: () => generation,
    report: (event, _, reason) => events.push({ event, reason }),
    ...(settings.clock !== "monotonic" && { deadlines: settings.clock?.deadlines ?? standing() }),
    ...(secure && { presents: presentedToAll }),
    ...settings.options,
  });
  const { port } = await server.accept({ port: 0, host: "127.0.0.1" }, secure);
  onTestFinished(() => server.close(0));
  const client = async () => {
    const opened = await RawClient.open(port);
    onTestFinished(() => opened.close());
    return opened;
  };
  return { port, server, events, outcomes, nodes, client };
}

export async function startUpstream(respond: Respond): Promise<RawUpstream> {
  const upstream = await new RawUpstream(respond).start();
  onTestFinished(() => upstream.stop());
  return upstream;
}

/** An upstream that always sends these bytes. */
export const answering = (...writes: string[]): Promise<RawUpstream> => startUpstream(() => ({ writes }));

/** Gateway in front of an upstream with this behaviour. */
export async function proxyTo(
  respond: Respond,
  settings: GatewaySettings = {},
): Promise<TestGateway & { upstream: RawUpstream }> {
  const upstream = await startUpstream(respond);
  return { ...(await startGateway({ nodes: [upstream.port], ...settings })), upstream };
}

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
export const GET = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

/** A server that reacts to each piece it reads; `count` is the number of the connection. Without a reaction it reads nothing. */
export async function listening(
  read?: (socket: Socket, count: number) => void,
): Promise<{ port: number; connections(): number }> {
  const sockets = new Set<Socket>();
  const server = createServer({ pauseOnConnect: read === undefined }, (socket) => {
    sockets.add(socket);
    const count = sockets.size;
    socket.setNoDelay(true);
    socket.on("error", () => {});
    if (read) socket.on("data", () => read(socket, count));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => sockets.size };
}
