/** The Node peer, in a process of its own: `node:http` server and undici pool, the work written by hand. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Pool } from "undici";
import type { Work } from "./peer.js";

const [upstreamPort = "", ...ports] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 64, pipelining: 1 });
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "te",
  "upgrade",
  "proxy-connection",
]);
const FILTERED: ReadonlySet<Work> = new Set(["rewrite", "filter-large", "filter-stream"]);
const FILTER = /orders-[0-9]+\.internal/g;

function requestHeaders(request: IncomingMessage, work: Work): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !HOP_BY_HOP.has(name)) headers[name] = value;
  }
  const address = request.socket.remoteAddress ?? "";
  const forwarded = headers["x-forwarded-for"];
  headers["x-real-ip"] = address;
  headers["x-forwarded-for"] = forwarded ? `${String(forwarded)}, ${address}` : address;
  headers["x-forwarded-proto"] = "http";
  headers["x-forwarded-host"] = (request.headers.host ?? "").replace(/:\d+$/, "");
  headers["x-forwarded-port"] = String(request.socket.localPort);
  if (work === "headers" || work === "rewrite") {
    const via = headers["x-forwarded-via"];
    headers["x-forwarded-via"] = via ? `gw,${String(via)}` : "gw";
    delete headers["x-debug-token"];
    headers["x-api-version"] = "2";
  }
  return headers;
}

async function forward(request: IncomingMessage, response: ServerResponse, work: Work): Promise<void> {
  const hasBody =
    request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  const answer = await pool.request({
    method: request.method as "GET",
    path: request.url ?? "/",
    headers: requestHeaders(request, work),
    body: hasBody ? request : null,
  });
  const headers = answer.headers;
  for (const name of HOP_BY_HOP) delete headers[name];
  if (work !== "pass" && answer.statusCode === 200) {
    delete headers["x-internal-service"];
    headers["cache-control"] = "no-store";
  }
  if (FILTERED.has(work) && answer.statusCode === 200) {
    const body = Buffer.from((await answer.body.text()).replace(FILTER, "orders.example.com"));
    headers["content-length"] = String(body.length);
    response.writeHead(answer.statusCode, headers);
    response.end(body);
    return;
  }
  response.writeHead(answer.statusCode, headers);
  answer.body.pipe(response);
}

for (const argument of ports) {
  const [work, port] = argument.split("=") as [Work, string];
  createServer((request, response) => {
    forward(request, response, work).catch(() => response.destroy());
  }).listen(Number(port), "127.0.0.1");
}
