import { addressBytes, addresses, addressOf, networkOf } from "../../../../runtime/abi/plugin-api.js";
import type { ClientAddress } from "../contract.js";

export { addressBytes, networkOf } from "../../../../runtime/abi/plugin-api.js";

/** Length that counts as one client (reference sections 3.3 and 5.5). */
export const PREFIX_BITS = { 4: 24, 6: 56 } as const;

/** A peer without address; no rate and no binding confuses it with a real one. */
export const NOWHERE: ClientAddress = { text: "0.0.0.0", family: 4, prefix: "0.0.0.0/24" };

/** IPv4-mapped IPv6 becomes IPv4; undefined with a port, zone, brackets or leading zeros. */
export function parseAddress(text: string): ClientAddress | undefined {
  const bytes = addressBytes(text);
  if (bytes === undefined) return undefined;
  const family = bytes.length === 4 ? 4 : 6;
  return { text: addressOf(text) ?? text, family, prefix: networkOf(bytes, PREFIX_BITS[family]) };
}

/** Reports whether blocks contain an address. Parses them again only if other ones are configured. */
export function blockList(): (blocks: readonly string[], address: string) => boolean {
  let known: readonly string[] = [];
  let list = addresses();
  return (blocks, address) => {
    if (blocks !== known) {
      known = blocks;
      list = addresses(...blocks);
    }
    return list.has(address);
  };
}
