import type { UpstreamRequest } from "../../abi/exchange.js";
import { onlyCodings } from "../../http/codings.js";
import { supportedCoding } from "../../http/content-encoding.js";
import type { HeaderList } from "../../http/header-list.js";
import type { RequestHead } from "../../http/request-head.js";

/** Request to the upstream: starts as the received one; the header list is copied at the first access. */
export class OutgoingRequest implements UpstreamRequest {
  method: string;
  target: string;
  verbatim = false;
  host: string | undefined = undefined;
  /** Host that was sent; the last one after retries. */
  sentHost: string | undefined = undefined;
  forwardingLines = "";
  readonly #received: HeaderList;
  #headers: HeaderList | undefined = undefined;

  constructor(head: RequestHead, target: string) {
    this.method = head.method;
    this.target = target;
    this.#received = head.headers;
  }

  get headers(): HeaderList {
    this.#headers ??= this.#received.copy();
    return this.#headers;
  }

  requestFullBody(): void {
    const { fields } = this;
    if (fields.has("range")) {
      this.headers.delete("Range");
      this.headers.delete("If-Range");
    }
    const accepted = fields.get("accept-encoding");
    if (accepted === undefined) return;
    const kept = onlyCodings(accepted, supportedCoding);
    if (kept !== accepted) this.headers.set("Accept-Encoding", kept);
  }

  /** Headers to send, without copying unchanged ones. */
  get fields(): HeaderList {
    return this.#headers ?? this.#received;
  }
}
