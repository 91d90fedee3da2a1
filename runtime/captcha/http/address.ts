import { isIPv4, isIPv6 } from "node:net";
import type { ClientAddress } from "../contract.js";

/** Bits of the network that counts as one client (reference sections 3.3 and 5.5). */
export const PREFIX_BITS = { 4: 24, 6: 56 } as const;

/**
 * Reads an address in the one way it can be read: IPv4-mapped IPv6 is IPv4; ports, zones, brackets and leading zeros are refused.
 * @returns undefined for anything that is no address
 */
export function parseAddress(text: string): ClientAddress | undefined {
  const bytes = addressBytes(text);
  if (bytes === undefined) return undefined;
  const family = bytes.length === 4 ? 4 : 6;
  return { text: addressText(bytes), family, prefix: networkOf(bytes, PREFIX_BITS[family]) };
}

/** The network of `bits` bits that an address lies in: "203.0.113.0/24". */
export function networkOf(address: readonly number[], bits: number): string {
  const network = address.map((byte, i) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - i * 8)))));
  return `${addressText(network)}/${bits}`;
}

/** Four or sixteen bytes, most significant first. */
export function addressBytes(text: string): number[] | undefined {
  // Both refuse leading zeros in IPv4 and ports; isIPv6 takes a zone.
  if (isIPv4(text)) return text.split(".").map(Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped ? bytes.slice(12) : bytes;
}

/** @param text an IPv6 address without zone, known to be one */
function ipv6Bytes(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const before = groupBytes(head);
  if (tail === undefined) return before;
  const after = groupBytes(tail);
  return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after];
}

function groupBytes(groups: string): number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** One spelling an address (RFC 5952), so that equal addresses are equal texts. */
function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  const [start, length] = longestZeros(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

/** @returns where the first of the longest runs of zero groups starts, and its length */
function longestZeros(groups: readonly string[]): [number, number] {
  let best: [number, number] = [0, 0];
  for (let i = 0, run = 0; i < groups.length; i++) {
    run = groups[i] === "0" ? run + 1 : 0;
    if (run > best[1]) best = [i - run + 1, run];
  }
  return best;
}
