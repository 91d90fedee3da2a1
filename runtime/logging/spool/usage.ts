import { statfs } from "node:fs/promises";
import { basename, join } from "node:path";
import { positionsIn } from "./cursor.js";
import { foldersIn, type Segment, segmentsOf } from "./layout.js";

/** Between two looks at what other workers have written and the shipper has removed, while somebody writes. */
const LOOK_MS = 250;
/** Looks from one at all destinations to the next; those between are at the ones that this process writes to. */
const LOOKS = 20;

/** Who wants to know after each look. */
export interface UsageObserver {
  readonly folder: string;
  /** Before the segments are looked at: what is written from here on is not in what comes. */
  looking(): void;
  looked(segments: readonly Segment[]): Promise<void> | void;
}

/** Usages of this process, by directory. */
const shared = new Map<string, SpoolUsage>();

/** A file system as the last look found it. */
interface Disk {
  free: number;
  size: number;
}

/**
 * What the spools of a directory hold undelivered, and what is free on their disk: looked at four times a second for all
 * writers of this process together, as long as one of them writes or would; else not at all.
 */
export class SpoolUsage {
  readonly #directory: string;
  readonly #observers = new Set<UsageObserver>();
  /** Observers that somebody has asked for since the last look. */
  readonly #asked = new Set<UsageObserver>();
  readonly #bytes = new Map<string, number>();
  #disk: Disk = { free: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
  #timer: NodeJS.Timeout | undefined = undefined;
  #looking: Promise<void> | undefined = undefined;
  #looks = 0;

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

  /** Undelivered bytes of a destination at the last look. */
  of(folder: string): number {
    return this.#bytes.get(basename(folder)) ?? 0;
  }

  /** Undelivered bytes of all destinations at the last look. */
  get total(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    return sum;
  }

  get disk(): Disk {
    return this.#disk;
  }

  /** The observer needs to know: there is a look now, when the last one is long ago, or soon. */
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
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const every = this.#looks++ % LOOKS === 0;
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
      // Nothing is known of it: then the writes themselves say when it is full.
      this.#disk = { free: Number.POSITIVE_INFINITY, size: Number.POSITIVE_INFINITY };
    }
  }
}

/** Segments with the bytes that are not delivered: those that are go with their segment, once nobody appends to it. */
async function undeliveredIn(folder: string): Promise<Segment[]> {
  // Read first: what is delivered meanwhile counts once more, rather than not at all.
  const delivered = positionsIn(folder);
  const segments = await segmentsOf(folder);
  return segments.map((segment) => ({
    ...segment,
    bytes: Math.max(0, segment.bytes - (delivered.get(basename(segment.file)) ?? 0)),
  }));
}
