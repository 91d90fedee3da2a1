/** Bytes of bodies that one process holds at present, and how many it may; the data path is one. */
export interface ByteBudget {
  bufferedBytes: number;
  readonly limits: { readonly bufferedBodyBytes: number };
}

/** Part of a budget that one body has. Bytes are counted before they exist, so that no body finds the memory already gone. */
export class BufferedBytes {
  readonly #budget: ByteBudget | undefined;
  readonly #limit: number;
  #bytes = 0;

  /** @param share of the budget that everybody may have used up when this body asks for more */
  constructor(budget: ByteBudget | undefined, share = 1) {
    this.#budget = budget;
    this.#limit = budget === undefined ? Number.POSITIVE_INFINITY : budget.limits.bufferedBodyBytes * share;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts `bytes` more. False: there is no room, and nothing was counted. */
  take(bytes: number): boolean {
    if (this.#budget !== undefined && this.#budget.bufferedBytes + bytes > this.#limit) return false;
    this.keep(this.#bytes + bytes);
    return true;
  }

  give(bytes: number): void {
    this.keep(this.#bytes - bytes);
  }

  /** Counts `bytes` in place of what was counted, also beyond the limit: they exist already. */
  keep(bytes: number): void {
    if (this.#budget !== undefined) this.#budget.bufferedBytes += bytes - this.#bytes;
    this.#bytes = bytes;
  }

  release(): void {
    this.keep(0);
  }
}
