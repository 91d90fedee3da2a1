import type { IncomingMessage, ServerResponse } from "node:http";
import { type HardenedServer, hardenedServer } from "./hardened-server.js";

/** Reason for programs (`code` and further fields) and for people. */
export interface NotReady {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/** Codes of impairments while requests are served. */
export const WARNINGS = [
  ...["certificate_file", "control_missing", "last_known_good", "launcher_silent", "no_generation"],
  "not_listening",
  ...["reload_refused", "route_quarantined", "service_down", "starting", "workers_behind", "workers_missing"],
  "write_failed",
] as const;

export interface StatusParts {
  /** Returns the reasons why requests are not served, or soon will not be; empty if the gateway is ready. */
  reasons: () => readonly NotReady[];
  warnings: () => readonly NotReady[];
  /** Returns further fields of `/status/ready`: workers and their generation. */
  details: () => object;
}

/** Server of `/status/live` (also `/status`): the gateway is alive, and `/status/ready`: it serves. */
export function statusServer({ reasons, warnings, details }: StatusParts): HardenedServer {
  return hardenedServer((request, response) => {
    const ready = () => readiness(reasons(), { warnings: warnings(), ...details() });
    sendJson(response, request.method, ...statusAnswer(request, ready));
  });
}

type StatusAnswer = [status: number, body: object];

export function statusAnswer({ url = "/" }: IncomingMessage, ready: () => StatusAnswer): StatusAnswer {
  const [path] = url.split("?", 1);
  if (path === "/status" || path === "/status/live") return [200, { status: "ok" }];
  return path === "/status/ready" ? ready() : [404, { error_msg: "not found" }];
}

export function readiness(reasons: readonly NotReady[], rest: object): StatusAnswer {
  const [first] = reasons;
  if (first === undefined) return [200, { status: "ok", ...rest }];
  return [503, { status: "error", error: first.message, reasons, ...rest }];
}

export function sendJson(
  response: ServerResponse,
  method: string | undefined,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = `${JSON.stringify(body)}\n`;
  const length = Buffer.byteLength(text);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": length, ...headers });
  response.end(method === "HEAD" ? "" : text);
}
