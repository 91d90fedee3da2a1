import { type ChildProcess, spawn } from "node:child_process";
import { log } from "./log.js";

/** What systemd wants to hear of a service with Type=notify (sd_notify(3)). */
export type Notice = "ready" | "ready_refused" | "ready_stale" | "reloading" | "stopping" | "alive";

/** Of a microsecond count. */
const PER_MS = 1_000;
const NS_PER_US = 1_000n;

const readyWith = (status: string) => ["--ready", `--pid=${process.pid}`, `--status=${status}`];

/** Arguments of systemd-notify. */
const WORDS: Readonly<Record<Notice, () => readonly string[]>> = {
  ready: () => readyWith("serving"),
  // As systemctl status shows it: systemd has no other word for a reload that failed.
  ready_refused: () => readyWith("serving what ran before: the reload was refused"),
  ready_stale: () => readyWith("serving the last known good generation: the configuration cannot be run"),
  // CLOCK_MONOTONIC, by which a unit with Type=notify-reload tells this reload from an earlier one.
  reloading: () => [
    "RELOADING=1",
    `MONOTONIC_USEC=${process.hrtime.bigint() / NS_PER_US}`,
    "STATUS=reloading",
  ],
  stopping: () => ["STOPPING=1", "STATUS=finishing the requests in flight"],
  alive: () => ["WATCHDOG=1"],
};

/** The last notice: each is a process of its own, and READY=1 must not overtake RELOADING=1. */
let last = Promise.resolve();

/**
 * Tells systemd twice in each period of `WatchdogSec` that this process goes on (sd_watchdog_enabled(3)). WATCHDOG_PID is not looked at: the successor of a
 * handover, which has another one, answers for the unit as well.
 */
export function keepTelling(): void {
  const period = Number(process.env["WATCHDOG_USEC"] ?? 0) / PER_MS;
  if (!process.env["NOTIFY_SOCKET"] || !(period > 0)) return;
  setInterval(() => notifySystemd("alive"), period / 2).unref();
}

/**
 * Tells systemd, where it has started the gateway. Node has no datagram sockets of UNIX, so its own program does it, which is where
 * systemd is; it speaks for another process, hence NotifyAccess=all in the unit. Sent with READY=1, the process id makes the
 * successor of a handover the unit's main process.
 */
export function notifySystemd(notice: Notice): void {
  if (!process.env["NOTIFY_SOCKET"]) return;
  const words = WORDS[notice]();
  last = last.then(() => said(notice, words));
}

/** Resolves when systemd has it, or cannot be told. */
function said(notice: Notice, words: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const notTold = (error: Error) => {
      log("systemd_notify_failed", { notice, reason: error.message });
      resolve();
    };
    let told: ChildProcess;
    try {
      told = spawn("systemd-notify", words, { stdio: "ignore" });
    } catch (error) {
      // Too little memory, say.
      notTold(error as Error);
      return;
    }
    told.on("error", notTold);
    told.on("exit", (code) => {
      if (code !== 0) log("systemd_notify_failed", { notice, reason: `systemd-notify ended with ${code}` });
      resolve();
    });
  });
}
