import { AsyncLocalStorage } from "node:async_hooks";
import { Socket } from "node:net";

/** Addresses that were not connected to, of the work under way. */
const refusals = new AsyncLocalStorage<Set<string>>();

/** A connection that is asked for now may be made. */
let isOpen = false;

/** From now on no connection of this process leads anywhere: what a plugin asks of a service fails as if it were away. @returns what ends that */
export function withoutNetwork(): () => void {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function refused(this: Socket, ...called: unknown[]) {
    if (isOpen) return Reflect.apply(connect, this, called) as Socket;
    refusals.getStore()?.add(addressOf(called));
    const error = Object.assign(new Error("a test opens no connection"), { code: "ECONNREFUSED" });
    process.nextTick(() => this.destroy(error));
    return this;
  };
  return () => {
    Socket.prototype.connect = connect;
  };
}

/** Runs `use`, which begins a connection that really is made, and does not wait for it. */
export function withNetwork<T>(use: () => T): T {
  isOpen = true;
  try {
    return use();
  } finally {
    isOpen = false;
  }
}

/** Runs `use`; each connection that it was refused is added to `refused`, as "127.0.0.1:8081" or the path of a socket. */
export const notingRefusals = <T>(refused: Set<string>, use: () => T): T => refusals.run(refused, use);

/** Node itself calls with a list of what it has made of the arguments; others with options, or a port and a host. */
function addressOf(called: readonly unknown[]): string {
  const [first, second] = Array.isArray(called[0]) ? (called[0] as unknown[]) : called;
  if (typeof first !== "object" || first === null)
    return typeof second === "string" ? `${second}:${String(first)}` : String(first);
  const { host = "localhost", port, path } = first as { host?: string; port?: unknown; path?: string };
  return port === undefined && path !== undefined ? path : `${host}:${String(port)}`;
}
