/** Status for the client, whose connection then closes, and reason for the log. From an upstream always a 502. */
export class WireFault {
  readonly status: 400 | 408 | 413 | 414 | 417 | 421 | 431 | 501 | 505;
  readonly reason: string;

  constructor(status: WireFault["status"], reason: string) {
    this.status = status;
    this.reason = reason;
  }
}

export const bad = (reason: string): WireFault => new WireFault(400, reason);

/** Coded body that is damaged, truncated, unsupported or a bomb. */
export class CodingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "CodingError";
  }
}

/** Body whose decoded text is too large. */
export class OversizeError extends Error {
  constructor(maxBytes: number) {
    super(`the decoded body has more than ${maxBytes} bytes`);
    this.name = "OversizeError";
  }
}

/** The process buffers as many body bytes as it may (`gw.limits.buffered_body_bytes`). */
export class NoRoomError extends Error {
  constructor() {
    super("the process buffers too many bodies");
    this.name = "NoRoomError";
  }
}
