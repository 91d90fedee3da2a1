import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/ports.js";
import { type Peer, stopProcess, untilServing, type Work } from "./peer.js";

const WORKS: readonly Work[] = ["pass", "headers", "rewrite", "filter-large", "filter-stream"];

export const nodeUndici: Peer = {
  name: "node:http + undici",
  works: WORKS,
  async start(upstreamPort) {
    const ports = new Map<Work, number>();
    for (const work of WORKS) ports.set(work, await freePort());
    const server = fileURLToPath(new URL("./node-undici-server.js", import.meta.url));
    const listeners = [...ports].map(([work, port]) => `${work}=${port}`);
    const child = spawn(process.execPath, [server, String(upstreamPort), ...listeners], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    await untilServing(ports.get("pass") ?? 0, "/orders/small.json");
    return { pid: child.pid ?? 0, port: (work) => ports.get(work) ?? 0, stop: () => stopProcess(child) };
  },
};
