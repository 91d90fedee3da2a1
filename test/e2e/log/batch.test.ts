import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import type { HostedGenerations } from "../../../runtime/proxy/host/generations.js";
import { LiveGateway } from "../../conformance/runner/live.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { LineServer } from "../../support/line-server.js";

let gateway: LiveGateway;
let sink: LineServer;
let generations: HostedGenerations;

beforeAll(async () => {
  gateway = await LiveGateway.start();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  sink = await LineServer.start();
});
afterEach(async () => {
  await generations.close(1_000);
  await sink.stop();
});

/** Serves one route whose syslog logger has these settings. */
function serve(settings: object): void {
  const plugins = { syslog: { host: "127.0.0.1", port: sink.port, log_format: { at: "$uri" }, ...settings } };
  const nodes = { [`127.0.0.1:${gateway.upstream.port}`]: 1 };
  const text = JSON.stringify({ routes: [{ id: "r", uri: "/*", upstream: { nodes }, plugins }] });
  const { artifact, diagnostics } = compile({
    sources: [{ name: "r.json", text, format: "json" }],
    environment: {},
  });
  if (artifact === undefined) throw new Error(JSON.stringify(diagnostics));
  generations = hostedGenerations({ environment: {} });
  generations.start(1, artifact);
  gateway.generation = generations.live;
}

const request = (target: string) => gateway.exchange({ request: { target }, expect: {} });

describe("a batch", () => {
  it("[log.service.4] [log.service.5] [log.service.6] [log.limits.1] a batch is sent five seconds after its first record", async () => {
    serve({});
    const started = performance.now();
    await request("/first");
    await request("/second");
    expect(await sink.records(2)).toEqual([
      { at: "/first", route_id: "r" },
      { at: "/second", route_id: "r" },
    ]);
    expect(performance.now() - started).toBeGreaterThan(4_900);
  });

  it("[log.service.4] [log.service.5] [log.limits.2] a batch is sent with its thousandth record", async () => {
    serve({ inactive_timeout: 3_600, buffer_duration: 3_600 });
    for (let i = 1; i < 1_000; i++) await request(`/${i}`);
    expect(sink.lines).toEqual([]);
    await request("/1000");
    const records = await sink.records(1_000);
    expect(records.map(({ at }) => at)).toEqual(Array.from({ length: 1_000 }, (_, i) => `/${i + 1}`));
  });
});
