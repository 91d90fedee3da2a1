import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CURSOR_FILE, isFull, readJson, type Segment, SHIPPER_FILE, writeJson } from "./layout.js";

/** Who ships a destination, as `shipper.json` says. */
export interface ShipperState {
  /** Grows with each election; the highest alone may advance the cursor and remove segments. */
  epoch: number;
  pid: number;
  worker: number;
  /** Why the last try to send failed; absent after a success. */
  error?: string;
  /** Start of the gateway that has counted what stood here before it, in epoch milliseconds. */
  counted?: number;
}

/** Another shipper with a higher epoch has taken over. */
export class SupersededError extends Error {
  override readonly name = "Superseded";
}

interface Positions {
  /** Bytes of each segment that are delivered, by file name. */
  delivered: Record<string, number>;
  /** Names of segments that are kept once they are delivered, since a part of them could not be read. */
  kept?: string[];
}

/** Bytes of each segment of a destination that are delivered, by file name. */
export function positionsIn(folder: string): Map<string, number> {
  return new Map(Object.entries(readJson<Positions>(join(folder, CURSOR_FILE))?.delivered ?? {}));
}

/**
 * How far a destination is delivered. Kept on disk after each batch, so what is sent twice after a crash is one batch. A
 * position that is lost, by a power cut or on a disk that is full, only has entries sent twice.
 */
export class Cursor {
  readonly #folder: string;
  readonly #state: ShipperState;
  readonly #delivered: Map<string, number>;
  readonly #kept: Set<string>;

  /** Takes the destination over. @throws Superseded when a higher epoch has it */
  constructor(folder: string, state: ShipperState) {
    this.#folder = folder;
    const { counted } = readJson<ShipperState>(join(folder, SHIPPER_FILE)) ?? {};
    this.#state = { ...(counted !== undefined && { counted }), ...state };
    this.#check();
    writeJson(join(folder, SHIPPER_FILE), this.#state);
    this.#delivered = positionsIn(folder);
    this.#kept = new Set(readJson<Positions>(join(folder, CURSOR_FILE))?.kept);
  }

  /** Start of the gateway that has counted what stood here before it. */
  get counted(): number | undefined {
    return this.#state.counted;
  }

  /** What stood here before that start is counted. @throws Superseded */
  count(startedAt: number): void {
    this.#check();
    this.#state.counted = startedAt;
    this.#write(SHIPPER_FILE, this.#state);
  }

  /** The segment is to be kept when it is delivered. @throws Superseded */
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

  /** @throws Superseded, and then nothing has changed */
  advance(segment: Segment, offset: number): void {
    this.#check();
    this.#delivered.set(basename(segment.file), offset);
    this.#save();
  }

  /** Segments that are gone need no position. @throws Superseded */
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

  /** For `gwc spool show`. @throws Superseded */
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
      // Where neither a new nor the old file takes it, what is delivered is still removed, which makes room.
      if (!isFull(error) && (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

/** Last epoch that was given out, beside the destinations. */
const EPOCH_FILE = "epoch.json";

/** Gives out the next epoch of a spool directory, higher than any that a shipper has used there. Makes the directory. */
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
