import type { UpstreamTable } from "../../abi/generation.js";
import type { EndedAttempt, LiveNode, LiveUpstream as Nodes } from "../../proxy/host/contract.js";
import { WorkerContext } from "../../proxy/host/worker-context.js";
import type { UpstreamConnection, UpstreamFailure } from "../../proxy/upstream/connection.js";
import type { NodeFailure } from "../../proxy/upstream/node-health.js";
import type { ConnectionPool } from "../../proxy/upstream/pool.js";
import { withNetwork } from "./no-network.js";
import type { DataPathOptions } from "./scripted-upstream.js";
import { WatchedConnection, type Watcher } from "./watched-connection.js";

/** Maximum body size of a response in bytes; it is copied several times. */
const MAX_BYTES = 1_048_576;

export interface NodeAttempt {
  /** Endpoint, "127.0.0.1:8080". */
  node: string;
  status: number | null;
  error: string | null;
  ms: number;
}

/** Real nodes for one exchange, with the gateway's own load balancer, connections, TLS and timeouts. */
export class LiveUpstream {
  readonly asked: NodeAttempt[] = [];
  /** Errors after a node had responded. */
  readonly faults: string[] = [];
  received: string | undefined;
  #took = 0;
  #path: LiveDataPath | undefined;
  readonly #watcher: Watcher = {
    began: () => {
      this.received = "";
      this.#took = 0;
    },
    sent: (bytes) => {
      this.received += bytes;
    },
    took: (bytes) => {
      this.#took += bytes;
      return this.#took > MAX_BYTES ? "the body is longer than 1 MiB" : undefined;
    },
    broke: (reason) => void this.faults.push(`reading the response of the upstream failed: ${reason}`),
  };

  dataPath(options: DataPathOptions): WorkerContext {
    this.#path = new LiveDataPath(this.asked, this.#watcher, options);
    return this.#path;
  }

  close(): void {
    this.#path?.end();
  }
}

/** Data path with real connections, the only ones of a simulation that leave the process. */
class LiveDataPath extends WorkerContext {
  readonly #asked: NodeAttempt[];
  readonly #watcher: Watcher;
  readonly #open = new Set<UpstreamConnection>();

  constructor(
    asked: NodeAttempt[],
    watcher: Watcher,
    { admission, limits, filterThread, report }: DataPathOptions,
  ) {
    super({ limits, report, admission: () => admission, filterThread });
    this.#asked = asked;
    this.#watcher = watcher;
  }

  override pool(node: LiveNode, table: UpstreamTable): ConnectionPool {
    const pool = super.pool(node, table);
    const open = () => {
      const connection = withNetwork(() => pool.open());
      this.#open.add(connection);
      return new WatchedConnection(connection, this.#watcher) as unknown as UpstreamConnection;
    };
    // No exchange follows this one.
    return { takeIdle: () => undefined, open } as unknown as ConnectionPool;
  }

  override attemptAnswered(upstream: Nodes, attempt: EndedAttempt): void {
    this.#note(attempt, null);
    super.attemptAnswered(upstream, attempt);
  }

  override attemptFailed(
    upstream: Nodes,
    attempt: EndedAttempt,
    failure: UpstreamFailure,
    reason: NodeFailure | undefined,
  ): void {
    this.#note(attempt, attempt.error ?? failure);
    super.attemptFailed(upstream, attempt, failure, reason);
  }

  #note({ node, status, ms }: EndedAttempt, error: string | null): void {
    this.#asked.push({
      node: `${node.host}:${node.port}`,
      status: error === null ? (status ?? null) : null,
      error,
      ms: Math.round(ms * 10) / 10,
    });
  }

  end(): void {
    for (const connection of this.#open) connection.destroy();
    this.close();
    this.deadlines.close();
  }
}
