import { spawn } from "node:child_process";
import { type Issued, issue } from "../support/certificates.js";
import { freePort } from "../support/ports.js";
import { deployment, runGateway } from "./gwc.js";
import type { Line } from "./lines.js";
import { type LoadResult, load } from "./load.js";
import { secureServer } from "./nginx.js";
import { type Peer, scratchDirectory } from "./peer.js";
import { measureProxies, type ProxyOptions, proxyTable } from "./proxy.js";

const WORKS = ["pass"] as const;
const line = {
  work: "pass",
  path: "/orders/small.json",
  connections: 64,
  headers: 4,
  method: "GET",
  against: "nginx",
} as const;
const NEW = "TLS, a new connection for each request";
const LINES: readonly Line[] = [
  { ...line, name: "TLS, kept connections", secure: true },
  { ...line, name: NEW, secure: true },
];

/** The measured gateway, with the certificate that nginx has too. */
const gwcSecurely = ({ cert, key }: Issued): Peer => ({
  name: "gwc",
  works: WORKS,
  async start(upstreamPort) {
    const { path, remove } = scratchDirectory();
    const { keys } = await deployment(path);
    const port = await freePort();
    const ssl = { listen: [{ ip: "127.0.0.1", port }], fallback_sni: "pass.example.com" };
    const nodes = { [`127.0.0.1:${upstreamPort}`]: 1 };
    const configuration = {
      ...keys,
      gw: { ...(keys["gw"] as object), ssl },
      ssls: [{ id: "bench", sni: "pass.example.com", cert, key }],
      routes: [{ id: "pass", host: "pass.example.com", uri: "/*", upstream: { nodes } }],
    };
    return runGateway(configuration, { path, remove, port });
  },
});

/** ab begins each connection without a session, which wrk would resume: so each pays for its handshake. */
async function loadAnew(port: number, seconds: number): Promise<LoadResult> {
  const args = ["-q", "-c64", `-t${seconds}`, "-n1000000", "-s60", "-f", "TLS1.3"];
  const url = `https://127.0.0.1:${port}${line.path}`;
  const child = spawn("ab", [...args, "-H", "Host: pass.example.com", url], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  await new Promise((resolve) => child.once("close", resolve));
  const read = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  const requests = read(/Complete requests:\s+(\d+)/);
  if (Number.isNaN(requests)) throw new Error(`ab said nothing that can be read:\n${output}`);
  return {
    requests,
    failed: read(/Failed requests:\s+(\d+)/) + (read(/Non-2xx responses:\s+(\d+)/) || 0),
    seconds: read(/Time taken for tests:\s+([\d.]+)/),
    p99: read(/\s99%\s+(\d+)/),
  };
}

/** TLS of clients, ECDSA P-256 on both sides, nothing resumed. */
export async function secureReport(options: ProxyOptions): Promise<string> {
  const issued = issue({ names: ["pass.example.com"] });
  const peers = [gwcSecurely(issued), secureServer(issued)];
  const results = await measureProxies({
    ...options,
    lines: LINES,
    peers,
    load: (directory, port, one, seconds) =>
      one.name === NEW ? loadAnew(port, seconds) : load(directory, port, one, seconds),
  });
  const rates = results.flatMap(({ line: { name }, peers }) =>
    [...peers].map(
      ([peer, { requestsPerSecond }]) => `- ${name}: ${peer} ${requestsPerSecond.toFixed(0)} a second`,
    ),
  );
  return `${proxyTable(results)}\n\n${rates.join("\n")}`;
}
