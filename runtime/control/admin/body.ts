import type { IncomingMessage } from "node:http";
import { messageOf } from "../../abi/error-message.js";
import { MAX_VALUES } from "../../abi/resource-limits.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";

/** Size of the value in a JSON text, computed without parsing. */
export interface TextExtent {
  depth: number;
  /** Number of values, containers included, and of `$`, as the compiler counts them in a resource. */
  values: number;
  /** Offsets at which the limits are first exceeded. */
  tooDeepAt?: number;
  tooManyAt?: number;
}

type Limits = Pick<TextExtent, "depth" | "values">;

/** Scans 1.5 MB in 5 ms. Invalid JSON has an extent too: `JSON.parse` reports the fault of a small one. */
export function extentOfText(text: string, limits: Limits = UNLIMITED): TextExtent {
  let values = 1;
  let level = 0;
  let depth = 0;
  let isOpened = false;
  let tooDeepAt: number | undefined;
  let tooManyAt: number | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    const isClosing = code === CLOSE_LIST || code === CLOSE_OBJECT;
    // A list or object has one more value than commas, unless it is empty.
    if (isOpened && !isClosing) values += 1;
    isOpened = code === OPEN_LIST || code === OPEN_OBJECT;
    if (isOpened) {
      depth = Math.max(depth, ++level);
      if (depth > limits.depth) tooDeepAt ??= at;
    }
    if (isClosing) level -= 1;
    if (code === COMMA) values += 1;
    if (code === QUOTE)
      for (at += 1; at < text.length; at += 1) {
        const inner = text.charCodeAt(at);
        if (inner === QUOTE) break;
        if (inner === DOLLAR) values += 1;
        else if (inner === BACKSLASH) at += 1;
      }
    if (values > limits.values) tooManyAt ??= Math.min(at, text.length);
  }
  return {
    ...{ depth, values },
    ...(tooDeepAt !== undefined && { tooDeepAt }),
    ...(tooManyAt !== undefined && { tooManyAt }),
  };
}

const UNLIMITED: Limits = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };
const SPACE = 0x20;
const QUOTE = 0x22;
const DOLLAR = 0x24;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Default limit of a request body: 1.5 MiB. */
const MAX_BODY_BYTES = 1_572_864;

/** Drops the rest of a body that is too large, up to eight times the limit, so that the client sees the response. */
export async function readBody(
  request: IncomingMessage,
  most = MAX_BODY_BYTES,
): Promise<string | ApiResponse> {
  const declared = Number(request.headers["content-length"] ?? 0);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= most) chunks.push(chunk);
    else if (size > MAX_BODY_BYTES * DRAIN_FACTOR) break;
  }
  if (size > most) return tooLarge(Math.max(size, declared), most);
  try {
    return UTF8.decode(Buffer.concat(chunks));
  } catch {
    return failure(400, "invalid request body: it is not valid UTF-8");
  }
}

/** Keeps a byte order mark, so that the parser can report it. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const DRAIN_FACTOR = 8;

function tooLarge(size: number, most: number): ApiResponse {
  return failure(
    400,
    `invalid request body: request size ${size} is greater than the maximum size ${most} allowed`,
  );
}

/** Parses a body; `undefined` if empty. Text beyond the limits of a resource is rejected without parsing. */
export function parseBody(text: string): { value: unknown } | { answer: ApiResponse } {
  if (text === "") return { value: undefined };
  const { tooDeepAt, tooManyAt, values } = extentOfText(text, { depth: MAX_DEPTH, values: MAX_VALUES });
  if (tooDeepAt !== undefined) {
    const message = `invalid request body: nested more than ${MAX_DEPTH} deep, at ${placeIn(text, tooDeepAt)}`;
    return { answer: failure(400, message) };
  }
  if (tooManyAt !== undefined) return { answer: tooManyValues(values, placeIn(text, tooManyAt)) };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const reason = withoutText(messageOf(error));
    return { answer: json(400, { error_msg: `invalid request body: ${reason}`, req_body: text }) };
  }
}

/** Reports GW2138 early: to parse, copy and locate 700,000 zeros took 1 s and delayed other writes. */
function tooManyValues(count: number, place: string): ApiResponse {
  const message = `the body contains ${count} values and variables; the limit is ${MAX_VALUES}`;
  const finding = {
    code: "GW2138",
    severity: "error" as const,
    message,
    notes: [],
    help: `split the resource: the first excess value is at ${place}`,
  };
  return refusal(400, `invalid configuration: ${message}`, [finding]);
}

/** Returns the position of an offset as "line 1, column 2". */
function placeIn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Removes the text that V8 quotes around a fault: it may be a secret, and logs store the message. */
const withoutText = (message: string): string =>
  message.replace(/^Unexpected token .*is not valid JSON$/s, "Unexpected token, it is not valid JSON");

/** Depth limit, which `JSON.parse` lacks: the code that processes a body afterwards is recursive. */
const MAX_DEPTH = 1000;
