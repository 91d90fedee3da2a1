import { addressOf } from "../abi/text/addresses.js";
import { trimBlanks } from "../abi/text/field.js";
import type { HeaderList } from "./header-list.js";

export type RealIpHeader = "X-Forwarded-For" | "X-Real-IP" | "Forwarded";

export interface AddressTrust {
  /** Reports whether an address is a trusted proxy, which is believed about the hop before it. */
  readonly trusts: (address: string) => boolean;
  /** The only header that is read. Default: X-Forwarded-For. */
  readonly realIpHeader?: RealIpHeader | undefined;
}

/** Longest chain of proxies that is walked; hops further left are ignored. */
const MAX_HOPS = 32;

/**
 * Walks from the right, where each proxy appends its peer: a client may send any header. A value that is no
 * address ends the walk at the proxy that wrote it.
 * @param peer address of the connection, in its canonical spelling
 */
export function clientAddress(peer: string, fields: HeaderList, trust: AddressTrust): string {
  const { trusts, realIpHeader = "X-Forwarded-For" } = trust;
  const lines = fields.getAll(realIpHeader);
  if (lines.length === 0 || !trusts(peer)) return peer;
  const hopsOf = realIpHeader === "Forwarded" ? forwardedHops : listedHops;
  let client = peer;
  for (const hop of lines.reverse().flatMap(hopsOf).slice(0, MAX_HOPS)) {
    const next = hop === undefined ? undefined : addressOf(hop);
    if (next === undefined) return client;
    client = next;
    if (!trusts(client)) return client;
  }
  return client;
}

/** Address with the port that some proxies append; IPv6 without brackets has none. */
const WITH_PORT = /^(?:\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/;

/** Hops from the right, without ports. Empty list members are skipped (RFC 9110 section 5.6.1). */
const listedHops = (line: string): string[] =>
  line
    .split(",")
    .map(trimBlanks)
    .filter((hop) => hop !== "")
    .map(withoutPort)
    .reverse();

function withoutPort(hop: string): string {
  const [, six, four] = WITH_PORT.exec(hop) ?? [];
  // Brackets contain IPv6 only.
  return six?.includes(":") ? six : (four ?? hop);
}

/** Addresses of `for=`, from the right; undefined for a hop that is obfuscated, or has no or two addresses. */
const forwardedHops = (line: string): (string | undefined)[] =>
  membersFromRight(line)
    .filter((member) => member !== "")
    .map(forwardedFor);

/** Members of a list, read from the right: a quote that the client left open must not swallow a proxy's member. */
function membersFromRight(line: string): string[] {
  const members: string[] = [];
  let end = line.length;
  let quoted = false;
  for (let i = line.length - 1; i >= 0; i--) {
    const code = line.charCodeAt(i);
    if (code === 0x22 && !isEscaped(line, i)) quoted = !quoted;
    else if (code === 0x2c && !quoted) {
      members.push(trimBlanks(line.slice(i + 1, end)));
      end = i;
    }
  }
  members.push(trimBlanks(line.slice(0, end)));
  return members;
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === 0x5c) slashes++;
  return slashes % 2 === 1;
}

/** Parameter with its separator (RFC 7239 section 4). */
const PARAMETER = /[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^;", \t]*))[ \t]*(?:;|$)/y;
/** Address with an optional port; IPv6 is in brackets. */
const NODE = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+))(?::(?:[0-9]{1,5}|_[0-9A-Za-z._-]+))?$/;

function forwardedFor(member: string): string | undefined {
  let node: string | undefined;
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < member.length) {
    const parameter = PARAMETER.exec(member);
    if (parameter === null) return undefined;
    const [, name = "", quoted, plain = ""] = parameter;
    if (name.toLowerCase() !== "for") continue;
    if (node !== undefined) return undefined;
    node = quoted?.replace(/\\(.)/g, "$1") ?? plain;
  }
  const [, six, four] = NODE.exec(node ?? "") ?? [];
  return six ?? four;
}
