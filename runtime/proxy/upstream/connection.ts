import type { Socket } from "node:net";
import type { Timeouts } from "../../abi/generation.js";
import { latin1 } from "../../abi/text/bytes.js";
import { BodyDecoder, type BodySink } from "../../http/body-decoder.js";
import { type Deadlines, type Timed, within } from "../../http/deadlines.js";
import { WireFault } from "../../http/fault.js";
import type { Limits } from "../../http/limits.js";
import { Output } from "../../http/output.js";
import { parseResponseHead, type ResponseHead } from "../../http/response-head.js";
import {
  bufferAfter,
  type ConnectOptions,
  connectSocket,
  type Reader,
  type TunnelEnd,
  wasReset,
} from "../../http/transport.js";

/** Kind of failure; `local`: this host lacks a descriptor, port or memory, so the node is not the cause. */
export type UpstreamFailure = "connect" | "timeout" | "protocol" | "closed" | "local";

const EXHAUSTED: ReadonlySet<string | undefined> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
]);

export interface UpstreamUser extends BodySink {
  connected(): void;
  /** A 1xx response other than 101. */
  interim(head: ResponseHead): void;
  /** The final head; the body follows through `data` and `end`. False gives up the connection. */
  head(head: ResponseHead): boolean;
  /** A body that arrived whole with its head, instead of `data`. */
  text(body: string): void;
  /** The bytes that arrived with the head are delivered; the rest of the body may take time. */
  bodyFollows(): void;
  drained(): void;
  /** The response will not be complete. `silent`: not a byte of a response had arrived. */
  failed(failure: UpstreamFailure, reason: string, silent: boolean): void;
  /** 101 in response to a requested upgrade: the connection is a tunnel now. */
  switched(head: ResponseHead, early: Buffer): void;
}

/** Bytes of a read that are first searched for the end of the head: nearly all heads are shorter. */
const FIRST_LOOK = 4_096;

/** Connection to an upstream node, serving one exchange at a time. */
export class UpstreamConnection implements Reader, Timed {
  nextBuffer: Buffer | undefined = undefined;
  deadline = 0;
  /** True if the current exchange is its last one. */
  retired = false;
  /** Exchanges served, including the current one. */
  served = 0;
  dead = false;
  tunnel: TunnelEnd | undefined = undefined;
  readonly #limits: Limits;
  readonly #deadlines: Deadlines;
  readonly #socket: Socket;
  readonly #output: Output;
  readonly #idle: (connection: UpstreamConnection) => void;
  readonly #onClose: (connection: UpstreamConnection) => void;
  #connecting = true;
  #user: UpstreamUser | undefined = undefined;
  #timeouts: Timeouts = { connect: 0, send: 0, read: 0 };
  #bodiless = false;
  #switchFault: ((head: ResponseHead) => string | undefined) | undefined = undefined;
  #requestDone = false;
  #headText = "";
  #decoder: BodyDecoder | undefined = undefined;
  #keepAlive = false;
  #silent = true;
  #paused = false;
  /** Unsent bytes when the deadline was last set. */
  #unsent = 0;
  /** True while bytes of the current read are being written. */
  #pinned = false;

  constructor(
    options: ConnectOptions,
    limits: Limits,
    deadlines: Deadlines,
    /** Called when the exchange has ended and the connection may serve another. */
    idle: (connection: UpstreamConnection) => void,
    gone: (connection: UpstreamConnection) => void,
  ) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#idle = idle;
    this.#onClose = gone;
    this.#socket = connectSocket(options, this);
    this.#socket.once(options.tls ? "secureConnect" : "connect", () => this.#connected());
    this.#socket.on("error", (error: NodeJS.ErrnoException) => {
      const failure = EXHAUSTED.has(error.code) ? "local" : "connect";
      this.#fail(this.#connecting ? failure : "closed", error.message);
    });
    this.#socket.on("end", () => this.#ended());
    this.#socket.on("close", () => this.#fail(this.#connecting ? "connect" : "closed", "connection closed"));
    this.#output = new Output(this.#socket, () => this.#drained());
    deadlines.add(this);
  }

  /** Undefined before the connection is established. */
  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Reserves the connection for an exchange. A new connection calls `connected` when it may send. */
  serve(user: UpstreamUser, timeouts: Timeouts): void {
    this.#user = user;
    this.#timeouts = timeouts;
    this.served++;
    if (this.#connecting) this.limit(timeouts.connect * 1_000);
  }

  /**
   * Sends a request head, with the first piece of the body if there is one.
   * @param bodiless the method is HEAD
   * @param switchFault checks a 101; undefined if no upgrade was requested
   */
  sendHead(
    text: string,
    bodiless: boolean,
    hasBody: boolean,
    switchFault: ((head: ResponseHead) => string | undefined) | undefined,
  ): void {
    this.#bodiless = bodiless;
    this.#switchFault = switchFault;
    this.#requestDone = !hasBody;
    this.#decoder = undefined;
    this.#silent = true;
    this.#output.text(text);
    this.#limitSending();
  }

  get full(): boolean {
    return this.#output.full;
  }

  sendText(text: string): void {
    if (this.dead) return;
    this.#output.text(text);
    this.#limitSending();
  }

  /** Sends bytes between two byte strings; the buffer is in use until the write ends. */
  sendBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    if (this.dead) return;
    this.#output.buffer(before, buffer, start, end, after);
    this.#limitSending();
  }

  /** Sets the timeout after a step of the request: the upstream must receive it or, once sent, respond. */
  #limitSending(): void {
    this.#unsent = this.#output.unsent;
    if (this.#unsent > 0) this.limit(this.#timeouts.send * 1_000);
    else this.limit(this.#requestDone && !this.#paused ? this.#timeouts.read * 1_000 : 0);
  }

  #drained(): void {
    if (this.tunnel !== undefined) this.tunnel.drained();
    else if (this.#user !== undefined) {
      this.#limitSending();
      this.#user.drained();
    }
  }

  requestSent(): void {
    this.#requestDone = true;
    this.#limitSending();
  }

  pause(): void {
    this.#paused = true;
    this.deadline = 0;
    this.#socket.pause();
  }

  resume(): void {
    if (this.dead) return;
    this.#paused = false;
    this.limit(this.#timeouts.read * 1_000);
    this.#socket.resume();
  }

  received(buffer: Buffer, length: number): void {
    if (this.dead) return;
    if (this.#user === undefined) {
      if (this.tunnel !== undefined) this.tunnel.received(buffer, length);
      else this.destroy();
      return;
    }
    if (this.#requestDone) this.limit(this.#timeouts.read * 1_000);
    this.#silent = false;
    if (this.#decoder !== undefined) this.#feed(this.#decoder, buffer, 0, length);
    else for (let at = 0; at < length && !this.dead; ) at = this.#readHead(buffer, at, length);
    this.nextBuffer = bufferAfter(buffer, this.#pinned, this.#decoder?.remaining ?? 0);
    this.#pinned = false;
  }

  /** Reads a head; returns the start of the next one behind an interim head, else `length`. */
  #readHead(buffer: Buffer, start: number, length: number): number {
    const before = this.#headText;
    let text = before + latin1(buffer, start, Math.min(length, start + FIRST_LOOK));
    let found = text.indexOf("\r\n\r\n", Math.max(0, before.length - 3));
    if (found < 0 && length - start > FIRST_LOOK) {
      text = before + latin1(buffer, start, length);
      found = text.indexOf("\r\n\r\n", Math.max(0, before.length - 3));
    }
    if (found < 0 || found > this.#limits.headerBytes) {
      this.#headText = text;
      if (text.length > this.#limits.headerBytes)
        this.#fail("protocol", `response head above ${this.#limits.headerBytes} bytes`);
      else if (!"HTTP/1.".startsWith(text.slice(0, 7))) this.#fail("protocol", "not an HTTP/1 response");
      return length;
    }
    this.#headText = "";
    const head = parseResponseHead(text, found + 4, this.#bodiless, this.#limits);
    if (head instanceof WireFault) {
      this.#fail("protocol", head.reason);
      return length;
    }
    const bodyStart = start + found + 4 - before.length;
    if (head.status === 101) this.#switch(head, buffer, bodyStart, length);
    else if (head.status < 200) {
      (this.#user as UpstreamUser).interim(head);
      return bodyStart;
    } else if (
      head.framing.kind === "length" &&
      head.framing.length === length - bodyStart &&
      bodyStart < length
    )
      this.#wholeBody(
        head,
        length - start > FIRST_LOOK ? latin1(buffer, bodyStart, length) : text.slice(found + 4),
      );
    else this.#finalHead(head, buffer, bodyStart, length);
    return length;
  }

  #switch(head: ResponseHead, buffer: Buffer, start: number, length: number): void {
    const user = this.#user as UpstreamUser;
    const fault =
      this.#switchFault === undefined ? "101 without an Upgrade in the request" : this.#switchFault(head);
    if (fault !== undefined) {
      this.#fail("protocol", fault);
      return;
    }
    this.deadline = 0;
    this.#user = undefined;
    user.switched(head, Buffer.from(buffer.subarray(start, length)));
  }

  #finalHead(head: ResponseHead, buffer: Buffer, start: number, length: number): void {
    const user = this.#user as UpstreamUser;
    this.#keepAlive = head.keepAlive;
    const decoder = new BodyDecoder(head.framing, this.#limits, user);
    decoder.unbounded = true;
    this.#decoder = decoder;
    if (!user.head(head)) {
      this.destroy();
      return;
    }
    if (decoder.done) {
      decoder.endEmpty();
      this.#complete(start === length);
      return;
    }
    this.#feed(decoder, buffer, start, length);
    if (!decoder.done && !this.dead) user.bodyFollows();
  }

  /** Handles head and body in one read, as is usual: no state is needed between reads. */
  #wholeBody(head: ResponseHead, body: string): void {
    const user = this.#user as UpstreamUser;
    this.#keepAlive = head.keepAlive;
    if (!user.head(head)) {
      this.destroy();
      return;
    }
    user.text(body);
    user.end(undefined);
    this.#complete(true);
  }

  #feed(decoder: BodyDecoder, buffer: Buffer, start: number, length: number): void {
    if (start === length) return;
    const stopped = decoder.feed(buffer, start, length);
    if (decoder.pinned) this.#pinned = true;
    if (this.dead) return;
    if (stopped instanceof WireFault) {
      this.#fail("protocol", stopped.reason);
      return;
    }
    if (decoder.done) this.#complete(stopped === length);
  }

  /** Ends the response; reuses the connection only after an exact end of framing and the full request. */
  #complete(exact: boolean): void {
    this.#user = undefined;
    this.#decoder = undefined;
    this.deadline = 0;
    if (this.dead) return;
    if (!exact || !this.#keepAlive || !this.#requestDone || !this.#output.idle) {
      this.destroy();
      return;
    }
    // The last piece may have paused the connection, for a slow client.
    if (this.#paused) {
      this.#paused = false;
      this.#socket.resume();
    }
    this.#idle(this);
  }

  #connected(): void {
    this.#connecting = false;
    this.deadline = 0;
    this.#user?.connected();
  }

  #ended(): void {
    if (this.tunnel !== undefined) {
      this.destroy();
      return;
    }
    const reset = wasReset(this.#socket);
    if (!reset && this.#decoder?.connectionEnded()) {
      this.#complete(false);
      return;
    }
    this.#fail("closed", `connection ${reset ? "reset" : "closed"} before the end of the response`);
  }

  expired(): void {
    const { unsent } = this.#output;
    if (this.#user === undefined) this.destroy();
    else if (unsent > 0 && unsent !== this.#unsent) this.#limitSending();
    else
      this.#fail(
        "timeout",
        this.#connecting ? "connect timeout" : this.#requestDone ? "read timeout" : "send timeout",
      );
  }

  #fail(failure: UpstreamFailure, reason: string): void {
    if (this.dead) return;
    const user = this.#user;
    const silent = this.#silent;
    this.destroy();
    user?.failed(failure, reason, silent);
  }

  /** Sets the timeout for the next step; 0 disables it. */
  limit(ms: number): void {
    this.deadline = ms === 0 ? 0 : within(ms);
  }

  /** Closes the connection without informing its exchange. */
  destroy(): void {
    if (this.dead) return;
    this.dead = true;
    this.#user = undefined;
    this.#deadlines.delete(this);
    this.#socket.destroy();
    this.#onClose(this);
    this.tunnel?.ended();
  }
}
