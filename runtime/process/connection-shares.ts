import { isIPv6 } from "node:net";

export interface Sharing {
  readonly remoteAddr: string;
  destroy(): void;
}

export interface Shares {
  connections: number;
  /** Maximum connections of one address, or of an IPv6 network of 64 bits, which one client may have. */
  perAddress: number;
}

/**
 * An address with its full share loses its longest idle connection; at the limit of all, the address with the
 * most connections loses one: a client that only keeps connections open cannot lock others out.
 */
export class ConnectionShares<C extends Sharing> {
  readonly #limits: () => Shares;
  readonly #isIdle: (connection: C) => boolean;
  /** Connections by address, ordered by their last request, the oldest first. */
  readonly #byAddress = new Map<string, Set<C>>();
  #count = 0;

  /** @param isIdle reports whether no request of a connection is being served, so that closing it loses nothing */
  constructor(limits: () => Shares, isIdle: (connection: C) => boolean) {
    this.#limits = limits;
    this.#isIdle = isIdle;
  }

  get size(): number {
    return this.#count;
  }

  /** @param shared false for a peer of many clients, such as a trusted balancer @returns false if there is no room */
  admit(connection: C, shared = true): boolean {
    const { connections, perAddress } = this.#limits();
    const network = networkOf(connection.remoteAddr);
    const own = this.#byAddress.get(network) ?? new Set<C>();
    if (shared && own.size >= perAddress && !this.#makeRoomIn(own)) return false;
    if (this.#count >= connections && !this.#makeRoomIn(this.#largest())) return false;
    this.#byAddress.set(network, own.add(connection));
    this.#count += 1;
    return true;
  }

  used(connection: C): void {
    const own = this.#byAddress.get(networkOf(connection.remoteAddr));
    if (own?.delete(connection)) own.add(connection);
  }

  remove(connection: C): void {
    const network = networkOf(connection.remoteAddr);
    const own = this.#byAddress.get(network);
    if (!own?.delete(connection)) return;
    this.#count -= 1;
    if (own.size === 0) this.#byAddress.delete(network);
  }

  *[Symbol.iterator](): Generator<C> {
    for (const own of this.#byAddress.values()) yield* own;
  }

  #makeRoomIn(own: ReadonlySet<C>): boolean {
    for (const connection of own) {
      if (!this.#isIdle(connection)) continue;
      this.remove(connection);
      connection.destroy();
      return true;
    }
    return false;
  }

  #largest(): ReadonlySet<C> {
    let largest: ReadonlySet<C> = new Set();
    for (const own of this.#byAddress.values()) if (own.size > largest.size) largest = own;
    return largest;
  }
}

function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  // "::" is a run of zeros; the groups behind it matter only if they reach into the first 64 bits.
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
