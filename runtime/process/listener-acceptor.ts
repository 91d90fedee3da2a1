import { messageOf } from "../abi/error-message.js";
import type { Acceptor } from "./control-messages.js";
import type { BoundSocket, DataPlane } from "./data-plane.js";
import { type InheritedListener, tellLauncher } from "./launcher-link.js";
import { log } from "./log.js";

/** Node cannot stop accepting without closing its copy of the socket; to resume, it asks the launcher for another. */
export class ListenerAcceptor implements Acceptor {
  readonly #listeners: readonly InheritedListener[];
  readonly #server: Pick<DataPlane, "listen" | "stopAccepting">;
  readonly #open = new Set<number>();
  #on = false;
  #fresh = true;

  constructor(listeners: readonly InheritedListener[], server: Pick<DataPlane, "listen" | "stopAccepting">) {
    this.#listeners = listeners;
    this.#server = server;
  }

  async accept(on: boolean): Promise<void> {
    if (this.#on === on) return;
    this.#on = on;
    if (!on) {
      this.#open.clear();
      void this.#server.stopAccepting();
      return;
    }
    const fresh = this.#fresh;
    this.#fresh = false;
    if (fresh) await Promise.all(this.#listeners.map(({ fd }, index) => this.#listen(index, { fd })));
    else for (const index of this.#listeners.keys()) tellLauncher({ type: "listener", index });
  }

  take(index: number, handle: unknown): void {
    if (this.#on && !this.#open.has(index)) void this.#listen(index, { handle });
    else (handle as { close(): void }).close();
  }

  async #listen(index: number, socket: BoundSocket): Promise<void> {
    this.#open.add(index);
    try {
      await this.#server.listen(socket, this.#listeners[index]?.kind === "tls");
    } catch (error) {
      log("listen_failed", { listener: index, error: messageOf(error) });
    }
  }
}
