import { BlockList, isIPv6 } from "node:net";

/** Decides whether an address is in a list of addresses and CIDR blocks; an empty list holds every address. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  if (entries.length === 0) return () => true;
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    // A dual-stack listener shows IPv4 peers as mapped addresses.
    const plain = address.startsWith("::ffff:") ? address.slice(7) : address;
    return plain !== "" && list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  };
}
