import { CodingError, decodeBody, OversizeError } from "../exchange/coding.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { latin1 } from "../wire/latin1.js";
import type { DataPath } from "./data-path.js";
import { applyFilters } from "./respond.js";

/** What became of a body that was held for filters. */
export type Filtered =
  | { kind: "filtered"; body: string }
  /** Above the limit, and the rule says to refuse: 502. */
  | { kind: "refused"; reason: string }
  /** Above the limit, and the rule says to pass: the coded body as it was received. */
  | { kind: "passed"; body: string };

/** Holds the body of a response until it is complete, within the limits of its filters and of the process. */
export class HeldBody {
  readonly #x: GatewayExchange;
  readonly #path: DataPath;
  readonly #maxBytes: number;
  readonly #oversize: "refuse" | "pass";
  #text = "";

  constructor(x: GatewayExchange, path: DataPath) {
    const filters = x.response.filters ?? [];
    this.#x = x;
    this.#path = path;
    // What one filter refuses is refused; what one only passes may still be for another, so it is held for that one.
    const refusing = filters
      .filter((filter) => filter.oversize === "refuse")
      .map((filter) => filter.maxBytes);
    this.#oversize = refusing.length > 0 ? "refuse" : "pass";
    this.#maxBytes =
      refusing.length > 0 ? Math.min(...refusing) : Math.max(...filters.map((filter) => filter.maxBytes));
  }

  get text(): string {
    return this.#text;
  }

  /** "room": the process holds too many bodies (503). "oversize": this body is too large for its filters. */
  add(buffer: Buffer, start: number, end: number): "room" | "oversize" | undefined {
    return this.addText(latin1(buffer, start, end));
  }

  addText(piece: string): "room" | "oversize" | undefined {
    this.#text = this.#text === "" ? piece : this.#text + piece;
    this.#path.bufferedBytes += piece.length;
    if (this.#text.length > this.#maxBytes) return "oversize";
    return this.#path.bufferedBytes > this.#path.limits.bufferedBodyBytes ? "room" : undefined;
  }

  get passesOversize(): boolean {
    return this.#oversize === "pass";
  }

  /** Gives the bytes back to the process's budget. */
  release(): void {
    this.#path.bufferedBytes -= this.#text.length;
    this.#text = "";
  }

  /** The body has a coding to undo first: `decoded` instead of `filtered`. */
  get coded(): boolean {
    return this.#x.response.coding !== "";
  }

  filtered(): Filtered {
    return this.#apply(this.#text);
  }

  /** Undoes the coding and filters. Rejects only for what is a fault of ours. */
  async decoded(): Promise<Filtered> {
    const text = this.#text;
    try {
      const decoded = await decodeBody(this.#x.response.coding, Buffer.from(text, "latin1"), this.#maxBytes);
      return this.#apply(latin1(decoded, 0, decoded.length));
    } catch (error) {
      if (error instanceof OversizeError && this.passesOversize) return { kind: "passed", body: text };
      if (error instanceof OversizeError || error instanceof CodingError)
        return { kind: "refused", reason: error.message };
      throw error;
    }
  }

  #apply(text: string): Filtered {
    const body = applyFilters(this.#x.response, text);
    return body === undefined
      ? { kind: "refused", reason: "a filter made the body too large" }
      : { kind: "filtered", body };
  }
}
