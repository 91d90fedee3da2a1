import { latin1 } from "../../abi/text/bytes.js";
import type { BodySink } from "../../http/body-decoder.js";
import type { InboundRequest } from "../../http/inbound-request.js";
import { SMALL_WRITE } from "../../http/transport.js";
import type { BodyCapture } from "../exchange/body-capture.js";
import type { BufferedRequestBody } from "../exchange/buffered-request-body.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { UpstreamConnection } from "../upstream/connection.js";
import { handshakeFault } from "./websocket.js";
import { allowedTrailers } from "./withheld.js";

/**
 * Captures the rest of a request body that no upstream reads. The response does not wait for it, except with
 * `ack: response`. A client that waits for a 100 does not get it.
 */
export function keepArrivedBody(x: GatewayExchange): void {
  const { inbound, requestCapture, bufferedRequest } = x;
  if (bufferedRequest !== undefined) {
    if (requestCapture !== undefined) bufferedRequest.keepIn(requestCapture);
    bufferedRequest.drop();
    return;
  }
  if (requestCapture === undefined || inbound.decoder !== undefined) return;
  if (inbound.bodyDone || inbound.over || inbound.head.expectContinue) return;
  inbound.readBody({
    data(buffer, start, end) {
      requestCapture.add(buffer, start, end);
      // A response that waits for its record waits for no more than the record holds.
      if (inbound.held && requestCapture.full) inbound.bodyOver();
      return false;
    },
    end() {},
  });
}

/**
 * Passes the request body to the upstream. Small pieces of one read leave in one write, with the head at the
 * first of them: a chunked body of one chunk costs one write instead of two (6 µs).
 */
export class RequestBodySink implements BodySink {
  readonly #x: GatewayExchange;
  readonly #inbound: InboundRequest;
  readonly #connection: UpstreamConnection;
  readonly #sendHead: (withBody: string) => void;
  readonly #chunked: boolean;
  #capture: BodyCapture | undefined;
  #headSent = false;
  /** Framed pieces of the current read. */
  #waiting = "";
  /** Payload bytes passed on. */
  bytes = 0;
  /** True if the upstream responded or failed: the rest of the body is dropped. */
  dropping = false;

  constructor(x: GatewayExchange, connection: UpstreamConnection, sendHead: (withBody: string) => void) {
    const { inbound, requestCapture: capture } = x;
    this.#x = x;
    this.#inbound = inbound;
    this.#connection = connection;
    this.#sendHead = sendHead;
    this.#chunked = inbound.head.framing.kind === "chunked";
    this.#capture = capture;
  }

  /** Starts reading; sends the head after the bytes that have arrived at the latest. */
  start(held: BufferedRequestBody | undefined): void {
    if (held === undefined) this.#inbound.readBody(this);
    else this.#startWith(held);
    if (!this.#headSent) this.#send();
  }

  /** Passes on the bytes that an access phase buffered. A log captures them separately, with more ranges cut. */
  #startWith(held: BufferedRequestBody): void {
    const capture = this.#capture;
    this.#capture = undefined;
    if (capture !== undefined) held.keepIn(capture);
    held.passTo(this);
    this.#capture = capture;
    if (!held.ended && !this.#connection.full) this.#inbound.resumeBody();
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    if (this.#capture !== undefined) this.#capture.add(buffer, start, end);
    if (this.dropping || start === end) return false;
    const length = end - start;
    this.bytes += length;
    let pinned = false;
    if (length <= SMALL_WRITE) {
      const piece = latin1(buffer, start, end);
      if (this.#waiting.length + length > SMALL_WRITE) this.#send();
      this.#waiting += this.#chunked ? `${length.toString(16)}\r\n${piece}\r\n` : piece;
    } else {
      if (!this.#headSent || this.#waiting !== "") this.#send();
      if (this.#chunked)
        this.#connection.sendBuffer(`${length.toString(16)}\r\n`, buffer, start, end, "\r\n");
      else this.#connection.sendBuffer("", buffer, start, end, "");
      pinned = true;
    }
    if (this.#connection.full) this.#inbound.pauseBody();
    return pinned;
  }

  fed(): void {
    if (this.dropping || this.#waiting === "") return;
    this.#send();
    if (this.#connection.full) this.#inbound.pauseBody();
  }

  end(trailers: string | undefined): void {
    if (this.dropping) return;
    if (this.#chunked) this.#waiting += `0\r\n${allowedTrailers(this.#x, "request", trailers) ?? ""}\r\n`;
    if (!this.#headSent || this.#waiting !== "") this.#send();
    this.#connection.requestSent();
  }

  #send(): void {
    const text = this.#waiting;
    this.#waiting = "";
    if (this.#headSent) {
      this.#connection.sendText(text);
      return;
    }
    this.#headSent = true;
    this.#sendHead(text);
  }
}

/** Returns the sink that sends the body after `start`; undefined for a request without one. */
export function sendRequest(
  x: GatewayExchange,
  head: string,
  connection: UpstreamConnection,
  upgrading: boolean,
): RequestBodySink | undefined {
  const { inbound, bufferedRequest } = x;
  const isHead = x.outgoing.method === "HEAD";
  if (inbound.bodyDone && bufferedRequest === undefined) {
    connection.sendHead(head, isHead, false, upgrading ? (answer) => handshakeFault(x, answer) : undefined);
    return undefined;
  }
  const sendHead = (piece: string) => connection.sendHead(head + piece, isHead, true, undefined);
  return new RequestBodySink(x, connection, sendHead);
}
