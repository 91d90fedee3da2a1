import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import * as net from "node:net";
import { getSystemErrorName } from "node:util";
import type { ListenAddress } from "./launch-plan.js";

/** A bound socket that does not accept: `bind` without `listen`, so connections wait for a child. */
export interface BoundListener {
  readonly handle: Handle;
  readonly fd: number;
  readonly host: string;
  readonly port: number;
}

interface Handle {
  readonly fd: number;
  getsockname(out: { address?: string; port?: number }): number;
  close(): void;
}

/** Function by which `node:cluster` makes handles to share; exported by `node:net`, absent from its types. */
type CreateHandle = (
  address: string | null,
  port: number,
  family: number,
  fd: number | undefined,
  flags: number,
) => Handle | number;
const createHandle = (net as unknown as { _createServerHandle: CreateHandle })._createServerHandle;

export class BindError extends Error {}

/** libuv reports EADDRINUSE late, at getsockname, hence the second check. @throws BindError for the operator */
export function bind(address: ListenAddress): BoundListener {
  const family = net.isIPv6(address.host) ? 6 : 4;
  const handle = createHandle(address.host, address.port, family, undefined, 0);
  if (typeof handle === "number") throw refusal(address, handle);
  const name: { address?: string; port?: number } = {};
  const error = handle.getsockname(name);
  if (error !== 0) {
    handle.close();
    throw refusal(address, error);
  }
  return { handle, fd: handle.fd, host: address.host, port: name.port ?? address.port };
}

/** Takes over a listener that a predecessor left open as descriptor `fd`. */
export function inherit(fd: number, host: string): BoundListener {
  const handle = createHandle(null, 0, -1, fd, 0);
  if (typeof handle === "number") {
    throw new BindError(`descriptor ${fd} cannot be taken over: ${getSystemErrorName(handle)}`);
  }
  const name: { address?: string; port?: number } = {};
  handle.getsockname(name);
  return { handle, fd: handle.fd, host, port: name.port ?? 0 };
}

/** Returns the same error for an address that a `node:net` server could not listen on; other errors unchanged. */
export function listenError(address: ListenAddress, error: unknown): unknown {
  const { errno, syscall } = error as NodeJS.ErrnoException;
  return errno !== undefined && (syscall === "listen" || syscall === "bind")
    ? refusal(address, errno)
    : error;
}

function refusal({ host, port, setting }: ListenAddress, errno: number): BindError {
  const code = getSystemErrorName(errno);
  switch (code) {
    case "EADDRINUSE": {
      const owner = listenerOf(port);
      return new BindError(
        `port ${port} is already in use${owner ? ` by ${owner}` : ""}: choose another ${setting}`,
      );
    }
    case "EACCES":
      return new BindError(`port ${port} needs more rights than this user has: choose ${setting} above 1023`);
    case "EADDRNOTAVAIL":
    case "EINVAL":
      return new BindError(`${host} is not an address of this machine: choose another ${setting}`);
    default:
      return new BindError(`cannot listen on ${host}:${port} (${code}): see ${setting}`);
  }
}

/** Returns "nginx (process 812)" for the process that listens on a port, if /proc shows it; Linux only. */
function listenerOf(port: number): string | undefined {
  try {
    const inodes = new Set(
      ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningInodes(table, port)),
    );
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (holdsSocket(pid, inodes)) {
        return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
      }
    }
  } catch {
    // No /proc here: the message omits the name.
  }
  return undefined;
}

function listeningInodes(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === "0A")
    .map((fields) => `socket:[${fields[9]}]`);
}

function holdsSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return false;
  }
}
