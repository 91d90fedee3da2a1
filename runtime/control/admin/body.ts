import type { IncomingMessage } from "node:http";
import { messageOf } from "../../abi/error-message.js";
import { MAX_VALUES } from "../../abi/resource-limits.js";
import { type ApiResponse, failure, json, refusal } from "./answer.js";
import { extentOfText } from "./text-extent.js";

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
