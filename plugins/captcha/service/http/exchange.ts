import { STATUS_CODES } from "node:http";
import type { InboundRequest, WireFault } from "../../../../runtime/process/service-api.js";
import type { CaptchaResponse } from "../contract.js";
import { UNREADABLE } from "./answer.js";

/** Everything that the service reads is far below. */
export const MAX_BODY_BYTES = 16_384;

/** Passes undefined if the body exceeds `MAX_BODY_BYTES`. */
export function wholeBody(inbound: InboundRequest, use: (body: Buffer | undefined) => void): void {
  const { framing } = inbound.head;
  if (framing.kind === "length" && framing.length > MAX_BODY_BYTES) {
    // Not read: the connection closes after the early response.
    use(undefined);
    return;
  }
  const pieces: Buffer[] = [];
  let length = 0;
  inbound.readBody({
    data(buffer, start, end) {
      const isFirst = length <= MAX_BODY_BYTES;
      length += end - start;
      if (length <= MAX_BODY_BYTES) pieces.push(Buffer.from(buffer.subarray(start, end)));
      else if (isFirst) {
        pieces.length = 0;
        use(undefined);
      }
      return false;
    },
    end() {
      if (length <= MAX_BODY_BYTES) use(Buffer.concat(pieces));
    },
  });
}

/** Does nothing if the client has disconnected. */
export function send(inbound: InboundRequest, answer: CaptchaResponse, now: number): void {
  if (inbound.over || inbound.started) return;
  const { status, body } = answer;
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  let head = statusLine(status) + dateLine(now);
  for (const name in answer.headers) head += `${name}: ${answer.headers[name]}\r\n`;
  const bodiless = status === 204 || status === 304;
  const empty = bodiless || inbound.head.method === "HEAD";
  inbound.start(head, empty ? "none" : "length", bodiless ? undefined : String(bytes));
  if (!empty) {
    if (typeof body !== "string") inbound.data(body, 0, bytes);
    // Only one-byte characters: the text is its own byte string.
    else inbound.text(bytes === body.length ? body : Buffer.from(body).toString("latin1"));
  }
  inbound.end();
}

/** Response to bytes that are no request; the connection closes after it. */
export function refusal(fault: WireFault, bodiless: boolean, now: number): string {
  const body = bodiless ? "" : UNREADABLE;
  return `${statusLine(fault.status)}${dateLine(now)}Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${UNREADABLE.length}\r\nConnection: close\r\n\r\n${body}`;
}

const statusLine = (status: number) => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;

let second = -1;
let line = "";

/** RFC 9110 section 5.6.7; computed once a second. */
function dateLine(now: number): string {
  const present = Math.floor(now / 1_000);
  if (present !== second) {
    second = present;
    line = `Date: ${new Date(present * 1_000).toUTCString()}\r\n`;
  }
  return line;
}
