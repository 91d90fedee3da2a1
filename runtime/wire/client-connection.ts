import type { Socket } from "node:net";
import type { Deadlines, Timed } from "./deadlines.js";
import { WireFault } from "./fault.js";
import { InboundRequest } from "./inbound-request.js";
import { latin1 } from "./latin1.js";
import type { Limits } from "./limits.js";
import { incompleteHeadFault, parseRequestHead } from "./request-head.js";
import { adoptSocket, type Reader, SMALL_WRITE, type TunnelEnd, takeLargeBuffer } from "./transport.js";

/** What the wire tells the layer above. */
export interface ConnectionEvents {
  /** A request whose head is complete. Its body has not been read. */
  request(request: InboundRequest): void;
  /** Text of a refusal's response: status line, fields and body, with Connection: close. */
  refusal(fault: WireFault): string;
  closed(connection: ClientConnection): void;
}

/** Bytes the socket may hold unsent before a writer must wait. */
const HIGH_WATER = 131_072;
/** After a response that closes, what the client still sends is read and dropped for so long (ms), so that it gets the response. */
const LINGER = 2_000;
/** Rest of an unread request body that is read and dropped to keep the connection. */
const DRAIN_BYTES = 65_536;

const dropBody = { data: () => false, end: () => {} };

/** One client connection: reads requests in order, one at a time, and writes their responses in order. */
export class ClientConnection implements Reader, Timed {
  readonly limits: Limits;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  /** Epoch milliseconds of the first byte of the request that is being read. */
  startedAt = 0;
  /** Requests so far. */
  served = 0;
  /** Set when the process stops: the present response closes the connection. */
  stopping = false;
  nextBuffer: Buffer | undefined = undefined;
  deadline = 0;
  current: InboundRequest | undefined = undefined;
  readonly #socket: Socket;
  readonly #deadlines: Deadlines;
  readonly #events: ConnectionEvents;
  /** Text of a head that is not complete. */
  #head = "";
  /** Bytes of the present read, valid only while `received` runs. */
  #bytes: Buffer | undefined = undefined;
  #position = 0;
  #end = 0;
  /** Bytes that arrived while they could not be used; reading is paused meanwhile. */
  #backlog: Buffer | undefined = undefined;
  #paused = false;
  #dropping = false;
  #clientEnded = false;
  #dead = false;
  #parsing = false;
  #tunnel: TunnelEnd | undefined = undefined;

  constructor(accepted: Socket, limits: Limits, deadlines: Deadlines, events: ConnectionEvents) {
    this.limits = limits;
    this.#deadlines = deadlines;
    this.#events = events;
    this.remoteAddr = plainAddress(accepted.remoteAddress);
    this.remotePort = accepted.remotePort ?? 0;
    this.serverAddr = plainAddress(accepted.localAddress);
    this.serverPort = accepted.localPort ?? 0;
    this.#socket = adoptSocket(accepted, this);
    this.#socket.on("end", () => this.#ended());
    this.#socket.on("error", () => this.destroy());
    this.#socket.on("close", () => this.destroy());
    this.#socket.on("drain", () => this.#drained());
    this.deadline = deadlines.now + limits.headerTimeout;
    deadlines.add(this);
  }

  /** The response under way is the last one. */
  get lastRequest(): boolean {
    return this.stopping || this.#clientEnded || this.served >= this.limits.requestsPerConnection;
  }

  get idle(): boolean {
    return this.current === undefined && this.#head === "";
  }

  get full(): boolean {
    return this.#socket.writableLength > HIGH_WATER;
  }

  received(buffer: Buffer, length: number): void {
    if (this.#dead || this.#dropping) return;
    this.#take(buffer, 0, length);
  }

  #take(buffer: Buffer, start: number, end: number): void {
    if (this.#tunnel !== undefined) {
      this.#tunnel.received(buffer, end);
      return;
    }
    this.#bytes = buffer;
    this.#position = start;
    this.#end = end;
    const decoder = this.current?.decoder;
    if (decoder !== undefined && !decoder.done) this.#feedBody();
    this.#parse();
    this.#keepRest();
    this.#bytes = undefined;
  }

  /** Reads heads while no request is under way and bytes are left. */
  #parse(): void {
    if (this.#parsing) return;
    this.#parsing = true;
    while (
      this.current === undefined &&
      this.#bytes !== undefined &&
      this.#position < this.#end &&
      !this.#dropping &&
      !this.#dead
    ) {
      if (!this.#parseHead(this.#bytes)) break;
    }
    this.#parsing = false;
  }

  /** True when a request was handed on. */
  #parseHead(bytes: Buffer): boolean {
    const before = this.#head;
    if (before === "") this.startedAt = Date.now();
    const text = before + latin1(bytes, this.#position, this.#end);
    let start = 0;
    while (text.charCodeAt(start) === 13 && text.charCodeAt(start + 1) === 10 && start < 8) start += 2;
    const found = text.indexOf("\r\n\r\n", Math.max(start, before.length - 3));
    if (found < 0 || found - start > this.limits.headerBytes) {
      this.#position = this.#end;
      const rest = start === 0 ? text : text.slice(start);
      const fault = incompleteHeadFault(rest, this.limits);
      if (fault) this.refuse(fault);
      else if (before === "") this.deadline = this.#deadlines.now + this.limits.headerTimeout;
      this.#head = rest;
      return false;
    }
    const end = found + 4;
    this.#position += end - before.length;
    this.#head = "";
    const head = parseRequestHead(text, start, end, this.limits);
    if (head instanceof WireFault) {
      this.refuse(head);
      return false;
    }
    const { bodyBytes } = this.limits;
    if (bodyBytes > 0 && head.framing.kind === "length" && head.framing.length > bodyBytes) {
      this.refuse(new WireFault(413, `body above ${bodyBytes} bytes`));
      return false;
    }
    return this.#begin(new InboundRequest(this, head));
  }

  #begin(request: InboundRequest): boolean {
    if (request.bodyDone && !request.head.keepAlive && this.#position < this.#end) {
      this.refuse(new WireFault(400, "bytes after a request with Connection: close"));
      return false;
    }
    this.deadline = 0;
    this.served++;
    this.current = request;
    this.#events.request(request);
    return true;
  }

  /** Called by the request when its body is wanted. */
  readBody(request: InboundRequest): void {
    const first = this.#bytes === undefined ? (this.#backlog?.length ?? 0) : this.#end - this.#position;
    if (request.head.expectContinue && first === 0) this.write("HTTP/1.1 100 Continue\r\n\r\n");
    this.deadline = this.#deadlines.now + this.limits.bodyTimeout;
    if (this.#bytes !== undefined) this.#feedBody();
    else this.resumeReading();
  }

  #feedBody(): void {
    const request = this.current;
    const decoder = request?.decoder;
    if (request === undefined || decoder === undefined || this.#bytes === undefined) return;
    const stopped = decoder.feed(this.#bytes, this.#position, this.#end);
    if (stopped instanceof WireFault) {
      this.#bodyFault(request, stopped);
      return;
    }
    this.#position = stopped;
    if (decoder.done) this.#bodyComplete(request);
    else {
      this.deadline = this.#deadlines.now + this.limits.bodyTimeout;
      if (
        decoder.pinned ||
        (this.nextBuffer === undefined &&
          this.#bytes.length === SMALL_WRITE &&
          decoder.remaining > SMALL_WRITE)
      ) {
        this.nextBuffer = takeLargeBuffer();
      }
    }
  }

  #bodyComplete(request: InboundRequest): void {
    request.bodyDone = true;
    if (!request.head.keepAlive && this.#position < this.#end && !request.started) {
      this.#bodyFault(request, new WireFault(400, "bytes after a request with Connection: close"));
      return;
    }
    this.deadline = 0;
    if (request.finished) this.#next();
  }

  #bodyFault(request: InboundRequest, fault: WireFault): void {
    this.#position = this.#end;
    const { started } = request;
    const abort = request.onAbort;
    request.onAbort = undefined;
    request.finished = true;
    this.current = undefined;
    if (started) this.destroy();
    else this.refuse(fault);
    abort?.();
  }

  /** Bytes that nobody can use yet are copied, and reading waits. */
  #keepRest(): void {
    if (this.#bytes === undefined || this.#position >= this.#end || this.#dead || this.#dropping) return;
    const rest = Buffer.from(this.#bytes.subarray(this.#position, this.#end));
    this.#backlog = this.#backlog === undefined ? rest : Buffer.concat([this.#backlog, rest]);
    this.#position = this.#end;
    this.pauseReading();
  }

  pauseReading(): void {
    if (this.#paused || this.#dead) return;
    this.#paused = true;
    this.#socket.pause();
  }

  resumeReading(): void {
    if (this.#dead) return;
    const backlog = this.#backlog;
    if (backlog !== undefined) {
      this.#backlog = undefined;
      this.#take(backlog, 0, backlog.length);
      if (this.#backlog !== undefined) return;
    }
    if (this.#paused) {
      this.#paused = false;
      this.#socket.resume();
    }
  }

  write(text: string): void {
    if (this.#dead) return;
    this.#socket.write(text, "latin1");
    if (this.#socket.writableLength > 0) this.deadline = this.#deadlines.now + this.limits.bodyTimeout;
  }

  writeBuffer(buffer: Buffer, released: () => void): void {
    if (this.#dead) released();
    else {
      this.#socket.write(buffer, released);
      if (this.#socket.writableLength > 0) this.deadline = this.#deadlines.now + this.limits.bodyTimeout;
    }
  }

  #drained(): void {
    if (this.#tunnel !== undefined) {
      this.#tunnel.drained();
      return;
    }
    if (this.current !== undefined) {
      this.deadline = 0;
      this.current.onDrain?.();
    }
  }

  responseFinished(request: InboundRequest): void {
    if (this.current !== request || this.#dead) return;
    request.onAbort = undefined;
    if (request.close || this.lastRequest) {
      this.current = undefined;
      this.#finish(request.bodyDone);
    } else if (request.bodyDone) this.#next();
    else this.#dropRestOfBody(request);
  }

  /** Nobody reads the rest of the body: a short one is dropped to keep the connection, a long one closes it. */
  #dropRestOfBody(request: InboundRequest): void {
    const framing = request.head.framing;
    const short = framing.kind === "length" && (request.decoder?.remaining ?? framing.length) <= DRAIN_BYTES;
    if (!short || request.head.expectContinue || request.decoder !== undefined) {
      this.current = undefined;
      this.#finish(false);
      return;
    }
    request.readBody(dropBody);
  }

  #next(): void {
    this.current = undefined;
    if (this.#clientEnded && this.#backlog === undefined) {
      this.#finish(true);
      return;
    }
    this.deadline = this.#deadlines.now + this.limits.idleTimeout;
    if (this.#bytes !== undefined) this.#parse();
    else if (this.#paused || this.#backlog !== undefined) this.resumeReading();
  }

  /** Answers with a refusal and closes. */
  refuse(fault: WireFault): void {
    this.write(this.#events.refusal(fault));
    this.current = undefined;
    this.#finish(false);
  }

  /** Ends the connection after what is written; a client that still sends is heard out for a while, so no reset eats the response. */
  #finish(clean: boolean): void {
    if (this.#dead) return;
    this.#dropping = true;
    this.deadline = this.#deadlines.now + LINGER;
    this.#socket.end();
    if (clean && this.#clientEnded) return;
    if (this.#paused) this.#socket.resume();
  }

  /** Closes an idle connection, or the busy one after its response. */
  stop(): void {
    this.stopping = true;
    if (this.idle) this.#finish(true);
  }

  #ended(): void {
    this.#clientEnded = true;
    if (this.#dropping || this.#tunnel !== undefined) {
      this.destroy();
      return;
    }
    const request = this.current;
    if (request === undefined) this.#finish(true);
    else if (!request.bodyDone) this.destroy();
  }

  expired(): void {
    if (this.#dropping) this.destroy();
    else if (this.current === undefined) {
      if (this.#head === "") this.#finish(true);
      else this.refuse(new WireFault(408, "head not complete in time"));
    } else if (this.current.started) this.destroy();
    else if (!this.current.bodyDone)
      this.#bodyFault(this.current, new WireFault(408, "body not complete in time"));
  }

  destroy(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#deadlines.delete(this);
    this.#socket.destroy();
    this.#tunnel?.ended();
    const request = this.current;
    this.current = undefined;
    if (request !== undefined && !request.finished) {
      request.finished = true;
      request.onAbort?.();
    }
    this.#events.closed(this);
  }

  /** The connection is a tunnel from now on; what had arrived already goes to it first. */
  becomeTunnel(tunnel: TunnelEnd): void {
    this.#tunnel = tunnel;
    this.deadline = 0;
    this.resumeReading();
  }
}

/** IPv4-mapped IPv6 addresses as plain IPv4. */
function plainAddress(address: string | undefined): string {
  if (address === undefined) return "";
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
