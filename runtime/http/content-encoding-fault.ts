/** A coded body that cannot be trusted or understood: damaged, truncated, or a bomb. */
export class CodingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "CodingError";
  }
}

/** A body whose decoded text is larger than allowed. */
export class OversizeError extends Error {
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the decoded body has more than ${maxBytes} bytes`);
    this.name = "OversizeError";
    this.maxBytes = maxBytes;
  }
}
