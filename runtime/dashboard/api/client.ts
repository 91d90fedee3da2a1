import { QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import type { Finding } from "./answers.gen";
import { adminKey, type Session, signOut } from "./session";
import { SharedState, useShared } from "./shared-state";

export type { Finding, Fix, Position, Span } from "./answers.gen";

/** Error for a response of 400 and above, with its message and diagnostics. */
export class AdminError extends Error {
  readonly status: number;
  readonly findings: readonly Finding[];

  constructor(status: number, message: string, findings: readonly Finding[]) {
    super(message);
    this.status = status;
    this.findings = findings;
  }
}

/** Error for a missing response: the gateway or the network is down. */
export class UnreachableError extends Error {
  constructor() {
    super(i18next.t("failed.unreachable"));
  }
}

export interface AdminCall {
  method?: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** A string is sent unchanged, so that positions in it stay valid; other values become JSON. */
  body?: unknown;
  ifMatch?: string | undefined;
  /** Writes only if the resource does not exist. */
  onlyNew?: boolean;
  note?: string;
  /** Default: the key of the signed-in user. */
  key?: string;
  signal?: AbortSignal | undefined;
}

export interface AdminAnswer<Body> {
  status: number;
  /** Entity tag of the resource; null if it has none, as one from a file. */
  etag: string | null;
  body: Body;
}

/**
 * @param path below `/gw/admin/`, with encoded segments
 * @throws AdminError for a response of 400 and above, UnreachableError without a response
 */
export async function callAdmin<Body>(path: string, call: AdminCall = {}): Promise<AdminAnswer<Body>> {
  let response: Response;
  try {
    response = await requestAdmin(path, call);
  } catch (error) {
    if (call.signal?.aborted) throw error;
    throw unreachable();
  }
  if (isStarting(response)) throw unreachable();
  if (response.status === BAD_GATEWAY) awaySince.current ??= Date.now();
  else awaySince.current = undefined;
  const answer = await parsed(response);
  if (response.ok)
    return { status: response.status, etag: response.headers.get("etag"), body: answer as Body };
  // The key was accepted before and is now rejected: somebody changed it. The text in the editor stays.
  if (response.status === 401 && call.key === undefined && isKeyRefusal(answer)) signOut("refused");
  throw refusal(response.status, answer);
}

/** Function of a query that reads a path. */
export const fetched =
  <Body>(path: string) =>
  async ({ signal }: { signal: AbortSignal }): Promise<Body> =>
    (await callAdmin<Body>(path, { signal })).body;

/** Does not read the response, for streams. @throws TypeError without a response */
export function requestAdmin(path: string, call: AdminCall = {}): Promise<Response> {
  const { method = "GET", body, ifMatch, onlyNew, note = "", key = adminKey(), signal } = call;
  return fetch(`/gw/admin/${path}`, {
    method,
    cache: "no-store",
    credentials: "omit",
    ...(signal && { signal }),
    headers: {
      ...(key !== "" && { "X-API-KEY": key }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(ifMatch !== undefined && { "If-Match": ifMatch }),
      ...(onlyNew && { "If-None-Match": "*" }),
      ...(note !== "" && { "X-Gw-Note": inBytes(note) }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** Encodes a text for a header, which holds bytes: the bytes of its UTF-8, one character each. */
const inBytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

/** Status with which `gwc ui` reports that it cannot reach the gateway. */
const BAD_GATEWAY = 502;
/** Reports whether a response was sent in place of control, which is starting. */
const isStarting = ({ status, headers }: Response) => status === 503 && headers.has("Retry-After");

async function parsed(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const isKeyRefusal = (answer: unknown) =>
  !/invalid method/.test(String((answer as { description?: string })?.description ?? ""));

function refusal(status: number, answer: unknown): AdminError {
  if (typeof answer !== "object" || answer === null) return new AdminError(status, `HTTP ${status}`, []);
  const { error_msg, message, description, diagnostics = [] } = answer as Record<string, unknown>;
  const said = [error_msg ?? message, description].filter((text) => typeof text === "string").join(": ");
  return new AdminError(status, said === "" ? `HTTP ${status}` : said, diagnostics as Finding[]);
}

/** Undefined if the requested resource does not exist. */
export const ifFound = <Found>(asked: Promise<Found>): Promise<Found | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof AdminError && error.status === 404) return undefined;
    throw error;
  });

/** @throws AdminError 401 for an invalid key */
export const readSession = async (key?: string): Promise<Session> =>
  (await callAdmin<Session>("session", key === undefined ? {} : { key })).body;

/** Interval in ms of polls for an unreachable gateway: a killed control restarts within two seconds. */
export const ASK_AGAIN_MS = 2_000;

/** Time in ms since the epoch of the first call without a response; undefined if the last call had one. */
const awaySince = new SharedState<number | undefined>(undefined);

function unreachable(): UnreachableError {
  awaySince.current ??= Date.now();
  return new UnreachableError();
}

/** Time since which the gateway does not respond; undefined if it does. */
export const useAwaySince = (): number | undefined => useShared(awaySince, (since) => since);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A rejection would be repeated; a gateway that does not respond may be restarting.
      retry: (count, error) => !(error instanceof AdminError) && count < 3,
      retryDelay: (count) => Math.min(4_000, 500 * 2 ** count),
    },
  },
});
