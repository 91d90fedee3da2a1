import { PathFault } from "../../runtime/abi/path.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import { Deadlines } from "../../runtime/http/deadlines.js";
import { WireFault } from "../../runtime/http/fault.js";
import { InboundRequest, type RequestConnection } from "../../runtime/http/inbound-request.js";
import { DEFAULT_LIMITS } from "../../runtime/http/limits.js";
import { parseRequestHead } from "../../runtime/http/request-head.js";
import { parseResponseHead, type ResponseHead } from "../../runtime/http/response-head.js";
import type { TunnelEnd } from "../../runtime/http/transport.js";
import { beginExchange } from "../../runtime/proxy/exchange/target.js";
import type { LiveGeneration, LiveNode, LiveUpstream } from "../../runtime/proxy/host/contract.js";
import { ProxyExchange } from "../../runtime/proxy/host/proxy-exchange.js";
import { WorkerContext } from "../../runtime/proxy/host/worker-context.js";
import { liveNode } from "../../runtime/proxy/upstream/balancer.js";
import type {
  UpstreamConnection,
  UpstreamFailure,
  UpstreamUser,
} from "../../runtime/proxy/upstream/connection.js";
import type { ConnectionPool } from "../../runtime/proxy/upstream/pool.js";

/** The client's end: receives data, and sends nothing. */
class Client implements Omit<RequestConnection, "current"> {
  readonly limits = DEFAULT_LIMITS;
  readonly remoteAddr = "127.0.0.1";
  readonly remotePort = 1;
  readonly serverAddr = "127.0.0.1";
  readonly serverPort = 80;
  readonly serial = 1;
  readonly startedAt = 0;
  readonly served = 0;
  readonly lastRequest = false;
  readonly full = false;
  readonly output = { onceIdle: (then: () => void) => then() };
  readonly current = undefined;
  forwardingAuthority = "";
  forwardingFields = "";
  sent = "";
  destroyed = 0;

  readBody(): void {}
  pauseReading(): void {}
  resumeReading(): void {}
  becomeTunnel(_tunnel: TunnelEnd): void {}
  responseFinished(): void {}
  refuse(): void {}
  stop(): void {}
  reset(): void {
    this.destroyed++;
  }
  destroy(): void {
    this.destroyed++;
  }
  write(text: string, large = "", after = ""): void {
    this.sent += text + large + after;
  }
  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.sent += before + buffer.toString("latin1", start, end) + after;
  }
}

/** The upstream's end, which the test scripts; counts how often the exchange left it. */
class ScriptedConnection {
  readonly full = false;
  dead = false;
  tunnel: TunnelEnd | undefined = undefined;
  #user: UpstreamUser | undefined = undefined;
  /**
   * Number of times that the exchange has abandoned it, that it has failed, and that its response was
   * complete.
   */
  exits = 0;

  get user(): UpstreamUser {
    if (this.#user === undefined) throw new Error("the connection serves nobody");
    return this.#user;
  }

  serve(user: UpstreamUser): void {
    this.#user = user;
  }

  sendHead(): void {}
  sendText(): void {}
  sendBuffer(): void {}
  requestSent(): void {}
  pause(): void {}
  resume(): void {}
  limit(): void {}

  destroy(): void {
    this.exits++;
    this.dead = true;
  }

  head(head: ResponseHead): void {
    if (!this.user.head(head)) this.exits++;
  }

  end(): void {
    this.user.end(undefined);
    this.exits++;
  }

  fail(failure: UpstreamFailure, silent: boolean): void {
    this.exits++;
    this.dead = true;
    this.user.failed(failure, "as scripted", silent);
  }
}

class ScriptedContext extends WorkerContext {
  readonly connections: ScriptedConnection[] = [];

  override pool(): ConnectionPool {
    const open = () => {
      const connection = new ScriptedConnection();
      this.connections.push(connection);
      return connection as unknown as UpstreamConnection;
    };
    return { takeIdle: () => undefined, open } as unknown as ConnectionPool;
  }
}

/** Head of a response with these headers, each ended by CRLF. */
export function responseHead(status: number, fields: string): ResponseHead {
  const text = `HTTP/1.1 ${status} OK\r\n${fields}\r\n`;
  const head = parseResponseHead(text, text.length, false, DEFAULT_LIMITS);
  if (head instanceof WireFault) throw new Error(head.reason);
  return head;
}

/** A real exchange between two scripted ends, not started yet. */
export function exchangeHarness(module: Omit<PipelineModule, "id"> = {}, nodeCount = 2) {
  const text = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS);
  if (head instanceof WireFault) throw new Error(head.reason);
  const client = new Client();
  const inbound = new InboundRequest(client, head);
  const nodes = Array.from(
    { length: nodeCount },
    (_, port): LiveNode => liveNode({ host: "127.0.0.1", port }, String(port)),
  );
  const upstream: LiveUpstream = {
    table: {
      key: "u",
      type: "roundrobin",
      scheme: "http",
      nodes: [],
      retries: 1,
      retryTimeout: 0,
      timeout: { connect: 1, send: 1, read: 1 },
      passHost: "pass",
      keepalive: { size: 1, idleTimeout: 1, requests: 1 },
      tlsVerify: true,
    },
    mayRetry: () => true,
    pick: (_, tried) => nodes.find((node) => !tried.includes(node)) ?? null,
    answered: () => undefined,
    failed: () => undefined,
    abandoned: () => {},
  };
  const row = { id: "r", hosts: [], uris: ["/*"], methods: [], remoteAddrs: [], priority: 0, order: 0 };
  const route = {
    row: { ...row, moduleId: null, hasMatch: false, upstream: "u", enableWebsocket: false },
    number: 0,
    module: { id: "r", ...module },
    upstream,
  };
  const generation: LiveGeneration = {
    number: 1,
    globalRules: [],
    pluginMetadata: new Map(),
    match: () => route,
  };
  const events: string[] = [];
  const context = new ScriptedContext({
    deadlines: new Deadlines(1_000_000),
    report: (event) => events.push(event),
  });
  const x = beginExchange(inbound, generation);
  if (x instanceof PathFault) throw new Error(x.reason);
  x.budget = context;
  x.route = route;
  const told = { done: 0 };
  const exchange = new ProxyExchange(x, context, upstream, () => told.done++);
  return { exchange, client, inbound, nodes, context, events, told };
}
export type ExchangeHarness = ReturnType<typeof exchangeHarness>;
