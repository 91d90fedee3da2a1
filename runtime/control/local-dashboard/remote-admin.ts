import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Agent, type Dispatcher } from "undici";
import { messageOf } from "../../abi/error-message.js";
import { type ApiResponse, failure } from "../admin/answer.js";

class WorkSlots {
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param waitMs timeout in ms of a queued caller */
  constructor(places: number, waitMs: number) {
    this.#free = places;
    this.#waitMs = waitMs;
  }

  /** Returns false on a timeout; otherwise the caller must return the slot. `left` aborts the wait. */
  async take(left: AbortSignal): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((settle) => {
      const end = (found: boolean) => {
        clearTimeout(timer);
        left.removeEventListener("abort", giveUp);
        this.#waiting.delete(taken);
        settle(found);
      };
      const taken = () => end(true);
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, this.#waitMs);
      left.addEventListener("abort", giveUp);
      this.#waiting.add(taken);
    });
  }

  /** Returns a slot; the caller that has waited longest gets it. */
  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next();
  }
}

/** Request headers for the admin API. No others leave this machine (no cookie, Origin or User-Agent). */
const SENT = ["x-api-key", "content-type", "accept", "if-match", "if-none-match", "x-gw-note"];
/** Response headers that the page reads; excludes cookies and headers of a single connection. */
const TAKEN = [
  ...[
    "content-type",
    "content-encoding",
    "etag",
    "cache-control",
    "vary",
    "retry-after",
    "content-security-policy",
  ],
  ...["x-api-version", "content-disposition"],
];
/** Headers that keep a remote response from acting as a page: only the interface has pages here. */
export const NO_PAGE: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

const EVENTS = /^[^?]*\/overview\/events\/*(?:\?|$)/;
const CONNECT_MS = 10_000;
/** Timeout in ms of a response: a write waits for the compiler and all workers. */
const ANSWER_MS = 70_000;
const SILENCE_MS = 60_000;
const CALLS = 32;
/** Limit of the gateway for one key. Streams stay open, so calls must not share their connections. */
const STREAMS = 8;
const WAIT_MS = 10_000;

export class RemoteAdmin {
  readonly address: string;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #key: string | undefined;
  readonly #calls: Pool;
  readonly #streams: Pool;

  /**
   * @param url http or https, without user information; its path precedes "/gw/admin"
   * @param key key for requests without one
   * @param waitMs timeout in ms for a connection if all are in use
   */
  constructor(url: URL, key: string | undefined, waitMs = WAIT_MS) {
    this.#calls = poolOf(CALLS, "calls", waitMs);
    this.#streams = poolOf(STREAMS, "streams", waitMs);
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, "");
    this.address = `${this.#origin}${this.#prefix}`;
    this.#key = key;
  }

  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** Returns the reason why the gateway does not respond; undefined if it does. */
  async fault(): Promise<string | undefined> {
    try {
      const path = `${this.#prefix}/gw/admin`;
      const { body } = await this.#calls.agent.request({ origin: this.#origin, path, method: "HEAD" });
      await body.dump();
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /**
   * Streams the response back, event streams too. @returns the reply to send instead if the gateway is
   * unreachable
   */
  async forward(
    request: IncomingMessage,
    path: string,
    body: string,
    response: ServerResponse,
  ): Promise<ApiResponse | undefined> {
    const aborted = new AbortController();
    response.once("close", () => aborted.abort());
    const { signal } = aborted;
    const isStream = EVENTS.test(path) || request.headers.accept?.includes("text/event-stream") === true;
    const pool = isStream ? this.#streams : this.#calls;
    if (!(await pool.places.take(signal))) {
      if (signal.aborted) return undefined;
      return failure(503, `all ${pool.size} connections for ${pool.what} to the gateway are busy, try again`);
    }
    try {
      const answer = await pool.agent.request({
        ...{ origin: this.#origin, path: `${this.#prefix}${path}`, signal },
        method: request.method as Dispatcher.HttpMethod,
        headers: this.#fieldsOf(request.headers),
        body: body === "" ? null : body,
        // The time between events is unlimited.
        bodyTimeout: isStream ? 0 : SILENCE_MS,
      });
      await passed(answer, response);
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      return failure(502, `the gateway at ${this.address} cannot be reached: ${reasonOf(error)}`);
    } finally {
      pool.places.give();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#calls, this.#streams].map(({ agent }) => agent.destroy()));
  }

  #fieldsOf(headers: IncomingHttpHeaders): Record<string, string> {
    const fields = pick(headers, SENT);
    return this.#key === undefined || fields["x-api-key"] !== undefined
      ? fields
      : { ...fields, "x-api-key": this.#key };
  }
}

interface Pool {
  what: string;
  size: number;
  agent: Agent;
  places: WorkSlots;
}

const poolOf = (size: number, what: string, waitMs: number): Pool => ({
  what,
  size,
  agent: new Agent({
    connect: { timeout: CONNECT_MS },
    connections: size,
    headersTimeout: ANSWER_MS,
  }),
  places: new WorkSlots(size, waitMs),
});

async function passed(answer: Dispatcher.ResponseData, response: ServerResponse): Promise<void> {
  response.writeHead(answer.statusCode, { ...NO_PAGE, ...pick(answer.headers, TAKEN) });
  response.flushHeaders();
  // If one side ends early, the other is aborted: a partial response must not look complete.
  await pipeline(answer.body, response).catch(() => response.destroy());
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  );
}

/** Reports only the first error if all addresses of a name fail. */
function reasonOf(error: unknown): string {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  return messageOf(first);
}
