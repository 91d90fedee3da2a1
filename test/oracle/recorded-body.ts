import { bodyAfter, mayHaveBody } from "../../plugins/response-rewrite/oracle.js";
import { decoded, isDecodable } from "./coding.js";
import { fieldOf } from "./message.js";
import type { State } from "./state.js";

/** A body as records show it. */
export interface RecordedBody {
  /** A byte string: text that is UTF-8, else base64. */
  text: string;
  base64: boolean;
  /** The same bytes as they are, which formats read. */
  bytes: string;
  truncated: boolean;
  /** Bytes of the whole body as it passed. */
  size: number;
}

/** A body without what may not be logged. */
type Masked = (body: string) => string;

/** The first bytes of what the client sent. */
export function requestBody(
  { request, loggedBody }: State,
  limit: number,
  masked: Masked,
): RecordedBody | undefined {
  return shown(loggedBody, fieldOf(request.headers, "content-encoding"), limit, masked);
}

/** The first bytes of what the client gets, decoded. */
export function responseBody(state: State, limit: number, masked: Masked): RecordedBody | undefined {
  const { response } = state;
  if (response === undefined || !mayHaveBody(state)) return undefined;
  const body = response.wishes.length === 0 ? response.body : (bodyAfter(response) ?? "");
  return shown(body, fieldOf(response.headers, "content-encoding"), limit, masked);
}

function shown(
  body: string,
  coding: string | undefined,
  limit: number,
  masked: Masked,
): RecordedBody | undefined {
  if (body === "") return undefined;
  const plain = isDecodable(coding) ? (decoded(body, coding) ?? body) : body;
  const truncated = plain.length > limit || body.length > limit;
  const bytes = masked(plain.slice(0, limit));
  const whole = truncated ? withoutBrokenEnd(bytes) : bytes;
  if (isText(whole)) return { text: whole, base64: false, bytes, truncated, size: body.length };
  return {
    text: Buffer.from(bytes, "latin1").toString("base64"),
    base64: true,
    bytes,
    truncated,
    size: body.length,
  };
}

const isText = (bytes: string) =>
  Buffer.from(Buffer.from(bytes, "latin1").toString("utf8"), "utf8").toString("latin1") === bytes;

/** Without a character that the cut went through. */
function withoutBrokenEnd(bytes: string): string {
  for (const cut of [0, 1, 2, 3]) {
    const shorter = bytes.slice(0, bytes.length - cut);
    if (isText(shorter)) return shorter;
  }
  return bytes;
}
