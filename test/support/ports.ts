import { connect, createServer } from "node:net";

/**
 * The kernel takes the ports of outgoing connections, and those of `listen(0)`, from 32,768 on (ip_local_port_range). A port from there that
 * was free a moment ago is another's when a test starts its server again; those below are taken only by who names them.
 */
const FIRST = 10_000;
const END = 32_768;

/** Test files that run at the same time have parts of their own, and no port twice in one process. */
const PARTS = 8;
const WIDTH = Math.floor((END - FIRST) / PARTS);
const base = FIRST + (Number(process.env["VITEST_POOL_ID"] ?? process.pid) % PARTS) * WIDTH;
let next = Math.floor(Math.random() * WIDTH);

/** @returns a loopback port that nobody listens on, TCP; not given to anyone else in this process for the next 2,800 calls */
export async function freePort(): Promise<number> {
  for (;;) {
    next = (next + 1) % WIDTH;
    const port = base + next;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/** @returns true if a server takes connections on the loopback port */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
