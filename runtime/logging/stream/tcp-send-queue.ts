import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const POLL_MS = 20;

/**
 * Waits until the peer's kernel has acknowledged every byte of the connection with this local port: its line
 * in /proc/net/tcp has an empty tx_queue, or is gone. Without such a file nothing can be known.
 * @returns false after `limitMs`; true if acknowledged or unknown
 */
export async function isAcknowledged(localPort: number, limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; ; ) {
    if ((await unacknowledged(localPort)) === 0) return true;
    if (performance.now() > end) return false;
    await pause(POLL_MS);
  }
}

/** Returns the bytes that the kernel has buffered for the connection, sent or not. */
async function unacknowledged(localPort: number): Promise<number> {
  // "  12: 0100007F:B2C4 0100007F:0202 01 0000A4F0:00000000 …": local address, remote address, state,
  // tx_queue:rx_queue.
  const line = new RegExp(`: [0-9A-F]+:${hexPort(localPort)} [0-9A-F]+:[0-9A-F]+ [0-9A-F]{2} ([0-9A-F]{8}):`);
  for (const table of TABLES) {
    const found = line.exec(await readFile(table, "latin1").catch(() => ""));
    if (found !== null) return Number.parseInt(found[1] ?? "0", 16);
  }
  return 0;
}

const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");
