import type { IncomingMessage, ServerResponse } from "node:http";
import { exhaustionOf, messageOf } from "../../abi/error-message.js";
import { peerAddress } from "../../abi/text/ip-address.js";
import { log } from "../../process/log.js";
import { type OwnServer, ownServer } from "../own-listener.js";
import { type Answer, failure, json, page, SERVER } from "./answer.js";
import type { Authentication } from "./authentication.js";
import { readBody } from "./body.js";
import {
  type BrowserPolicy,
  CORS_PREFLIGHT,
  corsFields,
  mayCrossOrigins,
  refusedWithoutKey,
} from "./browser.js";
import { type DispatchParts, dispatch } from "./dispatch.js";
import { HEALTHCHECK, healthcheck, type NodeHealthParts } from "./healthcheck.js";

export interface AdminParts extends DispatchParts {
  authentication: () => Authentication;
  /** False: the peer may not call at all. */
  allowed: (address: string) => boolean;
  browser: () => BrowserPolicy;
  nodes: NodeHealthParts;
  /** Told of what somebody with a key has changed or was refused. */
  audit?: (record: Readonly<Record<string, unknown>>) => void;
}

const PREFIX = "/gw/admin";
/** The admin API over `node:http`; it is not on the path of any client request. */
export function adminServer(parts: AdminParts): OwnServer {
  return ownServer((request, response) => {
    void serve(parts, request, response);
  });
}

async function serve(parts: AdminParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET" } = request;
  try {
    const answer = await answerTo(parts, request);
    const event = isWrite(method) ? writeEvent(parts, request, answer) : undefined;
    // Before the answer: what was acknowledged is in the file.
    if (event?.key !== undefined && event.dry_run === undefined) audited(parts, event, answer);
    write(response, answer, method === "OPTIONS" ? {} : corsFields(parts.browser()));
    if (event !== undefined) log("admin_write", { ...event });
  } catch (error) {
    log("admin_failed", {
      method,
      path: pathOf(request),
      error: messageOf(error),
    });
    const exhausted = exhaustionOf(error);
    const answer = exhausted === undefined ? failure(500, "internal error") : failure(503, exhausted);
    if (!response.headersSent) write(response, answer, corsFields(parts.browser()));
  }
}

const isWrite = (method: string) => method !== "GET" && method !== "HEAD" && method !== "OPTIONS";

interface WriteEvent {
  method: string;
  path: string;
  status: number;
  address: string;
  /** Name of the key, never the key. */
  key?: string;
  kind?: string;
  id?: string;
  changed?: readonly string[];
  reason?: string;
  dry_run?: true;
}

function writeEvent(parts: AdminParts, request: IncomingMessage, answer: Answer): WriteEvent {
  const { method = "GET", socket, url = "" } = request;
  const { status, changed } = answer;
  const key = parts.authentication().nameOf(keyOf(request));
  const reason = status < 400 ? undefined : reasonIn(answer);
  return {
    method,
    path: pathOf(request),
    status,
    address: peerAddress(socket.remoteAddress),
    ...(key !== undefined && { key }),
    ...(changed && { kind: changed.kind, id: changed.id, changed: changed.fields }),
    ...(reason !== undefined && { reason }),
    ...(/[?&]dry_run=true(?:&|$)/.test(url) && { dry_run: true }),
  };
}

function audited({ audit }: AdminParts, event: WriteEvent, { changed }: Answer): void {
  audit?.({ event: "admin_write", ...event, ...(changed && { value: changed.value }) });
}

/** As the client was told. */
function reasonIn({ body, type }: Answer): string | undefined {
  if (type !== undefined) return undefined;
  const { error_msg, description, message } = (body ?? {}) as Record<string, unknown>;
  const said = [error_msg, description, message].filter((text) => typeof text === "string");
  return said.length === 0 ? undefined : said.join(": ");
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-api-key"];
  return Array.isArray(key) ? key[0] : key;
}

async function answerTo(parts: AdminParts, request: IncomingMessage): Promise<Answer> {
  const { method = "GET" } = request;
  if (!parts.allowed(request.socket.remoteAddress ?? "")) return page(403, "Forbidden");
  const policy = parts.browser();
  const refused = refusedWithoutKey(request, policy);
  if (refused) return refused;
  if (method === "OPTIONS" && mayCrossOrigins(policy)) return { status: 200, headers: CORS_PREFLIGHT };
  const path = pathOf(request);
  const prefix = [PREFIX, HEALTHCHECK].find((one) => path === one || path.startsWith(`${one}/`));
  if (prefix === undefined) return page(404, "Not Found");
  const segments = segmentsOf(path.slice(prefix.length + 1));
  if (!segments) return page(400, "Bad Request");
  if (segments.length === 0 && prefix === PREFIX)
    return method === "HEAD" ? { status: 200 } : page(404, "Not Found");
  if (!["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"].includes(method)) return page(405, "Not Allowed");
  const denial = parts.authentication().denial(keyOf(request), method);
  if (denial !== undefined) return json(401, { error_msg: "failed to check token", description: denial });
  if (prefix === HEALTHCHECK)
    return method === "GET" || method === "HEAD"
      ? healthcheck(parts.nodes, segments)
      : page(405, "Not Allowed");
  const bodyText = await readBody(request);
  if (typeof bodyText !== "string") return versioned(bodyText);
  const answer = await dispatch(parts, {
    method: method === "HEAD" ? "GET" : method,
    segments,
    query: new URLSearchParams(request.url?.split("?").slice(1).join("?") ?? ""),
    bodyText,
    condition: { ifMatch: request.headers["if-match"], ifNoneMatch: request.headers["if-none-match"] },
    contentType: request.headers["content-type"],
    accept: request.headers.accept,
  });
  return versioned(answer);
}

const versioned = (answer: Answer): Answer => ({
  ...answer,
  headers: { "X-API-VERSION": "v3", ...answer.headers },
});

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** Decoded segments without empty ones; undefined for an escape that is none. */
function segmentsOf(path: string): string[] | undefined {
  try {
    return path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function write(
  response: ServerResponse,
  { status, body, type, headers }: Answer,
  cors: Readonly<Record<string, string>>,
): void {
  const text = body === undefined ? "" : type === undefined ? `${JSON.stringify(body)}\n` : String(body);
  response.writeHead(status, {
    "Content-Type": type ?? "application/json",
    "Content-Length": Buffer.byteLength(text),
    Server: SERVER,
    ...cors,
    ...headers,
  });
  response.end(text);
}
