import { exhaustionOf, messageOf } from "../abi/error-message.js";
import { ABI } from "../abi/version.js";
import { quarantineRoute, releaseRoutes } from "../proxy/host/execution-marker.js";
import { LoadError } from "../proxy/host/load.js";
import type { DataPlane } from "./data-plane.js";
import { contentOf, deltaOf, readRange } from "./generation-log.js";
import { log } from "./log.js";
import type { ToControl, ToWorker } from "./messages.js";
import { loadedFingerprint, loadPluginFiles } from "./plugin-files.js";

/** The generations of one worker. */
export type Generations = Pick<
  DataPlane,
  | ("start" | "prepare" | "attempt" | "activate" | "discard")
  | ("apply" | "ship" | "trace" | "collect" | "logs")
>;

export interface Acceptor {
  /** Resolves when the listeners are open, or left to others. */
  accept(on: boolean): Promise<void>;
}

/** Handles control's messages in a worker, independent of the transport. */
export class ControlMessageHandler {
  readonly #generations: Generations;
  readonly #acceptor: Acceptor;
  readonly #identity: { worker: number; pid: number };
  readonly #unusable: (reason: string) => void;
  #live = { number: 0, planHash: "" };
  #prepared: { number: number; planHash: string } | undefined;
  #accepting = false;
  #work: Promise<void> = Promise.resolve();

  /** @param unusable called if a complete generation cannot be loaded: the worker then has nothing to serve */
  constructor(
    generations: Generations,
    acceptor: Acceptor,
    identity: { worker: number; pid: number },
    unusable: (reason: string) => void,
  ) {
    this.#unusable = unusable;
    this.#generations = generations;
    this.#acceptor = acceptor;
    this.#identity = identity;
  }

  hello(): ToControl {
    // An earlier control may have wanted other traces and quarantines; this one sends its own.
    this.#generations.trace([]);
    releaseRoutes();
    const { number, planHash } = this.#live;
    return {
      type: "hello",
      ...this.#identity,
      abi: ABI,
      generation: number,
      planHash,
      accepting: this.#accepting,
      plugins: loadedFingerprint(),
    };
  }

  /** Accepts again if paused: without control no message would come when the other workers end. */
  controlLost(): void {
    if (this.#accepting || this.#live.number === 0) return;
    this.#accepting = true;
    void this.#acceptor.accept(true);
  }

  /** Handles messages in order. Queries for counters and logs, quarantines and traces do not wait. */
  handle(message: ToWorker, send: (message: ToControl) => void): void {
    if (message.type === "metrics") {
      const { number } = message;
      void this.#generations.collect().then((families) => send({ type: "metrics", number, families }));
      return;
    }
    if (message.type === "logs") {
      const { number } = message;
      void this.#generations.logs(message.users).then((report) => send({ type: "logs", number, report }));
      return;
    }
    if (message.type === "hold") {
      quarantineRoute(message.route, message.ms);
      return;
    }
    if (message.type === "trace") {
      this.#generations.trace(message.orders);
      return;
    }
    this.#work = this.#work
      .then(() => this.#handle(message, send))
      .catch((error: unknown) => {
        log("worker_message_failed", { message: message.type, reason: messageOf(error) });
        if (message.type === "start") this.#unusable(messageOf(error));
      });
  }

  async #handle(message: ToWorker, send: (message: ToControl) => void): Promise<void> {
    switch (message.type) {
      case "start": {
        const content = contentOf(readRange(message.log), message.generation);
        await loadPluginFiles(message.plugins);
        await this.#generations.start(message.generation, content, message.settings, message.secrets);
        this.#becomeLive({ number: message.generation, planHash: content.planHash }, send);
        break;
      }
      case "prepare":
      case "attempt":
        await this.#prepare(message, send);
        break;
      case "activate":
        if (this.#prepared?.number !== message.generation) break;
        this.#generations.activate();
        this.#becomeLive(this.#prepared, send);
        break;
      case "discard":
        if (this.#prepared?.number === message.generation) this.#forgetPrepared();
        break;
      case "accept":
        this.#accepting = message.on;
        await this.#acceptor.accept(message.on);
        if (message.on) send({ type: "accepting" });
        break;
      case "settings":
        this.#generations.apply(message.settings);
        break;
      case "ship":
        this.#generations.ship(message.epoch, () => send({ type: "deserted" }));
        break;
    }
  }

  async #prepare(
    message: ToWorker & { type: "prepare" | "attempt" },
    send: (message: ToControl) => void,
  ): Promise<void> {
    // A control that has ended may have left a prepared generation.
    this.#forgetPrepared();
    const { generation, secrets, tls } = message;
    try {
      const delta = deltaOf(readRange(message.delta));
      if (message.type === "prepare") {
        await this.#generations.prepare(generation, delta, secrets, tls);
        this.#prepared = { number: generation, planHash: delta.planHash };
      } else await this.#generations.attempt(generation, delta, secrets, tls, message.certificateTexts);
      send({ type: "prepared", generation });
    } catch (error) {
      send(refusalOf(generation, error));
    }
  }

  #becomeLive(live: { number: number; planHash: string }, send: (message: ToControl) => void): void {
    this.#live = live;
    this.#prepared = undefined;
    send({ type: "active", generation: live.number, planHash: live.planHash });
  }

  #forgetPrepared(): void {
    if (this.#prepared) this.#generations.discard();
    this.#prepared = undefined;
  }
}

function refusalOf(generation: number, error: unknown): ToControl {
  const exhausted = exhaustionOf(error);
  const code = error instanceof LoadError && exhausted === undefined ? error.code : undefined;
  return {
    type: "refused",
    generation,
    reason: exhausted ?? messageOf(error),
    ...(code !== undefined && { code }),
    ...(exhausted !== undefined && { exhausted: true }),
  };
}
