import { isIPv4, isIPv6 } from "node:net";

/**
 * Returns the one spelling of an address: IPv4-mapped IPv6 (`::ffff:a00:1`) as IPv4, other IPv6 as in RFC
 * 5952. Ports, zones, brackets and leading zeros are invalid.
 * @returns undefined if it is no address
 */
export function addressOf(text: string): string | undefined {
  // An IPv4 address has one spelling, because leading zeros are invalid.
  if (isIPv4(text)) return text;
  const bytes = addressBytes(text);
  return bytes === undefined ? undefined : addressText(bytes);
}

/** Takes the address from the kernel; a zone only names an interface of this machine and is removed. */
export function peerAddress(text: string | undefined): string {
  if (text === undefined) return "";
  const zone = text.indexOf("%");
  return addressOf(zone < 0 ? text : text.slice(0, zone)) ?? text;
}

/** Four or sixteen bytes, most significant first; four for IPv4-mapped IPv6. */
export function addressBytes(text: string): number[] | undefined {
  // Both reject leading zeros in IPv4 and ports; isIPv6 accepts a zone.
  if (isIPv4(text)) return text.split(".").map(Number);
  if (!isIPv6(text) || text.includes("%")) return undefined;
  const bytes = ipv6Bytes(text);
  return isMapped(bytes) ? bytes.slice(12) : bytes;
}

function isMapped(bytes: readonly number[]): boolean {
  return bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
}

/** @param text a valid IPv6 address without zone */
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

/** Formats as in RFC 5952, so that equal addresses are equal texts. */
function addressText(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  const [start, length] = longestZeros(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

/** @returns the start of the first longest run of zero groups, and its length */
function longestZeros(groups: readonly string[]): [number, number] {
  let best: [number, number] = [0, 0];
  for (let i = 0, run = 0; i < groups.length; i++) {
    run = groups[i] === "0" ? run + 1 : 0;
    if (run > best[1]) best = [i - run + 1, run];
  }
  return best;
}

/** Returns "203.0.113.0/24". */
export function networkOf(address: readonly number[], bits: number): string {
  const network = address.map((byte, i) => byte & (0xff << (8 - Math.min(8, Math.max(0, bits - i * 8)))));
  return `${addressText(network)}/${bits}`;
}
