import { connect, createServer, type Server } from "node:net";

/**
 * The kernel takes the ports of outgoing connections, and those of `listen(0)`, from 32,768 on (ip_local_port_range). A port from there that
 * was free a moment ago is another's when a test starts its server again; those below are taken only by who names them.
 */
const FIRST = 10_000;
const END = 32_768;
const WIDTH = 64;
const BLOCKS = Math.floor((END - FIRST) / WIDTH);

interface Block {
  /** First port: whoever listens on it has the block. */
  base: number;
  given: number;
}

/**
 * @returns a function that gives loopback ports on which nobody listens, TCP, each once. They come from blocks that no other source has, in
 * this process, in another worker of vitest or in another run on the machine: a block is held by its first port until the process ends.
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
