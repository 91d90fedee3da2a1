import { callAdminApi, NoAdminReplyError } from "../../runtime/abi/admin-call.js";
import { refusalWords } from "../../runtime/abi/admin-refusal.js";
import { KEY_WANTED } from "../../runtime/abi/key-sources.js";
import { printable } from "../../runtime/abi/text/unseen.js";
import type { OverviewAnswer } from "../../runtime/control/overview/overview.js";
import { areNodes, isOverview, type Node } from "./answers.js";

export type { Node, OverviewAnswer };

/** Kinds of rows. */
export type View = "routes" | "upstreams";

/** The gateway wants a key, and there is none. */
export class KeyWanted extends NoAdminReplyError {
  constructor() {
    super(KEY_WANTED, true);
  }
}

/** A gateway that is slower is as good as gone for who watches it. */
const ANSWER_MS = 5_000;
/** 48 rows with their points have 0.3 MB, and 20,000 nodes 8. */
const MAX_BYTES = 8_388_608;

/** Overview and nodes from a gateway's admin API. Any key will do, a viewer's too. */
export class TopSource {
  readonly address: string;
  readonly #key: string | undefined;

  /** @param address of the admin API, without user information */
  constructor(address: string, key: string | undefined) {
    this.address = address.replace(/\/+$/, "");
    this.#key = key;
  }

  /** @param seconds of the past @throws NoAdminReplyError */
  overview(seconds: number): Promise<OverviewAnswer> {
    return this.#ask(`overview?seconds=${seconds}`, isOverview);
  }

  /**
   * Nodes that requests of a row go to; none where it has no upstream of its own, or the key may not see them.
   * @param id "route:a" and "service:a" name the nodes of a route or service among upstreams
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
    const said = `${this.address} answers ${printable(refusalWords({ status, text }))}`;
    if (status !== 401) throw new NoAdminReplyError(said, status < 500);
    throw this.#key === undefined ? new KeyWanted() : new NoAdminReplyError(said, true);
  }
}

function parsed<T>(text: string, address: string, reads: (value: unknown) => value is T): T {
  try {
    const value: unknown = JSON.parse(text);
    if (reads(value)) return value;
  } catch {
    // As what is no such answer.
  }
  throw new NoAdminReplyError(`what answers at ${address} is not the admin API of a gateway`, true);
}
