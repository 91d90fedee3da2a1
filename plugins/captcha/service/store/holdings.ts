export interface Budget {
  bytes: number;
  entries: number;
  /** Percentage of both for one network. */
  share: number;
}

/** Each group with the oldest entry first. */
interface Network {
  idle: Set<string>;
  busy: Set<string>;
  bytes: number;
  rank: number;
}

interface Held {
  bytes: number;
  network: string;
}

/** Bytes beside key and text, in memory and in files. */
const OVERHEAD = 200;
/** Ranks per doubling: networks within 19 % of each other count as equal. */
const RANKS = 4;

export const bytesOf = (key: string, text: string): number =>
  OVERHEAD + Buffer.byteLength(key) + Buffer.byteLength(text);

/**
 * Accounts for one kind of state, and the choice of entries to evict. A network above its share loses its own
 * oldest; in a full store the network with the most does. So an attacker with N networks displaces himself. A
 * visitor of another network loses nothing until there are as many networks as places. Entries that cost
 * nothing yet are evicted before others.
 */
export class Holdings {
  readonly #budget: Budget;
  readonly #held = new Map<string, Held>();
  readonly #networks = new Map<string, Network>();
  /** Index that finds the largest network without a scan. */
  readonly #ranks: (Set<string> | undefined)[] = [];
  #bytes = 0;
  #evicted = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  get entries(): number {
    return this.#held.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get evicted(): number {
    return this.#evicted;
  }

  /** @returns evicted keys; undefined if the entry alone exceeds the budget, and is not counted */
  add(key: string, bytes: number, network: string, idle: boolean): string[] | undefined {
    this.remove(key);
    if (bytes > this.#budget.bytes) return undefined;
    const gone = this.#makeRoom(bytes, network);
    this.#held.set(key, { bytes, network });
    this.#bytes += bytes;
    const own = this.#networks.get(network) ?? newNetwork();
    this.#networks.set(network, own);
    (idle ? own.idle : own.busy).add(key);
    this.#change(network, own, bytes);
    return gone;
  }

  remove(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    this.#held.delete(key);
    this.#bytes -= held.bytes;
    const own = this.#networks.get(held.network);
    if (own === undefined) return;
    own.idle.delete(key);
    own.busy.delete(key);
    this.#change(held.network, own, -held.bytes);
  }

  #makeRoom(bytes: number, network: string): string[] {
    const { bytes: mostBytes, entries: mostEntries, share } = this.#budget;
    const gone: string[] = [];
    const own = this.#networks.get(network);
    const ownEntries = Math.max(1, Math.floor((mostEntries * share) / 100));
    const ownBytes = (mostBytes * share) / 100;
    while (own !== undefined && countOf(own) > 0) {
      if (own.bytes + bytes <= ownBytes && countOf(own) < ownEntries) break;
      this.#evict(own, gone);
    }
    while (this.#bytes + bytes > mostBytes || this.#held.size >= mostEntries) {
      const largest = this.#largest();
      if (largest === undefined) break;
      this.#evict(largest, gone);
    }
    return gone;
  }

  #evict(from: Network, gone: string[]): void {
    const [oldest] = from.idle.size > 0 ? from.idle : from.busy;
    if (oldest === undefined) return;
    this.remove(oldest);
    this.#evicted++;
    gone.push(oldest);
  }

  #largest(): Network | undefined {
    while (this.#ranks.length > 0) {
      const [first] = this.#ranks.at(-1) ?? [];
      const found = first === undefined ? undefined : this.#networks.get(first);
      if (found !== undefined) return found;
      this.#ranks.pop();
    }
    return undefined;
  }

  #change(name: string, network: Network, bytes: number): void {
    network.bytes += bytes;
    const rank = countOf(network) === 0 ? -1 : Math.floor(RANKS * Math.log2(Math.max(1, network.bytes)));
    if (rank < 0) this.#networks.delete(name);
    if (rank === network.rank) return;
    this.#ranks[network.rank]?.delete(name);
    network.rank = rank;
    if (rank < 0) return;
    const peers = this.#ranks[rank];
    if (peers === undefined) this.#ranks[rank] = new Set([name]);
    else peers.add(name);
  }
}

const newNetwork = (): Network => ({ idle: new Set(), busy: new Set(), bytes: 0, rank: -1 });
const countOf = ({ idle, busy }: Network): number => idle.size + busy.size;
