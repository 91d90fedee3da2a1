import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Line } from "./lines.js";

export interface LoadResult {
  requests: number;
  /** Socket errors and answers other than 2xx or 3xx. */
  failed: number;
  seconds: number;
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

/**
 * Runs wrk against a loopback port for `seconds` and counts what came back.
 * @param delayMs pause of each connection between two requests
 */
export async function load(
  directory: string,
  port: number,
  line: Line,
  seconds: number,
  delayMs = 0,
): Promise<LoadResult> {
  const script = join(directory, "request.lua");
  const delay = delayMs > 0 ? `function delay() return ${delayMs} end\n` : "";
  writeFileSync(
    script,
    `local request_text = ${luaString(rawRequest(line))}\nfunction request() return request_text end\n${delay}`,
  );
  const args = ["-t1", `-c${line.connections}`, `-d${seconds}s`, "-s", script, `http://127.0.0.1:${port}`];
  const child = spawn("wrk", args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  const counted = /(\d+) requests in ([\d.]+)s/.exec(output);
  if (!counted) throw new Error(`wrk said nothing that can be read:\n${output}`);
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output);
  const bad = /Non-2xx or 3xx responses: (\d+)/.exec(output);
  const failed =
    (errors?.slice(1) ?? []).reduce((sum, count) => sum + Number(count), 0) + Number(bad?.[1] ?? 0);
  return { requests: Number(counted[1]), seconds: Number(counted[2]), failed };
}
