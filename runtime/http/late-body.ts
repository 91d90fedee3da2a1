import { BodyDecoder, dropBody } from "./body-decoder.js";
import { WireFault } from "./fault.js";
import type { InboundRequest } from "./inbound-request.js";

/** After a response that closes, what the client still sends is read for so long (ms), so that it gets the response. */
export const LINGER = 2_000;

/** Rest of a request body behind the last response of a connection: counted, and captured where a log wants it. */
export class LateBody {
  #request: InboundRequest | undefined = undefined;

  /** @param arrived bytes that had come and that nobody has taken */
  begin(request: InboundRequest, arrived: Buffer | undefined): void {
    this.#request = request;
    request.bodyFollows = true;
    if (arrived !== undefined) this.take(arrived, arrived.length);
  }

  take(buffer: Buffer, length: number): void {
    const request = this.#request;
    if (request === undefined) return;
    request.decoder ??= new BodyDecoder(request.head.framing, request.connection.limits, dropBody);
    const stopped = request.decoder.feed(buffer, 0, length);
    request.bodyDone = request.decoder.done;
    if (request.bodyDone || stopped instanceof WireFault) this.over();
  }

  /** Nothing more of it will be read. */
  over(): void {
    this.#request?.bodyOver();
    this.#request = undefined;
  }
}
