import type { UpstreamRequest } from "../../abi/exchange.js";
import { onlyCodings } from "../../http/accepted-codings.js";
import { supportedCoding } from "../../http/content-encoding.js";
import type { HeaderList } from "../../http/header-list.js";
import type { RequestHead } from "../../http/request-head.js";

/** The request to the upstream: starts as what was received; the header list is copied when it is first asked for. */
export class OutgoingRequest implements UpstreamRequest {
  method: string;
  target: string;
  verbatim = false;
  host: string | undefined = undefined;
  /** Host that was sent, last where several nodes were tried. */
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

  /** The fields to send, without making a copy that nobody changed. */
  get fields(): HeaderList {
    return this.#headers ?? this.#received;
  }
}
