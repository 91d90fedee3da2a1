import { errorPage } from "../../abi/error-page.js";
import type { PathRules } from "../../abi/path.js";
import type { InboundRequest, ResponseFraming } from "../../http/inbound-request.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { normalizeTarget } from "../exchange/target.js";
import type { UpstreamConnection } from "../upstream/connection.js";
import type { LiveUpstream } from "./contract.js";
import { CodeKind, clearRunning, markRunning } from "./execution-marker.js";
import { filterFault, TOO_LARGE } from "./filter-thread.js";
import { NOT_FOUND_BODY, statusLine } from "./local-reply.js";
import { captureRequest, headerFilters } from "./phases.js";
import { keepArrivedBody } from "./request-body.js";
import type { WorkerContext } from "./worker-context.js";

/** Nothing follows the head: HEAD, 204 and 304 (RFC 9110 section 6.4.1), and 205, which has no content (15.3.6). */
export const bodiless = ({ method, response: { status } }: GatewayExchange): boolean =>
  method === "HEAD" || status === 204 || status === 205 || status === 304;

/** @param stated length of the omitted body; 205 has normal framing */
function lengthWithoutBody(status: number, stated: string | undefined): string | undefined {
  if (status === 204) return undefined;
  return status === 205 ? "0" : stated;
}

const headText = (x: GatewayExchange) =>
  statusLine(x.response.status, x.response.reason) + x.response.headers.toWire();

/** Status for the log if the client disconnected before there was one, as in nginx. */
const CLIENT_GONE = 499;

/** Status of an aborted request: that of its error response, or 499. */
export const abortedStatus = (x: GatewayExchange): number => x.inbound.refusedWith || CLIENT_GONE;

function describeKeptBody({ response, responseCapture }: GatewayExchange): void {
  if (responseCapture !== undefined)
    responseCapture.coding = response.headers.get("content-encoding")?.toLowerCase() ?? "";
}

/** Sends and captures a piece of the body. */
export function passText(x: GatewayExchange, piece: string): void {
  x.bodyBytesSent += piece.length;
  x.responseCapture?.addText(piece);
  x.inbound.text(piece);
}

/** `passText` for bytes, which must not change any more. */
export function passBytes(x: GatewayExchange, piece: Buffer): void {
  x.bodyBytesSent += piece.length;
  x.responseCapture?.add(piece, 0, piece.length);
  x.inbound.data(piece, 0, piece.length);
}

/** Pauses the source of the body until the client has drained the output. */
export function waitForClient(inbound: InboundRequest, source: UpstreamConnection | undefined): void {
  source?.pause();
  inbound.onDrain = () => {
    inbound.onDrain = undefined;
    source?.resume();
  };
}

/** Sends the head of a body that passes through, with the upstream's framing if the client can read it. */
export function startPassing(
  x: GatewayExchange,
  head: Pick<ResponseHead, "framing" | "contentLength">,
): void {
  const { inbound } = x;
  describeKeptBody(x);
  if (bodiless(x)) {
    inbound.start(headText(x), "none", lengthWithoutBody(x.response.status, head.contentLength));
    return;
  }
  let framing: ResponseFraming = inbound.head.minor === 0 ? "close" : "chunked";
  let length: string | undefined;
  if (head.framing.kind === "length") {
    framing = "length";
    length = String(head.framing.length);
  } else if (head.framing.kind === "none") {
    framing = "length";
    length = "0";
  }
  inbound.start(headText(x), framing, length);
}

/** Sends a response with a complete body, which is omitted if `bodiless`. */
export function sendWhole(x: GatewayExchange, body: string | Buffer): void {
  const { inbound } = x;
  const { status } = x.response;
  describeKeptBody(x);
  if (bodiless(x)) {
    const stated = status === 304 ? undefined : String(body.length);
    inbound.start(headText(x), "none", lengthWithoutBody(status, stated));
  } else {
    inbound.start(headText(x), "length", String(body.length));
    if (typeof body === "string") passText(x, body);
    else passBytes(x, body);
  }
  inbound.end();
}

/** Returns the upstream of a request without a plugin's reply, or the status of its error response. */
export function selectUpstream(x: GatewayExchange, rules?: PathRules): LiveUpstream | 400 | 404 | 503 {
  const { route } = x;
  if (route === undefined) return 404;
  if (route.row.unavailable !== undefined) return route.row.unavailable;
  return normalizeTarget(x, rules) ? (route.upstream ?? 503) : 400;
}

/** Value of Allow in a 405 (RFC 9110 section 15.5.6): only TRACE and TRACK are rejected by the gateway itself. */
const FORWARDED_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Replaces the response by an error: 400, 404, 405, 500, 502, 503 or 504. */
export function failWith(x: GatewayExchange, status: number): void {
  if (status === 404 && x.route === undefined)
    x.response.answer(404, NOT_FOUND_BODY, "text/plain; charset=utf-8");
  else x.response.answer(status, errorPage(status), "text/html");
  if (status === 405) x.response.headers.append("Allow", FORWARDED_METHODS);
}

/** Discards a started response of which nothing has left, so that another can start. */
export function resetResponse(x: GatewayExchange): void {
  x.inbound.discardUnsent();
  x.bodyBytesSent = 0;
  x.responseCapture?.restart();
}

/** Captures the arrived part of the request body for loggers; the rest is read after the response. */
function captureBody(x: GatewayExchange, path: WorkerContext): void {
  if (x.inbound.bodyDone && x.bufferedRequest === undefined) return;
  try {
    captureRequest(x);
  } catch (error) {
    path.moduleFailed(x, error);
  }
  keepArrivedBody(x);
  x.inbound.lateBody = true;
}

export function sendLocalReply(x: GatewayExchange, path: WorkerContext): void {
  captureBody(x, path);
  if (x.inbound.finished) {
    // The arrived part of the body was invalid, so the client got an error response.
    x.response.status = abortedStatus(x);
    return;
  }
  try {
    headerFilters(x);
  } catch (error) {
    path.moduleFailed(x, error);
    failWith(x, 500);
  }
  let body = filteredWhole(x, path, x.response.replacement ?? x.response.ownBody ?? "");
  if (body === undefined) {
    failWith(x, 502);
    body = x.response.ownBody ?? "";
  }
  sendWhole(x, body);
}

/** @param failed receives the reason before undefined is returned */
export function applyFilters(
  { response, route }: GatewayExchange,
  text: string,
  failed: (reason: string) => void = () => {},
): string | undefined {
  let body = text;
  for (const filter of response.filters ?? []) {
    if (body.length > filter.maxBytes) {
      if (filter.oversize !== "refuse") continue;
      failed(TOO_LARGE);
      return undefined;
    }
    markRunning(route, CodeKind.filter);
    try {
      body = filter.apply(body);
    } catch (error) {
      failed(filterFault(error));
      return undefined;
    } finally {
      clearRunning();
    }
  }
  return body;
}

/** `applyFilters` for a body that is not the upstream's; reports failures. */
export function filteredWhole(x: GatewayExchange, path: WorkerContext, text: string): string | undefined {
  return applyFilters(x, text, (found) => {
    const reason = found === TOO_LARGE ? "the body is too large for a filter" : found;
    path.report("body_not_filtered", x, x.response.fault ?? reason);
  });
}

/** Framing of a body of unknown length. */
export const UNKNOWN_LENGTH = { framing: { kind: "chunked" }, contentLength: undefined } as const;

/** Adds the statuses of all attempts if the last one failed or got a 5xx (reference 3.3). */
export function tellUpstreamStatus({ attempts, response }: GatewayExchange): void {
  const last = attempts.at(-1)?.status;
  if (last === undefined || last < 500) return;
  response.headers.append("X-GW-Upstream-Status", attempts.map(({ status }) => status).join(", "));
}
