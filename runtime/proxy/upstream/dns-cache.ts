import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** Resolves a name to its addresses, and later to their TTL in ms, which is undefined if unknown. */
export type ResolveName = (name: string) => Promise<{
  addresses: LookupAddress[];
  ttl: Promise<number | undefined>;
}>;

/** Short timeout: the TTL is optional, and the addresses do not wait for it. */
const resolver = new Resolver({ timeout: 1_000, tries: 1 });

/**
 * Resolves a name by the system, with /etc/hosts and search domains, which DNS itself does not know. Only DNS
 * records have a TTL. They are queried separately, and count if they contain the same addresses.
 */
export const resolveName: ResolveName = async (name) => {
  const addresses = await lookup(name, { all: true });
  const known = new Set(addresses.map(({ address }) => address));
  // A name without a dot is from /etc/hosts or a search domain.
  return { addresses, ttl: name.includes(".") ? shortest(name, known) : Promise.resolve(undefined) };
};

async function shortest(name: string, known: ReadonlySet<string>): Promise<number | undefined> {
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const records = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const seconds = records.filter(({ address }) => known.has(address)).map(({ ttl }) => ttl);
  return seconds.length === 0 ? undefined : Math.min(...seconds) * 1_000;
}

const DEFAULT_TTL_MS = 30_000;
const MIN_TTL_MS = 1_000;
const MAX_TTL_MS = 3_600_000;
/** Retry delay in ms after a failed lookup, if there are old addresses. */
const AGAIN_MS = 5_000;
/** Maximum time in ms that a new connection waits for new addresses, if there are old ones. */
const PATIENCE_MS = 500;

export interface NameUser {
  readonly connected: boolean;
  addressesChanged(addresses: ReadonlySet<string>): void;
}

class Entry {
  addresses: LookupAddress[] = [];
  loadedAt = Number.NEGATIVE_INFINITY;
  expiresAt = Number.NEGATIVE_INFINITY;
  loading: Promise<void> | undefined = undefined;
  timer: NodeJS.Timeout | undefined = undefined;
  turn = 0;
  readonly users = new Set<NameUser>();
}

/**
 * Addresses of upstream nodes with names, resolved again when their TTL expires, so that idle connections
 * move, too. A name that no longer resolves keeps its last addresses.
 */
export class DnsCache {
  readonly #entries = new Map<string, Entry>();
  readonly #resolve: ResolveName;

  constructor(resolve: ResolveName = resolveName) {
    this.#resolve = resolve;
  }

  /** Lookup for `net.connect`. Addresses take turns, so that a name with several ones is several nodes. */
  readonly lookup: LookupFunction = (name, { all }, callback) => {
    this.#addressesOf(name).then(
      (addresses) => {
        const [first] = addresses;
        if (all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

  use(name: string, user: NameUser): void {
    this.#entryOf(name).users.add(user);
  }

  leave(name: string, user: NameUser): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    entry.users.delete(user);
    if (entry.users.size > 0) return;
    clearTimeout(entry.timer);
    this.#entries.delete(name);
  }

  #entryOf(name: string): Entry {
    let entry = this.#entries.get(name);
    if (entry === undefined) {
      entry = new Entry();
      this.#entries.set(name, entry);
    }
    return entry;
  }

  async #addressesOf(name: string): Promise<LookupAddress[]> {
    const entry = this.#entryOf(name);
    if (performance.now() >= entry.expiresAt) {
      const loading = this.#load(name, entry);
      if (entry.addresses.length === 0) await loading;
      else await Promise.race([loading, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]);
    }
    return inTurn(entry.addresses, entry.turn++);
  }

  /** Resolves a name, once at a time. Rejects only if there are no old addresses. */
  #load(name: string, entry: Entry): Promise<void> {
    entry.loading ??= this.#ask(name, entry).finally(() => {
      entry.loading = undefined;
    });
    return entry.loading;
  }

  async #ask(name: string, entry: Entry): Promise<void> {
    try {
      const { addresses, ttl } = await this.#resolve(name);
      if (addresses.length === 0) throw new Error(`${name} has no addresses`);
      this.#update(entry, addresses);
      this.#expires(name, entry, DEFAULT_TTL_MS);
      void ttl.then((ms) => {
        if (ms !== undefined) this.#expires(name, entry, Math.min(Math.max(ms, MIN_TTL_MS), MAX_TTL_MS));
      });
    } catch (error) {
      if (entry.addresses.length === 0) throw error;
      entry.loadedAt = performance.now();
      this.#expires(name, entry, AGAIN_MS);
    }
  }

  #update(entry: Entry, addresses: LookupAddress[]): void {
    const before = new Set(entry.addresses.map(({ address }) => address));
    const now = new Set(addresses.map(({ address }) => address));
    entry.addresses = addresses;
    entry.loadedAt = performance.now();
    const gone = [...before].some((address) => !now.has(address));
    if (gone) for (const user of entry.users) user.addressesChanged(now);
  }

  #expires(name: string, entry: Entry, ms: number): void {
    entry.expiresAt = entry.loadedAt + ms;
    clearTimeout(entry.timer);
    // Without connections, the next new one resolves the name.
    entry.timer = setTimeout(() => {
      if ([...entry.users].some(({ connected }) => connected)) void this.#load(name, entry).catch(() => {});
    }, ms).unref();
  }
}

/** Rotates the addresses of the first family: the system puts the family first that works from here. */
function inTurn(addresses: LookupAddress[], turn: number): LookupAddress[] {
  const best = addresses.filter(({ family }) => family === addresses[0]?.family);
  const at = turn % best.length;
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  return [...best.slice(at), ...best.slice(0, at), ...others];
}
