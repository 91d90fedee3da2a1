import { latin1 } from "../abi/text/bytes.js";
import { BodyDecoder, type BodySink, dropBody } from "./body-decoder.js";
import type { WireFault } from "./fault.js";
import type { Limits } from "./limits.js";
import type { Output } from "./output.js";
import type { RequestHead } from "./request-head.js";
import type { SecureState } from "./tls/secure-state.js";
import { SMALL_WRITE, type TunnelEnd } from "./transport.js";

/** Maximum rest of an unread request body that is read and dropped to keep the connection. */
const DRAIN_BYTES = 65_536;

export type ResponseFraming = "length" | "chunked" | "close" | "none";

export interface AckGate {
  /** Called before the last bytes, which `bytesSent` includes; a returned promise delays them. */
  last(): Promise<void> | undefined;
  released(): void;
  /** The promise was rejected. `unsent`: nothing of the response has left, so another may start. */
  refused(reason: unknown, unsent: boolean): void;
  gone(unsent: boolean): void;
}

export interface RequestConnection {
  readonly limits: Limits;
  /** Absent without TLS. */
  readonly secure?: SecureState;
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  readonly serial: number;
  readonly startedAt: number;
  readonly served: number;
  forwardingAuthority: string;
  forwardingFields: string;
  readonly lastRequest: boolean;
  /** Undefined while no request is in progress. */
  readonly current: InboundRequest | undefined;
  readonly full: boolean;
  readonly output: Pick<Output, "onceIdle">;
  readBody(request: InboundRequest): void;
  pauseReading(): void;
  resumeReading(): void;
  becomeTunnel(tunnel: TunnelEnd): void;
  /** Writes byte strings one after another; `large` is not joined with its neighbours. */
  write(text: string, large?: string, after?: string): void;
  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void;
  responseFinished(request: InboundRequest): void;
  refuse(fault: WireFault): void;
  /** Stops with the process: closes at once if idle, else after the current response. */
  stop(): void;
  reset(): void;
  destroy(): void;
}

export class InboundRequest {
  readonly connection: RequestConnection;
  readonly head: RequestHead;
  /** Number of the request on its connection, from 1. */
  readonly number: number;
  /** Called once if the client disconnects or breaks the protocol before the response is complete. */
  onAbort: (() => void) | undefined = undefined;
  /** Called when a `full` connection accepts more output. */
  onDrain: (() => void) | undefined = undefined;
  /** Called once when a body that outlasts its response is complete or has failed. */
  onBodyOver: (() => void) | undefined = undefined;
  /** True while the rest of the body is read after the response. */
  bodyFollows = false;
  /** True if only a log needs the rest of the body: it is read even after a connection's last response. */
  lateBody = false;
  /** Undefined until the body is read. */
  decoder: BodyDecoder | undefined = undefined;
  bodyDone: boolean;
  /** True once the final response head was handed over. */
  started = false;
  finished = false;
  /** True while the last bytes of a complete response wait for the gate. */
  held = false;
  /** Undefined if nothing delays the end of the response. */
  gate: AckGate | undefined = undefined;
  /** Status of the error that replaced the response because the body broke the protocol; 0 for none. */
  refusedWith = 0;
  /** Bytes written to the socket for this request: interim responses, head and framed body. */
  bytesSent = 0;
  /** True if the connection closes after this response. */
  close: boolean;
  #pendingHead = "";
  #framing: ResponseFraming = "none";
  /** With a gate: remaining bytes of a body of known length, and its last piece. */
  #left = 0;
  #lastPiece = "";
  #trailers: string | undefined = undefined;
  #heldBytes = 0;
  #interims = 0;

  constructor(connection: RequestConnection, head: RequestHead) {
    this.connection = connection;
    this.head = head;
    this.number = connection.served + 1;
    this.bodyDone =
      head.framing.kind === "none" || (head.framing.kind === "length" && head.framing.length === 0);
    this.close = !head.keepAlive;
  }

  /** Starts reading the request body; bytes that have arrived are delivered before it returns. */
  readBody(sink: BodySink): void {
    this.decoder = new BodyDecoder(this.head.framing, this.connection.limits, sink);
    if (this.bodyDone) {
      this.decoder.endEmpty();
      return;
    }
    this.connection.readBody(this);
  }

  readRest(): void {
    this.bodyFollows = true;
    if (this.decoder === undefined) this.readBody(dropBody);
    else this.resumeBody();
  }

  pauseBody(): void {
    this.connection.pauseReading();
  }

  resumeBody(): void {
    this.connection.resumeReading();
  }

  /** Sends 100 to a client that waits before it sends its body. */
  sendContinue(): void {
    this.#write("HTTP/1.1 100 Continue\r\n\r\n");
  }

  /** Sends a 1xx response, except to HTTP/1.0 (RFC 9110 section 15.2) and above `interimResponses`. */
  interim(statusLineAndFields: string): void {
    if (this.head.minor === 0 || this.started) return;
    if (++this.#interims > this.connection.limits.interimResponses) return;
    this.#write(`${statusLineAndFields}\r\n`);
  }

  switchTo(statusLineAndFields: string, tunnel: TunnelEnd): void {
    this.#write(`${statusLineAndFields}\r\n`);
    this.started = true;
    this.connection.becomeTunnel(tunnel);
  }

  /**
   * Hands over the head: status line and headers, each line ended by CRLF, without framing. It leaves with
   * the first piece of the body, or at `flush` or `end`. `length`, as text, is for framing "length" only.
   */
  start(statusLineAndFields: string, framing: ResponseFraming, length: string | undefined): void {
    this.started = true;
    this.#framing = framing;
    let head = statusLineAndFields;
    if (length !== undefined) head += `Content-Length: ${length}\r\n`;
    if (framing === "chunked") head += "Transfer-Encoding: chunked\r\n";
    if (framing === "close" || this.connection.lastRequest || !this.#bodyIsShort()) this.close = true;
    if (this.close) head += "Connection: close\r\n\r\n";
    else head += this.head.minor === 0 ? "Connection: keep-alive\r\n\r\n" : "\r\n";
    this.#pendingHead = head;
    if (this.gate !== undefined) this.#left = framing === "length" ? Number(length) : 0;
  }

  /** True if the rest of the body is read after a close: it comes without a 100, and a log has it. */
  get readsLate(): boolean {
    return this.lateBody && !this.bodyDone && !(this.head.expectContinue && this.decoder === undefined);
  }

  /** Marks the end of reading the body. */
  bodyOver(): void {
    const told = this.onBodyOver;
    this.bodyFollows = false;
    this.onBodyOver = undefined;
    told?.();
  }

  /** True if the response is complete, or the client has disconnected. */
  get over(): boolean {
    return this.finished || this.held;
  }

  /** Bytes of the body that the gate delays. */
  get keptBytes(): number {
    return this.#lastPiece.length;
  }

  /** Reports whether the rest of the body is worth reading to keep the connection after an early response. */
  #bodyIsShort(): boolean {
    if (this.bodyDone) return true;
    if (this.head.expectContinue && this.decoder === undefined) return false;
    const { framing } = this.head;
    return framing.kind === "length" && (this.decoder?.remaining ?? framing.length) <= DRAIN_BYTES;
  }

  /** Back pressure: the writer stops until `onDrain`. */
  get full(): boolean {
    return this.connection.full;
  }

  /** @returns true if an asynchronous write uses `buffer`, which must not be read into again */
  data(buffer: Buffer, start: number, end: number): boolean {
    if (end === start) return false;
    if (end - start <= SMALL_WRITE) {
      this.text(latin1(buffer, start, end));
      return false;
    }
    if (this.gate !== undefined && this.#isLast(end - start)) {
      this.#sendBuffer(buffer, start, end - 1);
      this.#lastPiece = latin1(buffer, end - 1, end);
    } else this.#sendBuffer(buffer, start, end);
    return true;
  }

  #sendBuffer(buffer: Buffer, start: number, end: number): void {
    const chunked = this.#framing === "chunked";
    const before = chunked ? `${this.#pendingHead}${(end - start).toString(16)}\r\n` : this.#pendingHead;
    const after = chunked ? "\r\n" : "";
    this.#pendingHead = "";
    this.bytesSent += before.length + end - start + after.length;
    this.connection.writeBuffer(before, buffer, start, end, after);
  }

  text(piece: string): void {
    if (piece.length === 0) return;
    if (this.gate !== undefined && this.#isLast(piece.length)) this.#lastPiece = piece;
    else this.#sendText(piece);
  }

  /** With a gate: reports whether a piece of this length completes a body of known length. */
  #isLast(length: number): boolean {
    this.#left -= length;
    return this.#framing === "length" && this.#left <= 0;
  }

  #sendText(piece: string): void {
    const head = this.#pendingHead;
    this.#pendingHead = "";
    const chunked = this.#framing === "chunked";
    const before = chunked ? `${head}${piece.length.toString(16)}\r\n` : head;
    const after = chunked ? "\r\n" : "";
    if (before.length + piece.length <= SMALL_WRITE) this.#write(before + piece + after);
    else {
      this.bytesSent += before.length + piece.length + after.length;
      this.connection.write(before, piece, after);
    }
  }

  /** Sends the head now if no piece of the body has taken it along. */
  flush(): void {
    const { gate } = this;
    if (gate === undefined || this.#framing === "chunked" || this.#framing === "close" || this.#left > 0)
      this.#sendHead();
  }

  #sendHead(): void {
    if (this.#pendingHead === "") return;
    const head = this.#pendingHead;
    this.#pendingHead = "";
    this.#write(head);
  }

  /** Completes the response. Unless the gate delays its last bytes, it is `finished` when this returns. */
  end(trailers?: string): void {
    if (this.over) return;
    this.#trailers = trailers;
    if (this.gate === undefined) this.#sendLast();
    else this.#askGate(this.gate);
  }

  #askGate(gate: AckGate): void {
    const waiting = this.#pendingHead.length + this.#lastPiece.length + this.#terminator().length;
    this.bytesSent += waiting;
    const until = gate.last();
    if (until === undefined) {
      this.bytesSent -= waiting;
      this.#sendLast();
      return;
    }
    this.held = true;
    this.#heldBytes = waiting;
    until.then(
      () => {
        if (!this.held) return;
        this.#unhold();
        this.#sendLast();
        gate.released();
      },
      (reason: unknown) => {
        if (!this.held) return;
        this.#unhold();
        gate.refused(reason, this.#pendingHead !== "");
      },
    );
  }

  #unhold(): void {
    this.held = false;
    this.bytesSent -= this.#heldBytes;
  }

  aborted(): void {
    const { held, onAbort } = this;
    this.finished = true;
    this.onAbort = undefined;
    if (held) {
      this.#unhold();
      this.gate?.gone(this.#pendingHead !== "");
    } else onAbort?.();
    this.bodyOver();
  }

  #terminator(): string {
    if (this.#framing !== "chunked") return "";
    const trailers = this.#trailers;
    return trailers === undefined || this.head.minor === 0 ? "0\r\n\r\n" : `0\r\n${trailers}\r\n`;
  }

  #sendLast(): void {
    if (this.#lastPiece !== "") this.#sendText(this.#lastPiece);
    const terminator = this.#terminator();
    if (terminator === "") this.#sendHead();
    else {
      const head = this.#pendingHead;
      this.#pendingHead = "";
      this.#write(head + terminator);
    }
    this.finished = true;
    this.connection.responseFinished(this);
  }

  /** Cuts a connection whose response cannot be completed, so that the client sees the truncation. */
  abort(): void {
    if (this.finished) return;
    this.finished = true;
    this.onAbort = undefined;
    // A body that ends with the connection looks complete after an orderly end.
    if (this.#framing === "close") this.connection.reset();
    else this.connection.destroy();
  }

  /** True if a final response has started and nothing of it has left. */
  get unsent(): boolean {
    return this.#pendingHead !== "";
  }

  /** Discards a response of which nothing has left, so that another can start. */
  discardUnsent(): void {
    this.started = false;
    this.#pendingHead = "";
    this.#lastPiece = "";
  }

  #write(text: string): void {
    this.bytesSent += text.length;
    this.connection.write(text);
  }
}

/** Events that a connection reports to the data path. */
export interface ConnectionEvents {
  /** The head of a request is complete; its body has not been read. */
  request(request: InboundRequest): void;
  /** Returns status line, headers and body, with Connection: close. @param bodiless the request was HEAD */
  refusal(fault: WireFault, bodiless: boolean): string;
  /** Input that never became a request was rejected with an error response of `bytes`. */
  refused(fault: WireFault, bytes: number): void;
  closed(connection: RequestConnection): void;
}
