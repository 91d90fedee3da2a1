import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type LogEntry, SendError, type Sink } from "../../../runtime/abi/delivery.js";
import { messageOf } from "../../../runtime/abi/error-message.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import type { SyslogDestination } from "../../../runtime/logging/logger-settings.js";
import { MAX_DATAGRAM, truncated } from "./framing.js";

/** Datagrams sent before the event loop gets its turn: the receiver's buffer of 208 KiB holds no more of 4 kB each. */
const BURST = 50;
/** A name is looked up again after this time: nothing else would tell that the server has moved. */
const NAME_MS = 60_000;

/**
 * Syslog over udp: one datagram per message (RFC 5426 section 3.1). What is longer than a datagram is cut at its end and
 * counted. A port where nobody listens is noticed where ICMP says so; nothing else of what is lost on the way can be.
 */
export class UdpSink implements Sink {
  readonly #destination: SyslogDestination;
  readonly #context: ResourceContext;
  readonly #maxBytes: number;
  #socket: Socket | undefined;
  #openedAt = 0;
  #failure: Error | undefined;
  #closed = false;

  constructor(destination: SyslogDestination, context: ResourceContext) {
    this.#destination = destination;
    this.#context = context;
    this.#maxBytes = Math.min(destination.maxDatagram ?? MAX_DATAGRAM, MAX_DATAGRAM);
  }

  /** @throws SendError when the network refused a datagram, with the number that were sent before it */
  async send(entries: readonly LogEntry[]): Promise<void> {
    let sent = 0;
    let cut = 0;
    try {
      const socket = await this.#open();
      for (const { payload } of entries) {
        const text = truncated(payload, this.#maxBytes - 1);
        if (text.length < payload.length) cut++;
        await datagram(socket, `${text}\n`);
        sent++;
        if (sent % BURST === 0) await nextTurn();
        if (this.#failure !== undefined) throw this.#failure;
      }
      await nextTurn();
      if (this.#failure !== undefined) throw this.#failure;
    } catch (error) {
      this.#release();
      const { host, port } = this.#destination;
      const reason = messageOf(error);
      // What was refused by ICMP is one of the datagrams before: none of this batch is known to have arrived.
      throw new SendError(`syslog server ${host}:${port} (udp): ${reason}`, 0, [], { cause: error });
    } finally {
      if (cut > 0) this.#truncated(cut);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
  }

  async #open(): Promise<Socket> {
    if (this.#closed) throw new Error("closed");
    if (this.#socket !== undefined && performance.now() - this.#openedAt < NAME_MS) return this.#socket;
    this.#release();
    const { host, port } = this.#destination;
    const { address, family } = await lookup(host);
    const socket = createSocket(family === 6 ? "udp6" : "udp4");
    this.#socket = socket;
    this.#failure = undefined;
    this.#openedAt = performance.now();
    socket.on("error", (error) => {
      if (this.#socket === socket) this.#failure ??= error;
    });
    // Connected: only then does the kernel hand over what ICMP says about the destination.
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.connect(port, address, () => {
        socket.off("error", reject);
        resolve();
      });
    });
    socket.unref();
    return socket;
  }

  #release(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #truncated(count: number): void {
    const { host, port } = this.#destination;
    const destination = `${host}:${port}`;
    const help = "Syslog messages that were cut because they were longer than a datagram.";
    this.#context.metrics.counter("gw_syslog_truncated_total", help, { destination }).add(count);
    this.#context.report("syslog message truncated", { destination, messages: count, bytes: this.#maxBytes });
  }
}

function datagram(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(Buffer.from(text, "latin1"), (error) => (error ? reject(error) : resolve()));
  });
}
