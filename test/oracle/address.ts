import { BlockList, isIPv4, isIPv6 } from "node:net";

const familyOf = (address: string) => (isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined);

/** Whether the address is one of the addresses, or in one of the blocks. */
export function isAmong(address: string, blocks: readonly string[]): boolean {
  const family = familyOf(address);
  if (family === undefined) return false;
  return blocks.some((block) => {
    const [network = "", bits] = block.split("/");
    const list = new BlockList();
    const networkFamily = familyOf(network);
    if (networkFamily !== family) return false;
    list.addSubnet(network, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
    return list.check(address, family);
  });
}
