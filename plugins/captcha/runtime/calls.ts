import type { Pool } from "undici";
import type { CaptchaCheckSettings } from "./settings.js";
import type { VerifyAnswer } from "./verdict.js";

export interface VerifyCalls {
  /** @throws Error if no whole response came in time */
  ask(query: VerifyQuery): Promise<VerifyAnswer>;
  close(deadlineMs: number): Promise<void>;
}

export interface VerifyQuery {
  jwt: string;
  ip?: string;
  /** The service repeats its response for the same key and token, so that a lost one can be had (5.4). */
  idempotency_key: string;
}

/** Further calls wait for a connection. */
const CONNECTIONS = 32;
/** A response of the service has some 200 bytes. */
const MAX_ANSWER = 16_384;

/** Kept connections. Redirects are not followed: they would send the key elsewhere. */
export class PooledCalls implements VerifyCalls {
  readonly #path: string;
  readonly #origin: string;
  readonly #apiKey: () => string | undefined;
  readonly #timeoutMs: number;
  readonly #ca: string | null;
  #pool: Promise<Pool> | undefined;
  #closed = false;

  /** @param apiKey undefined while it is not known here: each call fails */
  constructor(
    { url, siteKey, timeoutMs, ca }: Pick<CaptchaCheckSettings, "url" | "siteKey" | "timeoutMs" | "ca">,
    apiKey: () => string | undefined,
  ) {
    this.#ca = ca;
    const { origin, pathname } = new URL(url);
    this.#origin = origin;
    this.#path = `${pathname.replace(/\/$/, "")}/${encodeURIComponent(siteKey)}/verify`;
    this.#apiKey = apiKey;
    this.#timeoutMs = timeoutMs;
  }

  async ask(query: VerifyQuery): Promise<VerifyAnswer> {
    if (this.#closed) throw new Error("closed");
    const apiKey = this.#apiKey();
    if (apiKey === undefined) throw new Error("the api_key is unknown");
    this.#pool ??= this.#open();
    const pool = await this.#pool;
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: `${this.#path}?${new URLSearchParams({ ...query }).toString()}`,
      headers: { "x-api-key": apiKey, accept: "application/json" },
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    let text = "";
    for await (const piece of body.setEncoding("latin1")) {
      text += piece as string;
      if (text.length > MAX_ANSWER) throw new Error("the response is too long");
    }
    return { status: statusCode, body: text };
  }

  async #open(): Promise<Pool> {
    // undici takes 40 ms to load, so only workers that verify load it.
    const { Pool: Client } = await import("undici");
    return new Client(this.#origin, {
      connections: CONNECTIONS,
      connect: { timeout: this.#timeoutMs, ...(this.#ca !== null && { ca: this.#ca }) },
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
    });
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    const pool = await this.#pool?.catch(() => undefined);
    if (pool === undefined) return;
    const late = setTimeout(() => void pool.destroy(), deadlineMs);
    await pool.close().finally(() => clearTimeout(late));
  }
}
