import { LRUCache } from "lru-cache";
import { Pool } from "undici";

/** Maximum connections to the service; further calls wait for one. */
const CONNECTIONS = 32;
/** Maximum response in bytes. */
const MOST = 65_536;
/** Minimum time in ms between two reports of failures. */
const QUIET = 10_000;

/** Client of the service, with a cache; shared by all routes with the same settings. */
export class LookupClient {
  #pool;
  #path;
  #timeoutMs;
  #report;
  #reportedAt = Number.NEGATIVE_INFINITY;
  /** @type {LRUCache<string, object> | undefined} */
  #kept;
  /** Pending calls by subject: simultaneous requests about one subject share a call. */
  #asked = new Map();
  #closing = false;

  constructor({ url, timeoutMs, cacheSize, cacheMs }, { report }) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
    this.#path = pathname;
    this.#timeoutMs = timeoutMs;
    this.#report = report;
    if (cacheSize > 0) this.#kept = new LRUCache({ max: cacheSize, ttl: cacheMs });
  }

  /**
   * Looks up a subject, which is a byte string.
   * @returns the service's JSON object; undefined if the call fails or times out
   */
  async ask(subject) {
    const kept = this.#kept?.get(subject);
    if (kept !== undefined) return kept;
    let call = this.#asked.get(subject);
    if (call === undefined) {
      call = this.#call(subject).finally(() => this.#asked.delete(subject));
      this.#asked.set(subject, call);
    }
    try {
      return await call;
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  async #call(subject) {
    if (this.#closing) throw new Error("the gateway does not ask any more");
    const text = Buffer.from(subject, "latin1").toString("utf8");
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const path = `${this.#path}?subject=${encodeURIComponent(text)}`;
    const { statusCode, body } = await this.#pool.request({ method: "GET", path, signal });
    const pieces = [];
    let length = 0;
    for await (const piece of body) {
      length += piece.length;
      if (length > MOST) throw new Error(`the answer has more than ${MOST} bytes`);
      pieces.push(piece);
    }
    if (statusCode !== 200 && statusCode !== 404) throw new Error(`the service answers ${statusCode}`);
    const answer = statusCode === 404 ? {} : JSON.parse(Buffer.concat(pieces).toString("utf8"));
    if (typeof answer !== "object" || answer === null || Array.isArray(answer))
      throw new Error("the answer is no JSON object");
    this.#kept?.set(subject, answer);
    return answer;
  }

  #failed(error) {
    if (performance.now() - this.#reportedAt < QUIET) return;
    this.#reportedAt = performance.now();
    this.#report("lookup_unanswered", { reason: error instanceof Error ? error.message : String(error) });
  }

  /** Lets pending calls finish within `deadlineMs`, then closes the connections. */
  async drain(deadlineMs) {
    this.#closing = true;
    const late = setTimeout(() => void this.#pool.destroy(), deadlineMs);
    await this.#pool.close().catch(() => {});
    clearTimeout(late);
  }
}
