import type { IncomingMessage, ServerResponse } from "node:http";
import { exhaustionOf, messageOf } from "../../abi/error-message.js";
import { peerAddress } from "../../abi/text/addresses.js";
import { sendAnswer } from "../../process/api-response.js";
import { log } from "../../process/log.js";
import { type HardenedServer, hardenedServer } from "../hardened-server.js";
import { type ApiResponse, failure, json, page } from "./answer.js";
import type { Authentication } from "./authentication.js";
import { readBody } from "./body.js";
import {
  type BrowserPolicy,
  CORS_PREFLIGHT,
  corsFields,
  mayCrossOrigins,
  rejectCrossSite,
} from "./browser.js";
import { DASHBOARD, dashboard } from "./dashboard.js";
import { dispatch } from "./dispatch.js";
import { HEALTHCHECK, healthcheck } from "./healthcheck.js";
import type { DispatchParts } from "./operation.js";
import { operationOf } from "./operations.js";
import type { OverviewStreams, Viewer } from "./overview.js";
import { isDryRun, queryFault, queryOf } from "./query.js";

export interface AdminParts extends DispatchParts {
  authentication: () => Authentication;
  allowed: (address: string) => boolean;
  browser: () => BrowserPolicy;
  dashboard: () => boolean;
  streams: Pick<OverviewStreams, "serve">;
  /** Receives each change and each rejected change of an authorized caller. */
  audit?: (record: Readonly<Record<string, unknown>>) => void;
}

const PREFIX = "/gw/admin";
const EVENTS = "overview/events";
/** Admin API over `node:http`; it is not on the path of any client request. */
export function adminServer(parts: AdminParts): HardenedServer {
  return hardenedServer((request, response) => {
    void serve(parts, request, response);
  });
}

async function serve(parts: AdminParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "/" } = request;
  const query = queryOf(url);
  try {
    const answer = await answerTo(parts, request, query);
    if ("stream" in answer) {
      const cors = corsFields(parts.browser());
      const refused = parts.streams.serve(response, cors, viewerOf(parts, request), query);
      if (refused !== undefined) sendAnswer(response, refused, cors);
      return;
    }
    const event = isWrite(request) ? writeEvent(parts, request, query, answer) : undefined;
    // Logged before the response, so that every acknowledged change is in the audit log.
    if (event !== undefined && isAudited(parts, event))
      parts.audit?.({
        event: "admin_write",
        ...event,
        ...(answer.changed && { value: answer.changed.value }),
      });
    sendAnswer(response, answer, method === "OPTIONS" ? {} : corsFields(parts.browser()));
    if (event !== undefined) log("admin_write", { ...event });
  } catch (error) {
    log("admin_failed", {
      method,
      path: loggedPath(url),
      error: loggedReason(messageOf(error)),
    });
    const exhausted = exhaustionOf(error);
    const answer = exhausted === undefined ? failure(500, "internal error") : failure(503, exhausted);
    if (!response.headersSent) sendAnswer(response, answer, corsFields(parts.browser()));
  }
}

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

function isWrite(request: IncomingMessage): boolean {
  const { method = "GET" } = request;
  const path = pathOf(request);
  if (READS.has(method)) return false;
  const below = path.startsWith(`${PREFIX}/`) ? segmentsOf(path.slice(PREFIX.length)) : undefined;
  return below === undefined || operationOf(method, below)?.onlyAsks !== true;
}

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

function writeEvent(
  parts: AdminParts,
  request: IncomingMessage,
  query: URLSearchParams,
  answer: ApiResponse,
): WriteEvent {
  const { method = "GET", socket } = request;
  const { status, changed } = answer;
  const key = parts.authentication().identityOf(keyOf(request))?.name;
  const reason = status < 400 ? undefined : reasonIn(answer);
  return {
    method,
    path: loggedPath(request.url ?? "/"),
    status,
    address: peerAddress(socket.remoteAddress),
    ...(key !== undefined && { key }),
    ...(changed && { kind: changed.kind, id: changed.id, changed: changed.fields }),
    ...(reason !== undefined && { reason: loggedReason(reason) }),
    ...(isDryRun(query) && { dry_run: true }),
  };
}

/** Excludes callers without a valid key, whose number is unlimited, unless no key is required. */
const isAudited = ({ authentication }: AdminParts, { key, dry_run }: WriteEvent): boolean =>
  dry_run === undefined && (key !== undefined || !authentication().required);

/** Returns the reason in the response without the text that the client had sent. */
function reasonIn({ body, type, reason }: ApiResponse): string | undefined {
  if (reason !== undefined) return reason;
  if (type !== undefined) return undefined;
  const { error_msg, description, message } = (body ?? {}) as Record<string, unknown>;
  const said = [error_msg, description, message].filter((text) => typeof text === "string");
  return said.length === 0 ? undefined : said.join(": ");
}

const single = (field: string | string[] | undefined) => (Array.isArray(field) ? field[0] : field);
/** Scheme that a 401 must name (RFC 9110 section 11.6.1); browsers show no prompt for an unknown one. */
const CHALLENGE = { "WWW-Authenticate": 'ApiKey realm="admin"' };

const keyOf = ({ headers }: IncomingMessage) => single(headers["x-api-key"]);

function viewerOf(parts: AdminParts, request: IncomingMessage): Viewer {
  const address = request.socket.remoteAddress ?? "";
  const key = keyOf(request);
  return {
    key: parts.authentication().identityOf(key),
    address: peerAddress(address),
    gone: () => {
      if (!parts.allowed(address)) return "address";
      return parts.authentication().denial(key, "GET") === undefined ? undefined : "key";
    },
  };
}

async function answerTo(
  parts: AdminParts,
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<ApiResponse | { stream: true }> {
  const { method = "GET" } = request;
  if (!parts.allowed(request.socket.remoteAddress ?? "")) return page(403, "Forbidden");
  const policy = parts.browser();
  const path = pathOf(request);
  const isPage = path === DASHBOARD || path.startsWith(`${DASHBOARD}/`);
  const refused = rejectCrossSite(request, policy, isPage);
  if (refused) return refused;
  if (method === "OPTIONS" && mayCrossOrigins(policy)) return { status: 200, headers: CORS_PREFLIGHT };
  if (isPage && parts.dashboard())
    return method === "GET" || method === "HEAD"
      ? dashboard(
          path.slice(DASHBOARD.length),
          request.headers["accept-encoding"],
          parts.authentication().required,
        )
      : page(405, "Not Allowed");
  const prefix = [PREFIX, HEALTHCHECK].find((one) => path === one || path.startsWith(`${one}/`));
  if (prefix === undefined) return page(404, "Not Found");
  const segments = segmentsOf(path.slice(prefix.length + 1));
  if (!segments) return page(400, "Bad Request");
  if (segments.length === 0 && prefix === PREFIX)
    return method === "HEAD" ? { status: 200 } : page(404, "Not Found");
  if (!["GET", "HEAD", "PUT", "POST", "DELETE", "PATCH"].includes(method)) return page(405, "Not Allowed");
  const operation = prefix === PREFIX ? operationOf(method, segments) : undefined;
  const denial = parts.authentication().denial(keyOf(request), method, operation?.onlyAsks);
  if (denial !== undefined)
    return { ...json(401, { error_msg: "failed to check token", description: denial }), headers: CHALLENGE };
  const fault = queryFault(query);
  if (fault !== undefined) return versioned(failure(400, fault));
  if (prefix === HEALTHCHECK)
    return method === "GET" || method === "HEAD"
      ? healthcheck(parts.nodes, segments)
      : page(405, "Not Allowed");
  if (method === "GET" && prefix === PREFIX && segments.join("/") === EVENTS) return { stream: true };
  const bodyText = await readBody(request, operation?.mostBytes);
  if (typeof bodyText !== "string") return versioned(bodyText);
  const answer = await dispatch(parts, {
    method: method === "HEAD" ? "GET" : method,
    segments,
    query,
    bodyText,
    condition: { ifMatch: request.headers["if-match"], ifNoneMatch: request.headers["if-none-match"] },
    contentType: request.headers["content-type"],
    accept: request.headers.accept,
    key: parts.authentication().identityOf(keyOf(request)),
    address: peerAddress(request.socket.remoteAddress),
    note: single(request.headers["x-gw-note"]),
  });
  return versioned(answer);
}

const versioned = (answer: ApiResponse): ApiResponse => ({
  ...answer,
  headers: { "X-API-VERSION": "v3", ...answer.headers },
});

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** Returns the decoded segments without empty ones; undefined if an escape is invalid. */
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

/** Maximum lengths of a path and a reason in the log: an id has 64 characters, 192 if each is escaped. */
const MAX_PATH = 256;
const MAX_REASON = 1_024;

/**
 * Returns the path of a request for the log and the audit log: as received, so that ids, which are not
 * secret, can be found. Omits query, fragment, and the authority of an absolute target with its password.
 */
function loggedPath(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
  return cut(path, MAX_PATH);
}

/** Cuts a reason, which may contain names of resources and fields from the client. */
const loggedReason = (reason: string): string => cut(reason, MAX_REASON);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
