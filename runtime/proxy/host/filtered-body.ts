import { canEncode, decodesInPieces, encodeWhole } from "../../http/coding-stream.js";
import { takesCoding } from "../../http/codings.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { BufferedResponseBody, type Filtered } from "./response-body.js";
import { passBytes, sendWhole, startPassing } from "./send-response.js";
import { QUIET, StreamedBody, type UpstreamBodyControl } from "./streamed-body.js";
import type { WorkerContext } from "./worker-context.js";

export interface FilteredExchange extends UpstreamBodyControl {
  passRest(): void;
}

/** Announced length up to which a body is buffered: one string and one write cost least, and give a length. */
const SHORT = 65_536;

/**
 * Response body that goes through filters: buffered if one of them needs all of it or it is short, otherwise
 * streamed. A body of unknown length is streamed if it is not complete with its first read.
 */
export class FilteredBody {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #head: ResponseHead;
  readonly #exchange: FilteredExchange;
  readonly #buffered: BufferedResponseBody;
  readonly #streams: boolean;
  /** True if its beginning may leave before more of it is seen. */
  readonly #early: boolean;
  #streamed: StreamedBody | undefined = undefined;
  /** True if its length is unknown: it may be a live stream, whose reader waits for each part. */
  readonly #live: boolean;
  #quiet: NodeJS.Timeout | undefined = undefined;
  /** True once it was rejected, passes or is not needed. */
  #ended = false;

  constructor(x: GatewayExchange, path: WorkerContext, head: ResponseHead, exchange: FilteredExchange) {
    const { coding, filters = [] } = x.response;
    const announced = head.framing.kind === "length" ? head.framing.length : 0;
    this.#x = x;
    this.#path = path;
    this.#head = head;
    this.#exchange = exchange;
    this.#buffered = new BufferedResponseBody(x, path, announced);
    this.#streams =
      filters.every(({ open }) => open !== undefined) && (coding === "" || decodesInPieces(coding));
    // With a size limit and an unknown size, a body that is too large should get its 502 rather than a cut.
    const fits = this.#buffered.maxBytes === Number.POSITIVE_INFINITY || (announced > 0 && coding === "");
    this.#live = this.#streams && head.framing.kind !== "length";
    this.#early = fits && (head.framing.kind !== "length" || announced > SHORT);
  }

  add(buffer: Buffer, start: number, end: number): void {
    if (this.#streamed !== undefined) this.#streamed.add(buffer, start, end);
    else if (!this.#ended) this.#advance(this.#buffered.add(buffer, start, end));
  }

  addText(text: string): void {
    if (!this.#ended) this.#advance(this.#buffered.addText(text));
  }

  fed(): void {
    if (this.#streamed !== undefined) this.#streamed.fed();
    else if (this.#streams && this.#early && !this.#ended && this.#buffered.size > 0) this.#stream();
    else if (this.#live && !this.#ended) this.#quiet ??= setTimeout(() => this.#streamLive(), QUIET);
  }

  /** The first read is complete, and the body continues, even if none of it has arrived. */
  follows(): void {
    if (this.#streamed === undefined) this.fed();
  }

  /** Streams a live body after a pause: head and beginning leave, and a body that becomes too large is cut. */
  #streamLive(): void {
    this.#quiet = undefined;
    if (this.#ended || this.#streamed !== undefined) return;
    this.#stream().begin();
  }

  end(): void {
    clearTimeout(this.#quiet);
    if (this.#ended) return;
    if (this.#streamed !== undefined) this.#streamed.end();
    else this.#filterHeld();
  }

  destroy(): void {
    this.#ended = true;
    clearTimeout(this.#quiet);
    this.#streamed?.destroy();
    this.#buffered.release();
  }

  #advance(trouble: "room" | "oversize" | undefined): void {
    if (trouble === "oversize" && this.#buffered.passesOversize) this.#passUnfiltered();
    else if (trouble === "room") this.#refuse(503, "buffered_bodies_full", trouble);
    else if (trouble === "oversize") this.#refuse(502, "body_too_large_to_filter", trouble);
    else if (this.#streams && this.#buffered.size > Math.min(SHORT, this.#x.response.atOnce)) this.#stream();
  }

  #stream(): StreamedBody {
    clearTimeout(this.#quiet);
    const { maxBytes, passesOversize } = this.#buffered;
    const streamed = new StreamedBody(this.#x, this.#path, this.#exchange, {
      // A filter that passes oversized bodies has no limit when streaming: nothing is buffered for it.
      maxBytes: passesOversize ? Number.POSITIVE_INFINITY : maxBytes,
      recode: this.#recode(),
    });
    this.#streamed = streamed;
    this.#buffered.release((piece) => streamed.add(piece, 0, piece.length));
    streamed.fed();
    return streamed;
  }

  /** Returns the upstream's coding, if the client accepts it and no plugin wrote another, and sets the headers. */
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

  /** `on_oversize: pass`: the body passes unchanged, with the headers that describe it. */
  #passUnfiltered(): void {
    this.#ended = true;
    this.#path.counters.oversizePassed++;
    this.#x.response.keepBody();
    startPassing(this.#x, this.#head);
    this.#buffered.release((piece) => passBytes(this.#x, piece));
    this.#exchange.passRest();
  }

  #filterHeld(): void {
    const filtered = this.#buffered.filtered();
    if (!(filtered instanceof Promise)) {
      this.#send(filtered);
      return;
    }
    filtered
      .then((result) => this.#coded(result))
      .then(
        (result) => {
          if (!this.#ended) this.#send(result);
        },
        (error: unknown) => {
          if (!this.#ended) this.#refuse(500, "filter_failed", error);
        },
      );
  }

  /** Encodes the result again if the body was coded. */
  async #coded(result: Filtered): Promise<Filtered> {
    if (result.kind !== "filtered" || result.body.length === 0 || this.#ended) return result;
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
      this.#x.unsent = this.#buffered.handOver(result.body.length);
      sendWhole(this.#x, result.body);
      this.destroy();
    }
    this.#exchange.completed();
  }

  #refuse(status: number, event: string, reason: unknown): void {
    this.destroy();
    this.#exchange.broken(event, reason, status);
  }
}
