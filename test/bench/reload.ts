import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { median } from "./cpu.js";
import { CLI } from "./gwc.js";
import { stopProcess } from "./peer.js";

/**
 * Seconds from SIGHUP until every worker serves what the files say, with a gateway that runs them.
 * @param change makes the files mean something else, before each reload
 * @returns the median of `times` reloads
 */
export async function reloadSeconds(directory: string, change: () => void, times = 5): Promise<number> {
  const child = spawn(process.execPath, [CLI, "run", "--log-format", "json", "conf.d"], {
    cwd: directory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const until = async (wanted: string) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`gwc run ended before "${wanted}"`);
      const { event, reason } = eventOf(String(value));
      if (event === wanted) return;
      if (event === "reload_refused") throw new Error(`the reload was refused: ${reason}`);
    }
  };
  try {
    await until("ready");
    const measured: number[] = [];
    for (let reload = 0; reload < times; reload++) {
      change();
      const started = performance.now();
      child.kill("SIGHUP");
      await until("reloaded");
      measured.push((performance.now() - started) / 1_000);
    }
    return median(measured);
  } finally {
    await stopProcess(child);
  }
}

function eventOf(line: string): { event?: string; reason?: string } {
  try {
    return JSON.parse(line) as { event?: string; reason?: string };
  } catch {
    return {};
  }
}
