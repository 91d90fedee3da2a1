import { median, treeCpu, treeMemory } from "./cpu.js";
import { gwc } from "./gwc.js";
import { type Line, largeBody } from "./lines.js";
import { load } from "./load.js";
import { nginxLua, nginxSubFilter, startUpstream } from "./nginx.js";
import { type Peer, type RunningPeer, scratchDirectory } from "./peer.js";

export const STREAMING_PEERS: readonly Peer[] = [gwc, nginxSubFilter, nginxLua];
const PER_MB = 16;

const common = { work: "filter-stream", headers: 4, method: "GET", against: "nginx + Lua" } as const;

/** 100 MB with two connections: nginx + Lua holds each body twice. */
const LINES: readonly Line[] = [
  { ...common, name: "64 kB body, streaming filter", path: "/orders/large.json", connections: 64 },
  { ...common, name: "1 MB body, streaming filter", path: "/orders/1mb.json", connections: 64 },
  { ...common, name: "100 MB body, streaming filter", path: "/orders/100mb.json", connections: 2 },
];

interface Sample {
  /** Milliseconds of CPU time for a body. */
  cpu: number;
  p99: number;
  failed: number;
  /** Bytes of resident memory that the load added at its highest. */
  memory: number;
}

export interface StreamingOptions {
  /** Names of the lines; default all. */
  only?: readonly string[];
  /** Default: those that stream. */
  peers?: readonly Peer[];
  rounds: number;
  seconds: number;
  progress(text: string): void;
}

/** Of one peer over all rounds but the first: medians of `cpu` (ms a body) and `p99` (ms), the most memory, all failures. */
export interface StreamingResult {
  line: string;
  peers: ReadonlyMap<string, Sample>;
}

async function measureOnce(
  directory: string,
  peer: RunningPeer,
  line: Line,
  seconds: number,
): Promise<Sample> {
  const idle = treeMemory(peer.pid);
  let most = idle;
  const watch = setInterval(() => {
    most = Math.max(most, treeMemory(peer.pid));
  }, 50);
  const before = treeCpu(peer.pid);
  const { requests, p99, failed } = await load(directory, peer.port(line.work), line, seconds);
  const after = treeCpu(peer.pid);
  clearInterval(watch);
  const cpu = (after.user + after.system - before.user - before.system) / requests / 1_000;
  return { cpu, p99, failed, memory: most - idle };
}

/** CPU, p99 and memory of large bodies through a filter, beside nginx with a fixed text and nginx + Lua with a pattern. */
export async function measureStreaming({
  only,
  peers = STREAMING_PEERS,
  rounds,
  seconds,
  progress,
}: StreamingOptions): Promise<StreamingResult[]> {
  const megabyte = largeBody(PER_MB);
  const upstream = await startUpstream({
    "1mb.json": Buffer.from(megabyte),
    "100mb.json": Buffer.from(megabyte.repeat(100)),
  });
  const scratch = scratchDirectory();
  const running = new Map<string, RunningPeer>();
  const results: StreamingResult[] = [];
  try {
    for (const peer of peers) running.set(peer.name, await peer.start(upstream.port("pass")));
    for (const line of LINES.filter(({ name }) => only?.includes(name) ?? true)) {
      const samples = new Map<string, Sample[]>();
      for (let round = 0; round <= rounds; round++) {
        progress(`${line.name}: round ${round} of ${rounds}`);
        for (const [name, peer] of running) {
          const sample = await measureOnce(scratch.path, peer, line, seconds);
          samples.set(name, [...(samples.get(name) ?? []), sample]);
        }
      }
      const measured = new Map([...samples].map(([name, all]) => [name, overall(all)]));
      results.push({ line: line.name, peers: measured });
    }
  } finally {
    await Promise.all([...running.values()].map((peer) => peer.stop()));
    await upstream.stop();
    scratch.remove();
  }
  return results;
}

/** The first round warms up, but the memory that it takes is not given back. */
function overall(samples: readonly Sample[]): Sample {
  const warm = samples.slice(1);
  return {
    cpu: median(warm.map(({ cpu }) => cpu)),
    p99: median(warm.map(({ p99 }) => p99)),
    memory: Math.max(...samples.map(({ memory }) => memory)),
    failed: samples.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** How many times what a peer takes. */
export function beside(name: string, { peers }: StreamingResult): { cpu: number; p99: number } {
  const [ours, other] = [peers.get("gwc"), peers.get(name)];
  if (ours === undefined || other === undefined) throw new Error(`a streaming line needs gwc and ${name}`);
  return { cpu: ours.cpu / other.cpu, p99: ours.p99 / other.p99 };
}

export function streamingTable(results: readonly StreamingResult[]): string {
  const names = [...(results[0]?.peers.keys() ?? [])];
  return [
    `| CPU ms a body; p99 ms; memory | ${names.join(" | ")} | CPU × nginx + Lua | p99 × nginx + Lua |`,
    `|---|${"---|".repeat(names.length + 2)}`,
    ...results.map(row),
  ].join("\n");
}

function row(result: StreamingResult): string {
  const cells = [...result.peers.values()].map(({ cpu, p99, memory, failed }) => {
    const megabytes = (memory / 1_048_576).toFixed(0);
    return `${cpu.toFixed(2)}; ${p99.toFixed(0)}; +${megabytes} MB${failed > 0 ? ` ${failed} failed!` : ""}`;
  });
  const { cpu, p99 } = beside("nginx + Lua", result);
  return `| ${[result.line, ...cells, cpu.toFixed(2), p99.toFixed(2)].join(" | ")} |`;
}
