import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./cpu.js";
import { ADMIN_KEY, CLI, deployment } from "./gwc.js";
import { manyRoutes } from "./many-routes.js";
import { startUpstream } from "./nginx.js";
import { scratchDirectory, stopProcess, untilServing } from "./peer.js";

type Progress = (text: string) => void;

const updated = (id: string) => ({ uri: `/${id}`, host: `${id}.example.com`, upstream_id: "backend" });
const plugins = (version: number) => ({
  "response-rewrite": { headers: { set: { "X-Version": String(version) } } },
});

/** Writes a route that is not of the file. */
export async function put(admin: number, version: number, id = "live"): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${admin}/gw/admin/routes/${id}`, {
    method: "PUT",
    headers: { "X-API-KEY": ADMIN_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ ...updated(id), plugins: plugins(version) }),
  });
  const text = await response.text();
  if (response.status > 201) throw new Error(`PUT answered ${response.status}: ${text}`);
}

/** A gateway process with `count` routes from a file, as an operator would run it. */
export async function withGateway<T>(
  count: number,
  use: (data: number, admin: number) => Promise<T>,
): Promise<T> {
  const upstream = await startUpstream();
  const { path, remove } = scratchDirectory();
  const { keys, port, admin } = await deployment(path);
  const file = join(path, "gateway.json");
  writeFileSync(file, JSON.stringify({ ...keys, ...manyRoutes(count, upstream.port("pass")) }));
  const child = spawn(process.execPath, [CLI, "run", file], {
    cwd: path,
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    await untilServing(port, "/", Date.now() + 120_000);
    return await use(port, admin);
  } finally {
    await stopProcess(child);
    await upstream.stop();
    remove();
  }
}

/** Time from sending a PUT to its answer (given when every worker serves it) among 10,000 routes. */
export async function putReport(progress: Progress): Promise<string> {
  progress("starting a gateway with 10,000 routes");
  const times = await withGateway(10_000, async (_data, admin) => {
    for (let version = 0; version < 20; version++) await put(admin, version);
    const measured: number[] = [];
    for (let version = 0; version < 200; version++) {
      if (version % 20 === 0) progress(`PUT ${version} of 200`);
      const started = performance.now();
      await put(admin, version);
      measured.push(performance.now() - started);
    }
    return measured.sort((a, b) => a - b);
  });
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1);
  return `| median | 90 % | 99 % |\n|---|---|---|\n| ${median(times).toFixed(1)} ms | ${at(0.9)} ms | ${at(0.99)} ms |`;
}

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;

/** Heap of one process that does everything, after collection, before and after 10,000 updates of one route. */
export async function heapReport(progress: Progress): Promise<string> {
  const { startForHeap } = await import("./heap.js");
  const gateway = await startForHeap();
  try {
    for (let version = 0; version < 500; version++) await put(gateway.admin, version);
    const before = await gateway.heap();
    for (let version = 0; version < 10_000; version++) {
      if (version % 500 === 0) progress(`update ${version} of 10,000`);
      await put(gateway.admin, version);
    }
    const after = await gateway.heap();
    const row = `| ${megabytes(before)} | ${megabytes(after)} | ${megabytes(after - before)} |`;
    return `| before | after 10,000 updates | difference |\n|---|---|---|\n${row}`;
  } finally {
    await gateway.stop();
  }
}
