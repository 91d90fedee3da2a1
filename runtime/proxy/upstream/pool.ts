import type { Deadlines } from "../../http/deadlines.js";
import type { Limits } from "../../http/limits.js";
import { UpstreamConnection } from "./connection.js";

export interface PoolSettings {
  /** Idle connections kept. */
  size: number;
  /** Milliseconds an idle connection is kept; 0 = without end. */
  idleTimeout: number;
  /** Exchanges on one connection. */
  requests: number;
}

export interface PoolTarget {
  host: string;
  port: number;
  tls: { servername: string; verify: boolean } | undefined;
}

/** Kept connections to one node. The last one used is used first, so that the others can grow old and go. */
export class ConnectionPool {
  readonly #target: PoolTarget;
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #idle: UpstreamConnection[] = [];
  readonly #all = new Set<UpstreamConnection>();
  settings: PoolSettings;

  constructor(target: PoolTarget, settings: PoolSettings, limits: Limits, deadlines: Deadlines) {
    this.#target = target;
    this.settings = settings;
    this.#limits = limits;
    this.#deadlines = deadlines;
  }

  get empty(): boolean {
    return this.#all.size === 0;
  }

  /** An idle connection that may be used at once. */
  takeIdle(): UpstreamConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || !connection.dead) return connection;
    }
  }

  /** A new connection; it tells its user when it is connected. */
  open(): UpstreamConnection {
    const connection = new UpstreamConnection(
      this.#target,
      this.#limits,
      this.#deadlines,
      this.#becameIdle,
      this.#went,
    );
    this.#all.add(connection);
    return connection;
  }

  /** Closes what is idle. */
  close(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  readonly #becameIdle = (connection: UpstreamConnection): void => {
    const { size, idleTimeout, requests } = this.settings;
    if (connection.served >= requests || this.#idle.length >= size) {
      connection.destroy();
      return;
    }
    if (idleTimeout > 0) connection.deadline = this.#deadlines.now + idleTimeout;
    this.#idle.push(connection);
  };

  readonly #went = (connection: UpstreamConnection): void => {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  };
}
