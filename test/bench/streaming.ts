import { median, treeCpu, treeMemory } from "./cpu.js";
import { gwc } from "./gwc.js";
import { type Line, largeBody } from "./lines.js";
import { load } from "./load.js";
import { nginxLua, nginxSubFilter, startUpstream } from "./nginx.js";
import { type Peer, type RunningPeer, scratchDirectory } from "./peer.js";

const PEERS: readonly Peer[] = [gwc, nginxSubFilter, nginxLua];
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

interface StreamingOptions {
  rounds: number;
  seconds: number;
  progress(text: string): void;
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
export async function streamingReport({ rounds, seconds, progress }: StreamingOptions): Promise<string> {
  const megabyte = largeBody(PER_MB);
  const upstream = await startUpstream({
    "1mb.json": Buffer.from(megabyte),
    "100mb.json": Buffer.from(megabyte.repeat(100)),
  });
  const scratch = scratchDirectory();
  const running = new Map<string, RunningPeer>();
  const rows: string[] = [];
  try {
    for (const peer of PEERS) running.set(peer.name, await peer.start(upstream.port("pass")));
    for (const line of LINES) {
      const samples = new Map<string, Sample[]>();
      for (let round = 0; round <= rounds; round++) {
        progress(`${line.name}: round ${round} of ${rounds}`);
        for (const [name, peer] of running) {
          const sample = await measureOnce(scratch.path, peer, line, seconds);
          // The first round warms up, but the memory that it takes is not given back.
          const known = samples.get(name) ?? [];
          samples.set(name, [...known, sample]);
        }
      }
      rows.push(row(line, samples));
    }
  } finally {
    await Promise.all([...running.values()].map((peer) => peer.stop()));
    await upstream.stop();
    scratch.remove();
  }
  const names = PEERS.map(({ name }) => name);
  return [
    `| CPU ms a body; p99 ms; memory | ${names.join(" | ")} | CPU × nginx + Lua | p99 × nginx + Lua |`,
    `|---|${"---|".repeat(names.length + 2)}`,
    ...rows,
  ].join("\n");
}

function row(line: Line, samples: ReadonlyMap<string, readonly Sample[]>): string {
  const figures = new Map(
    [...samples].map(([name, all]) => {
      const warm = all.slice(1);
      const cpu = median(warm.map((sample) => sample.cpu));
      const p99 = median(warm.map((sample) => sample.p99));
      const memory = Math.max(...all.map((sample) => sample.memory)) / 1_048_576;
      return [name, { cpu, p99, memory, failed: all.reduce((sum, { failed }) => sum + failed, 0) }] as const;
    }),
  );
  const ours = figures.get("gwc");
  const lua = figures.get("nginx + Lua");
  const ratio = (of: "cpu" | "p99") => (ours && lua ? (ours[of] / lua[of]).toFixed(2) : "–");
  const cells = [...figures.values()].map(
    ({ cpu, p99, memory, failed }) =>
      `${cpu.toFixed(2)}; ${p99.toFixed(0)}; +${memory.toFixed(0)} MB${failed > 0 ? ` ${failed} failed!` : ""}`,
  );
  return `| ${[line.name, ...cells, ratio("cpu"), ratio("p99")].join(" | ")} |`;
}
