import { spawn } from "node:child_process";
import { once } from "node:events";
import { SyslogServer } from "../support/syslog-server.js";
import type { LogDestination } from "./log-destination.js";

/** rsyslog on a loopback port, storing every message. */
export const syslogDestination = (
  name: string,
  settings: Record<string, unknown>,
  budget?: LogDestination["budget"],
): LogDestination => ({
  name,
  ...(budget === undefined ? {} : { budget }),
  async start() {
    const server = await SyslogServer.start("rsyslog");
    return {
      plugins: { syslog: { host: "127.0.0.1", port: server.ports.tcp, ...settings } },
      stored: () => lines(server.messages),
      stop: () => server.stop(),
    };
  },
});

/** By a process of its own: the file has gigabytes. */
async function lines(path: string): Promise<number> {
  const child = spawn("wc", ["-l", path], { stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (piece: Buffer) => {
    output += piece;
  });
  await once(child, "close");
  return Number.parseInt(output, 10) || 0;
}
