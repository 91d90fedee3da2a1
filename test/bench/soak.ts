/**
 * `npm run soak [-- --seconds=600]`: the example shop at 70 % of what it can serve, with one admin update a second. Prints
 * requests, failures and the memory of every process once a minute; exit 1 when a request failed or memory grew.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemoUpstream } from "../../examples/demo-upstream.js";
import { CLI } from "./gwc.js";
import { pacing } from "./load.js";
import { scratchDirectory, stopProcess, untilServing } from "./peer.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const KEY = "soak-key-0123456789abcdef";
const CONNECTIONS = 32;
const SHARE = 0.7;
/** Growth of resident memory after the first fifth of the run that counts as flat: allocator noise of four processes. */
const FLAT_MB = 40;

const option = (name: string, fallback: number) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
const seconds = option("seconds", 600);

/** Requests of several routes in turn; every status that they may answer is listed. */
const script = (rate: number) => `
local paths = { "/orders/1", "/products/blue-mug", "/reports/q3", "/search?q=a", "/shop/mugs/7", "/" }
local sent = 0
request = function() sent = sent + 1 return wrk.format("GET", paths[sent % #paths + 1]) end
${rate > 0 ? pacing(rate) : ""}`;

function wrk(
  directory: string,
  forSeconds: number,
  rate: number,
): Promise<{ requests: number; failed: number }> {
  const file = join(directory, "soak.lua");
  writeFileSync(file, script(rate));
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${forSeconds}s`, "-s", file, "http://127.0.0.1:9080"];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (text: Buffer) => {
    output += text.toString();
  });
  return new Promise((resolve) =>
    child.once("close", () => {
      const errors =
        /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
      const bad = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
      const requests = Number(/(\d+) requests in/.exec(output)?.[1] ?? 0);
      resolve({ requests, failed: errors.reduce((sum, count) => sum + Number(count), bad) });
    }),
  );
}

/** Resident megabytes of a process and all below it. */
function residentMb(root: number): number {
  const rows = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(fields[1]), pages: Number(fields[21]) }];
      } catch {
        return [];
      }
    });
  const members = new Set([root]);
  for (let before = 0; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent } of rows) if (members.has(parent)) members.add(pid);
  }
  return rows.reduce((sum, { pid, pages }) => sum + (members.has(pid) ? pages * 4 : 0), 0) / 1_024;
}

async function update(version: number): Promise<boolean> {
  const response = await fetch("http://127.0.0.1:9180/gw/admin/routes/soak", {
    method: "PUT",
    headers: { "X-API-KEY": KEY },
    body: JSON.stringify({
      uri: "/soak",
      upstream_id: "shop",
      plugins: { "response-rewrite": { headers: { set: { "X-Version": String(version) } } } },
    }),
  }).catch(() => undefined);
  return response !== undefined && response.status <= 201;
}

const { path, remove } = scratchDirectory();
const upstream = await startDemoUpstream(1_980);
const environment = { ...process.env, SHOP_ADMIN_KEY: KEY };
const child = spawn(process.execPath, [CLI, "run", join(ROOT, "examples/shop")], {
  cwd: path,
  env: environment,
  stdio: ["ignore", "ignore", "ignore"],
});
await untilServing(9_080);
const full = await wrk(path, 5, 0);
const samples: number[] = [];
let updates = 0;
let refused = 0;
const ticks = setInterval(() => {
  void update(updates++).then((ok) => {
    if (!ok) refused++;
  });
  samples.push(residentMb(child.pid ?? 0));
  if (samples.length % 60 === 0)
    process.stdout.write(`${samples.length} s: ${samples.at(-1)?.toFixed(0)} MB, ${updates} updates\n`);
}, 1_000);
const result = await wrk(path, seconds, (SHARE * full.requests) / 5);
clearInterval(ticks);
await stopProcess(child);
upstream.close();
upstream.closeAllConnections();
remove();
const settled = samples.slice(Math.floor(samples.length / 5));
const grown = Math.max(...settled.slice(-30)) - Math.max(...settled.slice(0, 30));
const share = result.requests / seconds / (full.requests / 5);
process.stdout.write(
  `${result.requests} requests in ${seconds} s (${(share * 100).toFixed(0)} % of full load), ${result.failed} failed; ${updates} updates, ${refused} refused; memory ${grown.toFixed(1)} MB up after settling\n`,
);
process.exit(result.failed > 0 || refused > 0 || grown > FLAT_MB ? 1 : 0);
