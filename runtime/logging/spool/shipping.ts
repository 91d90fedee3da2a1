import { basename, join } from "node:path";
import type { OpenSink } from "../../abi/delivery.js";
import { messageOf } from "../../abi/error-message.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { DeliveryFailure } from "../delivered.js";
import { type ShipperState, SupersededError } from "./cursor.js";
import { DestinationShipper } from "./destination-shipper.js";
import { DESTINATION_FILE, foldersIn, readJson, SHIPPER_FILE, segmentsOf } from "./layout.js";
import { SpoolGauges } from "./spool-gauges.js";
import { DirectoryWakeup } from "./wakeup.js";
import { describeAgain } from "./writer.js";
import { isAlive } from "./writer-name.js";

/** Interval in ms of the one timer of all destinations. */
const TICK_MS = 1_000;
/** Ticks within which each destination is polled, whatever the kernel reports. */
const SWEEP = 10;

export interface ShippingOptions {
  readonly directory: string;
  /** Higher than the epoch of any previous shipper (`nextEpoch`). */
  readonly epoch: number;
  readonly openSink: OpenSink;
  readonly context: ResourceContext;
  /** Called once: another process had taken over and has ended, so that a new election is due. */
  readonly deserted?: () => void;
}

export interface DestinationProgress {
  readonly id: string;
  readonly empty: boolean;
  readonly superseded: boolean;
  /** Entries since the start of this shipper: delivered, refused for good, or unreadable. */
  readonly totals: { readonly delivered: number; readonly refused: number; readonly damaged: number };
  /** Error of the last attempt; undefined after a success. */
  readonly error: string | undefined;
  /** The last failed attempt, kept after a success. */
  readonly failure: DeliveryFailure | undefined;
}

export class Shipping {
  readonly #options: ShippingOptions;
  readonly #state: ShipperState;
  readonly #shippers = new Map<string, DestinationShipper>();
  /** Destinations that had a shipper with a higher epoch at the start. */
  readonly #lost = new Set<string>();
  /** Folders of records without a known destination; each is reported once. */
  readonly #nameless = new Set<string>();
  readonly #gauges: SpoolGauges;
  readonly #bell: DirectoryWakeup;
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #looking: Promise<void> | undefined = undefined;
  #isPollDue = false;
  #stopped = false;
  #deserted = false;

  constructor(options: ShippingOptions) {
    this.#options = options;
    this.#state = { epoch: options.epoch, pid: process.pid, worker: options.context.worker };
    const { directory, context } = options;
    this.#gauges = new SpoolGauges(directory, context.metrics, (folder) => this.#shippers.get(folder));
    this.#bell = new DirectoryWakeup(
      directory,
      (name) => !name.endsWith(".json"),
      () => this.#poll(),
    );
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
    this.#poll();
  }

  get destinations(): DestinationProgress[] {
    return Array.from(this.#shippers, ([folder, { empty, superseded, totals, error, failure }]) => ({
      id: basename(folder),
      empty,
      superseded,
      totals,
      error,
      failure,
    }));
  }

  /** Ships until nothing is left or something fails, then stops; at the latest after `deadlineMs`. */
  async finish(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    const moving = () =>
      Array.from(this.#shippers.values()).some(
        ({ empty, superseded, error }) => !empty && !superseded && error === undefined,
      );
    while (moving() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.stop(Math.max(0, end - performance.now()));
  }

  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#bell.close();
    await this.#looking;
    this.#gauges.close();
    await Promise.all(Array.from(this.#shippers.values(), (shipper) => shipper.stop(deadlineMs)));
    this.#shippers.clear();
  }

  /** Polls everything without an event: destinations without a watch, ended writers, other shippers. */
  #tick(): void {
    this.#ticks++;
    this.#bell.watch();
    let i = 0;
    for (const shipper of this.#shippers.values())
      if (!shipper.hears || i++ % SWEEP === this.#ticks % SWEEP) shipper.look();
    this.#poll();
  }

  #poll(): void {
    if (this.#looking !== undefined) {
      this.#isPollDue = true;
      return;
    }
    this.#looking = this.#startNew().finally(() => {
      this.#looking = undefined;
      if (this.#isPollDue && !this.#stopped) this.#poll();
    });
  }

  async #startNew(): Promise<void> {
    this.#isPollDue = false;
    const { directory } = this.#options;
    for (const name of await foldersIn(directory)) {
      const folder = join(directory, name);
      if (this.#stopped) return;
      if (this.#shippers.get(folder)?.superseded || this.#lost.has(folder)) this.#watch(folder);
      else if (this.#shippers.has(folder)) continue;
      else if (readJson(join(folder, DESTINATION_FILE)) !== undefined || describeAgain(folder))
        this.#start(folder);
      else await this.#reportNameless(folder);
    }
  }

  /** Reports a folder whose records wait until a logger with these settings writes its file again. */
  async #reportNameless(folder: string): Promise<void> {
    if (this.#nameless.has(folder) || (await segmentsOf(folder)).length === 0) return;
    this.#nameless.add(folder);
    const message = `${DESTINATION_FILE} is missing or unreadable; delivery continues when a logger with these settings runs again`;
    this.#options.context.report("spool_not_delivered", { folder, message });
  }

  #start(folder: string): void {
    const { openSink, context } = this.#options;
    try {
      this.#shippers.set(folder, new DestinationShipper(folder, this.#state, openSink, context));
    } catch (error) {
      const superseded = error instanceof SupersededError;
      if (superseded) this.#lost.add(folder);
      context.report(superseded ? "spool_superseded" : "spool_not_delivered", {
        folder,
        message: messageOf(error),
      });
    }
  }

  /** Waits for the end of `gwc spool drain`, or of another gateway, that has the destination. */
  #watch(folder: string): void {
    const other = readJson<ShipperState>(join(folder, SHIPPER_FILE));
    if (this.#deserted || other === undefined || isAlive(other.pid)) return;
    this.#deserted = true;
    this.#options.deserted?.();
  }
}
