import { randomInt } from "node:crypto";
import type { Database } from "lmdb";
import type { WriteFault } from "../../../../runtime/abi/write-fault.js";
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

/** Entries leave at most this much after their time. */
const SWEEP_MS = 5_000;
/** Entries put in the same millisecond differ by one of so many numbers. */
const SAME_MS = 4_096;
/** Entries that one transaction removes, for which the reserve of a full disk has room. */
const REMOVED = 50;

/** What this process knows of an entry; its text is in the file. */
interface Known {
  kind: StateKind;
  /** Of this very write: a removal holds only while it is the latest. */
  version: number;
  bucket: number;
}

/** An entry as it stands in the file: a line about it, and its JSON. */
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
 * Sessions and answers in an LMDB file of their own, so that a visitor goes on where he was when the process has started again; several
 * processes may have it open. The file is not flushed at each write: a process that dies loses nothing, a machine that does loses
 * sessions. Pictures, which browsers fetch at once, are in memory. Budgets count what this process put or found at its start.
 * @param directory made when missing, 0700 @param fault of all files of the process
 * @throws StorageError when the file cannot be opened
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
  readonly #known = new Map<string, Known>();
  readonly #wheel: ExpiryWheel;
  readonly #sweeps: NodeJS.Timeout;
  /** Entries to remove, with their versions; on a full disk they wait. */
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

  /** What was there before this process, in the order in which it was put. */
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
      // Lower limits than before: what is too large for them goes.
      try {
        this.#count(key, text, stored, version);
      } catch {
        this.#due.push([key, version]);
      }
    }
    this.#removeDue();
  }

  /** @throws StorageError when nothing can make enough room */
  #count(key: string, text: string, { ends, place }: Omit<Stored, "json">, version: number): void {
    const { kind, network, idle = false } = place;
    this.#forget(key);
    const gone = this.#holdings[kind].add(key, bytesOf(key, text), network, idle);
    if (gone === undefined) throw tooLarge(kind);
    for (const left of gone) this.#drop(left);
    this.#known.set(key, { kind, version, bucket: this.#wheel.add(key, ends) });
  }

  #forget(key: string): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    this.#wheel.remove(key, known.bucket);
    this.#holdings[known.kind].remove(key);
  }

  #drop(key: string): void {
    const known = this.#known.get(key);
    this.#forget(key);
    if (known !== undefined) this.#due.push([key, known.version]);
  }

  /** Removes due states. Some stay for the next time if the disk has no room. */
  #removeDue(): void {
    for (let left = Number.POSITIVE_INFINITY; this.#due.length > 0 && this.#due.length < left; ) {
      left = this.#due.length;
      const batch = this.#due.slice(-REMOVED);
      const remove = () => {
        this.#due.length -= batch.length;
        return Promise.all(batch.map(([key, version]) => this.#states.remove(key, version)));
      };
      this.#room.write({ removals: batch.length, unasked: true }, remove).catch(onWriteError);
    }
  }

  /** @returns epoch milliseconds */
  #expire(): number {
    const now = this.#clock.now();
    if (this.#closed) return now;
    this.#wheel.expire(now, (key) => this.#drop(key));
    this.#removeDue();
    return now;
  }
}
