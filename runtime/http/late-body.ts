import { BodyDecoder, dropBody } from "./body-decoder.js";
import { WireFault } from "./fault.js";
import type { InboundRequest } from "./inbound-request.js";

/** Time in ms for which a closing connection is still read, so that the client receives the response. */
export const LINGER = 2_000;

/** Rest of a request body after the last response of a connection: counted, and captured if a log needs it. */
export class LateBody {
  #request: InboundRequest | undefined = undefined;

  /** @param arrived received bytes that are not consumed */
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

  over(): void {
    this.#request?.bodyOver();
    this.#request = undefined;
  }
}
