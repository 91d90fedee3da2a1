import { AsyncLocalStorage } from "node:async_hooks";
import { Socket } from "node:net";

const refusals = new AsyncLocalStorage<Set<string>>();

/** Allows the connection that is opened now. */
let isOpen = false;

/** Refuses new connections of this process until the result is called: each service appears to be down. */
export function withoutNetwork(): () => void {
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function refused(this: Socket, ...called: unknown[]) {
    if (isOpen) return Reflect.apply(connect, this, called) as Socket;
    refusals.getStore()?.add(addressOf(called));
    const error = Object.assign(new Error("a test cannot open a connection"), { code: "ECONNREFUSED" });
    process.nextTick(() => this.destroy(error));
    return this;
  };
  return () => {
    Socket.prototype.connect = connect;
  };
}

/** Runs `use`, which may start a real connection, without waiting for it. */
export function withNetwork<T>(use: () => T): T {
  isOpen = true;
  try {
    return use();
  } finally {
    isOpen = false;
  }
}

/** Runs `use` and adds each refused address to `refused`, as "127.0.0.1:8081" or the path of a socket. */
export const notingRefusals = <T>(refused: Set<string>, use: () => T): T => refusals.run(refused, use);

/** Parses arguments of `connect`: normalized in a list if Node calls, else options, or port and host. */
function addressOf(called: readonly unknown[]): string {
  const [first, second] = Array.isArray(called[0]) ? (called[0] as unknown[]) : called;
  if (typeof first !== "object" || first === null)
    return typeof second === "string" ? `${second}:${String(first)}` : String(first);
  const { host = "localhost", port, path } = first as { host?: string; port?: unknown; path?: string };
  return port === undefined && path !== undefined ? path : `${host}:${String(port)}`;
}
