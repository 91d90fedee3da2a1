import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CURSOR_FILE, isFull, readJson, type Segment, SHIPPER_FILE, writeJson } from "./layout.js";

export interface ShipperState {
  /** Grows with each election; only the highest epoch may advance the cursor and remove segments. */
  epoch: number;
  pid: number;
  worker: number;
  /** Error of the last delivery attempt; absent after a success. */
  error?: string;
  /** Start of the gateway that counted the entries from before that start, in epoch milliseconds. */
  counted?: number;
}

/** A shipper with a higher epoch has taken over. */
export class SupersededError extends Error {
  override readonly name = "Superseded";
}

interface Positions {
  /** Delivered bytes of each segment, by file name. */
  delivered: Record<string, number>;
  /** Names of segments to keep after delivery, because a part of them could not be read. */
  kept?: string[];
}

/** Returns the delivered bytes of each segment of a destination, by file name. */
export function positionsIn(folder: string): Map<string, number> {
  return new Map(Object.entries(readJson<Positions>(join(folder, CURSOR_FILE))?.delivered ?? {}));
}

/** Reads the delivered offsets of a destination once, for its segments. */
export function deliveredIn(folder: string): (segment: Segment) => number {
  const delivered = positionsIn(folder);
  return ({ file }) => delivered.get(basename(file)) ?? 0;
}

/** Delivered offsets, written after each batch: a crash repeats one batch; a lost offset only repeats entries. */
export class Cursor {
  readonly #folder: string;
  readonly #state: ShipperState;
  readonly #delivered: Map<string, number>;
  readonly #kept: Set<string>;

  /** Takes the destination over. @throws SupersededError if a higher epoch has it */
  constructor(folder: string, state: ShipperState) {
    this.#folder = folder;
    const { counted } = readJson<ShipperState>(join(folder, SHIPPER_FILE)) ?? {};
    this.#state = { ...(counted !== undefined && { counted }), ...state };
    this.#check();
    writeJson(join(folder, SHIPPER_FILE), this.#state);
    this.#delivered = positionsIn(folder);
    this.#kept = new Set(readJson<Positions>(join(folder, CURSOR_FILE))?.kept);
  }

  get counted(): number | undefined {
    return this.#state.counted;
  }

  /** Marks the entries from before that start as counted. @throws SupersededError */
  count(startedAt: number): void {
    this.#check();
    this.#state.counted = startedAt;
    this.#write(SHIPPER_FILE, this.#state);
  }

  /** Keeps the segment after its delivery. @throws SupersededError */
  keep(segment: Segment): void {
    this.#check();
    this.#kept.add(basename(segment.file));
    this.#save();
  }

  isKept(segment: Segment): boolean {
    return this.#kept.has(basename(segment.file));
  }

  of(segment: Segment): number {
    return this.#delivered.get(basename(segment.file)) ?? 0;
  }

  /** @throws SupersededError, without a change */
  advance(segment: Segment, offset: number): void {
    this.#check();
    this.#delivered.set(basename(segment.file), offset);
    this.#save();
  }

  /** Removes the offsets of all other segments. @throws SupersededError */
  keepOnly(segments: readonly Segment[]): void {
    const names = new Set(segments.map(({ file }) => basename(file)));
    const gone = [...this.#delivered.keys()].filter((name) => !names.has(name));
    if (gone.length === 0) return;
    this.#check();
    for (const name of gone) {
      this.#delivered.delete(name);
      this.#kept.delete(name);
    }
    this.#save();
  }

  /** Stores the last error for `gwc spool show`. @throws SupersededError */
  tell(error: string | undefined): void {
    if (error === this.#state.error) return;
    this.#check();
    if (error === undefined) delete this.#state.error;
    else this.#state.error = error;
    this.#write(SHIPPER_FILE, this.#state);
  }

  #check(): void {
    const other = readJson<ShipperState>(join(this.#folder, SHIPPER_FILE));
    if (other === undefined) return;
    const { epoch, pid } = this.#state;
    if (other.epoch > epoch || (other.epoch === epoch && other.pid !== pid))
      throw new SupersededError(`a shipper of epoch ${other.epoch} has taken over`);
  }

  #save(): void {
    const kept = this.#kept.size === 0 ? {} : { kept: [...this.#kept] };
    this.#write(CURSOR_FILE, { delivered: Object.fromEntries(this.#delivered), ...kept });
  }

  #write(name: string, value: unknown): void {
    try {
      writeJson(join(this.#folder, name), value, false);
    } catch (error) {
      // If neither a new file nor the old one can be written, delivered segments are still removed, which frees room.
      if (!isFull(error) && (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

const EPOCH_FILE = "epoch.json";

/** Creates a spool directory and returns its next epoch, higher than any that a shipper has used there. */
export function nextEpoch(directory: string): number {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, EPOCH_FILE);
  const used = readdirSync(directory).map(
    (name) => readJson<ShipperState>(join(directory, name, SHIPPER_FILE))?.epoch ?? 0,
  );
  const epoch = Math.max(readJson<{ epoch: number }>(file)?.epoch ?? 0, ...used) + 1;
  writeJson(file, { epoch });
  return epoch;
}
