import { BufferedBytes } from "../../abi/buffered-bytes.js";
import type { BodyFilter } from "../../abi/exchange.js";
import { latin1 } from "../../abi/text/bytes.js";
import { decodeBody } from "../../http/content-encoding.js";
import { CodingError, NoRoomError, OversizeError } from "../../http/fault.js";
import { LARGE_BUFFER, releaseBuffer, takeLargeBuffer } from "../../http/transport.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";
import { TOO_LARGE } from "./filter-thread.js";
import { applyFilters } from "./send-response.js";
import type { WorkerContext } from "./worker-context.js";

/** Result of filtering a buffered body. */
export type Filtered =
  | { kind: "filtered"; body: string | Buffer }
  /** Above the limit with `on_oversize: refuse`, or a failed filter: 502. */
  | { kind: "refused"; reason: string }
  /** The process buffers too many bodies: 503. */
  | { kind: "room" }
  /** Above the limit with `on_oversize: pass`: the coded body leaves as received. */
  | { kind: "passed" };

/**
 * Fast path of nearly all bodies: filters one that came whole with its head, without buffering it.
 * @returns undefined if the body must be buffered, is too large for a filter, or is rejected by one
 */
export function filterSync(x: GatewayExchange, path: WorkerContext, body: string): string | undefined {
  const { atOnce, coding, filters } = x.response;
  const { length } = body;
  if (filters === undefined || coding !== "" || length > atOnce) return undefined;
  if (path.bufferedBytes + length > path.limits.bufferedBodyBytes) return undefined;
  for (const { maxBytes } of filters) if (length > maxBytes) return undefined;
  // A body that fails here is buffered and rejected there.
  return applyFilters(x, body);
}

const refused = (reason: string): Filtered => ({ kind: "refused", reason });

/** Buffers the body of a response until it is complete, within the limits of its filters and of the process. */
export class BufferedResponseBody {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #filters: readonly BodyFilter[];
  /** True if no filter rejects a body for its size. */
  readonly passesOversize: boolean;
  /** Length announced by the head; 0 if unknown. */
  readonly #announced: number;
  readonly maxBytes: number;
  /** Decoded bytes in the budget, besides the received ones. */
  readonly #decoded: BufferedBytes;
  #text = "";
  /** Body of small known length that arrives in pieces: joining texts would copy it once more. */
  #gathered: Buffer | undefined = undefined;
  /** Body above the sync limit; then `#text` is empty. */
  #pieces: Buffer[] | undefined = undefined;
  size = 0;

  constructor(x: GatewayExchange, path: WorkerContext, announced: number) {
    const filters = x.response.filters ?? [];
    this.#x = x;
    this.#path = path;
    this.#filters = filters;
    this.#announced = announced;
    this.#decoded = new BufferedBytes(path);
    // The lowest limit that rejects decides, otherwise the highest: another filter may still need the body.
    let refused = Number.POSITIVE_INFINITY;
    let passed = 0;
    let refuses = false;
    for (const { maxBytes, oversize } of filters) {
      if (oversize === "refuse") {
        refuses = true;
        refused = Math.min(refused, maxBytes);
      } else passed = Math.max(passed, maxBytes);
    }
    this.passesOversize = !refuses;
    this.maxBytes = refuses ? refused : passed;
  }

  /** @returns "room" if the process buffers too many bodies (503), "oversize" if a filter rejects the size */
  add(buffer: Buffer, start: number, end: number): "room" | "oversize" | undefined {
    if (this.size === 0 && end - start < this.#announced && this.#announced <= LARGE_BUFFER)
      this.#gathered = takeLargeBuffer();
    if (this.#gathered !== undefined) buffer.copy(this.#gathered, this.size, start, end);
    else if (this.#pieces === undefined) return this.addText(latin1(buffer, start, end));
    else this.#pieces.push(Buffer.from(buffer.subarray(start, end)));
    return this.#count(end - start);
  }

  addText(piece: string): "room" | "oversize" | undefined {
    if (this.#gathered !== undefined) this.#gathered.write(piece, this.size, "latin1");
    else if (this.#pieces !== undefined) this.#pieces.push(Buffer.from(piece, "latin1"));
    else {
      this.#text = this.#text === "" ? piece : this.#text + piece;
      if (this.#text.length > this.#x.response.atOnce) {
        this.#pieces = [Buffer.from(this.#text, "latin1")];
        this.#text = "";
      }
    }
    return this.#count(piece.length);
  }

  #count(length: number): "room" | "oversize" | undefined {
    this.size += length;
    this.#path.bufferedBytes += length;
    if (this.size > this.maxBytes || this.#announced > this.maxBytes) return "oversize";
    return this.#path.bufferedBytes > this.#path.limits.bufferedBodyBytes ? "room" : undefined;
  }

  /** @param use receives the pieces in order */
  release(use?: (piece: Buffer) => void): void {
    const pieces = use === undefined ? [] : this.#bytes();
    this.#path.bufferedBytes -= this.size;
    this.#decoded.release();
    if (this.#gathered !== undefined) releaseBuffer(this.#gathered);
    this.size = 0;
    this.#text = "";
    this.#gathered = undefined;
    this.#pieces = undefined;
    if (use !== undefined) for (const piece of pieces) use(piece);
  }

  /** Frees the buffered body, but counts `bytes` that wait for the client. */
  handOver(bytes: number): BufferedBytes {
    this.release();
    const unsent = new BufferedBytes(this.#path);
    unsent.keep(bytes);
    return unsent;
  }

  /** Buffered pieces in order, not shared with anyone. */
  #bytes(): Buffer[] {
    if (this.#gathered !== undefined) return [Buffer.from(this.#gathered.subarray(0, this.size))];
    return this.#pieces ?? (this.#text === "" ? [] : [Buffer.from(this.#text, "latin1")]);
  }

  /** Filters short bodies, as most are, synchronously, others in a thread. Rejects only for internal errors. */
  filtered(): Filtered | Promise<Filtered> {
    const { atOnce, coding } = this.#x.response;
    if (coding !== "") return this.#filterDecoded(coding);
    if (this.#pieces !== undefined || this.size > atOnce) return this.#applyElsewhere(this.#bytes());
    return this.#apply(this.#gathered === undefined ? this.#text : latin1(this.#gathered, 0, this.size));
  }

  async #filterDecoded(coding: string): Promise<Filtered> {
    try {
      const decoded = await this.#decode(coding);
      const [first] = decoded;
      if (decoded.length === 1 && first !== undefined && first.length <= this.#x.response.atOnce)
        return this.#apply(latin1(first, 0, first.length));
      return await this.#applyElsewhere(decoded);
    } catch (error) {
      if (error instanceof OversizeError && this.passesOversize) return { kind: "passed" };
      if (error instanceof NoRoomError) return { kind: "room" };
      if (error instanceof OversizeError || error instanceof CodingError)
        return { kind: "refused", reason: error.message };
      throw error;
    }
  }

  /** Marks the route as running: a short body is decoded synchronously, before there is a promise. */
  #decode(coding: string): Promise<readonly Buffer[]> {
    markRunning(this.#x.route, CodeKind.decoding);
    try {
      return decodeBody(coding, this.#bytes(), this.maxBytes, this.#decoded);
    } finally {
      clearRunning();
    }
  }

  #apply(text: string): Filtered {
    let reason = TOO_LARGE;
    const body = applyFilters(this.#x, text, (found) => (reason = found));
    return body === undefined ? refused(reason) : { kind: "filtered", body };
  }

  async #applyElsewhere(pieces: readonly Buffer[]): Promise<Filtered> {
    const filters = this.#filters.flatMap(({ rules, maxBytes, oversize }) =>
      rules === undefined ? [] : [{ rules, maxBytes, oversize }],
    );
    if (filters.length < this.#filters.length) return this.#apply(Buffer.concat(pieces).toString("latin1"));
    const outcome = await this.#path.filterThread.run(filters, pieces);
    return typeof outcome === "string" ? refused(outcome) : { kind: "filtered", body: outcome };
  }
}
