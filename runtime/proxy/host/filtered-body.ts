import { takesCoding } from "../../http/accepted-codings.js";
import { canEncode, decodesInPieces, encodeWhole } from "../../http/coding-stream.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { BufferedResponseBody, type Filtered } from "./response-body.js";
import { passBytes, sendWhole, startPassing } from "./send-response.js";
import { QUIET, StreamedBody, type UpstreamBodyControl } from "./streamed-body.js";
import type { WorkerContext } from "./worker-context.js";

/** The exchange with the upstream, as a body that is filtered sees it. */
export interface FilteredExchange extends UpstreamBodyControl {
  /** No more of the upstream's body is wanted; the client gets this status. */
  refuse(status: number, event: string, reason: unknown): void;
  /** The rest of the body passes as it comes. */
  passRest(): void;
}

/** A body up to this length that says so is held in any case: one string and one write cost least, and its length can be told. */
const SHORT = 65_536;

/**
 * The body of a response that goes through filters: held where one of them needs the whole or where it is short, in pieces
 * otherwise. A body of unknown length is filtered in pieces when it did not come whole with its first read.
 */
export class FilteredBody {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #head: ResponseHead;
  readonly #exchange: FilteredExchange;
  readonly #held: BufferedResponseBody;
  /** All filters can work on pieces, and so can what undoes the coding. */
  readonly #streams: boolean;
  /** Nothing more has to be seen of it before its beginning may leave. */
  readonly #early: boolean;
  #streamed: StreamedBody | undefined = undefined;
  /** Its length is unknown: it may be a live stream, of which each part has a reader. */
  readonly #live: boolean;
  #quiet: NodeJS.Timeout | undefined = undefined;
  /** It was refused, or passes, or nobody wants it. */
  #over = false;

  constructor(x: GatewayExchange, path: WorkerContext, head: ResponseHead, exchange: FilteredExchange) {
    const { coding, filters = [] } = x.response;
    const announced = head.framing.kind === "length" ? head.framing.length : 0;
    this.#x = x;
    this.#path = path;
    this.#head = head;
    this.#exchange = exchange;
    this.#held = new BufferedResponseBody(x, path, announced);
    this.#streams =
      filters.every(({ open }) => open !== undefined) && (coding === "" || decodesInPieces(coding));
    // Where a largest size is stated and it is not known beforehand, a body that is too large should get its 502 rather than a cut.
    const fits = this.#held.maxBytes === Number.POSITIVE_INFINITY || (announced > 0 && coding === "");
    this.#live = this.#streams && head.framing.kind !== "length";
    this.#early = fits && (head.framing.kind !== "length" || announced > SHORT);
  }

  add(buffer: Buffer, start: number, end: number): void {
    if (this.#streamed !== undefined) this.#streamed.add(buffer, start, end);
    else if (!this.#over) this.#look(this.#held.add(buffer, start, end));
  }

  addText(text: string): void {
    if (!this.#over) this.#look(this.#held.addText(text));
  }

  /** A read has been given whole, and the body goes on. */
  fed(): void {
    if (this.#streamed !== undefined) this.#streamed.fed();
    else if (this.#streams && this.#early && !this.#over && this.#held.size > 0) this.#stream();
    else if (this.#live && !this.#over) this.#quiet ??= setTimeout(() => this.#streamLive(), QUIET);
  }

  /** The first read has been given, and the body goes on, whether some of it came or not. */
  follows(): void {
    if (this.#streamed === undefined) this.fed();
  }

  /** No more of it comes for now: head and beginning leave, and a body that turns out to be too large is cut. */
  #streamLive(): void {
    this.#quiet = undefined;
    if (this.#over || this.#streamed !== undefined) return;
    this.#stream().begin();
  }

  end(): void {
    clearTimeout(this.#quiet);
    if (this.#over) return;
    if (this.#streamed !== undefined) this.#streamed.end();
    else this.#filterHeld();
  }

  /** Nobody wants it any more. */
  destroy(): void {
    this.#over = true;
    clearTimeout(this.#quiet);
    this.#streamed?.destroy();
    this.#held.release();
  }

  #look(trouble: "room" | "oversize" | undefined): void {
    if (trouble === "oversize" && this.#held.passesOversize) this.#passUnfiltered();
    else if (trouble !== undefined) {
      this.destroy();
      if (trouble === "room") this.#exchange.refuse(503, "buffered_bodies_full", trouble);
      else this.#exchange.refuse(502, "body_too_large_to_filter", trouble);
    } else if (this.#streams && this.#held.size > Math.min(SHORT, this.#x.response.atOnce)) this.#stream();
  }

  #stream(): StreamedBody {
    clearTimeout(this.#quiet);
    const { maxBytes, passesOversize } = this.#held;
    const streamed = new StreamedBody(this.#x, this.#path, this.#exchange, {
      // What is only passed above its limit is filtered on: nothing is held for it.
      maxBytes: passesOversize ? Number.POSITIVE_INFINITY : maxBytes,
      recode: this.#recode(),
    });
    this.#streamed = streamed;
    this.#held.release((piece) => streamed.add(piece, 0, piece.length));
    streamed.fed();
    return streamed;
  }

  /** The coding of the upstream, where the client takes it and no plugin wrote another; the fields say so then. */
  #recode(): string | undefined {
    const { request, response } = this.#x;
    const { coding, headers } = response;
    if (coding === "" || !canEncode(coding) || headers.has("content-encoding")) return undefined;
    if (!takesCoding(request.headers.get("accept-encoding"), coding)) return undefined;
    headers.append("Content-Encoding", coding);
    const vary = headers.get("vary")?.toLowerCase();
    if (vary === undefined || !/\*|accept-encoding/.test(vary)) headers.append("Vary", "Accept-Encoding");
    return coding;
  }

  /** `on_oversize: pass`: the body leaves as it came, with the fields that say something about it. */
  #passUnfiltered(): void {
    this.#over = true;
    this.#path.counters.oversizePassed++;
    this.#x.response.keepBody();
    startPassing(this.#x, this.#head);
    this.#held.release((piece) => passBytes(this.#x, piece));
    this.#exchange.passRest();
  }

  #filterHeld(): void {
    const filtered = this.#held.filtered();
    if (!(filtered instanceof Promise)) {
      this.#send(filtered);
      return;
    }
    filtered
      .then((result) => this.#coded(result))
      .then(
        (result) => {
          if (!this.#over) this.#send(result);
        },
        (error: unknown) => {
          if (!this.#over) this.#refuse(500, "filter_failed", error);
        },
      );
  }

  /** A body that was coded leaves coded again. */
  async #coded(result: Filtered): Promise<Filtered> {
    if (result.kind !== "filtered" || result.body.length === 0 || this.#over) return result;
    const recode = this.#recode();
    if (recode === undefined) return result;
    const { body } = result;
    return {
      kind: "filtered",
      body: await encodeWhole(recode, typeof body === "string" ? Buffer.from(body, "latin1") : body),
    };
  }

  #send(result: Filtered): void {
    if (result.kind === "refused") {
      this.#refuse(502, "body_not_filtered", result.reason);
      return;
    }
    if (result.kind === "room") {
      this.#refuse(503, "buffered_bodies_full", "room");
      return;
    }
    if (result.kind === "passed") {
      this.#passUnfiltered();
      this.#x.inbound.end();
    } else {
      this.#x.unsent = this.#held.handOver(result.body.length);
      sendWhole(this.#x, result.body);
      this.destroy();
    }
    this.#exchange.completed();
  }

  #refuse(status: number, event: string, reason: unknown): void {
    this.destroy();
    this.#exchange.refuse(status, event, reason);
  }
}
