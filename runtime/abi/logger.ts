import type { Exchange } from "./exchange.js";
import type { Resource } from "./resource.js";

/** A log-shipping plugin as a generated module holds it: made once when the module is loaded, without effect on the world. */
export interface Logger {
  /** To be named in `PipelineModule.resources`. */
  readonly resource: Resource;
  /** Access phase (`ack: response`): answers 503 when the spool would not take the record. */
  admit(x: Exchange): void;
  /** Access phase, when `include_req_body_expr` holds: keeps the first bytes of the request body. */
  access(x: Exchange): void;
  /** Header phase, when `include_resp_body_expr` holds: keeps the first bytes of the response body. */
  headerFilter(x: Exchange): void;
  /** Acknowledge phase (`ack: response`): the last byte of the response waits until the record is on disk. */
  acknowledge(x: Exchange): void;
  /** Log phase: makes the record and hands it over. Never throws and never waits. */
  log(x: Exchange): void;
}
