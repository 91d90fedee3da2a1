import { isIP } from "node:net";
import type { Deadlines } from "../../http/deadlines.js";
import type { Limits } from "../../http/limits.js";
import type { ConnectOptions } from "../../http/transport.js";
import { UpstreamConnection } from "./connection.js";
import type { DnsCache, NameUser } from "./dns-cache.js";

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
export class ConnectionPool implements NameUser {
  readonly #target: ConnectOptions;
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #idle: UpstreamConnection[] = [];
  readonly #all = new Set<UpstreamConnection>();
  /** Of a node that has a name. */
  readonly #names: DnsCache | undefined;
  #closed = true;
  settings: PoolSettings;
  /** Connections since the pool was made. */
  opened = 0;

  constructor(
    target: PoolTarget,
    settings: PoolSettings,
    limits: Limits,
    deadlines: Deadlines,
    names?: DnsCache,
  ) {
    this.#names = isIP(target.host) === 0 ? names : undefined;
    this.#target = { ...target, lookup: this.#names?.lookup };
    this.settings = settings;
    this.#limits = limits;
    this.#deadlines = deadlines;
  }

  get empty(): boolean {
    return this.#all.size === 0;
  }

  get connected(): boolean {
    return this.#all.size > 0;
  }

  /** Connections that wait for a request, and those that serve one or are being made. */
  get levels(): { idle: number; busy: number } {
    const idle = this.#idle.length;
    return { idle, busy: this.#all.size - idle };
  }

  /** Connections to addresses that the name no longer has end with what they serve. */
  addressesChanged(addresses: ReadonlySet<string>): void {
    for (const connection of this.#all) {
      const { remoteAddress } = connection;
      if (remoteAddress !== undefined && !addresses.has(remoteAddress)) connection.retired = true;
    }
    for (const connection of [...this.#idle]) if (connection.retired) connection.destroy();
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
    if (this.#closed) this.#names?.use(this.#target.host, this);
    this.#closed = false;
    this.opened++;
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

  /** Closes what is idle, and the others when they are. */
  close(): void {
    this.#closed = true;
    this.#names?.leave(this.#target.host, this);
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  readonly #becameIdle = (connection: UpstreamConnection): void => {
    const { size, idleTimeout, requests } = this.settings;
    const last = connection.retired || this.#closed || connection.served >= requests;
    if (last || this.#idle.length >= size) {
      connection.destroy();
      return;
    }
    if (idleTimeout > 0) connection.limit(idleTimeout);
    this.#idle.push(connection);
  };

  readonly #went = (connection: UpstreamConnection): void => {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  };
}
