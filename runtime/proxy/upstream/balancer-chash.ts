import type { Exchange } from "../../abi/exchange.js";
import { fnv1a, mixed } from "../../abi/hash.js";
import type { LiveNode } from "../host/contract.js";
import type { HashKey } from "./hash-key.js";
import type { NodePicker, WeightedNode } from "./node-picker.js";

const POINTS_PER_UNIT = 160;
/** Maximum points of a ring: weights like 1,000,000 and 1 must not cost gigabytes; 524,288 points are 4 MB. */
const MAX_POINTS = 524_288;

interface Ring {
  /** In ascending order. */
  points: Uint32Array;
  owners: Uint32Array;
}

/** Consistent hashing: a lost node moves only its own keys. Equal in every worker and after a restart. */
export class ConsistentHash implements NodePicker {
  readonly #peers: readonly WeightedNode[];
  readonly #keyOf: HashKey;
  #ring: Ring | undefined;

  constructor(peers: readonly WeightedNode[], keyOf: HashKey) {
    this.#peers = peers;
    this.#keyOf = keyOf;
  }

  choose(x: Exchange, tried: readonly LiveNode[]): WeightedNode | null {
    this.#ring ??= ringOf(this.#peers);
    const { points, owners } = this.#ring;
    const start = firstAtLeast(points, hash(this.#keyOf(x)));
    for (let i = 0; i < points.length; i++) {
      const peer = this.#peers[owners[(start + i) % points.length] ?? 0];
      if (peer !== undefined && !tried.includes(peer.node)) return peer;
    }
    return null;
  }

  /** Keys of a returning node return one by one and stay. */
  share(x: Exchange): number {
    return numbered(hash(this.#keyOf(x)), 1) / 0x1_0000_0000;
  }
}

function ringOf(peers: readonly WeightedNode[]): Ring {
  const divisor = peers.reduce((common, { weight }) => gcd(common, weight), 0) || 1;
  const units = peers.map(({ weight }) => weight / divisor);
  const wanted = units.reduce((sum, unit) => sum + unit * POINTS_PER_UNIT, 0);
  const scale = Math.min(1, MAX_POINTS / wanted);
  const counts = units.map((unit) => Math.max(1, Math.round(unit * POINTS_PER_UNIT * scale)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  // Combines point and owner in one number (32 + 21 bits), so that one numeric sort orders both.
  const keyed = new Float64Array(total);
  let at = 0;
  peers.forEach(({ node }, owner) => {
    const seed = hash(`${node.host.toLowerCase()}\0${node.port}`);
    for (let i = 0; i < (counts[owner] ?? 0); i++) keyed[at++] = numbered(seed, i) * 2_097_152 + owner;
  });
  keyed.sort();
  return {
    points: Uint32Array.from(keyed, (value) => Math.floor(value / 2_097_152)),
    owners: Uint32Array.from(keyed, (value) => value % 2_097_152),
  };
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function firstAtLeast(points: Uint32Array, wanted: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((points[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low === points.length ? 0 : low;
}

/** Hashes a byte string. */
const hash = (text: string): number => mixed(fnv1a(text) | 0);

/** Returns one of the numbers that belong to a hash. */
const numbered = (seed: number, number: number): number => mixed((seed + Math.imul(number, 0x9e3779b9)) | 0);
