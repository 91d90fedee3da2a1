import { latin1 } from "../abi/text/bytes.js";
import { WireFault } from "./fault.js";
import type { Limits } from "./limits.js";
import { incompleteHeadFault, parseRequestHead, type RequestHead } from "./request-head.js";

/** Maximum bytes of empty lines that are skipped before a request line (RFC 9112 section 2.2). */
const LEADING_LINES = 8;

export class HeadReader {
  /** Text of an incomplete head. */
  pending = "";
  /** Offset at which the last `read` stopped. */
  position = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns undefined if more bytes are needed */
  read(bytes: Buffer, start: number, end: number): RequestHead | WireFault | undefined {
    const before = this.pending;
    const text = before + latin1(bytes, start, end);
    let first = 0;
    while (text.charCodeAt(first) === 13 && text.charCodeAt(first + 1) === 10 && first < LEADING_LINES)
      first += 2;
    const found = text.indexOf("\r\n\r\n", Math.max(first, before.length - 3));
    if (found < 0 || found + 4 - first > this.#limits.headerBytes) {
      this.position = end;
      this.pending = first === 0 ? text : text.slice(first);
      return incompleteHeadFault(this.pending, Math.max(0, before.length - 1), this.#limits);
    }
    this.pending = "";
    this.position = start + found + 4 - before.length;
    const head = parseRequestHead(text, first, found + 4, this.#limits);
    return head instanceof WireFault ? head : this.#checked(head);
  }

  #checked(head: RequestHead): RequestHead | WireFault {
    const { bodyBytes } = this.#limits;
    const tooLong = bodyBytes > 0 && head.framing.kind === "length" && head.framing.length > bodyBytes;
    return tooLong ? new WireFault(413, `body above ${bodyBytes} bytes`) : head;
  }
}
