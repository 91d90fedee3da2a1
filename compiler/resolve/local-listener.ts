import { isIP } from "node:net";
import { isLoopback, type Listener } from "../policy/listeners.js";

const NAMES_OF_LOOPBACK =
  /^(?:localhost|localhost\.localdomain|ip6-localhost|ip6-loopback|.+\.localhost)\.?$/;
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The listener that a connection of this machine to `host` and `port` arrives at; undefined where that cannot be told. */
export function findLocalListener(
  { host, port }: { host: string; port: number },
  listeners: readonly Listener[],
): Listener | undefined {
  const address = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return listeners.find((listener) => listener.port === port && arrives(address, listener.address));
}

/** An unspecified address stands for all of its machine's to who listens, and for loopback to who connects. */
function arrives(address: string, listening: string): boolean {
  if (address === listening.toLowerCase()) return true;
  const isName = NAMES_OF_LOOPBACK.test(address);
  const isOwn = isName || UNSPECIFIED.has(address) || (isIP(address) !== 0 && isLoopback(address));
  if (!isOwn) return false;
  // "::" takes connections over IPv4 too; a name of loopback stands for addresses of both families.
  if (listening === "::") return true;
  if (listening === "0.0.0.0") return isName || isIP(address) === 4;
  if (isName) return listening === "127.0.0.1" || listening === "::1";
  return address === "0.0.0.0" ? listening === "127.0.0.1" : address === "::" && listening === "::1";
}
