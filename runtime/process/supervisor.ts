import { spawn } from "node:child_process";
import { log } from "./log.js";

/** What systemd wants to hear of a service with Type=notify (sd_notify(3)). */
export type Notice = "ready" | "stopping" | "alive";

/** Of a microsecond count. */
const PER_MS = 1_000;

const WORDS: Readonly<Record<Notice, readonly string[]>> = {
  ready: ["--ready", `--pid=${process.pid}`, "--status=serving"],
  stopping: ["STOPPING=1", "STATUS=finishing the requests in flight"],
  alive: ["WATCHDOG=1"],
};

/**
 * Tells systemd twice in each period of `WatchdogSec` that this process goes on (sd_watchdog_enabled(3)). WATCHDOG_PID is not looked at: the successor of a
 * handover, which has another one, answers for the unit as well.
 */
export function keepTelling(): void {
  const period = Number(process.env["WATCHDOG_USEC"] ?? 0) / PER_MS;
  if (!process.env["NOTIFY_SOCKET"] || !(period > 0)) return;
  setInterval(() => tellSupervisor("alive"), period / 2).unref();
}

/**
 * Tells systemd, where it has started the gateway. Node has no datagram sockets of UNIX, so its own program does it, which is where
 * systemd is; it speaks for another process, hence NotifyAccess=all in the unit. Sent with READY=1, the process id makes the
 * successor of a handover the unit's main process.
 */
export function tellSupervisor(notice: Notice): void {
  if (!process.env["NOTIFY_SOCKET"]) return;
  const told = spawn("systemd-notify", WORDS[notice], { stdio: "ignore" });
  told.on("error", (error) => log("supervisor_not_told", { notice, reason: error.message }));
  told.on("exit", (code) => {
    if (code !== 0) log("supervisor_not_told", { notice, reason: `systemd-notify ended with ${code}` });
  });
}
