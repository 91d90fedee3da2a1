import { API, type ApiError } from "../../service/protocol.js";
import { CallError } from "./faults.js";

/** Response timeout in ms. */
const PATIENCE = 20_000;
/** Own address without the path of the frame. */
const base = location.pathname.replace(/\/f\/v1\/.*$/, "");

const apiPath = (path: string): string => `${base}${API}${path}`;

/** @throws CallError */
export async function call<Answer>(path: string, body: object): Promise<Answer> {
  const response = await request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json().catch(() => {
    throw new CallError("service_unavailable");
  })) as Answer;
}

/** @throws CallError */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const cut = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    cut.abort();
  }, PATIENCE);
  try {
    const response = await fetch(apiPath(path), {
      ...init,
      credentials: "omit",
      cache: "no-store",
      signal: cut.signal,
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  } catch (error) {
    if (error instanceof CallError) throw error;
    throw new CallError(late ? "timeout" : "network_error");
  } finally {
    clearTimeout(timer);
  }
}

async function refusalOf(response: Response): Promise<CallError> {
  // A proxy in between responds with pages of its own.
  const body = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
  const status = response.status;
  const code =
    typeof body?.error === "string" ? body.error : status === 429 ? "rate_limited" : "service_unavailable";
  return new CallError(code, typeof body?.retry_after_ms === "number" ? body.retry_after_ms : 0);
}
