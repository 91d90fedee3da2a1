import type { RouterRow } from "../../runtime/abi/generation.js";
import type { RouteSubject } from "../../runtime/proxy/router/candidate.js";
import { Router } from "../../runtime/proxy/router/router.js";

/** Routes of the kind that manyRoutes makes, as the router sees them: a host for each hundred, every third a prefix. */
function row(i: number, hosts: number): RouterRow {
  return {
    id: `route-${i}`,
    hosts: [`service-${i % hosts}.example.com`],
    uris: [i % 3 === 0 ? `/v1/resource-${i}/*` : `/v1/resource-${i}`],
    methods: ["GET", "POST"],
    remoteAddrs: [],
    priority: 0,
    order: i,
    moduleId: null,
    hasMatch: false,
    upstream: null,
    enableWebsocket: false,
  };
}

const subject = (i: number, hosts: number): RouteSubject => ({
  host: `service-${i % hosts}.example.com`,
  path: i % 3 === 0 ? `/v1/resource-${i}/item` : `/v1/resource-${i}`,
  method: "GET",
  remoteAddr: "127.0.0.1",
  uriParams: undefined,
});

/** Nanoseconds for one match over the subjects in turn: the best of five passes, so that other work on the machine counts little. */
function measure(
  router: Router<string, RouteSubject>,
  subjects: readonly RouteSubject[],
  matches: number,
): number {
  let best = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < 5; pass++) {
    const started = process.hrtime.bigint();
    for (let i = 0; i < matches; i++) {
      if (router.match(subjects[i % subjects.length] as RouteSubject) === undefined)
        throw new Error("no route matched");
    }
    best = Math.min(best, Number(process.hrtime.bigint() - started) / matches);
  }
  return best;
}

/** Cost of a match among 10, 1,000 and 100,000 routes: ten hot paths, and paths at random. */
export function routerReport(progress: (text: string) => void): string {
  const rows = [10, 1_000, 100_000].map((count) => {
    progress(`router with ${count} routes`);
    const hosts = Math.max(1, Math.round(count / 100));
    const router = new Router<string, RouteSubject>(() => true);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) router.put(row(i, hosts), `route-${i}`);
    const bytes = (process.memoryUsage().heapUsed - before) / count;
    const hot = Array.from({ length: 10 }, (_, i) => subject(Math.floor((i * count) / 10), hosts));
    const random = Array.from({ length: 50_000 }, () => subject(Math.floor(Math.random() * count), hosts));
    return { count, hot: measure(router, hot, 500_000), random: measure(router, random, 200_000), bytes };
  });
  const base = rows[0]?.hot ?? 1;
  const lines = rows.map(
    ({ count, hot, random, bytes }) =>
      `| ${count} | ${hot.toFixed(0)} ns | ${(hot / base).toFixed(2)} | ${random.toFixed(0)} ns | ${count >= 1_000 ? `${Math.round(bytes)} B` : "–"} |`,
  );
  return [
    "| routes | ten hot paths | against 10 routes | a random path | heap a route |",
    "|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}
