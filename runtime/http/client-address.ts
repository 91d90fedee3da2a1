import { trimBlanks } from "../abi/text/field.js";
import { addressOf } from "../abi/text/ip-address.js";
import type { HeaderList } from "./header-list.js";

/** Fields in which proxies say whose request it is. */
export type RealIpHeader = "X-Forwarded-For" | "X-Real-IP" | "Forwarded";

/** Whose word about a client's address is believed. */
export interface AddressTrust {
  /** Proxies in front of us; each is believed about the one before it. */
  readonly trusts: (address: string) => boolean;
  /** The only field that is read; default X-Forwarded-For. */
  readonly realIpHeader?: RealIpHeader | undefined;
}

/** Longest chain of proxies that is walked; what stands further left is nobody's word. */
const MAX_HOPS = 32;

/**
 * Whose request it is: the peer's, or what proxies whose word is believed say, from the right, each naming the one before it. A
 * client may send any field it likes; the last proxy appends where it came from. What is no address ends the walk: the proxy that
 * wrote it is all that is known.
 * @param peer address of the connection, in its one spelling
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

/** An address with the port that some proxies write behind it; IPv6 without brackets has none. */
const WITH_PORT = /^(?:\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5})$/;

/** From the right, without ports. Empty members of a list say nothing (RFC 9110 section 5.6.1). */
const listedHops = (line: string): string[] =>
  line
    .split(",")
    .map(trimBlanks)
    .filter((hop) => hop !== "")
    .map(withoutPort)
    .reverse();

function withoutPort(hop: string): string {
  const [, six, four] = WITH_PORT.exec(hop) ?? [];
  // What stands in brackets is IPv6 and nothing else.
  return six?.includes(":") ? six : (four ?? hop);
}

/** Addresses of `for=`, from the right; undefined for a hop that hides its name, has none, or has two. */
const forwardedHops = (line: string): (string | undefined)[] =>
  membersFromRight(line)
    .filter((member) => member !== "")
    .map(forwardedFor);

/**
 * Members of a list whose commas may be quoted, from the right: what a client wrote stands further left, and a quote that it left
 * open must not swallow what the proxy appended.
 */
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

/** One parameter with what separates it from the next (RFC 7239 section 4). */
const PARAMETER = /[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^;", \t]*))[ \t]*(?:;|$)/y;
/** An address with the port that it may have; IPv6 stands in brackets. */
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
