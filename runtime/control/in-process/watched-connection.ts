import type { Timeouts } from "../../abi/generation.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { UpstreamConnection, UpstreamFailure, UpstreamUser } from "../../proxy/upstream/connection.js";

export interface Watcher {
  began(): void;
  sent(bytes: string): void;
  /** Called with the number of body bytes of the response. @returns the reason to abort it */
  took(bytes: number): string | undefined;
  broke(reason: string): void;
}

/** Real connection with a watcher: the part of UpstreamConnection that an exchange uses. */
export class WatchedConnection
  implements
    Pick<
      UpstreamConnection,
      | ("full" | "dead" | "serve" | "sendHead" | "sendText" | "sendBuffer" | "requestSent" | "pause")
      | ("resume" | "destroy")
    >
{
  readonly #real: UpstreamConnection;
  readonly #watcher: Watcher;

  constructor(real: UpstreamConnection, watcher: Watcher) {
    this.#real = real;
    this.#watcher = watcher;
  }

  get full(): boolean {
    return this.#real.full;
  }

  get dead(): boolean {
    return this.#real.dead;
  }

  serve(user: UpstreamUser, timeouts: Timeouts): void {
    this.#real.serve(new WatchedUser(user, this.#real, this.#watcher), timeouts);
  }

  sendHead(...[text, ...others]: Parameters<UpstreamConnection["sendHead"]>): void {
    this.#watcher.began();
    this.#watcher.sent(text);
    this.#real.sendHead(text, ...others);
  }

  sendText(text: string): void {
    this.#watcher.sent(text);
    this.#real.sendText(text);
  }

  sendBuffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    this.#watcher.sent(before + buffer.toString("latin1", start, end) + after);
    this.#real.sendBuffer(before, buffer, start, end, after);
  }

  requestSent(): void {
    this.#real.requestSent();
  }

  pause(): void {
    this.#real.pause();
  }

  resume(): void {
    this.#real.resume();
  }

  destroy(): void {
    this.#real.destroy();
  }
}

class WatchedUser implements UpstreamUser {
  readonly #user: UpstreamUser;
  readonly #connection: UpstreamConnection;
  readonly #watcher: Watcher;
  #answered = false;

  constructor(user: UpstreamUser, connection: UpstreamConnection, watcher: Watcher) {
    this.#user = user;
    this.#connection = connection;
    this.#watcher = watcher;
  }

  connected(): void {
    this.#user.connected();
  }

  interim(head: ResponseHead): void {
    this.#user.interim(head);
  }

  head(head: ResponseHead): boolean {
    this.#answered = true;
    return this.#user.head(head);
  }

  text(body: string): void {
    if (!this.#isTooMuch(body.length)) this.#user.text(body);
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    return this.#isTooMuch(end - start) ? false : this.#user.data(buffer, start, end);
  }

  #isTooMuch(bytes: number): boolean {
    const reason = this.#watcher.took(bytes);
    if (reason === undefined) return false;
    if (this.#connection.dead) return true;
    this.#connection.destroy();
    this.failed("closed", reason, false);
    return true;
  }

  fed(): void {
    this.#user.fed?.();
  }

  end(trailers: string | undefined): void {
    if (!this.#connection.dead) this.#user.end(trailers);
  }

  bodyFollows(): void {
    if (!this.#connection.dead) this.#user.bodyFollows();
  }

  drained(): void {
    this.#user.drained();
  }

  failed(failure: UpstreamFailure, reason: string, silent: boolean): void {
    if (this.#answered) this.#watcher.broke(reason);
    this.#user.failed(failure, reason, silent);
  }

  /** Rejects a tunnel, which has no end to report. */
  switched(): void {
    this.#connection.destroy();
    this.#watcher.broke("it switched protocols");
    this.#user.failed("protocol", "it switched protocols", false);
  }
}
