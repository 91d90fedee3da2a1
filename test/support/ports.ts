import { connect, createServer, type Server } from "node:net";

/**
 * First port of the range. The kernel assigns ports from 32,768 on to outgoing connections and `listen(0)`
 * (ip_local_port_range). A port from that range may be taken when a test restarts its server; lower ones are
 * taken only by programs that name them.
 */
const FIRST = 10_000;
const END = 32_768;
const WIDTH = 64;
const BLOCKS = Math.floor((END - FIRST) / WIDTH);

interface Block {
  /** First port; the process that listens on it owns the block. */
  base: number;
  given: number;
}

/**
 * Creates a source of free TCP ports on loopback.
 * @returns a function that returns each port once. Each source has blocks of its own, also among workers of
 * vitest and other runs on the machine: the first port of a block locks it until the process ends.
 */
export function portSource(): () => Promise<number> {
  let block: Promise<Block> | undefined;
  return async () => {
    for (;;) {
      block ??= claimBlock().catch((error: unknown) => {
        block = undefined;
        throw error;
      });
      const claimed = block;
      const current = await claimed;
      const port = current.base + ++current.given;
      if (port >= current.base + WIDTH) {
        if (block === claimed) block = undefined;
      } else if (await isFree(port)) return port;
    }
  };
}

export const freePort = portSource();

async function claimBlock(): Promise<Block> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let i = 0; i < BLOCKS; i++) {
    const base = FIRST + ((start + i) % BLOCKS) * WIDTH;
    const holder = await listenOn(base);
    if (holder === undefined) continue;
    holder.unref();
    return { base, given: 0 };
  }
  throw new Error(`other tests hold all ports from ${FIRST} to ${END}`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port);
  if (probe === undefined) return false;
  await new Promise((resolve) => probe.close(resolve));
  return true;
}

/** @returns undefined if the port is taken */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** @returns true if a server accepts connections on the loopback port */
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
