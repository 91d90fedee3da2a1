import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Work that a line asks of every peer; each peer does the same by its own means. */
export type Work = "pass" | "headers" | "rewrite" | "filter-large" | "filter-stream";

/** A gateway under measurement: listens on loopback, forwards to the upstream, does the work of the line. */
export interface Peer {
  readonly name: string;
  /** Works it can do; a line that it cannot do is left out of its column. */
  readonly works: readonly Work[];
  start(upstreamPort: number): Promise<RunningPeer>;
}

export interface RunningPeer {
  /** Port that serves a work. */
  port(work: Work): number;
  /** Root process; CPU time is taken over its whole tree. */
  readonly pid: number;
  stop(): Promise<void>;
}

export function scratchDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "gwc-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Resolves when the port answers an HTTP request; rejects after ten seconds. */
export async function untilServing(port: number, path = "/", deadline = Date.now() + 10_000): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      await response.arrayBuffer();
      if (response.status < 500) return;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`nothing serves on port ${port}: ${String(error)}`);
    }
    if (Date.now() > deadline) throw new Error(`port ${port} does not answer well`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.kill("SIGTERM");
  const hard = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(hard);
}
