import { median, treeCpu } from "./cpu.js";
import { gatewayPeer } from "./gwc.js";
import { LINES, type Line } from "./lines.js";
import { load } from "./load.js";
import { LOG_DESTINATIONS, type LogDestination, type RunningDestination } from "./log-destination.js";
import { nginx, startUpstream } from "./nginx.js";
import { type RunningPeer, scratchDirectory } from "./peer.js";

/** The line of the budget: 1 kB answers through a route that has no other plugin. */
const LINE = LINES.find(({ name }) => name === "no plugin") as Line;

/** nginx on this line, on the machine for which the budgets were set (docs/decisions/0009-measurements.md): its time today tells what a µs of then is now. */
const NGINX_THEN = 15.2;

export interface LogOptions {
  rounds: number;
  seconds: number;
  /** Seconds of the run at a steady rate; 0 leaves it out. */
  steadySeconds: number;
  /** Requests a second of that run. */
  rate: number;
  progress(text: string): void;
}

interface Row {
  name: string;
  /** CPU microseconds per request without and with the logger. */
  plain: number;
  logged: number;
  nginx: number;
  budget: LogDestination["budget"];
  steady?: Steady;
}

interface Steady {
  requests: number;
  failed: number;
  stored: number;
  seconds: number;
}

async function measured(directory: string, peer: RunningPeer, seconds: number) {
  const before = treeCpu(peer.pid);
  const { requests, failed } = await load(directory, peer.port(LINE.work), LINE, seconds);
  const after = treeCpu(peer.pid);
  return { cpu: (after.user + after.system - before.user - before.system) / requests, requests, failed };
}

/** A fixed rate; whatever the route answered must be stored in the end. */
async function steadily(
  directory: string,
  peer: RunningPeer,
  running: RunningDestination,
  { steadySeconds, rate }: LogOptions,
): Promise<Steady> {
  const before = await running.stored();
  const line = { ...LINE, connections: 128 };
  const { requests, failed, seconds } = await load(
    directory,
    peer.port(LINE.work),
    line,
    steadySeconds,
    rate,
  );
  let stored = 0;
  for (const end = Date.now() + 30_000; stored < requests && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    stored = (await running.stored()) - before;
  }
  return { requests, failed, stored, seconds };
}

async function measureDestination(
  destination: LogDestination,
  upstreamPort: number,
  options: LogOptions,
): Promise<Row> {
  const { path, remove } = scratchDirectory();
  const running = await destination.start();
  const peers: RunningPeer[] = [];
  try {
    for (const plugins of [{}, running.plugins])
      peers.push(await gatewayPeer("gwc", [LINE.work], { [LINE.work]: plugins }).start(upstreamPort));
    peers.push(await nginx.start(upstreamPort));
    const [plain, logged, yardstick] = peers as [RunningPeer, RunningPeer, RunningPeer];
    for (const peer of peers) await load(path, peer.port(LINE.work), LINE, 2);
    const samples: Record<"plain" | "logged" | "nginx", number[]> = { plain: [], logged: [], nginx: [] };
    for (let round = 1; round <= options.rounds; round++) {
      options.progress(`${destination.name}: round ${round} of ${options.rounds}`);
      samples.plain.push((await measured(path, plain, options.seconds)).cpu);
      samples.logged.push((await measured(path, logged, options.seconds)).cpu);
      samples.nginx.push((await measured(path, yardstick, options.seconds)).cpu);
    }
    const row = {
      name: destination.name,
      plain: median(samples.plain),
      logged: median(samples.logged),
      nginx: median(samples.nginx),
      budget: destination.budget,
    };
    if (options.steadySeconds === 0) return row;
    options.progress(`${destination.name}: ${options.rate} requests a second for ${options.steadySeconds} s`);
    // What the rounds have left must be away before the count begins.
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    return { ...row, steady: await steadily(path, logged, running, options) };
  } finally {
    for (const peer of peers) await peer.stop();
    await running.stop();
    remove();
  }
}

const budgetText = ({ microseconds, percent }: NonNullable<LogDestination["budget"]>) =>
  `+${microseconds} µs${percent === undefined ? "" : ` and +${percent} %`}`;

const steadyText = ({ requests, failed, stored, seconds }: Steady) =>
  `${Math.round(requests / seconds)}/s for ${Math.round(seconds)} s: ${requests} answered, ${failed} failed, ` +
  `${stored} stored, ${Math.max(0, requests - stored)} dropped`;

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, plain, logged, nginx, budget, steady }) => {
    const more = logged - plain;
    const cells = [
      name,
      plain.toFixed(1),
      logged.toFixed(1),
      nginx.toFixed(1),
      `+${more.toFixed(1)} (+${((100 * more) / plain).toFixed(0)} %)`,
      `+${((more * NGINX_THEN) / nginx).toFixed(1)}`,
      budget ? budgetText(budget) : "–",
      steady ? steadyText(steady) : "–",
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const head = `| logger | without | with | nginx | difference | where nginx takes ${NGINX_THEN} | budget | steady |`;
  return [head, `|${"---|".repeat(8)}`, ...lines].join("\n");
}

/** CPU microseconds per request of the 1 kB route without and with each logger, against real destinations. */
export async function logReport(options: LogOptions, only?: string): Promise<string> {
  const upstream = await startUpstream();
  try {
    const rows: Row[] = [];
    for (const destination of LOG_DESTINATIONS)
      if (only === undefined || destination.name === only)
        rows.push(await measureDestination(destination, upstream.port("pass"), options));
    return table(rows);
  } finally {
    await upstream.stop();
  }
}
