import { spawn } from "node:child_process";
import { log } from "./log.js";

/** What systemd wants to hear of a service with Type=notify (sd_notify(3)). */
export type Notice = "ready" | "stopping";

/**
 * Tells systemd, where it has started the gateway. Node has no datagram sockets of UNIX, so its own program does it, which is where
 * systemd is; it speaks for another process, hence NotifyAccess=all in the unit. Sent with READY=1, the process id makes the
 * successor of a handover the unit's main process.
 */
export function tellSupervisor(notice: Notice): void {
  if (!process.env["NOTIFY_SOCKET"]) return;
  const words =
    notice === "ready"
      ? ["--ready", `--pid=${process.pid}`, "--status=serving"]
      : ["STOPPING=1", "STATUS=finishing the requests in flight"];
  const told = spawn("systemd-notify", words, { stdio: "ignore" });
  told.on("error", (error) => log("supervisor_not_told", { notice, reason: error.message }));
  told.on("exit", (code) => {
    if (code !== 0) log("supervisor_not_told", { notice, reason: `systemd-notify ended with ${code}` });
  });
}
