import { basename, join } from "node:path";
import { positionsIn } from "./cursor.js";
import { foldersIn, type Segment, segmentsOf } from "./layout.js";

/** Between two looks at what other workers have written and the shipper has removed. */
const LOOK_MS = 250;

/** Who wants to know after each look. */
export interface UsageObserver {
  readonly folder: string;
  /** Before the segments are looked at: what is written from here on is not in what comes. */
  looking(): void;
  looked(segments: readonly Segment[]): Promise<void> | void;
}

/** Usages of this process, by directory. */
const shared = new Map<string, SpoolUsage>();

/** What the spools of a directory hold undelivered, looked at four times a second for all writers of this process together. */
export class SpoolUsage {
  readonly #directory: string;
  readonly #observers = new Set<UsageObserver>();
  readonly #bytes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined = undefined;
  #looking: Promise<void> | undefined = undefined;

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
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
    void this.look();
  }

  leave(observer: UsageObserver): void {
    this.#observers.delete(observer);
    if (this.#observers.size > 0) return;
    clearInterval(this.#timer);
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

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const observers = new Map(Array.from(this.#observers, (one) => [basename(one.folder), one]));
    for (const one of observers.values()) one.looking();
    const names = await foldersIn(this.#directory);
    for (const gone of this.#bytes.keys()) if (!names.includes(gone)) this.#bytes.delete(gone);
    for (const name of names) {
      const segments = await undeliveredIn(join(this.#directory, name));
      this.#bytes.set(
        name,
        segments.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      await observers.get(name)?.looked(segments);
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
