import { addresses } from "../abi/text/addresses.js";

/** Decides whether an address is in a list of addresses and CIDR blocks; an empty list holds every address. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => true;
  const list = addresses(...entries);
  return (address) => list.has(address);
}
