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
import { type Budget, bytesOf, Holdings } from "./holdings.js";
import { ExpiringTexts } from "./memory.js";

/** @throws StorageError with the reason if the work takes longer */
export function inTime<T>(ms: number, work: Promise<T>, reason: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new StorageError(reason)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Only bytes limit answers and pictures. */
export function budgetsOf(limits: CaptchaSettings["limits"]): Record<StateKind, Budget> {
  const { sessions, sessionBytes, answerBytes, pictureBytes, networkShare: share } = limits;
  const unlimited = Number.MAX_SAFE_INTEGER;
  return {
    session: { bytes: sessionBytes, entries: sessions, share },
    answer: { bytes: answerBytes, entries: unlimited, share },
    picture: { bytes: pictureBytes, entries: unlimited, share },
  };
}

export const tooLarge = (kind: StateKind): StorageError =>
  new StorageError(`a value is larger than the captcha's budget for one ${kind}`);

export function perKind<T>(of: (kind: StateKind) => T): Record<StateKind, T> {
  return Object.fromEntries(STATE_KINDS.map((kind) => [kind, of(kind)])) as Record<StateKind, T>;
}

/** Values are stored as JSON, so that callers share no objects. */
export class MemoryStates implements StateStore {
  readonly #holdings: Record<StateKind, Holdings>;
  readonly #texts: ExpiringTexts;
  readonly #kinds = new Map<string, StateKind>();

  constructor(limits: CaptchaSettings["limits"], clock: CaptchaClock) {
    const budgets = budgetsOf(limits);
    this.#holdings = perKind((kind) => new Holdings(budgets[kind]));
    this.#texts = new ExpiringTexts(Number.POSITIVE_INFINITY, clock, (key) => this.#forget(key));
  }

  async put(key: string, value: unknown, ttlMs: number, place: StatePlace): Promise<void> {
    const text = JSON.stringify(value);
    this.#texts.expire();
    this.#forget(key);
    const { kind, network, idle = false } = place;
    const gone = this.#holdings[kind].add(key, bytesOf(key, text), network, idle);
    if (gone === undefined) {
      this.#texts.remove(key);
      throw tooLarge(kind);
    }
    for (const left of gone) {
      this.#kinds.delete(left);
      this.#texts.remove(left);
    }
    this.#kinds.set(key, kind);
    this.#texts.set(key, text, ttlMs);
  }

  async get(key: string): Promise<unknown> {
    const text = this.#texts.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  async take(key: string): Promise<unknown> {
    // Without an await between check and removal.
    const text = this.#texts.get(key);
    this.#forget(key);
    this.#texts.remove(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  usage(): Record<StateKind, StateUsage> {
    this.#texts.expire();
    return perKind((kind) => {
      const { entries, bytes, evicted } = this.#holdings[kind];
      return { entries, bytes, evicted };
    });
  }

  async close(): Promise<void> {
    this.#texts.close();
  }

  #forget(key: string): void {
    const kind = this.#kinds.get(key);
    if (kind === undefined) return;
    this.#kinds.delete(key);
    this.#holdings[kind].remove(key);
  }
}
