import { basename, join } from "node:path";
import type { ResourceContext } from "../abi/resource.js";
import type { OpenSink } from "./current-sink.js";
import { type ShipperState, Superseded } from "./cursor.js";
import { DestinationShipper } from "./destination-shipper.js";
import { DESTINATION_FILE, destinationsIn, readJson, SHIPPER_FILE, segmentsOf } from "./layout.js";
import { isAlive } from "./writer-name.js";

/** Between two looks for destinations that are new. */
const LOOK_MS = 500;

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
  /** Why the last try failed; undefined after a success. */
  readonly error: string | undefined;
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
  #timer: NodeJS.Timeout | undefined = undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  #deserted = false;

  constructor(options: ShippingOptions) {
    this.#options = options;
    this.#state = { epoch: options.epoch, pid: process.pid, worker: options.context.worker };
    this.#look();
  }

  get destinations(): DestinationProgress[] {
    return Array.from(this.#shippers, ([folder, { empty, superseded, error }]) => ({
      id: basename(folder),
      empty,
      superseded,
      error,
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
    clearTimeout(this.#timer);
    await this.#looking;
    await Promise.all(Array.from(this.#shippers.values(), (shipper) => shipper.stop(deadlineMs)));
    this.#shippers.clear();
  }

  #look(): void {
    this.#looking = this.#startNew().finally(() => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => this.#look(), LOOK_MS);
      this.#timer.unref();
    });
  }

  async #startNew(): Promise<void> {
    for (const { folder, destination } of await destinationsIn(this.#options.directory)) {
      if (this.#stopped) return;
      if (destination === undefined) await this.#reportNameless(folder);
      else if (this.#shippers.get(folder)?.superseded || this.#lost.has(folder)) this.#watch(folder);
      else if (!this.#shippers.has(folder)) this.#start(folder);
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
      const superseded = error instanceof Superseded;
      if (superseded) this.#lost.add(folder);
      context.report(superseded ? "spool_superseded" : "spool_not_delivered", {
        folder,
        message: error instanceof Error ? error.message : String(error),
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
