import { type CpuTime, median, treeCpu } from "./cpu.js";
import { gwc } from "./gwc.js";
import { haproxy } from "./haproxy.js";
import { LINES, type Line } from "./lines.js";
import { type LoadResult, load as loadByWrk } from "./load.js";
import { nginx, nginxLua, startUpstream } from "./nginx.js";
import { nodeUndici } from "./node-undici.js";
import { type Peer, type RunningPeer, scratchDirectory } from "./peer.js";

export const PEERS: readonly Peer[] = [gwc, nginx, nginxLua, haproxy, nodeUndici];

export interface ProxyOptions {
  lines?: readonly Line[];
  peers?: readonly Peer[];
  /** Interleaved rounds; every peer serves once a round, so a slow minute of the machine falls on all. */
  rounds: number;
  seconds: number;
  progress(text: string): void;
  /** Default: wrk. */
  load?: (directory: string, port: number, line: Line, seconds: number) => Promise<LoadResult>;
}

/** CPU microseconds per request of all processes of a gateway: medians over the rounds. */
export interface Measured extends CpuTime {
  total: number;
  requestsPerSecond: number;
  failed: number;
  /** `total` of each round. */
  rounds: number[];
}

export interface LineResult {
  line: Line;
  peers: Map<string, Measured>;
}

async function measureOnce(
  directory: string,
  peer: RunningPeer,
  line: Line,
  { seconds, load = loadByWrk }: ProxyOptions,
) {
  const before = treeCpu(peer.pid);
  const result = await load(directory, peer.port(line.work), line, seconds);
  const after = treeCpu(peer.pid);
  return {
    user: (after.user - before.user) / result.requests,
    system: (after.system - before.system) / result.requests,
    requestsPerSecond: result.requests / result.seconds,
    failed: result.failed,
  };
}

async function measureLine(
  directory: string,
  running: Map<Peer, RunningPeer>,
  line: Line,
  options: ProxyOptions,
) {
  const samples = new Map<string, Awaited<ReturnType<typeof measureOnce>>[]>();
  const able = [...running].filter(([peer]) => peer.works.includes(line.work));
  const { load = loadByWrk } = options;
  for (const [, peer] of able) await load(directory, peer.port(line.work), line, 1);
  for (let round = 1; round <= options.rounds; round++) {
    options.progress(`${line.name}: round ${round} of ${options.rounds}`);
    for (const [peer, process] of able) {
      const sample = await measureOnce(directory, process, line, options);
      samples.set(peer.name, [...(samples.get(peer.name) ?? []), sample]);
    }
  }
  const peers = new Map<string, Measured>();
  for (const [name, rounds] of samples) {
    const user = median(rounds.map((sample) => sample.user));
    const system = median(rounds.map((sample) => sample.system));
    const totals = rounds.map((sample) => sample.user + sample.system);
    const requestsPerSecond = median(rounds.map((sample) => sample.requestsPerSecond));
    peers.set(name, {
      user,
      system,
      total: median(totals),
      requestsPerSecond,
      failed: rounds.reduce((n, s) => n + s.failed, 0),
      rounds: totals,
    });
  }
  return { line, peers };
}

/** Starts the upstream and every peer, measures line by line in interleaved rounds, and stops them all. */
export async function measureProxies(options: ProxyOptions): Promise<LineResult[]> {
  const upstream = await startUpstream();
  const scratch = scratchDirectory();
  const running = new Map<Peer, RunningPeer>();
  try {
    for (const peer of options.peers ?? PEERS) {
      options.progress(`starting ${peer.name}`);
      running.set(peer, await peer.start(upstream.port("pass")));
    }
    const results: LineResult[] = [];
    for (const line of options.lines ?? LINES)
      results.push(await measureLine(scratch.path, running, line, options));
    return results;
  } finally {
    await Promise.all([...running.values()].map((peer) => peer.stop()));
    await upstream.stop();
    scratch.remove();
  }
}

const ratio = (ours: Measured | undefined, theirs: Measured | undefined) =>
  ours && theirs ? ours.total / theirs.total : Number.NaN;

/** Ratio of our CPU time to the line's named peer, and to `node:http` + undici. */
export function ratios(result: LineResult): { named: number; node: number } {
  const ours = result.peers.get("gwc");
  return {
    named: ratio(ours, result.peers.get(result.line.against)),
    node: ratio(ours, result.peers.get("node:http + undici")),
  };
}

const figure = (m: Measured | undefined) =>
  m
    ? `${m.total.toFixed(1)} (${m.user.toFixed(1)} + ${m.system.toFixed(1)})${m.failed ? ` ${m.failed} failed!` : ""}`
    : "–";

/** Markdown table: µs CPU per request, total (user + system), and the two ratios. */
export function proxyTable(results: readonly LineResult[]): string {
  const names = [...new Set(results.flatMap((result) => [...result.peers.keys()]))];
  const fixed = (value: number) => (Number.isNaN(value) ? "–" : value.toFixed(2));
  const rows = results.map((result) => {
    const { named, node } = ratios(result);
    const cells = names.map((name) => figure(result.peers.get(name)));
    return `| ${[result.line.name, ...cells, `${fixed(named)} × ${result.line.against}`, fixed(node)].join(" | ")} |`;
  });
  return [
    `| line | ${names.join(" | ")} | ratio to named peer | ratio to node:http + undici |`,
    `|---|${"---|".repeat(names.length + 2)}`,
    ...rows,
  ].join("\n");
}
