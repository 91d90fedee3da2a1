import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { StreamDestination } from "../logger-settings.js";
import { TooSlowError } from "./send-rate.js";

/** Idle time in ms after which the kernel probes a kept connection. */
const KEEP_ALIVE_MS = 30_000;

/** TLS session of a destination, so that a reconnect needs no full handshake. */
export interface TlsMemory {
  session?: Buffer;
}

/** The server never sends data: all that shows is whether it is still there. */
export class Connection {
  readonly #socket: Socket;
  /** Maximum time in ms without progress of the current write. */
  #allowedMs: number;
  /** Copied here: a socket forgets its port when it closes. */
  readonly localPort: number;
  readonly #watchers = new Set<() => void>();
  #failure: Error | undefined;
  /** Set once the server has sent its FIN. */
  #ended = false;
  #closed = false;
  /** Set once our FIN has followed the last byte. */
  #finished = false;

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#allowedMs = timeoutMs;
    this.localPort = socket.localPort ?? 0;
    socket.on("error", (error) => this.#failed(error));
    socket.on("timeout", () => this.#failed(new TooSlowError(`no progress for ${this.#allowedMs} ms`)));
    socket.on("end", () => {
      this.#ended = true;
      this.#changed();
    });
    socket.on("finish", () => {
      this.#finished = true;
    });
    socket.on("close", () => {
      this.#closed = true;
      this.#changed();
    });
    // Without a reader the end of the stream would never be noticed.
    socket.resume();
  }

  /** @throws if connecting or verification fails or exceeds the timeout */
  static open(destination: StreamDestination, memory: TlsMemory): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const { host, port, tls, ca, cert, key, serverName, timeoutMs } = destination;
      const name = serverName ?? (isIP(host) === 0 ? host : undefined);
      const common = { host, port, allowHalfOpen: true, noDelay: true };
      const socket: Socket = tls
        ? connectTls({
            ...common,
            ...{ ca, cert, key, servername: name, session: memory.session },
          })
        : connectTcp(common);
      const refuse = (error: Error) => {
        clearTimeout(timer);
        socket.destroy();
        reject(error);
      };
      const timer = setTimeout(() => refuse(new Error(`no connection within ${timeoutMs} ms`)), timeoutMs);
      if (tls) socket.on("session", (session: Buffer) => (memory.session = session));
      socket.once("error", refuse);
      socket.once(tls ? "secureConnect" : "connect", () => {
        clearTimeout(timer);
        socket.off("error", refuse);
        socket.setKeepAlive(true, KEEP_ALIVE_MS);
        if (tls && !(socket as TLSSocket).authorized)
          return refuse(new Error("certificate was not verified"));
        resolve(new Connection(socket, timeoutMs));
      });
    });
  }

  get usable(): boolean {
    return !this.#ended && !this.#closed && this.#failure === undefined;
  }

  /** Cause of a failure; undefined while it is open, and after a regular end by the server. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Resolves when the kernel has taken all bytes.
   * @throws if the connection fails, TooSlowError without progress for `allowedMs`
   */
  write(text: string, allowedMs: number): Promise<void> {
    this.#allowedMs = Math.round(allowedMs);
    this.#socket.setTimeout(this.#allowedMs);
    return new Promise((resolve, reject) => {
      const stop = this.#watch(() => {
        if (!this.usable) settle(this.#reason());
      });
      const settle = (error?: Error | null) => {
        stop();
        this.#socket.setTimeout(0);
        if (error) reject(error);
        else resolve();
      };
      if (!this.usable) settle(this.#reason());
      else this.#socket.write(text, "latin1", settle);
    });
  }

  /**
   * Ends our direction and waits for the server to end its own. A syslog server does so when it has read
   * everything up to our end: the nearest thing to an acknowledgement in plain syslog.
   * @returns "silent" if the server did not within `limitMs`
   * @throws if the connection fails, or the server closed it before it can have read the end
   */
  finish(limitMs: number): Promise<"read" | "silent"> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (this.#failure !== undefined) settle(() => reject(this.#reason()));
        else if (this.#ended || this.#closed)
          settle(() => (this.#finished ? resolve("read") : reject(this.#reason())));
      };
      const stop = this.#watch(check);
      const timer = setTimeout(() => settle(() => resolve("silent")), limitMs);
      const settle = (done: () => void) => {
        stop();
        clearTimeout(timer);
        done();
      };
      if (this.usable) this.#socket.end();
      check();
    });
  }

  onBroken(broken: () => void): () => void {
    const stop = this.#watch(() => {
      if (this.usable) return;
      stop();
      broken();
    });
    return stop;
  }

  destroy(): void {
    this.#failure ??= new Error("closed");
    this.#socket.destroy();
    this.#changed();
  }

  #failed(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#changed();
  }

  #reason(): Error {
    return this.#failure ?? new Error("the server closed the connection");
  }

  #watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
