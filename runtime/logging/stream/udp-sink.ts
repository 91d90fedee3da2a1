import { createSocket, type Socket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type LogEntry, SendError, type Sink } from "../../abi/delivery.js";
import { messageOf } from "../../abi/error-message.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { StreamDestination, StreamTerms } from "../logger-settings.js";

/** Maximum payload of an IPv4 datagram: 65,535 less 20 of IP and 8 of UDP. */
const MAX_DATAGRAM = 65_507;
/** Datagrams to send before yielding: the receiver's buffer of 208 KiB takes no more of 4 kB each. */
const BURST = 50;
/** Time in ms after which a name is looked up again: nothing else shows that the server has moved. */
const NAME_MS = 60_000;

/** One datagram per message (RFC 5426 section 3.1). A closed port is noticed if ICMP reports it, other losses not. */
export class UdpSink implements Sink {
  readonly #destination: StreamDestination;
  readonly #terms: StreamTerms;
  readonly #context: ResourceContext;
  readonly #maxBytes: number;
  #socket: Socket | undefined;
  #openedAt = 0;
  #failure: Error | undefined;
  #closed = false;

  constructor(destination: StreamDestination, terms: StreamTerms, context: ResourceContext) {
    this.#destination = destination;
    this.#terms = terms;
    this.#context = context;
    this.#maxBytes = Math.min(destination.maxDatagram ?? MAX_DATAGRAM, MAX_DATAGRAM);
  }

  /** @throws SendError without delivered entries if the network refused a datagram */
  async send(entries: readonly LogEntry[]): Promise<void> {
    const refused = this.#refused(entries);
    let sent = 0;
    let cut = 0;
    try {
      const socket = await this.#open();
      for (const [i, { payload }] of entries.entries()) {
        if (refused.includes(i)) continue;
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
      // ICMP refused an earlier datagram: none of this batch is known to have arrived.
      throw new SendError(`${this.#terms.server} ${host}:${port} (udp): ${reason}`, 0, refused, {
        cause: error,
      });
    } finally {
      if (cut > 0) this.#truncated(cut);
    }
    if (refused.length > 0)
      throw new SendError(`records longer than a datagram, ${this.#maxBytes} bytes`, entries.length, refused);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
  }

  /** Returns messages that are too long and never sent, because a part of them would be useless. */
  #refused(entries: readonly LogEntry[]): number[] {
    if (this.#terms.truncated !== undefined) return [];
    return entries.flatMap(({ payload }, i) => (payload.length >= this.#maxBytes ? [i] : []));
  }

  async #open(): Promise<Socket> {
    if (this.#closed) throw new Error("closed");
    if (this.#socket !== undefined && performance.now() - this.#openedAt < NAME_MS) return this.#socket;
    this.#release();
    const { host, port } = this.#destination;
    const { address, family } = await this.#lookup(host);
    const socket = createSocket(family === 6 ? "udp6" : "udp4");
    this.#socket = socket;
    this.#failure = undefined;
    this.#openedAt = performance.now();
    socket.on("error", (error) => {
      if (this.#socket === socket) this.#failure ??= error;
    });
    // Connected: only then does the kernel pass on ICMP errors of the destination.
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

  /** Looks a name up. A resolver that does not answer delays a batch no longer than `timeout`. */
  async #lookup(host: string): Promise<LookupAddress> {
    const { timeoutMs } = this.#destination;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new Error(`${host} was not found within ${timeoutMs} ms`);
      timer = setTimeout(() => reject(error), timeoutMs);
    });
    return await Promise.race([lookup(host), late]).finally(() => clearTimeout(timer));
  }

  #release(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #truncated(count: number): void {
    const { host, port } = this.#destination;
    const destination = `${host}:${port}`;
    const { name, truncated: terms } = this.#terms;
    if (terms !== undefined)
      this.#context.metrics.counter(terms.metric, terms.help, { destination }).add(count);
    this.#context.report(`${name} message truncated`, {
      destination,
      messages: count,
      bytes: this.#maxBytes,
    });
  }
}

function datagram(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(Buffer.from(text, "latin1"), (error) => (error ? reject(error) : resolve()));
  });
}

/** Cuts at a UTF-8 character; RFC 5424 section 6.1 and RFC 5426 section 3.2 cut long messages at their end. */
export function truncated(message: string, maxBytes: number): string {
  if (message.length <= maxBytes) return message;
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character that begins in front of them.
  while (end > 0 && (message.charCodeAt(end) & 0xc0) === 0x80) end--;
  return message.slice(0, end);
}
