import { latin1 } from "../abi/text/bytes.js";
import { BodyDecoder, type BodySink, dropBody } from "./body-decoder.js";
import type { WireFault } from "./fault.js";
import type { Limits } from "./limits.js";
import type { Output } from "./output.js";
import type { RequestHead } from "./request-head.js";
import type { SecureState } from "./tls/secure-state.js";
import { SMALL_WRITE, type TunnelEnd } from "./transport.js";

/** Rest of a request body that nobody reads, read and dropped to keep the connection. */
const DRAIN_BYTES = 65_536;

/** How the end of a response body shows on the wire. */
export type ResponseFraming = "length" | "chunked" | "close" | "none";

/** What may keep back the end of a response. */
export interface AckGate {
  /** The last bytes are about to leave and are counted in `bytesSent`. A promise keeps them back until it is resolved. */
  last(): Promise<void> | undefined;
  /** They had been kept back and have left. */
  released(): void;
  /** What they waited for has failed. `unsent`: nothing of the response has left; another may be started. */
  refused(reason: unknown, unsent: boolean): void;
  /** The client went while they waited. */
  gone(unsent: boolean): void;
}

/** The client's connection as its request sees it. */
export interface RequestConnection {
  readonly limits: Limits;
  /** Absent: without TLS. */
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
  /** Undefined while no request is being answered. */
  readonly current: InboundRequest | undefined;
  readonly full: boolean;
  readonly output: Pick<Output, "onceIdle">;
  readBody(request: InboundRequest): void;
  pauseReading(): void;
  resumeReading(): void;
  becomeTunnel(tunnel: TunnelEnd): void;
  /** Writes byte strings, one behind the other; `large` is not joined with what stands around it. */
  write(text: string, large?: string, after?: string): void;
  writeBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void;
  responseFinished(request: InboundRequest): void;
  refuse(fault: WireFault): void;
  /** The process ends: closed at once when idle, else after the present response. */
  stop(): void;
  reset(): void;
  destroy(): void;
}

/** One request on a client connection, and the writer of its response. */
export class InboundRequest {
  readonly connection: RequestConnection;
  readonly head: RequestHead;
  /** Number of the request on its connection. */
  readonly number: number;
  /** Told once when the client is gone or broke the protocol before the response was handed over whole. */
  onAbort: (() => void) | undefined = undefined;
  /** Told when a response writer that was `full` can take more. */
  onDrain: (() => void) | undefined = undefined;
  /** Told once when a body that follows its response is complete, or will not be. */
  onBodyOver: (() => void) | undefined = undefined;
  /** The response has been handed over, and the rest of the body is being read. */
  bodyFollows = false;
  /** Nobody but a log has a use for what is left of the body: it is read behind the last response of a connection, too. */
  lateBody = false;
  /** Undefined until somebody reads the body. */
  decoder: BodyDecoder | undefined = undefined;
  bodyDone: boolean;
  /** The final response head has been handed over. */
  started = false;
  finished = false;
  /** The response has been handed over whole and its last bytes wait for the gate. */
  held = false;
  /** Undefined: nothing keeps the end of the response back, and no piece of it is kept. */
  gate: AckGate | undefined = undefined;
  /** Status of the refusal that the client got instead of a response, when its body broke the protocol; 0: none. */
  refusedWith = 0;
  /** Bytes written to the socket for this request: interim responses, head and body as framed. */
  bytesSent = 0;
  /** The connection is closed after this response. */
  close: boolean;
  #pendingHead = "";
  #framing: ResponseFraming = "none";
  /** With a gate: bytes of a body of known length still to come, and its last piece. */
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

  /** Starts the flow of the request body; what has arrived is delivered before this returns. */
  readBody(sink: BodySink): void {
    this.decoder = new BodyDecoder(this.head.framing, this.connection.limits, sink);
    if (this.bodyDone) {
      this.decoder.endEmpty();
      return;
    }
    this.connection.readBody(this);
  }

  /** Reads the rest of the body behind the response, to keep the connection. */
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

  /** Tells a client that waits before it sends its body to go on. */
  sendContinue(): void {
    this.#write("HTTP/1.1 100 Continue\r\n\r\n");
  }

  /** A 1xx response; dropped for HTTP/1.0, which has none (RFC 9110 section 15.2), and above `interimResponses`. */
  interim(statusLineAndFields: string): void {
    if (this.head.minor === 0 || this.started) return;
    if (++this.#interims > this.connection.limits.interimResponses) return;
    this.#write(`${statusLineAndFields}\r\n`);
  }

  /** Answers 101: the connection is a tunnel from now on. */
  switchTo(statusLineAndFields: string, tunnel: TunnelEnd): void {
    this.#write(`${statusLineAndFields}\r\n`);
    this.started = true;
    this.connection.becomeTunnel(tunnel);
  }

  /**
   * Hands over the head: status line and fields, each line ended by CRLF, without framing fields. It leaves together with
   * the first piece of the body, or at `flush` or `end`. `length` is for framing "length" only, as text.
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

  /** The rest of the body is worth reading although the connection closes: it comes unasked, and a log has it. */
  get readsLate(): boolean {
    return this.lateBody && !this.bodyDone && !(this.head.expectContinue && this.decoder === undefined);
  }

  /** No more of the body will come. */
  bodyOver(): void {
    const told = this.onBodyOver;
    this.bodyFollows = false;
    this.onBodyOver = undefined;
    told?.();
  }

  /** The response has been handed over whole, or the client is gone. */
  get over(): boolean {
    return this.finished || this.held;
  }

  /** Bytes of the body that the gate keeps back. */
  get keptBytes(): number {
    return this.#lastPiece.length;
  }

  /** The rest of the body is worth reading to keep the connection, when the response comes before its end. */
  #bodyIsShort(): boolean {
    if (this.bodyDone) return true;
    if (this.head.expectContinue && this.decoder === undefined) return false;
    const { framing } = this.head;
    return framing.kind === "length" && (this.decoder?.remaining ?? framing.length) <= DRAIN_BYTES;
  }

  /** The client takes less than is sent to it: stop sending until `onDrain`. */
  get full(): boolean {
    return this.connection.full;
  }

  /** Sends a piece of the body. True: `buffer` is in use by an asynchronous write and must not be read into again. */
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

  /** Sends a byte string as a piece of the body. */
  text(piece: string): void {
    if (piece.length === 0) return;
    if (this.gate !== undefined && this.#isLast(piece.length)) this.#lastPiece = piece;
    else this.#sendText(piece);
  }

  /** With a gate: whether a piece of this length completes a body of known length. */
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

  /** Sends the head now, when it has not left with a piece of the body. */
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

  /** The response is complete. Unless the gate keeps its last bytes back, it is `finished` when this returns. */
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

  /** The client is gone or broke the protocol before the response was complete. */
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

  /** The response cannot be completed: the connection is cut, so that the client sees that it is not whole. */
  abort(): void {
    if (this.finished) return;
    this.finished = true;
    this.onAbort = undefined;
    // A body that ends with the connection looks complete after an orderly end.
    if (this.#framing === "close") this.connection.reset();
    else this.connection.destroy();
  }

  /** A final response has been started, and nothing of it has left yet. */
  get unsent(): boolean {
    return this.#pendingHead !== "";
  }

  /** Takes back a response of which nothing has left, for another to be started. */
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

/** What the wire tells the layer above. */
export interface ConnectionEvents {
  /** A request whose head is complete. Its body has not been read. */
  request(request: InboundRequest): void;
  /** Text of a refusal's response: status line, fields and body, with Connection: close. `bodiless`: the request was HEAD. */
  refusal(fault: WireFault, bodiless: boolean): string;
  /** Something that never became a request was refused with so many bytes. */
  refused(fault: WireFault, bytes: number): void;
  closed(connection: RequestConnection): void;
}
