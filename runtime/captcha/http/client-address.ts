import type { ClientAddress } from "../contract.js";
import { parseAddress } from "./address.js";

/** Longest chain of proxies that is walked; what stands further left is nobody's word. */
const MOST_HOPS = 32;

/** An address that no rate and no binding can mistake for a real one, for a peer without address. */
const NOWHERE: ClientAddress = { text: "0.0.0.0", family: 4, prefix: "0.0.0.0/24" };

/**
 * Whose request it is. From the right, as long as the word of the one who wrote it is believed: a client may send any
 * `X-Forwarded-For` it likes, and the last proxy appends where it came from (W4).
 * @param peer remote address of the connection
 * @param forwarded values of `X-Forwarded-For`, one a line, in order
 */
export function clientAddress(
  peer: string,
  forwarded: readonly string[],
  trusts: (address: string) => boolean,
): ClientAddress {
  // A link-local peer has a zone, which only names our own interface.
  const zone = peer.indexOf("%");
  let client = parseAddress(zone < 0 ? peer : peer.slice(0, zone)) ?? NOWHERE;
  if (forwarded.length === 0 || !trusts(client.text)) return client;
  const hops = forwarded.join(",").split(",").slice(-MOST_HOPS).reverse();
  for (const hop of hops) {
    const next = parseAddress(hop.trim());
    // What a trusted proxy wrote is no address: the proxy is all that is known.
    if (next === undefined) return client;
    client = next;
    if (!trusts(client.text)) return client;
  }
  return client;
}
