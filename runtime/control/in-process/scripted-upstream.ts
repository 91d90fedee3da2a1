import type { Timeouts } from "../../abi/generation.js";
import { BodyDecoder } from "../../http/body-decoder.js";
import { Deadlines } from "../../http/deadlines.js";
import { WireFault } from "../../http/fault.js";
import { DEFAULT_LIMITS, type Limits } from "../../http/limits.js";
import { parseResponseHead } from "../../http/response-head.js";
import type { Admission } from "../../proxy/host/admission.js";
import type { LiveNode } from "../../proxy/host/contract.js";
import type { FilterThread } from "../../proxy/host/filter-thread.js";
import { type Report, WorkerContext } from "../../proxy/host/worker-context.js";
import type { UpstreamConnection, UpstreamFailure, UpstreamUser } from "../../proxy/upstream/connection.js";
import type { ConnectionPool } from "../../proxy/upstream/pool.js";

/** Response of a node, decided after the whole request: pieces of bytes, or a failure. */
export type NodeAnswer = (request: string, bodiless: boolean) => string[] | { failure: UpstreamFailure };

export interface DataPathOptions {
  admission: Admission;
  limits: Limits;
  /** Closed by its owner, also after aborting the exchange. */
  filterThread: FilterThread;
  report: Report;
}

export class ScriptedDataPath extends WorkerContext {
  readonly #answer: NodeAnswer;

  constructor(answer: NodeAnswer, { admission, limits, filterThread, report }: DataPathOptions) {
    const deadlines = new Deadlines(1_000_000);
    super({ limits, deadlines, report, admission: () => admission, filterThread });
    this.#answer = answer;
  }

  override pool(_node: LiveNode): ConnectionPool {
    const open = () => new ScriptedConnection(this.#answer) as unknown as UpstreamConnection;
    return { takeIdle: () => undefined, open } as unknown as ConnectionPool;
  }
}

/** Part of a connection to an upstream that an exchange uses. */
export type ExchangeConnection = Pick<
  UpstreamConnection,
  | ("full" | "dead" | "serve" | "sendHead" | "sendText" | "sendBuffer" | "requestSent" | "pause")
  | ("resume" | "destroy")
>;

class ScriptedConnection implements ExchangeConnection {
  readonly full = false;
  dead = false;
  readonly #answer: NodeAnswer;
  #user: UpstreamUser | undefined;
  #request = "";
  #bodiless = false;
  /** Bytes of the response that are not read yet. */
  #received = "";

  constructor(answer: NodeAnswer) {
    this.#answer = answer;
  }

  serve(user: UpstreamUser, _timeouts: Timeouts): void {
    this.#user = user;
    queueMicrotask(() => user.connected());
  }

  sendHead(text: string, bodiless: boolean, hasBody: boolean): void {
    this.#request += text;
    this.#bodiless = bodiless;
    if (!hasBody) this.requestSent();
  }

  sendText(text: string): void {
    this.#request += text;
  }

  sendBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.#request += before + buffer.toString("latin1", start, end) + after;
  }

  requestSent(): void {
    queueMicrotask(() => this.#play());
  }

  pause(): void {}
  resume(): void {}

  destroy(): void {
    this.dead = true;
  }

  #play(): void {
    const user = this.#user;
    if (user === undefined || this.dead) return;
    const answer = this.#answer(this.#request, this.#bodiless);
    if ("failure" in answer) {
      this.#fail(user, answer.failure, true);
      return;
    }
    let decoder: BodyDecoder | undefined;
    for (const piece of answer) {
      if (this.dead) return;
      this.#received += piece;
      decoder ??= this.#readHeads(user);
      if (decoder === undefined || this.#received === "" || decoder.done) continue;
      const bytes = Buffer.from(this.#received, "latin1");
      this.#received = "";
      if (decoder.feed(bytes, 0, bytes.length) instanceof WireFault) this.#fail(user, "protocol", false);
    }
    if (decoder !== undefined && !decoder.done && !this.dead) decoder.connectionEnded();
  }

  #readHeads(user: UpstreamUser): BodyDecoder | undefined {
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      const head = parseResponseHead(this.#received, end + 4, this.#bodiless, DEFAULT_LIMITS);
      this.#received = this.#received.slice(end + 4);
      if (head instanceof WireFault) {
        this.#fail(user, "protocol", false);
        return undefined;
      }
      if (head.status < 200) {
        user.interim(head);
        continue;
      }
      const decoder = new BodyDecoder(head.framing, DEFAULT_LIMITS, user);
      if (!user.head(head)) this.dead = true;
      else if (decoder.done) decoder.endEmpty();
      return decoder;
    }
  }

  #fail(user: UpstreamUser, failure: UpstreamFailure, silent: boolean): void {
    this.dead = true;
    user.failed(failure, "as scripted", silent);
  }
}
