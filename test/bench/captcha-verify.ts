/** Verifications of fresh tokens: how many a second, how long each takes, what each costs. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { RedisServer } from "../support/redis-server.js";
import { SITE } from "../support/verify-harness.js";
import { CaptchaNodes } from "./captcha-race.js";
import { treeCpu } from "./cpu.js";
import { pacing } from "./load.js";

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU microseconds of the service a verification. */
  cpu: number;
  /** Answers without success; tokens that were asked for twice among them. */
  failed: number;
}

export const script = (name: string) => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
/** A load at which nothing queues, to see the time of one verification. */
const CALM_RATE = 500;
/**
 * Tokens that are made for a second at full load, more than any line verifies in one. Whoever meets a faster machine hears of it: tokens that
 * are sent again are refused and stand in the row.
 */
const MAX_A_SECOND = 20_000;

/** @returns Markdown */
export async function verifyReport(
  progress: (text: string) => void,
  { seconds = 5, only }: { seconds?: number; only?: string | undefined } = {},
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-bench-"));
  const redis = await RedisServer.start();
  const lines: [name: string, script: string, store: CaptchaSettings["store"]][] = [
    ["gwc, memory", "captcha-node", { type: "memory" }],
    ["gwc, LMDB (default)", "captcha-node", { type: "lmdb", path: join(directory, "lmdb") }],
    ["gwc, Redis on the same machine", "captcha-node", redis.store(2_000)],
    ["node:http + jose + Set, no other check", "captcha-peer", { type: "memory" }],
  ];
  const rows: string[] = [];
  for (const [name, program, store] of lines) {
    if (only !== undefined && !name.includes(only)) continue;
    progress(name);
    const nodes = await CaptchaNodes.start(script(program), 1, store);
    await measure(directory, nodes, 2, 0);
    const full = await measure(directory, nodes, seconds, 0);
    const calm = await measure(directory, nodes, seconds, CALM_RATE);
    await nodes.stop();
    const failed = full.failed + calm.failed;
    rows.push(
      `| ${name} | ${Math.round(full.perSecond)} | ${full.cpu.toFixed(0)} | ${full.p50.toFixed(1)} / ${full.p99.toFixed(1)} | ${calm.p50.toFixed(2)} / ${calm.p99.toFixed(2)} | ${failed} |`,
    );
  }
  await redis.stop();
  rmSync(directory, { recursive: true });
  return [
    `| one process | verified/s | CPU µs each | ms p50 / p99 at full load, 32 connections | ms p50 / p99 at ${CALM_RATE}/s | not verified |`,
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Verifies fresh tokens with wrk; `rate` 0: as many as come back. */
export async function measure(
  directory: string,
  nodes: CaptchaNodes,
  seconds: number,
  rate: number,
): Promise<Measured> {
  const tokens = await nodes.issue(rate > 0 ? Math.ceil(rate * seconds * 1.3) : MAX_A_SECOND * seconds);
  const tokenFile = join(directory, "tokens");
  writeFileSync(tokenFile, tokens.join("\n"));
  const luaFile = join(directory, "verify.lua");
  writeFileSync(luaFile, lua(tokenFile, nodes.key, rate));
  const args = [`-t1`, `-c${rate > 0 ? 4 : 32}`, `-d${seconds}s`, "--latency", "-s", luaFile];
  const before = treeCpu(nodes.pid);
  const child = spawn("wrk", [...args, `http://127.0.0.1:${nodes.ports[0]}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const after = treeCpu(nodes.pid);
  const found = /good=(\d+) bad=(\d+) us=(\d+) p50=(\d+) p99=(\d+)/.exec(output);
  if (found === null) throw new Error(`wrk said nothing that can be read:\n${output}`);
  const [good = 0, bad = 0, duration = 1, p50 = 0, p99 = 0] = found.slice(1).map(Number);
  const used = after.user + after.system - before.user - before.system;
  return {
    perSecond: (good * 1e6) / duration,
    p50: p50 / 1_000,
    p99: p99 / 1_000,
    cpu: used / Math.max(1, good + bad),
    failed: bad,
  };
}

/** wrk keeps what `response` counts in its thread; `done` asks the thread for it. */
const lua = (tokenFile: string, key: string, rate: number) => `
local tokens, n = {}, 0
for line in io.lines("${tokenFile}") do tokens[#tokens + 1] = line end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() good, bad = 0, 0 end
function request()
  n = n % #tokens + 1
  return "GET /${SITE}/verify?jwt=" .. tokens[n] .. "&ip=203.0.113.7 HTTP/1.1\\r\\nHost: captcha\\r\\nX-Api-Key: ${key}\\r\\n\\r\\n"
end
function response(status, headers, body)
  if string.find(body, '"success":true', 1, true) then good = good + 1 else bad = bad + 1 end
end
function done(summary, latency)
  local thread = threads[1]
  io.write(string.format("good=%d bad=%d us=%d p50=%d p99=%d\\n", thread:get("good"), thread:get("bad"),
    summary.duration, latency:percentile(50), latency:percentile(99)))
end
${rate > 0 ? pacing(rate) : ""}`;
