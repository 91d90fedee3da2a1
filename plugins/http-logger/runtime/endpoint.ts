import type { Pool } from "undici";
import { messageOf } from "../../../runtime/abi/plugin-api.js";
import { connectTurn } from "../../../runtime/logging/index.js";
import type { HttpDestination } from "./destination.js";
import type { OpenSecrets } from "./secrets.js";

/** Idle timeout: longer than any batch waits by default. A shorter one of the server wins. */
const KEEP_ALIVE_MS = 60_000;
const MAX_KEEP_ALIVE_MS = 600_000;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Start of the body, up to the requested number of bytes; a byte string. */
  readonly text: string;
  /** `text` is the full body: it was short enough, and the connection did not break. */
  readonly whole: boolean;
}

export class NoResponseError extends Error {
  override readonly name = "NoResponseError";
  readonly late: boolean;

  constructor(message: string, late: boolean, options?: ErrorOptions) {
    super(message, options);
    this.late = late;
  }
}

/**
 * One kept connection: only one batch is sent at a time, so a second connection would idle. Redirects are not
 * followed: they would send credentials elsewhere.
 */
export class Endpoint {
  readonly #destination: HttpDestination;
  readonly #secrets: OpenSecrets;
  readonly #origin: string;
  readonly #path: string;
  #pool: Promise<Pool> | undefined;
  #underWay: AbortController | undefined;
  #closed = false;

  /** @param format gives the path if the destination's address has none */
  constructor(
    destination: HttpDestination,
    secrets: OpenSecrets,
    { path = "/", query = "" }: { path?: string; query?: string },
  ) {
    const { origin, pathname, search } = new URL(destination.uri);
    const queries = [query, search.slice(1)].filter((one) => one !== "").join("&");
    this.#destination = destination;
    this.#secrets = secrets;
    this.#origin = origin;
    this.#path = `${pathname === "/" ? path : pathname}${queries === "" ? "" : `?${queries}`}`;
  }

  /**
   * @param headers lower-case names; headers of the destination replace those of the same name
   * @param most maximum number of response bytes to read
   * @throws NoResponseError
   */
  async send(body: Buffer, headers: Readonly<Record<string, string>>, most: number): Promise<Answer> {
    const { timeoutMs, method } = this.#destination;
    this.#pool ??= connectTurn().then(() => this.#open());
    const pool = await this.#pool;
    if (this.#closed) throw new NoResponseError("the connection was closed", false);
    const stop = new AbortController();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      stop.abort();
    }, timeoutMs);
    this.#underWay = stop;
    try {
      const own = Object.entries(this.#secrets.headers).map(([name, value]) => [name.toLowerCase(), value]);
      const answer = await pool.request({
        method,
        path: this.#path,
        headers: { ...headers, ...Object.fromEntries(own) },
        body,
        signal: stop.signal,
      });
      return { ...headOf(answer), ...(await beginningOf(answer.body, most)) };
    } catch (error) {
      if (late) throw new NoResponseError(`no response within ${timeoutMs} ms`, true);
      throw new NoResponseError(this.#closed ? "the connection was closed" : reasonOf(error), false, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      this.#underWay = undefined;
    }
  }

  /** Requests in flight fail. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#underWay?.abort();
    const pool = await this.#pool?.catch(() => undefined);
    await pool?.destroy();
  }

  async #open(): Promise<Pool> {
    // undici takes 40 ms to load, so only workers that log to HTTP servers load it.
    const { Pool: Client } = await import("undici");
    const { timeoutMs, verify, tls } = this.#destination;
    const { key } = this.#secrets;
    return new Client(this.#origin, {
      connections: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs, rejectUnauthorized: verify, ca: tls?.ca, cert: tls?.cert, key },
    });
  }
}

function headOf({
  statusCode: status,
  headers,
}: {
  statusCode: number;
  headers: Answer["headers"];
}): Pick<Answer, "status" | "headers" | "retryAfter"> {
  const field = headers["retry-after"];
  return { status, headers, retryAfter: Array.isArray(field) ? field[0] : field };
}

/** A body that breaks off does not invalidate the status before it. */
async function beginningOf(
  body: AsyncIterable<Buffer>,
  most: number,
): Promise<Pick<Answer, "text" | "whole">> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let whole = true;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      pieces.push(piece);
      // Leaving the loop closes the connection: the rest is not worth reading.
      if (bytes > most) {
        whole = false;
        break;
      }
    }
  } catch {
    whole = false;
  }
  return { text: Buffer.concat(pieces).toString("latin1", 0, most), whole };
}

/** undici reports "fetch failed" for many errors; the cause has the system's message. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message !== "" ? cause.message : messageOf(error);
}
