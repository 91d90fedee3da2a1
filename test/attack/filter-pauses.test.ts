import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchange } from "../e2e/control/admin.js";
import { ProcessGateway } from "../e2e/process/gateway.js";

// Bodies made to slow down filters, on a live worker that measures the pauses of its event loop. Other work
// on the machine makes pauses longer, so the limit is multiplied by the load on each core, and by two. Before
// filters worked in time slices, the first of these took 180 ms and the fourth 700 ms.

const PAUSE_MS = 20;

const rule = (regex: string, replace: string) => ({ regex, replace, scope: "global" });
/**
 * 244 steps a byte, a little below the limit; the second pattern reads its trailing run and therefore buffers
 * the body.
 */
const TAG = rule("<b[^>]{0,120}>", "-");
const HELD_TAG = rule("<b[^>]{0,120}>x*", "$0");
const BLANKS = rule("\\s+", " ");
/** Half of it blanks in pairs, and varied enough that its coding does not count as a bomb. */
const WORDS = Array.from({ length: 1_000 }, (_, i) => `${((i * 2_654_435_761) % 65_536).toString(16)}  a  `)
  .join("")
  .repeat(3_000);
const SLOW = "<b!".repeat(66_000);

const KINDS: [string, { filters: object[]; body: string; out: string; gzip?: boolean }][] = [
  ["200 kB held for a slow pattern", { filters: [HELD_TAG], body: SLOW, out: SLOW }],
  ["200 kB held for three", { filters: [HELD_TAG, HELD_TAG, HELD_TAG], body: SLOW, out: SLOW }],
  // Each search is linear, but reads the rest of the body.
  [
    "6 kB for one of the linear engine",
    { filters: [rule("x[^y]*y|x", "z")], body: "x".repeat(6_000), out: "z".repeat(6_000) },
  ],
  ["600 kB in pieces for a slow pattern", { filters: [TAG], body: SLOW.repeat(3), out: SLOW.repeat(3) }],
  [
    "60 kB for two slow patterns that stream",
    { filters: [TAG, TAG], body: "<b!".repeat(20_000), out: "<b!".repeat(20_000) },
  ],
  ["30 MB in pieces, of matches", { filters: [BLANKS], body: WORDS, out: WORDS.replaceAll("  ", " ") }],
  ["30 MB coded again", { filters: [BLANKS], body: WORDS, out: WORDS.replaceAll("  ", " "), gzip: true }],
];

async function startGateway(
  filters: object[],
  body: Buffer,
  coding: string | undefined,
): Promise<ProcessGateway> {
  const upstream = createServer((_request, response) => {
    if (coding !== undefined) response.setHeader("Content-Encoding", coding);
    response.end(body);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const gateway = await ProcessGateway.start(
    {
      routes: [
        {
          id: "filtered",
          uri: "/*",
          plugins: { "response-rewrite": { filters } },
          upstream: { nodes: { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 } },
        },
      ],
    },
    { workers: 1 },
  );
  onTestFinished(async () => {
    await gateway.end();
    upstream.closeAllConnections();
    upstream.close();
  });
  return gateway;
}

function fetched(port: number, headers: Record<string, string>): Promise<{ coding?: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path: "/", headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      const coding = response.headers["content-encoding"];
      response.on("end", () => resolve({ ...(coding && { coding }), body: Buffer.concat(pieces) }));
      response.on("error", reject);
    }).on("error", reject);
  });
}

/** The lag is measured in steps of a timer, and grows with the load of other processes. */
const limit = () => PAUSE_MS * 2 * Math.max(1, (loadavg()[0] ?? 0) / cpus().length);

/** Longest pause since the last call, in ms. */
async function longestPause(gateway: ProcessGateway): Promise<number> {
  // The worker counts a pause after its end.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  const [, value] = /^gw_event_loop_lag_seconds\{[^}]*\} (\S+)$/m.exec(text) ?? [];
  return 1000 * Number(value);
}

describe("a filtered body on a live worker", () => {
  it.each(KINDS)(
    "a filtered body blocks the event loop for less than twice 20 ms times the load per core: %s",
    async (_, { filters, body, out, gzip = false }) => {
      const coding = gzip ? "gzip" : undefined;
      const sent = Buffer.from(body, "latin1");
      const gateway = await startGateway(filters, gzip ? gzipSync(sent, { level: 1 }) : sent, coding);
      const pauses: number[] = [];
      // Only the shortest of several pauses counts, because other processes may cause the longer ones.
      for (let time = 0; time < 8 && !(Math.min(...pauses) < limit()); time++) {
        await longestPause(gateway);
        const answer = await fetched(gateway.port, gzip ? { "Accept-Encoding": "gzip" } : {});
        pauses.push(await longestPause(gateway));
        expect(answer.coding).toBe(coding);
        const text = gzip ? gunzipSync(answer.body) : answer.body;
        expect(text.equals(Buffer.from(out, "latin1"))).toBe(true);
      }
      expect(Math.min(...pauses), `of ${pauses.join(", ")} ms`).toBeLessThan(limit());
      expect(gateway.log("process_stalled")).toEqual([]);
    },
  );
});
