import type { ServerResponse } from "node:http";
import { VERSION } from "../abi/version.js";

/** An answer of the gateway's own servers before it is written. */
export interface ApiResponse {
  status: number;
  /** JSON, or text or bytes as they are when `type` says so; undefined: empty. */
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** Why a write is refused, without what was written, for logs: never sent. Default: the text of the body. */
  reason?: string;
  /** What was changed, for the log: never sent. */
  changed?: { kind: string; id: string; fields: readonly string[]; value: unknown };
}

export const json = (status: number, body: unknown): ApiResponse => ({ status, body });
/** The reference's error shape. */
export const failure = (status: number, message: string): ApiResponse => json(status, { error_msg: message });

const SERVER = `GW/${VERSION}`;

/** Writes an answer whole. @param more fields of the head, which those of the answer take the place of */
export function sendAnswer(
  response: ServerResponse,
  { status, body, type, headers }: ApiResponse,
  more: Readonly<Record<string, string>> = {},
): void {
  const content = contentOf(body, type);
  response.writeHead(status, {
    "Content-Type": type ?? "application/json",
    "Content-Length": Buffer.byteLength(content),
    Server: SERVER,
    ...more,
    ...headers,
  });
  response.end(content);
}

function contentOf(body: unknown, type: string | undefined): string | Uint8Array {
  if (body === undefined) return "";
  if (type === undefined) return `${JSON.stringify(body)}\n`;
  return body instanceof Uint8Array ? body : String(body);
}
