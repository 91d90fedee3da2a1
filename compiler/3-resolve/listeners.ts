import { BlockList, isIP } from "node:net";
import type { Listener } from "../model/resolved.js";
import type { Path } from "../model/source.js";

interface Address {
  ip?: string;
  port?: number;
}

type Sections = Record<string, Record<string, unknown> | undefined>;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Includes defaults. Services of plugins have theirs in `<section>.listen`. */
export function listenersOf(deployment: Record<string, unknown> | null): Listener[] {
  const {
    gw = {},
    deployment: own = {},
    plugin_attr: attributes = {},
    ...sections
  } = (deployment ?? {}) as Sections;
  const {
    ssl,
    node_listen: plain = 9080,
    status,
  } = gw as { ssl?: { listen?: unknown }; node_listen?: unknown; status?: Address };
  const { admin_listen: admin } = (own["admin"] ?? {}) as { admin_listen?: Address };
  const { export_addr: metrics, enable_export_server: exported = true } = (attributes["prometheus"] ??
    {}) as {
    export_addr?: Address;
    enable_export_server?: boolean;
  };
  const services = Object.entries(sections).flatMap(([name, section]) =>
    typeof section === "object" && section?.["listen"] !== undefined
      ? [local([name, "listen"], section["listen"] as Address, 0)]
      : [],
  );
  return [
    ...ofClients(["gw", "node_listen"], plain, true),
    ...ofClients(["gw", "ssl", "listen"], ssl?.listen ?? [], false),
    local(["gw", "status"], status, 7085),
    local(["deployment", "admin", "admin_listen"], admin, 9180),
    ...(exported ? [local(["plugin_attr", "prometheus", "export_addr"], metrics, 9091)] : []),
    ...services,
  ];
}

function ofClients(path: Path, written: unknown, open: boolean): Listener[] {
  const list: unknown[] = Array.isArray(written) ? written : [written];
  return list.map((item, i) => {
    const { ip = "0.0.0.0", port = 9080 }: Address =
      typeof item === "number" ? { port: item } : (item as Address);
    const at = Array.isArray(written) ? [...path, i] : path;
    return { setting: path.join("."), path: at, address: ip, port, open };
  });
}

function local(path: Path, { ip = "127.0.0.1", port }: Address = {}, usual: number): Listener {
  return { setting: path.join("."), path, address: ip, port: port ?? usual, open: false };
}

export const isLoopback = (address: string): boolean =>
  LOOPBACK.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

export const shown = ({ address, port }: Listener): string =>
  `${address.includes(":") ? `[${address}]` : address}:${port}`;

/** @param entry "127.0.0.1:*" */
export function isListed(listener: Listener, entry: string): boolean {
  const colon = entry.lastIndexOf(":");
  const [address, port] = [entry.slice(0, colon).replace(/^\[(.*)\]$/, "$1"), entry.slice(colon + 1)];
  return (
    (address === "*" || address.toLowerCase() === listener.address.toLowerCase()) &&
    (port === "*" || Number(port) === listener.port)
  );
}

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
