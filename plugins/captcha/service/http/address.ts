import { addressBytes, addressOf, networkOf } from "../../../../runtime/abi/text/ip-address.js";
import type { ClientAddress } from "../contract.js";

export { addressBytes, networkOf } from "../../../../runtime/abi/text/ip-address.js";

/** Bits of the network that counts as one client (reference sections 3.3 and 5.5). */
export const PREFIX_BITS = { 4: 24, 6: 56 } as const;

/** An address that no rate and no binding can mistake for a real one, for a peer without address. */
export const NOWHERE: ClientAddress = { text: "0.0.0.0", family: 4, prefix: "0.0.0.0/24" };

/**
 * Reads an address in the one way it can be read: IPv4-mapped IPv6 is IPv4; ports, zones, brackets and leading zeros are refused.
 * @returns undefined for anything that is no address
 */
export function parseAddress(text: string): ClientAddress | undefined {
  const bytes = addressBytes(text);
  if (bytes === undefined) return undefined;
  const family = bytes.length === 4 ? 4 : 6;
  return { text: addressOf(text) ?? text, family, prefix: networkOf(bytes, PREFIX_BITS[family]) };
}
