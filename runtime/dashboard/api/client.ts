import i18next from "i18next";
import type { Finding, Span } from "./answers.gen";
import { answered, unanswered } from "./reach";
import { adminKey, type Session, signOut } from "./session";

/** A finding of the compiler as the admin API gives it. */
export type { Finding, Fix, Span } from "./answers.gen";
export type Position = Span["start"];

/** An answer that is no success, with what the gateway says of it. */
export class AdminError extends Error {
  readonly status: number;
  readonly findings: readonly Finding[];

  constructor(status: number, message: string, findings: readonly Finding[]) {
    super(message);
    this.status = status;
    this.findings = findings;
  }
}

/** No answer came: the gateway is away, or the network is. */
export class UnreachableError extends Error {
  constructor() {
    super(i18next.t("failed.unreachable"));
  }
}

export interface AdminCall {
  method?: "GET" | "PUT" | "POST" | "PATCH" | "DELETE";
  /** JSON text as it is, so that places in it stay true; or what becomes JSON. */
  body?: unknown;
  ifMatch?: string | undefined;
  /** Only where there is nothing yet. */
  onlyNew?: boolean;
  /** Why a change is made. */
  note?: string;
  /** Default: that of who is signed in. */
  key?: string;
  signal?: AbortSignal | undefined;
}

export interface AdminAnswer<Body> {
  status: number;
  /** Entity tag of the resource; null where it has none (from a file). */
  etag: string | null;
  body: Body;
}

/**
 * Asks the admin API.
 * @param path what follows `/gw/admin/`, segments encoded
 * @throws AdminError for an answer of 400 and above, Unreachable when there is none
 */
export async function callAdmin<Body>(path: string, call: AdminCall = {}): Promise<AdminAnswer<Body>> {
  let response: Response;
  try {
    response = await requestAdmin(path, call);
  } catch (error) {
    if (call.signal?.aborted) throw error;
    unanswered();
    throw new UnreachableError();
  }
  if (isStarting(response)) {
    unanswered();
    throw new UnreachableError();
  }
  if (response.status === BAD_GATEWAY) unanswered();
  else answered();
  const answer = await parsed(response);
  if (response.ok)
    return { status: response.status, etag: response.headers.get("etag"), body: answer as Body };
  // A key that was taken and no longer is: somebody changed it. What was typed stays in the editor.
  if (response.status === 401 && call.key === undefined && isKeyRefusal(answer)) signOut("refused");
  throw refusal(response.status, answer);
}

/** The same without a look at what is answered: for streams. @throws TypeError when there is no answer */
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

/** A field holds bytes: those of UTF-8, one character each. */
const inBytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

/** Status by which `gwc ui` tells of a gateway that it cannot reach. */
const BAD_GATEWAY = 502;
/** Reports whether an answer comes in control's place while that starts. */
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

/** Session of a key. @throws AdminError 401 for one that is none */
export const readSession = async (key?: string): Promise<Session> =>
  (await callAdmin<Session>("session", key === undefined ? {} : { key })).body;
