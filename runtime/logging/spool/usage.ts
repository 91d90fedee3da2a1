import { statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { deliveredIn } from "./cursor.js";
import { foldersIn, type Segment, segmentsOf } from "./layout.js";

/** Polling interval in ms for files that other workers write and the shipper removes. */
const LOOK_MS = 250;
/** Polls between two polls of all destinations; the others read only those that this process writes to. */
const LOOKS = 20;

export interface UsageObserver {
  readonly folder: string;
  /** Called before the segments are read: later writes are not in the next result. */
  looking(): void;
  looked(segments: readonly Segment[]): Promise<void> | void;
}

const shared = new Map<string, SpoolUsage>();

interface Disk {
  free: number;
  size: number;
}

/** Undelivered and free bytes, polled for all writers of this process while one of them writes or wants to. */
export class SpoolUsage {
  readonly #directory: string;
  readonly #observers = new Set<UsageObserver>();
  readonly #asked = new Set<UsageObserver>();
  readonly #bytes = new Map<string, number>();
  #disk: Disk = { free: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined = undefined;
  #looking: Promise<void> | undefined = undefined;
  #polls = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static of(directory: string): SpoolUsage {
    const usage = shared.get(directory) ?? new SpoolUsage(directory);
    shared.set(directory, usage);
    return usage;
  }

  join(observer: UsageObserver): void {
    this.#observers.add(observer);
    this.ask(observer);
  }

  leave(observer: UsageObserver): void {
    this.#observers.delete(observer);
    this.#asked.delete(observer);
    if (this.#observers.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    shared.delete(this.#directory);
  }

  of(folder: string): number {
    return this.#bytes.get(basename(folder)) ?? 0;
  }

  get total(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    return sum;
  }

  get disk(): Disk {
    return this.#disk;
  }

  /** Requests a poll for an observer: at once if the last one is long ago, otherwise soon. */
  ask(observer: UsageObserver): void {
    this.#asked.add(observer);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const [next] = this.#asked;
      if (next !== undefined) this.ask(next);
    }, LOOK_MS);
    this.#timer.unref();
    void this.look();
  }

  look(): Promise<void> {
    this.#looking ??= this.#poll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #poll(): Promise<void> {
    const every = this.#polls++ % LOOKS === 0;
    const asked = [...(every ? this.#observers : this.#asked)];
    this.#asked.clear();
    const observers = new Map(asked.map((one) => [basename(one.folder), one]));
    for (const one of observers.values()) one.looking();
    await this.#lookAtDisk();
    const names = every ? await foldersIn(this.#directory) : [...observers.keys()];
    if (every) for (const gone of this.#bytes.keys()) if (!names.includes(gone)) this.#bytes.delete(gone);
    for (const name of names) {
      const segments = await undeliveredIn(join(this.#directory, name));
      this.#bytes.set(
        name,
        segments.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      await observers.get(name)?.looked(segments);
    }
  }

  async #lookAtDisk(): Promise<void> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#directory);
      this.#disk = { free: bavail * bsize, size: blocks * bsize };
    } catch {
      // Its state is unknown: then the writes themselves report when it is full.
      this.#disk = { free: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
    }
  }
}

/** Delivered bytes are freed with their segment, once its writer has left it. */
async function undeliveredIn(folder: string): Promise<Segment[]> {
  // Read first: bytes delivered meanwhile count twice rather than not at all.
  const delivered = deliveredIn(folder);
  const segments = await segmentsOf(folder);
  return segments.map((segment) => ({
    ...segment,
    bytes: Math.max(0, segment.bytes - delivered(segment)),
  }));
}
