import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "./lines.js";

export interface LoadResult {
  requests: number;
  /** Socket errors and answers other than 2xx or 3xx. */
  failed: number;
  seconds: number;
  /** Milliseconds within which 99 % were answered whole. */
  p99: number;
}

const BODY = JSON.stringify({ order: 17, note: "x".repeat(480) });
const FIELDS = [
  "Accept: application/json",
  "User-Agent: bench/1.0",
  "X-Debug-Token: 9f2c",
  "X-Forwarded-Via: edge",
  ...Array.from({ length: 13 }, (_, i) => `X-Field-${i}: value-of-field-${i}-abcdefgh`),
];

/** wrk sends the request exactly as it is written here, so chunked bodies and field counts are ours to choose. */
function rawRequest(line: Line): string {
  const method = line.method === "GET" ? "GET" : "POST";
  const head = [
    `${method} ${line.path} HTTP/1.1`,
    `Host: ${line.work}.example.com`,
    ...FIELDS.slice(0, line.headers),
  ];
  if (line.method === "GET") return `${head.join("\r\n")}\r\n\r\n`;
  if (line.method === "POST")
    return `${[...head, `Content-Length: ${BODY.length}`].join("\r\n")}\r\n\r\n${BODY}`;
  const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  return `${[...head, "Transfer-Encoding: chunked"].join("\r\n")}\r\n\r\n${chunked}`;
}

const luaString = (text: string) =>
  `"${text.replace(/[\\"]/g, "\\$&").replace(/\r/g, "\\r").replace(/\n/g, "\\n")}"`;

/** wrk knows pauses, no rates: request n waits until n / rate seconds after the first. Its one thread has one counter. */
export const pacing = (rate: number) => `
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } gwc_time; int clock_gettime(int clock, gwc_time *time);")
local time = ffi.new("gwc_time")
local function now() ffi.C.clock_gettime(1, time) return tonumber(time.s) * 1000 + tonumber(time.ns) / 1000000 end
local start, n = nil, 0
function delay()
  start = start or now()
  n = n + 1
  return math.max(0, math.floor(start + n * 1000 / ${rate} - now()))
end
`;

/**
 * Runs wrk against a loopback port for `seconds` and counts what came back.
 * @param rate requests a second over all connections; 0: as many as come back
 */
export async function load(
  directory: string,
  port: number,
  line: Line,
  seconds: number,
  rate = 0,
): Promise<LoadResult> {
  const script = join(directory, "request.lua");
  const delay = rate > 0 ? pacing(rate) : "";
  writeFileSync(
    script,
    `local request_text = ${luaString(rawRequest(line))}\nfunction request() return request_text end\n${delay}`,
  );
  const args = [
    "-t1",
    `-c${line.connections}`,
    `-d${seconds}s`,
    "--latency",
    "--timeout=60",
    "-s",
    script,
    `http${line.secure ? "s" : ""}://127.0.0.1:${port}`,
  ];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  // A minute and longer is written "1.00m".
  const counted = /(\d+) requests in ([\d.]+)([sm])/.exec(output);
  if (!counted) throw new Error(`wrk said nothing that can be read:\n${output}`);
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output);
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(output);
  const failed =
    (errors?.slice(1) ?? []).reduce((sum, count) => sum + Number(count), 0) + Number(bad?.[1] ?? 0);
  const [, late = "", unit = "ms"] = /99%\s+([\d.]+)(us|ms|s|m)/.exec(output) ?? [];
  return {
    p99: Number(late) * ({ us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit] ?? Number.NaN),
    requests: Number(counted[1]),
    seconds: Number(counted[2]) * (counted[3] === "m" ? 60 : 1),
    failed,
  };
}
