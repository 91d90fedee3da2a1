import { basename, join } from "node:path";
import type { OpenSink } from "../../abi/delivery.js";
import { messageOf } from "../../abi/error-message.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { DeliveryFailure } from "../delivered.js";
import { type ShipperState, SupersededError } from "./cursor.js";
import { DestinationShipper } from "./destination-shipper.js";
import { DESTINATION_FILE, foldersIn, isDescribed, readJson, SHIPPER_FILE, segmentsOf } from "./layout.js";
import { SpoolGauges } from "./spool-gauges.js";
import { DirectoryWakeup } from "./wakeup.js";
import { describeAgain } from "./writer.js";
import { isAlive } from "./writer-name.js";

/** Between two ticks of the one timer of all destinations. */
const TICK_MS = 1_000;
/** Ticks until each destination was looked at again, whatever the kernel tells of it. */
const SWEEP = 10;

export interface ShippingOptions {
  /** The spool directory. */
  readonly directory: string;
  /** Higher than that of any shipper before (`nextEpoch`). */
  readonly epoch: number;
  readonly openSink: OpenSink;
  readonly context: ResourceContext;
  /** Another process had taken over and has ended: somebody should be elected again. Told once. */
  readonly deserted?: () => void;
}

/** How far a destination is. */
export interface DestinationProgress {
  readonly id: string;
  /** Nothing was left to send at the last look. */
  readonly empty: boolean;
  readonly superseded: boolean;
  /** Entries since the start of this shipper: those that arrived, were refused for good, or could not be read. */
  readonly totals: { readonly delivered: number; readonly refused: number; readonly damaged: number };
  /** Why the last try failed; undefined after a success. */
  readonly error: string | undefined;
  /** Of the last try that failed, whatever came after it. */
  readonly failure: DeliveryFailure | undefined;
}

/** Ships every destination of a spool directory, for as long as this process is the elected shipper. */
export class Shipping {
  readonly #options: ShippingOptions;
  readonly #state: ShipperState;
  readonly #shippers = new Map<string, DestinationShipper>();
  /** Destinations that had a shipper with a higher epoch at the start. */
  readonly #lost = new Set<string>();
  /** Folders with records that nobody knows the destination of; reported once. */
  readonly #nameless = new Set<string>();
  readonly #gauges: SpoolGauges;
  readonly #bell: DirectoryWakeup;
  readonly #timer: NodeJS.Timeout;
  #ticks = 0;
  #looking: Promise<void> | undefined = undefined;
  #again = false;
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
      () => this.#look(),
    );
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
    this.#look();
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

  /** Goes on until nothing is left or something fails, then ends; at the latest after `deadlineMs`. */
  async finish(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    const moving = () =>
      Array.from(this.#shippers.values()).some(
        ({ empty, superseded, error }) => !empty && !superseded && error === undefined,
      );
    while (moving() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
    await this.stop(Math.max(0, end - performance.now()));
  }

  /** Each ends after the batch that it is sending, at the latest after `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#bell.close();
    await this.#looking;
    this.#gauges.close();
    await Promise.all(Array.from(this.#shippers.values(), (shipper) => shipper.stop(deadlineMs)));
    this.#shippers.clear();
  }

  /** Everything that nobody tells: destinations where the kernel does not, writers that have ended, other shippers. */
  #tick(): void {
    this.#ticks++;
    this.#bell.watch();
    let i = 0;
    for (const shipper of this.#shippers.values())
      if (!shipper.hears || i++ % SWEEP === this.#ticks % SWEEP) shipper.look();
    this.#look();
  }

  #look(): void {
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    this.#looking = this.#startNew().finally(() => {
      this.#looking = undefined;
      if (this.#again && !this.#stopped) this.#look();
    });
  }

  async #startNew(): Promise<void> {
    this.#again = false;
    const { directory } = this.#options;
    for (const name of await foldersIn(directory)) {
      const folder = join(directory, name);
      if (this.#stopped) return;
      if (this.#shippers.get(folder)?.superseded || this.#lost.has(folder)) this.#watch(folder);
      else if (this.#shippers.has(folder)) continue;
      else if (isDescribed(folder) || describeAgain(folder)) this.#start(folder);
      else await this.#reportNameless(folder);
    }
  }

  /** Its records wait until a logger with these settings writes the file anew: an operator must hear of it. */
  async #reportNameless(folder: string): Promise<void> {
    if (this.#nameless.has(folder) || (await segmentsOf(folder)).length === 0) return;
    this.#nameless.add(folder);
    const message = `${DESTINATION_FILE} is missing or unreadable; the records go out once a logger with these settings runs again`;
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

  /** `gwc spool drain`, or another gateway on this directory, has the destination. */
  #watch(folder: string): void {
    const other = readJson<ShipperState>(join(folder, SHIPPER_FILE));
    if (this.#deserted || other === undefined || isAlive(other.pid)) return;
    this.#deserted = true;
    this.#options.deserted?.();
  }
}
