import { BlockList, isIP } from "node:net";
import { isWithin } from "./hosts.js";

/** Reports whether an entry is a network that holds the address of a node, or its name. */
export function isNodeIn(host: string, entry: string): boolean {
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
