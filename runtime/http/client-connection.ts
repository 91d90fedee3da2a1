import type { Socket } from "node:net";
import { peerAddress } from "../abi/text/addresses.js";
import { type Deadlines, type Timed, within } from "./deadlines.js";
import { WireFault } from "./fault.js";
import { type ConnectionEvents, InboundRequest } from "./inbound-request.js";
import { LateBody, LINGER } from "./late-body.js";
import type { Limits } from "./limits.js";
import { MinRate, WriteProgress } from "./min-rate.js";
import { Output } from "./output.js";
import { HeadReader } from "./request-head.js";
import { adoptSocket, bufferAfter, type Reader, type TunnelEnd } from "./transport.js";

let connections = 0;

/** Client connection: reads requests in order, one at a time, and writes their responses in order. */
export class ClientConnection implements Reader, Timed {
  readonly limits: Limits;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  readonly serial = ++connections;
  /** Epoch milliseconds at the first byte of the current request. */
  startedAt = 0;
  /** Cache of the forwarding headers of the last request; they change only with the authority. */
  forwardingAuthority = "";
  forwardingFields = "";
  served = 0;
  /** Set when the process stops: the connection closes after the current response. */
  stopping = false;
  nextBuffer: Buffer | undefined = undefined;
  deadline = 0;
  current: InboundRequest | undefined = undefined;
  readonly #socket: Socket;
  readonly output: Output;
  readonly #deadlines: Deadlines;
  readonly #events: ConnectionEvents;
  readonly #head: HeadReader;
  /** Bytes of the current read, valid only while `received` runs. */
  #bytes: Buffer | undefined = undefined;
  #position = 0;
  #end = 0;
  /** Bytes that arrived before they could be used; reading is paused meanwhile. */
  #backlog: Buffer | undefined = undefined;
  #paused = false;
  #dropping = false;
  readonly #late = new LateBody();
  #clientEnded = false;
  #dead = false;
  #parsing = false;
  /** True while bytes of the current read are being written. */
  #pinned = false;
  readonly #readRate: MinRate;
  readonly #writeProgress: WriteProgress;
  #tunnel: TunnelEnd | undefined = undefined;

  constructor(accepted: Socket, limits: Limits, deadlines: Deadlines, events: ConnectionEvents) {
    this.limits = limits;
    this.#head = new HeadReader(limits);
    this.#readRate = new MinRate(limits.requestBodyRate);
    this.#writeProgress = new WriteProgress(limits.responseBodyRate);
    this.#deadlines = deadlines;
    this.#events = events;
    this.remoteAddr = peerAddress(accepted.remoteAddress);
    this.remotePort = accepted.remotePort ?? 0;
    this.serverAddr = peerAddress(accepted.localAddress);
    this.serverPort = accepted.localPort ?? 0;
    this.#socket = adoptSocket(accepted, this);
    this.#socket.on("end", () => this.#ended());
    for (const event of ["error", "close"]) this.#socket.on(event, () => this.destroy());
    this.output = new Output(this.#socket, () => this.#drained());
    this.#limit(limits.headerTimeout);
    deadlines.add(this);
  }

  get lastRequest(): boolean {
    return this.stopping || this.#sawEnd || this.served >= this.limits.requestsPerConnection;
  }

  /** True after the client's end, once the backlog is empty: TLS deciphers requests and end together. */
  get #sawEnd(): boolean {
    return this.#clientEnded && this.#backlog === undefined;
  }

  get #unread(): Buffer {
    return (this.#bytes as Buffer).subarray(this.#position, this.#end);
  }

  get full(): boolean {
    return this.output.full;
  }

  /** True if bytes are left that may be read. */
  get #readable(): boolean {
    return this.#bytes !== undefined && this.#position < this.#end && !this.#dropping && !this.#dead;
  }

  received(buffer: Buffer, length: number): void {
    if (this.#dropping) this.#late.take(buffer, length);
    if (this.#dead || this.#dropping) return;
    this.#pinned = false;
    this.#consume(buffer, length);
    this.nextBuffer = bufferAfter(buffer, this.#pinned, this.current?.decoder?.remaining ?? 0);
  }

  #consume(buffer: Buffer, end: number): void {
    if (this.#tunnel !== undefined) {
      this.#tunnel.received(buffer, end);
      return;
    }
    this.#bytes = buffer;
    this.#position = 0;
    this.#end = end;
    if (this.current?.decoder?.done === false) this.#feedBody();
    this.#parse();
    this.#keepRest();
    this.#bytes = undefined;
  }

  #parse(): void {
    if (this.#parsing) return;
    this.#parsing = true;
    while (this.current === undefined && this.#readable) if (!this.#parseHead(this.#bytes as Buffer)) break;
    this.#parsing = false;
  }

  /** @returns true if a request was handed on */
  #parseHead(bytes: Buffer): boolean {
    const first = this.#head.pending === "";
    if (first) this.startedAt = Date.now();
    const head = this.#head.read(bytes, this.#position, this.#end);
    this.#position = this.#head.position;
    if (head === undefined) {
      if (first) this.#limit(this.limits.headerTimeout);
      return false;
    }
    if (head instanceof WireFault) {
      this.refuse(head);
      return false;
    }
    return this.#begin(new InboundRequest(this, head));
  }

  /** Reports bytes behind a last request, except line ends: some old clients send them after a body. */
  #bytesAfterLast(request: InboundRequest): boolean {
    if (request.head.keepAlive || this.#bytes === undefined) return false;
    const rest = this.#unread;
    this.#position = this.#end;
    return rest.some((byte) => byte !== 13 && byte !== 10);
  }

  #begin(request: InboundRequest): boolean {
    if (request.bodyDone && this.#bytesAfterLast(request)) {
      this.refuse(new WireFault(400, "bytes after a request with Connection: close"));
      return false;
    }
    this.#waitNoLonger();
    this.served++;
    this.current = request;
    this.#events.request(request);
    return true;
  }

  readBody(request: InboundRequest): void {
    const first = this.#bytes === undefined ? (this.#backlog?.length ?? 0) : this.#end - this.#position;
    if (request.head.expectContinue && first === 0) request.sendContinue();
    this.#readRate.start(this.#deadlines.now);
    this.#limit(this.limits.bodyTimeout);
    if (this.#bytes !== undefined) this.#feedBody();
    else this.resumeReading();
  }

  #feedBody(): void {
    const request = this.current;
    const decoder = request?.decoder;
    if (!request || !decoder || !this.#bytes) return;
    const stopped = decoder.feed(this.#bytes, this.#position, this.#end);
    if (stopped instanceof WireFault) {
      this.#bodyFault(request, stopped);
      return;
    }
    this.#position = stopped;
    if (decoder.pinned) this.#pinned = true;
    if (decoder.done) this.#bodyComplete(request);
    // The client's timeout does not run while reading is paused.
    else if (this.#paused) return;
    else if (this.#readRate.isBelow(this.#deadlines.now, decoder.received))
      this.#bodyFault(request, new WireFault(408, "body below the minimum rate"));
    else this.#limit(this.limits.bodyTimeout);
  }

  #limit(ms: number): void {
    this.deadline = within(ms);
  }

  /** Clears the deadline, unless the client must still drain output. */
  #waitNoLonger(): void {
    if (this.#writeProgress.unsent === 0) this.deadline = 0;
  }

  #bodyComplete(request: InboundRequest): void {
    request.bodyDone = true;
    if (!request.started && this.#bytesAfterLast(request)) {
      this.#bodyFault(request, new WireFault(400, "bytes after a request with Connection: close"));
      return;
    }
    this.#waitNoLonger();
    request.bodyOver();
    if (request.finished) this.#next();
  }

  #bodyFault(request: InboundRequest, fault: WireFault): void {
    this.#position = this.#end;
    this.current = undefined;
    if (request.started) this.destroy();
    else {
      request.refusedWith = fault.status;
      request.bytesSent += this.#refuse(fault, request.head.method === "HEAD");
    }
    request.aborted();
  }

  #keepRest(): void {
    if (!this.#readable) return;
    this.#backlog = Buffer.concat(
      this.#backlog === undefined ? [this.#unread] : [this.#backlog, this.#unread],
    );
    this.#position = this.#end;
    this.pauseReading();
  }

  pauseReading(): void {
    if (this.#paused || this.#dead) return;
    this.#paused = true;
    this.#readRate.pause(this.#deadlines.now);
    this.#waitNoLonger();
    this.#socket.pause();
  }

  resumeReading(): void {
    if (this.#dead) return;
    const backlog = this.#backlog;
    if (backlog !== undefined) {
      this.#backlog = undefined;
      this.#consume(backlog, backlog.length);
      if (this.#backlog !== undefined) return;
    }
    if (this.#paused) {
      this.#paused = false;
      this.#readRate.resume(this.#deadlines.now);
      if (this.current !== undefined && !this.current.bodyDone) this.#limit(this.limits.bodyTimeout);
      this.#socket.resume();
    }
  }

  write(text: string, large = "", after = ""): void {
    if (this.#dead) return;
    this.output.text(text, large, after);
    this.#written(text.length + large.length + after.length);
  }

  /** Writes bytes that must not change until the kernel has them. */
  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    if (this.#dead) return;
    this.output.buffer(before, buffer, start, end, after);
    this.#written(before.length + end - start + after.length);
  }

  /** Arms the write timeout `bodyTimeout`; below the min rate it expires with the next tick. */
  #written(bytes: number): void {
    const { now } = this.#deadlines;
    if (this.output.idle) this.#writeProgress.passed(bytes);
    else this.#limit(this.#writeProgress.offer(now, bytes, this.output.unsent) ? this.limits.bodyTimeout : 0);
  }

  #drained(): void {
    this.#writeProgress.done(this.#deadlines.now);
    if (this.#tunnel !== undefined) {
      this.deadline = 0;
      this.#tunnel.drained();
      return;
    }
    const request = this.current;
    if (this.#dropping) this.#limit(LINGER);
    else if (request === undefined)
      this.#limit(this.#head.pending === "" ? this.limits.idleTimeout : this.limits.headerTimeout);
    else {
      if (request.bodyDone || this.#paused) this.deadline = 0;
      else this.#limit(this.limits.bodyTimeout);
      request.onDrain?.();
    }
  }

  responseFinished(request: InboundRequest): void {
    if (this.current !== request || this.#dead) return;
    request.onAbort = undefined;
    if (request.close || this.lastRequest) {
      this.current = undefined;
      if (request.readsLate) this.#late.begin(request, this.#bytes ? this.#unread : this.#backlog);
      this.#finish(request.bodyDone);
    } else if (request.bodyDone) this.#next();
    else request.readRest();
  }

  #next(): void {
    this.current = undefined;
    if (!this.#sawEnd) {
      if (this.#writeProgress.unsent === 0) this.#limit(this.limits.idleTimeout);
      if (this.#bytes !== undefined) this.#parse();
      else if (this.#paused || this.#backlog !== undefined) this.resumeReading();
    }
    if (this.#sawEnd && this.current === undefined) this.#finish(true);
  }

  /** Rejects input that is no request, and closes. */
  refuse(fault: WireFault): void {
    this.#events.refused(fault, this.#refuse(fault, this.current?.head.method === "HEAD"));
  }

  /** @returns the bytes of the error response */
  #refuse(fault: WireFault, bodiless: boolean): number {
    const text = this.#events.refusal(fault, bodiless);
    this.write(text);
    this.current = undefined;
    this.#finish(false);
    return text.length;
  }

  /** Ends the connection after the output; reads on for `LINGER`, so that no reset eats the response. */
  #finish(clean: boolean): void {
    if (this.#dead) return;
    this.#dropping = true;
    if (this.output.idle) this.#limit(LINGER);
    else if (this.deadline === 0) this.#limit(this.limits.bodyTimeout);
    this.output.end();
    if (clean && this.#clientEnded) return;
    if (this.#paused) this.#socket.resume();
  }

  /** Resets the connection, so that the client sees a truncated response. */
  reset(): void {
    if (!this.#dead) this.#socket.resetAndDestroy();
    this.destroy();
  }

  stop(): void {
    this.stopping = true;
    if (this.current === undefined && this.#head.pending === "") this.#finish(true);
  }

  #ended(): void {
    this.#clientEnded = true;
    // The socket closes by itself after the rest of a response.
    if (this.#dropping && !this.output.idle) return;
    if (this.#dropping || this.#tunnel !== undefined || this.current?.bodyDone === false) this.destroy();
    else if (this.current === undefined) this.#finish(true);
  }

  expired(): void {
    // The client has drained output since the deadline was set.
    if (this.#writeProgress.goesOn(this.#deadlines.now, this.output.unsent)) {
      this.#limit(this.limits.bodyTimeout);
      return;
    }
    if (this.#dropping || this.current?.started || !this.output.idle) this.destroy();
    else if (this.current === undefined) {
      if (this.#head.pending === "") this.#finish(true);
      else this.refuse(new WireFault(408, "head not complete in time"));
    } else if (!this.current.bodyDone)
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
    this.#late.over();
    if (request?.finished) request.bodyOver();
    else request?.aborted();
    this.#events.closed(this);
  }

  /** Turns the connection into a tunnel, which first receives the bytes that have arrived. */
  becomeTunnel(tunnel: TunnelEnd): void {
    this.#tunnel = tunnel;
    this.deadline = 0;
    this.resumeReading();
  }
}
