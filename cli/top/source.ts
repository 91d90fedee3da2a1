import {
  callAdminApi,
  formatRejection,
  KEY_WANTED,
  NoAdminReplyError,
} from "../../runtime/abi/admin-call.js";
import { printable } from "../../runtime/abi/text/unseen.js";
import type { OverviewAnswer } from "../../runtime/control/overview/overview.js";
import { areNodes, isOverview, type Node } from "./answers.js";

export type { Node, OverviewAnswer };

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
