import {
  callAdminApi,
  formatRejection,
  KEY_WANTED,
  NoAdminReplyError,
} from "../../runtime/abi/admin-call.js";
import { printable } from "../../runtime/abi/text/unseen.js";
import type { OverviewAnswer } from "../../runtime/control/overview/overview.js";

export type { OverviewAnswer };

export type View = "routes" | "upstreams";

/** Error of a call without a key to a gateway that requires one. */
export class KeyWanted extends NoAdminReplyError {
  constructor() {
    super(KEY_WANTED, true);
  }
}

/** Timeout of a call in ms; a slower gateway is unusable for a viewer. */
const ANSWER_MS = 5_000;
/** Maximum response in bytes: 48 rows with their points take 0.3 MB, 20,000 nodes 8 MB. */
const MAX_BYTES = 8_388_608;

/** Overview and nodes from the admin API of a gateway. Any key works, also a viewer key. */
export class TopSource {
  readonly address: string;
  readonly #key: string | undefined;

  /** @param address address of the admin API, without user information */
  constructor(address: string, key: string | undefined) {
    this.address = address.replace(/\/+$/, "");
    this.#key = key;
  }

  /** @throws NoAdminReplyError */
  overview(seconds: number): Promise<OverviewAnswer> {
    return this.#ask(`overview?seconds=${seconds}`, isOverview);
  }

  /**
   * Nodes of a row; none if it has no upstream of its own, or the key may not read them.
   * @param id among upstreams, "route:a" and "service:a" name the nodes of a route or service
   */
  async nodes(view: View, id: string): Promise<Node[]> {
    const [, owner, own] = /^(route|service):(.*)$/s.exec(view === "upstreams" ? id : "") ?? [];
    const asked = new URLSearchParams({ kind: owner === undefined ? view : `${owner}s`, id: own ?? id });
    try {
      const { upstreams } = await this.#ask(`nodes?${asked}`, areNodes);
      return upstreams[0]?.nodes ?? [];
    } catch (error) {
      if (error instanceof NoAdminReplyError) return [];
      throw error;
    }
  }

  async #ask<T>(path: string, reads: (value: unknown) => value is T): Promise<T> {
    const call = { admin: this.address, key: this.#key, path, ms: ANSWER_MS, mostBytes: MAX_BYTES };
    const { status, isOk, text } = await callAdminApi(call);
    if (isOk) return parsed(text, this.address, reads);
    const said = `${this.address} replied ${printable(formatRejection({ status, text }))}`;
    if (status !== 401) throw new NoAdminReplyError(said, status < 500);
    throw this.#key === undefined ? new KeyWanted() : new NoAdminReplyError(said, true);
  }
}

function parsed<T>(text: string, address: string, reads: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(text);
    if (reads(value)) return value;
  } catch {
    // Reported as an unknown response below.
  }
  throw new NoAdminReplyError(`the server at ${address} is not the admin API of a gateway`, true);
}

/** A node of an upstream, with the sums of all workers. */
export interface Node {
  host: string;
  port: number;
  weight: number;
  state: string;
  in_flight: number;
  failures: { connect: number; timeout: number; status: number };
}

/** Checks the members that are read; others may be anything. */
type Shape = (value: unknown) => boolean;

const text: Shape = (value) => typeof value === "string";
const number: Shape = (value) => typeof value === "number";
const orNull =
  (of: Shape): Shape =>
  (value) =>
    value === null || of(value);
const list =
  (of: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(of);
const object =
  (members: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(members).every(([name, of]) => of((value as Record<string, unknown>)[name]));

const COUNTS = {
  ...{ requests: number, errors_4xx: number, errors_5xx: number, bytes_in: number, bytes_out: number },
  ...{ p50: orNull(number), p95: orNull(number), p99: orNull(number) },
};
const POINTS = list(orNull(number));
const ROW = {
  ...COUNTS,
  before: orNull(object(COUNTS)),
  series: object({
    ...{ requests: POINTS, errors_4xx: POINTS, errors_5xx: POINTS, bytes_out: POINTS },
    ...{ p50: POINTS, p99: POINTS },
  }),
};
const ROWS = list(object({ ...ROW, id: text }));
const NOW = object({
  ...{ generation: number, workers: list(() => true), workers_expected: number },
  ...{ ready: (value) => typeof value === "boolean", reasons: list(object({ message: text })) },
});
const SEVERITY: Shape = (value) => value === "error" || value === "warning";
const OVERVIEW = object({
  ...{
    seconds: number,
    counted_seconds: number,
    now: NOW,
    total: object(ROW),
    routes: ROWS,
    upstreams: ROWS,
  },
  attention: list(object({ severity: SEVERITY, text, action: text })),
});
const NODE = object({
  ...{ host: text, port: number, weight: number, state: text, in_flight: number },
  failures: object({ connect: number, timeout: number, status: number }),
});
const NODES = object({ upstreams: list(object({ nodes: list(NODE) })) });

/** Reports whether a value is a response of `GET /gw/admin/overview`. Another program may be listening there. */
const isOverview = (value: unknown): value is OverviewAnswer => OVERVIEW(value);

/** Reports whether a value is a response of `GET /gw/admin/nodes`. */
const areNodes = (value: unknown): value is { upstreams: { nodes: Node[] }[] } => NODES(value);
