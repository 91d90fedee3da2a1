import "../../plugins/index.js";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { diffSimulator } from "../../cli/diff/index.js";
import { markdownReport } from "../../cli/diff/markdown.js";
import type { Side } from "../../cli/diff/side.js";
import { textReport } from "../../cli/diff/text-report.js";
import { reportOf } from "../../compiler/diff/report.js";
import { diffTraffic } from "../../compiler/diff/traffic.js";
import { compile } from "../../compiler/index.js";
import { runs } from "../support/runs.js";

const RUNS = runs(200);
/** Timeout of a test, also with more runs than by default. */
const LONGEST_MS = 1_200_000;

/** Values that depend on clock, chance and process, and values that depend on the request. */
const value = fc.constantFrom(
  ...["$msec", "$time_iso8601", "$time_local", "$request_id", "$connection", "$arg_a", "$scheme", "fixed"],
);
const later = fc.oneof(
  value,
  fc.constantFrom("$request_time", "$upstream_addr", "$upstream_status"),
  fc.constantFrom("$upstream_connect_time", "$upstream_header_time", "$balancer_ip"),
);
const condition = fc.constantFrom(
  [["request_id", "~~", "^[0-7]"]],
  [["msec", ">", 1_700_000_000]],
  [["scheme", "==", "https"]],
  [["arg_a", "==", "1"]],
);
const atEnd = fc.oneof(later, fc.constantFrom("$upstream_response_time", "$bytes_sent", "$hostname"));
const format = fc.record({ a: atEnd, b: atEnd });
const sample = fc.constantFrom(1, 0.1, 0.5, { rate: 0.9, always_slower_than_ms: 1 });
const plugins = fc.record(
  {
    "proxy-rewrite": fc.record({ headers: fc.record({ set: fc.record({ "X-In": value }) }) }),
    "response-rewrite": fc.record({ headers: fc.record({ set: fc.record({ "X-Out": later }) }) }),
    "key-auth": fc.constant({}),
    redirect: fc.constant({ http_to_https: true }),
    syslog: fc.record({
      ...{ host: fc.constant("127.0.0.1"), port: fc.constant(514), sample, record_id: fc.boolean() },
      log_format: format,
    }),
    "http-logger": fc.oneof(
      fc.record({
        ...{ uri: fc.constant("http://127.0.0.1:1/"), format: fc.constant("elasticsearch"), sample },
        elasticsearch: fc.record({ index: fc.constantFrom("logs-%Y.%m.%d", "logs-%H", "logs") }),
      }),
      fc.record({
        ...{ uri: fc.constant("http://127.0.0.1:1/"), format: fc.constantFrom("loki", "otlp", "json") },
        ...{ sample, auth_header: fc.constantFrom("Bearer of-the-first", "Bearer of-the-second") },
      }),
    ),
  },
  { requiredKeys: [] },
);
const route = fc.record(
  { uri: fc.constantFrom("/a", "/a/*", "/b"), vars: condition, plugins, upstream_id: fc.constant("u") },
  { requiredKeys: ["uri", "upstream_id", "plugins"] },
);
const configuration = fc.record({
  upstreams: fc
    .record({
      type: fc.constantFrom("roundrobin", "ewma", "least_conn", "chash"),
      nodes: fc.constantFrom({ "10.0.0.1:80": 1 }, { "10.0.0.1:80": 1, "10.0.0.2:80": 3, "10.0.0.3:80": 1 }),
    })
    .map((one) => [{ id: "u", ...one, ...(one.type === "chash" && { key: "remote_addr" }) }]),
  consumers: fc
    .constantFrom("the-first-key-of-ann", "the-second-key-of-ann")
    .map((key) => [{ username: "ann", plugins: { "key-auth": { key } } }]),
  routes: fc
    .array(route, { minLength: 1, maxLength: 2 })
    .map((routes) => routes.map((one, i) => ({ id: `r${i}`, ...one }))),
});

function sideOf(written: unknown, secretKey: string): Side | undefined {
  const source = { name: "side.yaml", text: stringify(written), format: "yaml" as const };
  const { plan, artifact, secrets, resources, diagnostics } = compile({
    sources: [source],
    secretKey,
    environment: {},
  });
  if (plan === undefined || artifact === undefined)
    throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
  const place = (origin: string) => origin;
  const rest = { deployment: null, place, hidden: [], foreign: new Set<string>() };
  return { name: "side", plan, artifact, secrets, resources, ...rest };
}

/** The complete output of `gwc diff`. */
async function printed(before: unknown, after: unknown, secretKey: string): Promise<string | undefined> {
  const [old, fresh] = [sideOf(before, secretKey), sideOf(after, secretKey)];
  if (old === undefined || fresh === undefined) return undefined;
  const found = await diffTraffic(old.plan, fresh.plan, diffSimulator(old, fresh));
  const named = (side: Side) => ({ ...side, secrets: side.secrets.values() });
  const report = reportOf(found, named(old), named(fresh));
  return [JSON.stringify(report, null, 2), textReport(report, false), markdownReport(report)].join("\n");
}

afterEach(() => {
  vi.useRealTimers();
});

describe("output of gwc diff", () => {
  it(
    "gwc diff prints the same bytes for the same two configurations, whatever clock, chance and secret key",
    async () => {
      let [compared, examples] = [0, 0];
      await fc.assert(
        fc.asyncProperty(configuration, configuration, async (before, after) => {
          vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2020, 1, 2, 3, 4, 5) });
          const first = await printed(before, after, "one key");
          vi.setSystemTime(Date.UTC(2031, 5, 6, 17, 8, 9, 10));
          const second = await printed(before, after, "another key");
          expect(second).toBe(first);
          if (first === undefined) return;
          compared++;
          if (first.includes('"example": {')) examples++;
        }),
        { numRuns: RUNS },
      );
      expect(compared).toBe(RUNS);
      expect(examples).toBeGreaterThan(RUNS / 2);
    },
    LONGEST_MS,
  );
});
