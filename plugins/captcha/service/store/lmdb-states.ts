import { randomInt } from "node:crypto";
import type { Database } from "lmdb";
import type { WriteFault } from "../../../../runtime/process/service-api.js";
import {
  type CaptchaClock,
  type CaptchaSettings,
  STATE_KINDS,
  type StateKind,
  type StatePlace,
  type StateStore,
  type StateUsage,
  StorageError,
} from "../contract.js";
import { ExpiryWheel } from "./expiry-wheel.js";
import { bytesOf, Holdings } from "./holdings.js";
import { statesFile } from "./lmdb-file.js";
import { type OpenFile, openFile } from "./lmdb-open.js";
import { onWriteError } from "./lmdb-writes.js";
import { budgetsOf, MemoryStates, perKind, tooLarge } from "./states.js";

/** Maximum delay of an expiry. */
const SWEEP_MS = 5_000;
/** Versions for entries of the same millisecond. */
const SAME_MS = 4_096;
/** Maximum in a transaction, for which the reserve of a full disk has room. */
const REMOVED = 50;

/** Account in this process; the text is in the file. */
interface Known {
  kind: StateKind;
  /** A removal only applies to the latest version. */
  version: number;
  bucket: number;
}

/** Line of metadata, and JSON. */
interface Stored {
  ends: number;
  place: StatePlace;
  json: string;
}

const textOf = ({ ends, place: { kind, network, idle }, json }: Stored): string =>
  `${ends} ${kind} ${idle === true ? 1 : 0} ${network}\n${json}`;

function storedOf(text: string): Stored | undefined {
  const line = text.indexOf("\n");
  const [ends = "", kind = "", idle, network = ""] = text.slice(0, line).split(" ");
  const known = STATE_KINDS.find((one) => one === kind);
  if (line < 0 || known === undefined || !(Number(ends) > 0)) return undefined;
  return {
    ends: Number(ends),
    place: { kind: known, network, idle: idle === "1" },
    json: text.slice(line + 1),
  };
}

/**
 * Sessions and answers in an LMDB file of their own, so that visitors can continue after a restart; several
 * processes may have it open. It is not flushed at each write: a crash of the process loses nothing, one of
 * the machine loses sessions. Pictures, which browsers fetch at once, are in memory. Budgets count entries
 * that this process wrote or found at its start.
 * @param directory created if missing, 0700
 * @param fault shared by all files of the process
 * @throws StorageError if the file cannot be opened
 */
export function openLmdbStates(
  directory: string,
  limits: CaptchaSettings["limits"],
  clock: CaptchaClock,
  fault?: WriteFault,
): StateStore {
  return new LmdbStates(openFile(statesFile(directory), 1, fault, { noSync: true }), limits, clock);
}

class LmdbStates implements StateStore {
  readonly #root: OpenFile["root"];
  readonly #states: Database<string, string>;
  readonly #room: OpenFile["room"];
  readonly #clock: CaptchaClock;
  readonly #pictures: MemoryStates;
  readonly #holdings: Record<StateKind, Holdings>;
  readonly #cached = new Map<string, Known>();
  readonly #wheel: ExpiryWheel;
  readonly #sweeps: NodeJS.Timeout;
  /** Removals with their versions; on a full disk they wait. */
  readonly #due: [string, number][] = [];
  #closed = false;

  constructor({ root, room }: OpenFile, limits: CaptchaSettings["limits"], clock: CaptchaClock) {
    this.#root = root;
    this.#room = room;
    this.#clock = clock;
    this.#pictures = new MemoryStates(limits, clock);
    const budgets = budgetsOf(limits);
    this.#holdings = perKind((kind) => new Holdings(budgets[kind]));
    this.#wheel = new ExpiryWheel(clock.now());
    this.#states = root.openDB({ name: "states", useVersions: true, encoding: "string", cache: false });
    this.#find();
    this.#sweeps = setInterval(() => this.#expire(), SWEEP_MS).unref();
  }

  async put(key: string, value: unknown, ttlMs: number, place: StatePlace): Promise<void> {
    if (place.kind === "picture") return await this.#pictures.put(key, value, ttlMs, place);
    this.#guard();
    const now = this.#expire();
    const text = textOf({ ends: now + ttlMs, place, json: JSON.stringify(value) });
    const version = Math.floor(now) * SAME_MS + randomInt(SAME_MS);
    await this.#room.write({ puts: 1, bytes: Buffer.byteLength(text) }, async () => {
      this.#count(key, text, { ends: now + ttlMs, place }, version);
      this.#removeDue();
      try {
        return await this.#states.put(key, text, version);
      } catch (error) {
        this.#forget(key);
        throw error;
      }
    });
  }

  async get(key: string): Promise<unknown> {
    if (this.#closed) throw new StorageError("the store is closed");
    const text = this.#states.get(key);
    if (text === undefined) return await this.#pictures.get(key);
    const stored = storedOf(text);
    return stored === undefined || stored.ends <= this.#clock.now() ? undefined : JSON.parse(stored.json);
  }

  async take(key: string): Promise<unknown> {
    this.#guard();
    const entry = this.#states.getEntry(key);
    if (entry === undefined) return await this.#pictures.take(key);
    const version = entry.version ?? 0;
    const taken = await this.#room.write({ removals: 1 }, () => this.#states.remove(key, version));
    if (!taken) return undefined;
    this.#forget(key);
    const stored = storedOf(entry.value);
    return stored === undefined || stored.ends <= this.#clock.now() ? undefined : JSON.parse(stored.json);
  }

  usage(): Record<StateKind, StateUsage> {
    const { picture } = this.#pictures.usage();
    const usage = perKind((kind): StateUsage => {
      const { entries, bytes, evicted } = this.#holdings[kind];
      return { entries, bytes, evicted };
    });
    return { ...usage, picture };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#sweeps);
    this.#room.close();
    await this.#pictures.close();
    await this.#root.close();
  }

  #guard(): void {
    if (this.#closed) throw new StorageError("the store is closed");
  }

  /** Reads in the order of writes. */
  #find(): void {
    const now = this.#clock.now();
    const found: { key: string; text: string; version: number; stored: Stored }[] = [];
    for (const { key, value: text, version = 0 } of this.#states.getRange({ versions: true })) {
      const stored = storedOf(text);
      if (stored === undefined || stored.ends <= now) this.#due.push([key, version]);
      else found.push({ key, text, version, stored });
    }
    found.sort((a, b) => a.version - b.version);
    for (const { key, text, version, stored } of found) {
      // An entry that exceeds a lowered limit is removed.
      try {
        this.#count(key, text, stored, version);
      } catch {
        this.#due.push([key, version]);
      }
    }
    this.#removeDue();
  }

  /** @throws StorageError if nothing can make enough room */
  #count(key: string, text: string, { ends, place }: Omit<Stored, "json">, version: number): void {
    const { kind, network, idle = false } = place;
    this.#forget(key);
    const gone = this.#holdings[kind].add(key, bytesOf(key, text), network, idle);
    if (gone === undefined) throw tooLarge(kind);
    for (const left of gone) this.#drop(left);
    this.#cached.set(key, { kind, version, bucket: this.#wheel.add(key, ends) });
  }

  #forget(key: string): void {
    const known = this.#cached.get(key);
    if (known === undefined) return;
    this.#cached.delete(key);
    this.#wheel.remove(key, known.bucket);
    this.#holdings[known.kind].remove(key);
  }

  #drop(key: string): void {
    const known = this.#cached.get(key);
    this.#forget(key);
    if (known !== undefined) this.#due.push([key, known.version]);
  }

  /** Leaves some for the next time if the disk has no room. */
  #removeDue(): void {
    for (let left = Number.POSITIVE_INFINITY; this.#due.length > 0 && this.#due.length < left; ) {
      left = this.#due.length;
      const batch = this.#due.slice(-REMOVED);
      const remove = () => {
        this.#due.length -= batch.length;
        return Promise.all(batch.map(([key, version]) => this.#states.remove(key, version)));
      };
      this.#room.write({ removals: batch.length, isBackground: true }, remove).catch(onWriteError);
    }
  }

  /** @returns epoch ms */
  #expire(): number {
    const now = this.#clock.now();
    if (this.#closed) return now;
    this.#wheel.expire(now, (key) => this.#drop(key));
    this.#removeDue();
    return now;
  }
}
