import { BlockList, isIP } from "node:net";
import { environmentReferences } from "../../runtime/abi/environment.js";

/** Reports whether an entry is a network that holds the address of a node, or its name. */
function isNodeIn(host: string, entry: string): boolean {
  if (entry === "*") return true;
  const address = addressOf(host);
  const [network = "", bits] = entry.split("/");
  const family = isIP(network);
  if (family === 0) return address === undefined && isWithin(withoutDot(host), entry);
  if (address === undefined) return false;
  const list = new BlockList();
  const kind = family === 4 ? "ipv4" : "ipv6";
  const most = family === 4 ? 32 : 128;
  list.addSubnet(network, bits === undefined ? most : Math.min(Number(bits), most), kind);
  return list.check(address, isIP(address) === 4 ? "ipv4" : "ipv6");
}

const withoutDot = (host: string) => host.toLowerCase().replace(/\.$/, "");

/**
 * Address that a resolver makes without a lookup: "127.1", "0x7f000001" and "2130706433" are 127.0.0.1.
 * @returns undefined for a name
 */
function addressOf(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(bare) !== 0) return bare;
  try {
    const { hostname } = new URL(`http://${withoutDot(bare)}/`);
    return isIP(hostname) === 4 ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** WHATWG reads a host whose last label is a number as an address ("127.1", "0x7f.1"); names have no such label. */
const NUMBER = /^(?:\d*|0x[0-9a-f]*)$/i;

export const isVariable = (host: string): boolean => environmentReferences(host).length > 0;

/** Checks the host for every value of its variables. */
export function isAlwaysIn(host: string, entry: string): boolean {
  if (!isVariable(host)) return isNodeIn(host, entry);
  if (entry === "*") return true;
  const { end } = fixedParts(host);
  return !mayBeAddress(end) && entry.startsWith("*") && isNodeIn(`a${end}`, entry);
}

/** Checks the host for some value of its variables. */
export function mayBeIn(host: string, entry: string): boolean {
  if (!isVariable(host)) return isNodeIn(host, entry);
  const { start, end } = fixedParts(host);
  if (entry === "*") return true;
  if (isNetwork(entry)) return mayBeAddress(end);
  const name = entry.toLowerCase();
  if (name.startsWith("*")) return overlap(`*${end}`, name);
  return name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/** Accepts an address or network; names have a letter that no address has. */
const isNetwork = (entry: string) => entry.includes(":") || NUMBER.test(labelOf(entry.split("/")[0] ?? ""));

/** A host with this end may be an address: its last label is not fixed, or it is a number. */
const mayBeAddress = (end: string) => !end.includes(".") || NUMBER.test(labelOf(end));

const labelOf = (host: string) => host.slice(host.lastIndexOf(".") + 1);

/** Characters in front of the first variable and behind the last. A trailing dot is ignored. */
function fixedParts(host: string): { start: string; end: string } {
  const start = host.slice(0, host.indexOf("${{"));
  const end = host.slice(host.lastIndexOf("}}") + 2);
  return { start: start.toLowerCase(), end: end.toLowerCase().replace(/\.$/, "") };
}

/** Suffix of a pattern with "*", which replaces any beginning, as in routes. */
const suffix = (pattern: string) => (pattern.startsWith("*") ? pattern.slice(1) : undefined);

/** Reports whether every host that matches `pattern` matches `other`. */
export function isWithin(pattern: string, other: string): boolean {
  const end = suffix(other.toLowerCase());
  if (end === undefined) return pattern === other.toLowerCase();
  const own = suffix(pattern) ?? pattern;
  return own.endsWith(end) && (pattern.startsWith("*") || own.length > end.length);
}

export function overlap(pattern: string, other: string): boolean {
  const [own, end] = [suffix(pattern), suffix(other.toLowerCase())];
  if (own !== undefined && end !== undefined) return own.endsWith(end) || end.endsWith(own);
  return isWithin(pattern, other) || isWithin(other.toLowerCase(), pattern);
}
