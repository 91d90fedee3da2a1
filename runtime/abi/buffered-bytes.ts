/** Bytes of bodies that one process buffers now, and their limit; the data path implements it. */
export interface ByteBudget {
  bufferedBytes: number;
  readonly limits: { readonly bufferedBodyBytes: number };
}

/** Share of one body. Bytes are counted before they exist, so that no body finds memory used up. */
export class BufferedBytes {
  readonly #budget: ByteBudget | undefined;
  readonly #limit: number;
  #bytes = 0;

  /** @param share of the budget that may be used when this body asks for more */
  constructor(budget: ByteBudget | undefined, share = 1) {
    this.#budget = budget;
    this.#limit = budget === undefined ? Number.POSITIVE_INFINITY : budget.limits.bufferedBodyBytes * share;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @returns false without counting if there is no room */
  take(bytes: number): boolean {
    if (this.#budget !== undefined && this.#budget.bufferedBytes + bytes > this.#limit) return false;
    this.keep(this.#bytes + bytes);
    return true;
  }

  give(bytes: number): void {
    this.keep(this.#bytes - bytes);
  }

  /** Replaces the previous number, also beyond the limit: these bytes exist already. */
  keep(bytes: number): void {
    if (this.#budget !== undefined) this.#budget.bufferedBytes += bytes - this.#bytes;
    this.#bytes = bytes;
  }

  release(): void {
    this.keep(0);
  }
}
