import { isIP } from "node:net";
import { plainAddress } from "../wire/plain-address.js";

/** Longest chain of proxies that is walked. */
const MOST_HOPS = 32;

/**
 * Whose request it is: the peer's, or what proxies whose word is believed say, from the right, each naming the one before it.
 * What is no address ends the walk: the proxy that wrote it is all that is known.
 * @param forwarded values of X-Forwarded-For, one a line, in order
 */
export function clientAddress(
  peer: string,
  forwarded: readonly string[],
  trusts: (address: string) => boolean,
): string {
  if (forwarded.length === 0 || !trusts(peer)) return peer;
  let client = peer;
  for (const hop of forwarded.join(",").split(",").slice(-MOST_HOPS).reverse()) {
    const next = hop.trim();
    if (isIP(next) === 0 || next.includes("%")) return client;
    client = plainAddress(next);
    if (!trusts(client)) return client;
  }
  return client;
}
