import type { Timeouts, UpstreamTable } from "../../abi/generation.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { EndedAttempt, LiveNode, LiveUpstream as Nodes } from "../../proxy/host/contract.js";
import { WorkerContext } from "../../proxy/host/worker-context.js";
import type { UpstreamConnection, UpstreamFailure, UpstreamUser } from "../../proxy/upstream/connection.js";
import type { NodeFailure } from "../../proxy/upstream/node-health.js";
import type { ConnectionPool } from "../../proxy/upstream/pool.js";
import { withNetwork } from "./no-network.js";
import type { DataPathOptions, ExchangeConnection } from "./scripted-upstream.js";

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

interface Watcher {
  began(): void;
  sent(bytes: string): void;
  /** Called with the number of body bytes of the response. @returns the reason to abort it */
  took(bytes: number): string | undefined;
  broke(reason: string): void;
}

/** Real connection with a watcher. */
class WatchedConnection implements ExchangeConnection {
  readonly #real: UpstreamConnection;
  readonly #watcher: Watcher;

  constructor(real: UpstreamConnection, watcher: Watcher) {
    this.#real = real;
    this.#watcher = watcher;
  }

  get full(): boolean {
    return this.#real.full;
  }

  get dead(): boolean {
    return this.#real.dead;
  }

  serve(user: UpstreamUser, timeouts: Timeouts): void {
    this.#real.serve(new WatchedUser(user, this.#real, this.#watcher), timeouts);
  }

  sendHead(...[text, ...others]: Parameters<UpstreamConnection["sendHead"]>): void {
    this.#watcher.began();
    this.#watcher.sent(text);
    this.#real.sendHead(text, ...others);
  }

  sendText(text: string): void {
    this.#watcher.sent(text);
    this.#real.sendText(text);
  }

  sendBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.#watcher.sent(before + buffer.toString("latin1", start, end) + after);
    this.#real.sendBuffer(before, buffer, start, end, after);
  }

  requestSent(): void {
    this.#real.requestSent();
  }

  pause(): void {
    this.#real.pause();
  }

  resume(): void {
    this.#real.resume();
  }

  destroy(): void {
    this.#real.destroy();
  }
}

class WatchedUser implements UpstreamUser {
  readonly #user: UpstreamUser;
  readonly #connection: UpstreamConnection;
  readonly #watcher: Watcher;
  #answered = false;

  constructor(user: UpstreamUser, connection: UpstreamConnection, watcher: Watcher) {
    this.#user = user;
    this.#connection = connection;
    this.#watcher = watcher;
  }

  connected(): void {
    this.#user.connected();
  }

  interim(head: ResponseHead): void {
    this.#user.interim(head);
  }

  head(head: ResponseHead): boolean {
    this.#answered = true;
    return this.#user.head(head);
  }

  text(body: string): void {
    if (!this.#isTooMuch(body.length)) this.#user.text(body);
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    return this.#isTooMuch(end - start) ? false : this.#user.data(buffer, start, end);
  }

  #isTooMuch(bytes: number): boolean {
    const reason = this.#watcher.took(bytes);
    if (reason === undefined) return false;
    if (this.#connection.dead) return true;
    this.#connection.destroy();
    this.failed("closed", reason, false);
    return true;
  }

  fed(): void {
    this.#user.fed?.();
  }

  end(trailers: string | undefined): void {
    if (!this.#connection.dead) this.#user.end(trailers);
  }

  bodyFollows(): void {
    if (!this.#connection.dead) this.#user.bodyFollows();
  }

  drained(): void {
    this.#user.drained();
  }

  failed(failure: UpstreamFailure, reason: string, silent: boolean): void {
    if (this.#answered) this.#watcher.broke(reason);
    this.#user.failed(failure, reason, silent);
  }

  /** Rejects a tunnel, which has no end to report. */
  switched(): void {
    this.#connection.destroy();
    this.#watcher.broke("it switched protocols");
    this.#user.failed("protocol", "it switched protocols", false);
  }
}
