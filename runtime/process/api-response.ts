import type { ServerResponse } from "node:http";
import { VERSION } from "../abi/version.js";

/** Response of the gateway's own servers before it is written. */
export interface ApiResponse {
  status: number;
  /** JSON; text or bytes unchanged if `type` is set; undefined: empty. */
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** Reason of a rejected write for logs, without any written value; never sent. Default: text of the body. */
  reason?: string;
  /** Change for the log; never sent. */
  changed?: { kind: string; id: string; fields: readonly string[]; value: unknown };
}

export const json = (status: number, body: unknown): ApiResponse => ({ status, body });
/** Returns an error in the reference's shape. */
export const failure = (status: number, message: string): ApiResponse => json(status, { error_msg: message });

const SERVER = `GW/${VERSION}`;

/** Writes a complete response. @param more headers that those of the response replace */
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
