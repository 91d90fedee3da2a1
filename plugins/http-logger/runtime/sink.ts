import { setTimeout as wait } from "node:timers/promises";
import type { ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { type Destination, type LogEntry, type Sink, unopenedSink } from "../../../runtime/logging/index.js";
import { BatchProgress } from "./batch-progress.js";
import { compressed } from "./compression.js";
import { type HttpDestination, settingsOf, shownAddress } from "./destination.js";
import { type Answer, Endpoint, NoResponseError } from "./endpoint.js";
import { clickhouse } from "./formats/clickhouse.js";
import { elasticsearch } from "./formats/elasticsearch.js";
import type { BodyFormat } from "./formats/format.js";
import { json, ndjson } from "./formats/json.js";
import { loki } from "./formats/loki.js";
import { otlp } from "./formats/otlp.js";
import { type OpenSecrets, openSecrets } from "./secrets.js";
import { retryAfterMs, type Verdict, verdictOf } from "./verdict.js";

/**
 * Retries, and the first delay in ms, which doubles: 1.5 s in all. That is enough for a restart of the server
 * or a connection that closed while it was written to. Longer outages are left to the batch processor or the
 * shipper.
 */
const RETRIES = 4;
const RETRY_DELAY = 100;
/** Records of one request: the default limit of nginx and many others. */
const MAX_BYTES = 1_048_576;
/** Minimum to which a request is divided after timeouts. */
const MIN_BYTES = 16_384;

/** Connects at the first batch. */
export function openHttpSink(destination: Destination, context: ResourceContext): Sink {
  const settings = destination.settings as unknown as HttpDestination;
  const secrets = openSecrets(settings, context);
  if (typeof secrets === "string") return unopenedSink(secrets, context);
  return new HttpSink(settings, secrets);
}

/** Entry indexes. */
type Request = readonly number[];

/** One request at a time, in order. */
class HttpSink implements Sink {
  readonly #settings: HttpDestination;
  readonly #secrets: OpenSecrets;
  readonly #format: BodyFormat;
  readonly #endpoint: Endpoint;
  readonly #closing = new AbortController();
  /** Entries that the server stored behind a failed one. */
  readonly #taken = new WeakSet<LogEntry>();
  /** Size of one request: less after a 413, and while the server is slow. */
  #mostBytes = MAX_BYTES;
  /** Maximum after a 413. */
  #limit = MAX_BYTES;
  /** Time of `performance.now()` before which the server wants no request. */
  #notBefore = 0;

  constructor(settings: HttpDestination, secrets: OpenSecrets) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#format = bodyFormat(settings);
    this.#endpoint = new Endpoint(settings, secrets, this.#format);
  }

  /** Smaller batches for a server that is slow or takes only small ones. */
  get batchBytes(): number | undefined {
    return this.#mostBytes < MAX_BYTES ? this.#mostBytes : undefined;
  }

  /** @throws SendError */
  async send(entries: readonly LogEntry[]): Promise<void> {
    const progress = new BatchProgress(entries, this.#taken);
    const left = this.#divided(progress.open(), entries);
    let failure: string | undefined;
    for (let request = left.shift(); request !== undefined; request = left.shift()) {
      const outcome = await this.#deliver(request, progress);
      if (outcome === "split") left.unshift(...halves(request));
      else if (outcome !== "done") {
        failure = outcome.failure;
        break;
      }
    }
    if (!progress.isComplete) throw progress.error(shownAddress(this.#settings), failure, this.#taken);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#endpoint.close();
  }

  /** Retries until each entry is delivered or dropped. */
  async #deliver(request: Request, progress: BatchProgress): Promise<"done" | "split" | { failure: string }> {
    for (let left = request, tries = 0; ; tries++) {
      await this.#pauseUntil(this.#notBefore);
      const { verdict, late } = await this.#try(left, progress);
      switch (verdict.kind) {
        case "taken": {
          const again = settle(left, verdict, progress);
          this.#mostBytes = Math.min(this.#limit, this.#mostBytes * 2);
          if (again.length === 0) return "done";
          left = again;
          break;
        }
        case "large":
          this.#limit = Math.min(this.#limit, Math.max(MIN_BYTES, this.#bytesOf(request, progress) / 2));
          this.#mostBytes = Math.min(this.#mostBytes, this.#limit);
          if (request.length > 1) return "split";
          progress.refuse(request, verdict.because);
          return "done";
        case "split":
          if (left.length > 1 && progress.maySplit()) return "split";
          progress.refuse(left, verdict.because);
          return "done";
        case "refused":
          progress.refuse(left, verdict.because);
          return "done";
        case "settings":
          return { failure: verdict.because };
        case "again":
          break;
      }
      const because = verdict.kind === "again" ? verdict.because : verdict.later;
      if (late || tries === RETRIES || this.#closing.signal.aborted)
        return { failure: because ?? "some records were not accepted" };
      // With jitter: workers whose server returns have waited equally long.
      await this.#pause(RETRY_DELAY * 2 ** tries * (0.5 + Math.random()));
    }
  }

  async #try(request: Request, progress: BatchProgress): Promise<{ verdict: Verdict; late: boolean }> {
    const entries = request.map((index) => progress.entries[index] as LogEntry);
    const { body, coding } = await compressed(this.#format.body(entries), this.#settings.compression);
    const headers = {
      "content-type": this.#format.contentType,
      "user-agent": "gwc",
      ...(coding !== undefined && { "content-encoding": coding }),
    };
    try {
      const answer = await this.#endpoint.send(body, headers, this.#format.answerBytes);
      this.#heed(answer);
      const byStatus = verdictOf(answer, this.#secrets.clean);
      const verdict = this.#format.verdict?.(answer, entries, byStatus, this.#secrets.clean) ?? byStatus;
      return { verdict, late: false };
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      if (error.late) this.#mostBytes = Math.max(MIN_BYTES, this.#mostBytes / 2);
      return { verdict: { kind: "again", because: this.#secrets.clean(error.message) }, late: error.late };
    }
  }

  #heed({ status, retryAfter }: Answer): void {
    if (status < 400) return;
    const ms = retryAfterMs(retryAfter, Date.now());
    if (ms !== undefined) this.#notBefore = performance.now() + ms;
  }

  /** Keeps the order; a longer record is a request by itself. */
  #divided(indexes: readonly number[], entries: readonly LogEntry[]): Request[] {
    const requests: number[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const index of indexes) {
      const length = entries[index]?.payload.length ?? 0;
      const last = requests.at(-1);
      if (last === undefined || last.length >= this.#settings.records || bytes + length > this.#mostBytes) {
        requests.push([index]);
        bytes = length;
      } else {
        last.push(index);
        bytes += length;
      }
    }
    return requests;
  }

  #bytesOf(request: Request, { entries }: BatchProgress): number {
    return request.reduce((sum, index) => sum + (entries[index]?.payload.length ?? 0), 0);
  }

  #pauseUntil(moment: number): Promise<void> | undefined {
    const ms = moment - performance.now();
    return ms > 0 ? this.#pause(ms) : undefined;
  }

  #pause(ms: number): Promise<void> {
    return wait(ms, undefined, { signal: this.#closing.signal }).catch(() => {});
  }
}

/** @returns indexes of the entries to send again */
function settle(
  request: Request,
  { refused = [], again = [], because }: Verdict & { kind: "taken" },
  progress: BatchProgress,
): Request {
  const apart = new Set([...refused, ...again]);
  for (const [i, index] of request.entries()) if (!apart.has(i)) progress.delivered(index);
  const at = (i: number) => request[i] as number;
  if (refused.length > 0) progress.refuse(refused.map(at), because ?? "no reason given");
  return again.map(at);
}

function halves(request: Request): [Request, Request] {
  const middle = Math.ceil(request.length / 2);
  return [request.slice(0, middle), request.slice(middle)];
}

function bodyFormat(destination: HttpDestination): BodyFormat {
  switch (destination.format) {
    case "json":
      return json(destination.records === 1);
    case "ndjson":
      return ndjson;
    case "loki":
      return loki;
    case "elasticsearch":
      return elasticsearch(settingsOf(destination, "elasticsearch").index);
    case "clickhouse":
      return clickhouse(settingsOf(destination, "clickhouse"));
    case "otlp":
      return otlp(settingsOf(destination, "otlp").resource);
  }
}
