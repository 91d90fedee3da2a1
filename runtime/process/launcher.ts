/**
 * The launcher: binds the listeners, never accepts on them, keeps control and the workers running and passes
 * the listeners to them, and to its own successor, by descriptor. It reads no configuration and serves no
 * request, so no input can make it fail.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type ChildEvents, type ChildRecipe, listenerEnvironment, SupervisedChild } from "./child.js";
import { ENVIRONMENT, type LaunchPlan, type Serving, type ToLauncher } from "./launch-plan.js";
import {
  bindAll,
  confirmHandover,
  type Handover,
  handOverListeners,
  isSuccessor,
  type KindOfListener,
} from "./listener-handover.js";
import { LIVENESS_MS } from "./liveness.js";
import { log } from "./log.js";
import { StartResponder } from "./start-responder.js";
import { startingAt } from "./starting.js";
import { keepTelling, type Notice, notifySystemd } from "./systemd.js";

export type { LaunchPlan } from "./launch-plan.js";

type Bound = { host: string; port: number }[];

/** Addresses by listener or service; `metrics` is empty if it is switched off, or its default address was taken. */
export type Addresses = Record<"data" | "tls" | "admin" | "status" | "metrics", Bound> &
  Record<string, Bound>;

export interface Launched {
  /** Ports as bound. */
  addresses: Addresses;
  /** Resolves when the first generation is live; false if control gave up (it has printed why). */
  ready: Promise<boolean>;
  /** Resolves with the exit code after everything has stopped. */
  ended: Promise<number>;
  stop(): void;
  reload(): void;
}

/**
 * Allows V8's linear engine by the flag `l` of patterns. A young generation of 4 MB instead of 16 saved 10 MB
 * in a new worker with streamed bodies, but cost 15 % in the benchmark "no plugin".
 */
const WORKER_FLAGS = ["--enable-experimental-regexp-engine"];
/** Time in ms for control to stop: it drains only responses of the admin API. */
const CONTROL_STOP_MS = 5000;

/**
 * @param early the status listener, if it answers already
 * @throws BindError if an address cannot be bound; then nothing keeps running except `early`
 */
export function launch(plan: LaunchPlan, early?: EarlyStart): Launched {
  const bound = bindAll(plan, early ? [early.listener] : []);
  const responder = early?.responder ?? new StartResponder(plan.responderModule);
  if (early && !bound.includes(early.listener)) {
    responder.close();
    early.listener.handle.close();
  }
  return new Launcher(plan, bound, responder).start();
}

/** A status listener that answered before the settings were known. */
export interface EarlyStart {
  responder: StartResponder;
  listener: KindOfListener;
}

class Launcher {
  readonly #plan: LaunchPlan;
  /** Listeners that workers accept on. */
  readonly #data: KindOfListener[];
  readonly #bound: KindOfListener[];
  readonly #control: SupervisedChild;
  readonly #workers: SupervisedChild[];
  readonly #services: SupervisedChild[];
  /** Workers that accept connections. */
  readonly #serving = new Set<SupervisedChild>();
  /** Set once a worker of this gateway has accepted connections. */
  #hasTaken = false;
  /** Set once a successor serves. */
  #handedOver = false;
  readonly #responder: StartResponder;
  /** Listeners of control. */
  readonly #listenerKinds: KindOfListener[];
  #stopping = false;
  #handingOver = false;
  #handover: Handover | undefined;
  /** Signals that came during a handover, for the gateway that serves after it. */
  readonly #asked = new Set<"SIGHUP" | "SIGUSR1">();
  /** Set once a generation was live: a later failure of control is no reason to end the workers. */
  #served = false;
  /** State of the last reload; "lost": its control ended before it replied, or there was none. */
  #reload: "answered" | "asked" | "lost" = "answered";
  /** Set while the last known good generation runs. */
  #stale = false;
  readonly #endDelay = new AbortController();
  #settleReady: (ready: boolean) => void = () => {};
  #settleEnded: (code: number) => void = () => {};

  constructor(plan: LaunchPlan, bound: KindOfListener[], responder: StartResponder) {
    this.#plan = plan;
    this.#responder = responder;
    this.#bound = bound;
    this.#data = bound.filter(({ kind }) => kind === "data" || kind === "tls");
    const names = plan.services.map(({ name }) => name);
    const own = bound.filter(({ kind }) => kind !== "data" && kind !== "tls" && !names.includes(kind));
    this.#listenerKinds = own;
    const events: ChildEvents = {
      hear: (message, child) => this.#onMessage(message, child),
      silent: (child, pid, silentMs) => this.#silent(child, pid, silentMs),
      log,
      away: (child) => this.#away(child),
    };
    const child = (
      name: string,
      module: string,
      listeners: KindOfListener[],
      { environment, ...more }: Partial<ChildRecipe> = {},
    ) => {
      const shared = { [ENVIRONMENT.run]: plan.runDirectory, ...listenerEnvironment(listeners) };
      const descriptors = listeners.map(({ fd }) => fd);
      const recipe = { name, module, nodeFlags: [], descriptors, ...more };
      return new SupervisedChild({ ...recipe, environment: { ...shared, ...environment } }, events);
    };
    // UV_THREADPOOL_SIZE keeps its default: control's disk writes are serialized anyway.
    this.#control = child("control", plan.controlModule, own, {
      firstMessage: { type: "settings", settings: plan.settings },
    });
    this.#workers = Array.from({ length: plan.workers }, (_, index) =>
      child(`worker ${index}`, plan.workerModule, this.#data, {
        nodeFlags: WORKER_FLAGS,
        environment: { [ENVIRONMENT.worker]: String(index) },
      }),
    );
    const listenersOf = (name: string) => bound.filter(({ kind }) => kind === name);
    this.#services = plan.services.map(({ name, module }) => child(name, module, listenersOf(name)));
  }

  start(): Launched {
    const ready = new Promise<boolean>((resolve) => (this.#settleReady = resolve));
    const ended = new Promise<number>((resolve) => (this.#settleEnded = resolve));
    const stop = () => {
      // After a handover systemd follows the successor.
      if (!this.#stopping) notifySystemd("stopping");
      void this.#stop(0, true);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    const reload = () => {
      if (this.#handingOver) this.#asked.add("SIGHUP");
      if (this.#served && !this.#stopping) notifySystemd("reloading");
      this.#reload = "asked";
      this.#control.send({ type: "reload" });
    };
    process.on("SIGHUP", reload);
    process.on("SIGUSR2", () => void this.#handOver());
    // nginx's signal, and that of logrotate's examples for it.
    process.on("SIGUSR1", () => {
      if (this.#handingOver) this.#asked.add("SIGUSR1");
      for (const worker of this.#workers) worker.send({ type: "reopen" });
      log("logs_reopened");
    });
    // The previous launcher is gone, and its workers end.
    process.once("disconnect", () => this.#tellServing());
    setInterval(() => this.#control.send({ type: "alive" }), LIVENESS_MS).unref();
    this.#control.start();
    this.#tellFollowing(this.#plan.settings);
    for (const service of this.#services) service.start();
    for (const worker of this.#workers) worker.start();
    const at = (kind: string) =>
      this.#bound.filter((listener) => listener.kind === kind).map(({ host, port }) => ({ host, port }));
    const [data, admin, status] = [at("data"), at("admin"), at("status")];
    const services = Object.fromEntries(this.#plan.services.map(({ name }) => [name, at(name)]));
    const addresses = { ...services, data, tls: at("tls"), admin, status, metrics: at("metrics") };
    return { addresses, ready, ended, stop, reload };
  }

  /** Sets the settings that later controls start with. */
  #tellFollowing(settings: object): void {
    this.#control.recipe.firstMessage = { type: "settings", settings, restarted: true };
  }

  #away(child: SupervisedChild): void {
    if (this.#serving.delete(child)) this.#tellServing();
    if (child !== this.#control) return;
    if (this.#reload === "asked") this.#reload = "lost";
    this.#answerForControl();
  }

  /** Starts the responder: until control listens, it reports whether the gateway lives and serves. */
  #answerForControl(): void {
    if (this.#listenerKinds.length === 0 || this.#stopping) return;
    const serving = this.#whoServes();
    this.#responder.open(this.#listenerKinds, startingAt("control"), { serving, uri: this.#plan.metricsUri });
  }

  #tellServing(): void {
    const serving = this.#whoServes();
    this.#responder.tell({ type: "serving", serving });
    this.#control.send({ type: "serving", serving });
  }

  #whoServes(): Serving {
    return {
      ...{ workers: this.#serving.size, expected: this.#plan.workers },
      // Control and workers have channels of their own: control may report ready before they do.
      predecessor: isSuccessor() && process.connected && !(this.#served && this.#hasTaken),
      // The successor answers on the same listeners, and stays.
      stopping: this.#stopping && !this.#handedOver,
    };
  }

  /** Repeats a lost reload once: files may have changed since control read them, but a reload may kill control. */
  #askAgain(): void {
    if (this.#reload !== "lost") return;
    this.#reload = "answered";
    this.#control.send({ type: "reload" });
  }

  #noticeOf(taken: boolean): Notice {
    return taken ? "ready" : this.#stale ? "ready_stale" : "ready_refused";
  }

  /** Reports an unresponsive worker to control: readiness shows it until a new worker serves. */
  #silent(child: SupervisedChild, pid: number, silentMs: number): void {
    const worker = this.#workers.indexOf(child);
    if (worker >= 0) this.#control.send({ type: "silent", worker, pid, silentMs });
  }

  #onMessage(message: ToLauncher, child: SupervisedChild): void {
    switch (message.type) {
      case "stage":
        this.#responder.tell(message);
        // A new control does not know the serving state.
        this.#tellServing();
        break;
      case "serving":
        if (!this.#workers.includes(child)) break;
        this.#serving.add(child);
        this.#hasTaken = true;
        this.#tellServing();
        break;
      case "settings":
        if (child === this.#control) this.#tellFollowing(message.settings);
        break;
      case "listening":
        this.#responder.close();
        this.#askAgain();
        break;
      case "ready":
        if (message.stale && isSuccessor() && !this.#served) {
          log("successor_stale", {
            reason: "the configuration cannot run; the running gateway continues to serve",
          });
          void this.#stop(1);
          break;
        }
        if (!this.#served) keepTelling();
        this.#served = true;
        this.#tellServing();
        this.#settleReady(true);
        this.#stale = message.stale === true;
        notifySystemd(this.#stale ? "ready_stale" : "ready");
        confirmHandover();
        break;
      case "reloaded":
        this.#reload = "answered";
        if (message.taken) this.#stale = false;
        if (this.#served && !this.#stopping) notifySystemd(this.#noticeOf(message.taken));
        break;
      case "abandon":
        if (!this.#served) void this.#stop(message.code);
        break;
      case "replace":
        this.#workers.find((worker) => worker.process?.pid === message.pid)?.process?.kill("SIGKILL");
        break;
      case "store_failed":
        child.recipe.environment[ENVIRONMENT.storeFailed] = "1";
        break;
      case "listener": {
        const listener = this.#data[message.index];
        if (listener) child.send(message, listener.handle);
        break;
      }
    }
  }

  /** Control stops first, because only one process may have the store; workers serve until the successor does. */
  async #handOver(): Promise<void> {
    if (this.#stopping || this.#handingOver) return;
    this.#handingOver = true;
    await this.#control.retire(CONTROL_STOP_MS);
    // A stop that came meanwhile has ended control, or will.
    if (this.#stopping) return;
    const handover = handOverListeners(this.#bound);
    this.#handover = handover;
    const serves = await handover.serves;
    this.#handover = undefined;
    this.#handingOver = false;
    if (this.#stopping) return;
    log(serves ? "handed_over" : "successor_failed");
    for (const name of serves ? this.#asked : []) handover.signal(name);
    // The control that starts again receives any reload that is still pending.
    this.#asked.clear();
    this.#handedOver = serves;
    if (serves) await this.#stop(0);
    else this.#control.resume();
  }

  /**
   * Stops the workers first, so that control can still count them; a second call kills everything.
   * @param announced waits for `delayMs`, in which balancers redirect traffic
   */
  async #stop(code: number, announced = false): Promise<void> {
    if (this.#stopping) {
      this.#endDelay.abort();
      this.#handover?.signal("SIGKILL");
      // Retired too: a child that is only killed is started again.
      for (const child of [...this.#workers, ...this.#services, this.#control]) void child.retire(0);
      return;
    }
    this.#stopping = true;
    this.#tellServing();
    this.#settleReady(false);
    // A stop means the gateway, not the one of two that happens to receive it.
    this.#handover?.signal("SIGTERM");
    const { delayMs, timeoutMs } = this.#plan.drain;
    // A gateway that was replaced, or never served, receives no traffic.
    if (announced && this.#served && delayMs > 0) {
      log("stopping", { in_ms: delayMs });
      const { signal } = this.#endDelay;
      // A second stop ends it.
      await pause(delayMs, undefined, { signal }).catch(() => {});
    }
    this.#responder.close();
    // The kernel would accept connections on an open copy, which would hang until the end of the drain.
    for (const listener of this.#bound) listener.handle.close();
    const drainMs = timeoutMs + 1000;
    await Promise.all(this.#workers.map((worker) => worker.retire(drainMs)));
    // Later than the workers: their requests may need tokens verified.
    await Promise.all(this.#services.map((service) => service.retire(drainMs)));
    await this.#control.retire(CONTROL_STOP_MS);
    this.#settleEnded(code);
  }
}
