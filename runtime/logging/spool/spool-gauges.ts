import { join } from "node:path";
import type { Metrics } from "../../abi/metrics.js";
import { deliveredIn } from "./cursor.js";
import type { DestinationShipper } from "./destination-shipper.js";
import { type DestinationLabels, foldersIn, labelsOf, type Segment, segmentsOf } from "./layout.js";
import { type EntryCounts, entriesIn } from "./segment-counts.js";
import { timeOfEntry } from "./segment-reader.js";
import { PendingGauges } from "./spool-metrics.js";

const HELP = {
  gw_spool_entries: "Log entries in the spool of a destination that are not delivered yet.",
  gw_spool_bytes: "Bytes in the spool of a destination that are not delivered yet.",
  gw_spool_segments: "Files in the spool of a destination.",
  gw_spool_oldest_seconds: "Age of the oldest undelivered log entry in the spool of a destination.",
} as const;
type Name = keyof typeof HELP;
const NAMES = Object.keys(HELP) as Name[];

/** Gauges read from disk with each scrape, independent of a shipper that waits for its destination or a disk. */
export class SpoolGauges {
  readonly #directory: string;
  readonly #metrics: Metrics;
  readonly #shipperOf: (folder: string) => DestinationShipper | undefined;
  /** By the name of the destination's folder. */
  readonly #labels = new Map<string, DestinationLabels>();
  readonly #pending: PendingGauges;
  readonly #leave: () => void;

  constructor(
    directory: string,
    metrics: Metrics,
    shipperOf: (folder: string) => DestinationShipper | undefined,
  ) {
    this.#directory = directory;
    this.#metrics = metrics;
    this.#shipperOf = shipperOf;
    this.#pending = new PendingGauges(metrics);
    this.#leave = metrics.onCollect(() => this.#read());
  }

  close(): void {
    this.#leave();
    this.#pending.close();
    for (const name of this.#labels.keys()) this.#forget(name);
  }

  async #read(): Promise<void> {
    const names = await foldersIn(this.#directory);
    for (const gone of this.#labels.keys()) if (!names.includes(gone)) this.#forget(gone);
    const pending = await Promise.all(names.map((name) => this.#readOne(name)));
    this.#pending.set(pending);
  }

  async #readOne(name: string): Promise<ReadonlyMap<string, EntryCounts>> {
    const folder = join(this.#directory, name);
    const shipper = this.#shipperOf(folder);
    const segments = await segmentsOf(folder);
    const delivered =
      shipper === undefined ? deliveredIn(folder) : (segment: Segment) => shipper.delivered(segment);
    const open = segments.filter((segment) => segment.bytes > delivered(segment));
    // Segments are in the order of their writers, and entries of a writer in the order of their times.
    const first = open.filter((one, i) => open[i - 1]?.writer !== one.writer);
    const times = await Promise.all(first.map((segment) => timeOfEntry(segment.file, delivered(segment))));
    const now = Date.now();
    const ages = times.map((time = now) => (now - time) / 1_000);
    const pending = (await shipper?.pending(segments)) ?? new Map<string, EntryCounts>();
    const labels = this.#labels.get(name) ?? labelsOf(folder);
    this.#labels.set(name, labels);
    const set = (family: Name, value: number) => this.#metrics.gauge(family, HELP[family], labels).set(value);
    set("gw_spool_segments", segments.length);
    set(
      "gw_spool_bytes",
      open.reduce((sum, segment) => sum + segment.bytes - delivered(segment), 0),
    );
    set("gw_spool_oldest_seconds", Math.max(0, ...ages));
    set("gw_spool_entries", Math.max(0, entriesIn(pending)));
    return pending;
  }

  #forget(name: string): void {
    const labels = this.#labels.get(name);
    this.#labels.delete(name);
    if (labels !== undefined) for (const family of NAMES) this.#metrics.forget(family, labels);
  }
}
