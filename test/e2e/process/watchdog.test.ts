import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

// Patterns cannot block an event loop, because slow ones run in a thread; code of a package's plugin can.
const HOLDING = packageFiles("holding", {
  "index.js": definition(
    "holding",
    `exports: { endless: [] }, runtime: "runtime/index.js",
  view: (_, printer) => ({
    headers: {
      owner: null,
      statements: [printer.code\`x.response.filterBody(\${printer.imported("endless")}())\`],
    },
  }),`,
  ),
  "runtime/index.js": `export function endless() {
  return { maxBytes: 1000, oversize: "pass", apply: () => { for (;;); } };
}
export const runtime = { exports: { endless } };
`,
  "runtime/index.d.ts": `import type { BodyFilter, PluginRuntime } from "gwc/plugin";
export function endless(): BodyFilter;
export const runtime: PluginRuntime;
`,
});
const ENDLESS = { holding: { value: "unused" } };
const ANOTHER = { "response-rewrite": { filters: [{ regex: "c$", replace: "" }] } };

const upstream = useUpstream(({ url }, response) => {
  const answer = () => response.end(`${"a".repeat(64)}c`);
  // Delays the response beyond requests of the other route that are matched meanwhile.
  if (url === "/endless") setTimeout(answer, 500);
  else answer();
});
let gateway: ProcessGateway;

const configuration = (plugins: object) => {
  const { nodes } = upstream;
  return {
    plugins: ["./holding"],
    routes: [
      { id: "good", uri: "/good", upstream: { nodes } },
      { id: "endless", uri: "/endless", upstream: { nodes }, plugins },
    ],
  };
};

beforeAll(async () => {
  gateway = await ProcessGateway.prepare(configuration(ENDLESS));
  writeFiles(join(gateway.directory, "holding"), HOLDING);
  await gateway.open();
});
afterAll(async () => {
  await gateway.end();
});

const goodAnswers = async (count: number) =>
  (await Promise.all(Array.from({ length: count }, () => gateway.get("/good")))).map(({ status }) => status);

describe("a worker whose main thread is blocked by a plugin's filter", () => {
  it("a worker that a filter blocks is ended after a second and replaced at once, while the other serves", async () => {
    const before = (await gateway.workers()).map(({ pid }) => pid);
    const [started] = [Date.now()];
    const held = gateway.get("/endless").catch((error: Error) => error.message);
    await goodAnswers(8);
    expect(await held).toMatch(/socket hang up|ECONNRESET/);
    expect(Date.now() - started).toBeGreaterThan(900);
    expect(Date.now() - started).toBeLessThan(20_000);
    const [ended] = await until(() => {
      const lines = gateway.log("child_ended");
      return lines.length > 0 ? lines : undefined;
    });
    expect(ended).toMatchObject({ signal: "SIGKILL", restart_in_ms: 0 });
    await until(() => gateway.ready());
    const after = (await gateway.workers()).map(({ pid }) => pid);
    expect(after.filter((pid) => before.includes(pid))).toHaveLength(1);
    expect(await goodAnswers(8)).toEqual(Array(8).fill(200));
  });

  it("a stall is attributed to the route whose code ran, not to the one matched last", async () => {
    const blame = { route: "endless", part: "filter", reason: "its main thread was blocked" };
    expect(gateway.log("worker_stalled")).toEqual([expect.objectContaining(blame)]);
    const { json } = await exchange(gateway.statusPort, "GET", "/status/ready");
    expect(json["last_stall"]).toMatchObject(blame);
  });

  it("a quarantined route gives 503 on all workers, while other routes are served", async () => {
    const before = (await gateway.workers()).map(({ pid }) => pid);
    const answers = await Promise.all(Array.from({ length: 16 }, () => gateway.get("/endless")));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(503));
    expect(await goodAnswers(8)).toEqual(Array(8).fill(200));
    expect((await gateway.workers()).map(({ pid }) => pid)).toEqual(before);
    expect(gateway.log("route_quarantined")).toEqual([
      expect.objectContaining({ route: "endless", stalls: 1, answered_503_for_ms: 10_000 }),
    ]);
    const page = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    expect(page.text).toMatch(/^gw_quarantined_routes 1$/m);
    expect(page.text).toMatch(/^gw_worker_stalls_total\{reason="held"\} 1$/m);
    const { json } = await exchange(gateway.statusPort, "GET", "/status/ready");
    const message = "1 route returns 503: its code has stalled a worker";
    expect(json["warnings"]).toEqual([{ code: "route_quarantined", message, routes: 1 }]);
  });

  it("a quarantined route is served again as soon as it changes", async () => {
    gateway.write(configuration(ANOTHER));
    gateway.process.kill("SIGHUP");
    await until(async () => (await gateway.get("/endless")).status === 200);
    expect((await gateway.get("/endless")).text).toBe("a".repeat(64));
    const page = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    expect(page.text).toMatch(/^gw_quarantined_routes 0$/m);
  });
});
