import { isIP } from "node:net";
import type { UpstreamTable } from "../../abi/generation.js";
import type { Deadlines } from "../../http/deadlines.js";
import type { Limits } from "../../http/limits.js";
import type { ConnectOptions } from "../../http/transport.js";
import { UpstreamConnection } from "./connection.js";
import type { DnsCache, NameUser } from "./dns-cache.js";

/** Maximum idle connections, their timeout in s (0 disables it), and maximum exchanges on one connection. */
type KeepAlive = UpstreamTable["keepalive"];

/** Connection pool of one node. The last used connection is used first, so that others can expire. */
export class ConnectionPool implements NameUser {
  readonly #target: ConnectOptions;
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #idle: UpstreamConnection[] = [];
  readonly #all = new Set<UpstreamConnection>();
  readonly #names: DnsCache | undefined;
  #closed = true;
  readonly #keepAlive: KeepAlive;
  /** Connections opened since metrics were collected. */
  opened = 0;

  constructor(
    target: Omit<ConnectOptions, "lookup">,
    keepAlive: KeepAlive,
    limits: Limits,
    deadlines: Deadlines,
    names?: DnsCache,
  ) {
    this.#names = isIP(target.host) === 0 ? names : undefined;
    this.#target = { ...target, lookup: this.#names?.lookup };
    this.#keepAlive = keepAlive;
    this.#limits = limits;
    this.#deadlines = deadlines;
  }

  get connected(): boolean {
    return this.#all.size > 0;
  }

  /** Idle connections, and those that serve a request or are being opened. */
  get levels(): { idle: number; busy: number } {
    const idle = this.#idle.length;
    return { idle, busy: this.#all.size - idle };
  }

  /** Closes connections to addresses that the name no longer has, after their request. */
  addressesChanged(addresses: ReadonlySet<string>): void {
    for (const connection of this.#all) {
      const { remoteAddress } = connection;
      if (remoteAddress !== undefined && !addresses.has(remoteAddress)) connection.retired = true;
    }
    for (const connection of [...this.#idle]) if (connection.retired) connection.destroy();
  }

  takeIdle(): UpstreamConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || !connection.dead) return connection;
    }
  }

  /** Opens a connection, which calls the exchange that uses it when it is connected. */
  open(): UpstreamConnection {
    if (this.#closed) this.#names?.use(this.#target.host, this);
    this.#closed = false;
    this.opened++;
    const connection = new UpstreamConnection(
      this.#target,
      this.#limits,
      this.#deadlines,
      this.#becameIdle,
      this.#onClose,
    );
    this.#all.add(connection);
    return connection;
  }

  /** Closes idle connections, and the others when they become idle. */
  close(): void {
    this.#closed = true;
    this.#names?.leave(this.#target.host, this);
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  readonly #becameIdle = (connection: UpstreamConnection): void => {
    const { size, idleTimeout, requests } = this.#keepAlive;
    const last = connection.retired || this.#closed || connection.served >= requests;
    if (last || this.#idle.length >= size) {
      connection.destroy();
      return;
    }
    if (idleTimeout > 0) connection.limit(idleTimeout * 1_000);
    this.#idle.push(connection);
  };

  readonly #onClose = (connection: UpstreamConnection): void => {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
  };
}
