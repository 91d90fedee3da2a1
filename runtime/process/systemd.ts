import { spawn } from "node:child_process";
import { log } from "./log.js";
import { startProcess } from "./start-process.js";

/** Notification of a service with Type=notify (sd_notify(3)). */
export type Notice = "ready" | "ready_refused" | "ready_stale" | "reloading" | "stopping" | "alive";

const PER_MS = 1_000;
const NS_PER_US = 1_000n;

const readyWith = (status: string) => ["--ready", `--pid=${process.pid}`, `--status=${status}`];

const WORDS: Readonly<Record<Notice, () => readonly string[]>> = {
  ready: () => readyWith("serving"),
  // Text for systemctl status: systemd has no state for a reload that failed.
  ready_refused: () => readyWith("serving the previous configuration: the reload was rejected"),
  ready_stale: () => readyWith("serving the last known good generation: the configuration cannot run"),
  // CLOCK_MONOTONIC, by which a unit with Type=notify-reload tells this reload from an earlier one.
  reloading: () => [
    "RELOADING=1",
    `MONOTONIC_USEC=${process.hrtime.bigint() / NS_PER_US}`,
    "STATUS=reloading",
  ],
  stopping: () => ["STOPPING=1", "STATUS=finishing the requests in flight"],
  alive: () => ["WATCHDOG=1"],
};

/** The last notification: each is a process of its own, and READY=1 must not overtake RELOADING=1. */
let last = Promise.resolve();

/**
 * Notifies systemd twice in each period of `WatchdogSec` that this process lives (sd_watchdog_enabled(3)). It
 * does not check WATCHDOG_PID: the successor of a handover, with another one, lives for the same unit.
 */
export function keepTelling(): void {
  const period = Number(process.env["WATCHDOG_USEC"] ?? 0) / PER_MS;
  if (!process.env["NOTIFY_SOCKET"] || !(period > 0)) return;
  setInterval(() => notifySystemd("alive"), period / 2).unref();
}

/**
 * Runs systemd's own program, since Node has no UNIX datagram sockets; it notifies for another process, hence
 * NotifyAccess=all in the unit. With READY=1 the process id makes a successor the unit's main process.
 */
export function notifySystemd(notice: Notice): void {
  if (!process.env["NOTIFY_SOCKET"]) return;
  const words = WORDS[notice]();
  last = last.then(() => said(notice, words));
}

/** Resolves when systemd has it, or cannot be notified. */
function said(notice: Notice, words: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const notTold = (error: Error) => {
      log("systemd_notify_failed", { notice, reason: error.message });
      resolve();
    };
    const told = startProcess(() => spawn("systemd-notify", words, { stdio: "ignore" }), notTold);
    told?.on("exit", (code) => {
      if (code !== 0) log("systemd_notify_failed", { notice, reason: `systemd-notify ended with ${code}` });
      resolve();
    });
  });
}
