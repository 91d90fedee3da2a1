import { isIPv6 } from "node:net";

/** A connection as far as its place among others goes. */
export interface Sharing {
  readonly remoteAddr: string;
  destroy(): void;
}

export interface Shares {
  /** Connections in all. */
  connections: number;
  /** Connections of one address; of an IPv6 network of 64 bits, which one client may have. */
  perAddress: number;
}

/**
 * Who may connect to a listener of our own. When an address has its share, or when all places are taken, the connection that has been idle
 * longest makes room (of that address, or of the address with the most), so that nobody who only holds connections keeps
 * others out.
 */
export class ConnectionShares<C extends Sharing> {
  readonly #limits: () => Shares;
  readonly #isIdle: (connection: C) => boolean;
  /** By address, that first whose last request is longest ago. */
  readonly #byAddress = new Map<string, Set<C>>();
  #count = 0;

  /** @param isIdle no request of it is being answered: nothing is lost when it is closed */
  constructor(limits: () => Shares, isIdle: (connection: C) => boolean) {
    this.#limits = limits;
    this.#isIdle = isIdle;
  }

  get size(): number {
    return this.#count;
  }

  /** @param shared false: it speaks for many clients, such as a trusted balancer. @returns false: there is no room for it */
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

  /** It has sent a request. */
  used(connection: C): void {
    const own = this.#byAddress.get(networkOf(connection.remoteAddr));
    if (own?.delete(connection)) own.add(connection);
  }

  /** It is closed. */
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
  // "::" stands for zeros; what follows it matters only where it reaches into the first 64 bits.
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}
