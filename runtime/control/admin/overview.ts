import type { ServerResponse } from "node:http";
import { messageOf } from "../../abi/error-message.js";
import { log } from "../../process/log.js";
import { type DescribedParameter, inQuery } from "../../process/operation.js";
import { RING_SECONDS } from "../overview/activity-rings.js";
import type { LastSecond, TimeRangeQuery } from "../overview/last-hour.js";
import type { Overview } from "../overview/overview.js";
import { type ApiResponse, failure, json } from "./answer.js";
import type { KeyIdentity } from "./authentication.js";

/** Maximum number of concurrent streams; each browser tab has one. */
const MAX_STREAMS = 32;
/** Maximum for one key, or for one address if no key is required. */
const MAX_OF_ONE = 8;
/** Streams reserved for keys of role admin. */
const KEPT_FOR_ADMINS = 4;
/** Value of `Retry-After` in seconds. */
const RETRY_AFTER = 5;
/** Interval of `state` events in seconds. */
const STATE_EVERY = 5;
/** Unread bytes after which a stream is aborted. */
const MAX_UNREAD = 262_144;

export interface Viewer {
  key: KeyIdentity | undefined;
  address: string;
  /** Polled each second: returns the reason to end the stream. */
  gone: () => "key" | "address" | undefined;
}

/** Serves `GET /gw/admin/overview?seconds=900&of=routes/shop`. */
export async function overview(of: Pick<Overview, "answer">, query: URLSearchParams): Promise<ApiResponse> {
  const asked = readTimeRange(query);
  if ("fault" in asked) return failure(400, asked.fault);
  return { ...json(200, await of.answer(asked)), headers: { "Cache-Control": "no-store" } };
}

type Told = Pick<Overview, "state" | "stretch" | "lastOf">;

/** Serves `GET /gw/admin/overview/events`: server-sent events, one each second. */
export class OverviewStreams {
  readonly #overview: Told & Pick<Overview, "seconds">;
  readonly #open = new Set<Stream>();
  #closed = false;

  constructor(of: Told & Pick<Overview, "seconds">) {
    this.#overview = of;
    of.seconds.add((last) => {
      for (const stream of this.#open) stream.second(last);
    });
  }

  serve(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    viewer: Viewer,
    query: URLSearchParams,
  ): ApiResponse | undefined {
    const asked = readTimeRange(query);
    if ("fault" in asked) return failure(400, asked.fault);
    const refused = this.#refusal(viewer);
    if (refused !== undefined)
      return { ...failure(503, refused), headers: { "Retry-After": String(RETRY_AFTER) } };
    response.writeHead(200, {
      ...headers,
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    const stream = new Stream(response, this.#overview, viewer, asked);
    this.#open.add(stream);
    response.once("close", () => this.#open.delete(stream));
    void stream.state();
    return undefined;
  }

  #refusal({ key, address }: Viewer): string | undefined {
    if (this.#closed) return "the gateway is stopping";
    const most = MAX_STREAMS - (key?.role === "admin" ? 0 : KEPT_FOR_ADMINS);
    if (this.#open.size >= most) return `${most} streams are already open`;
    const own = [...this.#open].filter(({ viewer }) =>
      key === undefined
        ? viewer.key === undefined && viewer.address === address
        : viewer.key?.name === key.name,
    );
    if (own.length < MAX_OF_ONE) return undefined;
    return `${MAX_OF_ONE} streams of this ${key === undefined ? "address" : "key"} are open already`;
  }

  /** Ends all streams with an event that names the reason. */
  close(): void {
    this.#closed = true;
    for (const stream of this.#open) stream.end("stopping");
  }
}

class Stream {
  readonly #response: ServerResponse;
  readonly #overview: Told;
  readonly #asked: TimeRangeQuery;
  readonly viewer: Viewer;
  #seconds = 0;

  constructor(response: ServerResponse, of: Told, viewer: Viewer, asked: TimeRangeQuery) {
    this.#response = response;
    this.#asked = asked;
    this.#overview = of;
    this.viewer = viewer;
  }

  second(last: LastSecond): void {
    const gone = this.viewer.gone();
    if (gone !== undefined) {
      this.end(gone);
      return;
    }
    // The client does not read: its unsent data would fill the memory of control.
    if (this.#response.writableLength > MAX_UNREAD) {
      this.#response.destroy();
      return;
    }
    const { of } = this.#asked;
    this.#write("second", of === null ? last : { at: last.at, ...this.#overview.lastOf(of) });
    this.#seconds += 1;
    if (this.#seconds % STATE_EVERY === 0) void this.state();
  }

  async state(): Promise<void> {
    this.#write("stretch", this.#overview.stretch(this.#asked));
    try {
      this.#write("state", await this.#overview.state());
    } catch (error) {
      log("overview_failed", { reason: messageOf(error) });
    }
  }

  end(reason: string): void {
    this.#write("end", { reason });
    this.#response.end();
  }

  #write(event: string, data: object): void {
    if (this.#response.writableEnded || this.#response.destroyed) return;
    this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

const DEFAULT_SECONDS = 900;
const MIN_SECONDS = 10;
const SUBJECT = /^(routes|upstreams)\/(.+)$/s;

export const TIME_RANGE_PARAMETERS: readonly DescribedParameter[] = [
  inQuery("seconds", "Time span in seconds until now.", {
    ...{ type: "integer", minimum: MIN_SECONDS, maximum: RING_SECONDS, default: DEFAULT_SECONDS },
  }),
  inQuery("of", 'total covers this one only: "routes/shop", "upstreams/orders", "upstreams/route:shop".', {
    type: "string",
    pattern: SUBJECT.source,
  }),
];

function readTimeRange(query: URLSearchParams): TimeRangeQuery | { fault: string } {
  const written = query.get("seconds") ?? String(DEFAULT_SECONDS);
  const seconds = Number(written);
  if (!/^\d{1,4}$/.test(written) || seconds < MIN_SECONDS || seconds > RING_SECONDS)
    return { fault: `invalid argument seconds: should be ${MIN_SECONDS} to ${RING_SECONDS}` };
  const of = query.get("of");
  if (of === null) return { seconds, of: null };
  const [, kind, id] = SUBJECT.exec(of) ?? [];
  if (kind === undefined || id === undefined)
    return { fault: 'invalid argument of: should be like "routes/shop" or "upstreams/orders"' };
  return { seconds, of: { kind: kind as "routes" | "upstreams", id } };
}
