import { isIP } from "node:net";
import type { Listener } from "../model/listener.js";
import { isLoopback } from "./listeners.js";

const NAMES_OF_LOOPBACK =
  /^(?:localhost|localhost\.localdomain|ip6-localhost|ip6-loopback|.+\.localhost)\.?$/;
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** @returns the listener for a connection of this machine; undefined if unknown */
export function findLocalListener(
  { host, port }: { host: string; port: number },
  listeners: readonly Listener[],
): Listener | undefined {
  const address = host.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return listeners.find((listener) => listener.port === port && arrives(address, listener.address));
}

/** The unspecified address means all addresses of the machine for a listener, and loopback for a client. */
function arrives(address: string, listening: string): boolean {
  if (address === listening.toLowerCase()) return true;
  const isName = NAMES_OF_LOOPBACK.test(address);
  const isOwn = isName || UNSPECIFIED.has(address) || (isIP(address) !== 0 && isLoopback(address));
  if (!isOwn) return false;
  // "::" accepts IPv4 connections too; a name of loopback has addresses of both families.
  if (listening === "::") return true;
  if (listening === "0.0.0.0") return isName || isIP(address) === 4;
  if (isName) return listening === "127.0.0.1" || listening === "::1";
  return address === "0.0.0.0" ? listening === "127.0.0.1" : address === "::" && listening === "::1";
}
