import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffSimulator } from "../../cli/diff/index.js";
import type { Side } from "../../cli/diff/side.js";
import type { TrafficDiff } from "../../compiler/diff/change.js";
import type { SampleRequest } from "../../compiler/diff/simulator.js";
import { diffTraffic } from "../../compiler/diff/traffic.js";
import type { UpstreamTable } from "../../runtime/abi/generation.js";
import type { CaseExchange } from "../conformance/runner/case.js";
import { comparable } from "../conformance/runner/check.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { predict } from "../conformance/runner/prediction.js";
import { runs } from "../support/runs.js";

const RUNS = runs(60);
/** Timeout of a test, also with more runs than by default. */
const LONGEST_MS = 1_200_000;
const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };
const HOSTS = ["a.com", "b.a.com", "*.a.com"];
const URIS = ["/", "/a", "/a/*", "/a/:x", "/a/*/b", "/*", "/a/1"];

const condition = fc.constantFrom(
  [["arg_k", "==", "1"]],
  [["http_x_v", "~~", "^v[12]$"]],
  ["OR", ["arg_k", ">", 4], ["cookie_s", "==", "y"]],
  [["arg_k", "!", "==", "1"]],
  [["remote_addr", "ipmatch", ["10.0.0.0/8"]]],
);
const plugins = fc.record(
  {
    "proxy-rewrite": fc.record(
      {
        method: fc.constantFrom("PUT", "GET"),
        headers: fc.constantFrom({ set: { "X-A": "1" } }, { set: { "X-A": "${arg_k}" }, remove: ["X-V"] }),
        regex_uri: fc.constantFrom(["^/a/(.*)", "/b/$1"], ["^/a/(1)$", "/c/$1"]),
        _meta: fc.record({ filter: condition }),
      },
      { requiredKeys: ["headers"] },
    ),
    "response-rewrite": fc.record(
      {
        status_code: fc.constantFrom(201, 404),
        headers: fc.constantFrom({ set: { "X-B": "1" } }, { remove: ["X-B"] }),
        vars: fc.constantFrom([["status", "==", 200]], [["status", ">=", 500]]),
        filters: fc.constantFrom(
          [{ regex: "h[a-e]", replace: "x" }],
          [{ regex: "id=[0-9]{2,4}", replace: "" }],
        ),
      },
      { requiredKeys: ["headers"] },
    ),
  },
  { requiredKeys: [] },
);
const route = (id: string) =>
  fc
    .record(
      {
        hosts: fc.uniqueArray(fc.constantFrom(...HOSTS), { minLength: 1, maxLength: 2 }),
        uris: fc.uniqueArray(fc.constantFrom(...URIS), { minLength: 1, maxLength: 2 }),
        methods: fc.uniqueArray(fc.constantFrom("GET", "POST"), { minLength: 1, maxLength: 2 }),
        remote_addrs: fc.constant(["10.0.0.0/8"]),
        priority: fc.constantFrom(0, 1),
        vars: condition,
        plugins,
        upstream_id: fc.constantFrom("one", "two"),
      },
      { requiredKeys: ["uris", "upstream_id"] },
    )
    .map((value) => ({ id, ...value }));
type Route = { id: string };

/** Two configurations that share some of their routes. */
const pair = fc
  .tuple(
    ...["r1", "r2", "r3"].map((id) => {
      const there = fc.option(route(id), { nil: undefined });
      return fc.oneof(
        there.map((one): [Route | undefined, Route | undefined] => [one, one]),
        fc.tuple<[Route | undefined, Route | undefined]>(there, there),
      );
    }),
  )
  .map((both) => ({
    before: configurationOf(both.flatMap(([one]) => one ?? [])),
    after: configurationOf(both.flatMap(([, one]) => one ?? [])),
  }));

function configurationOf(routes: readonly Route[]) {
  const upstreams = ["one", "two"].map((id, i) => ({ id, nodes: { [`10.1.0.${i}:80`]: 1 } }));
  return { upstreams, routes };
}

const request = fc.record({
  method: fc.constantFrom("GET", "POST"),
  host: fc.constantFrom("a.com", "b.a.com", "c.org"),
  path: fc.constantFrom("/", "/a", "/a/1", "/a/x", "/a/x/b", "/z"),
  query: fc.constantFrom("", "?k=1", "?k=5"),
  headers: fc.constantFrom<[string, string][]>([], [["x-v", "v1"]], [["cookie", "s=y"]]),
  client: fc.constantFrom("192.0.2.1", "10.0.0.1"),
  status: fc.constantFrom(200, 503),
});
const probeFrom = ({
  method,
  host,
  path,
  query,
  headers,
  client,
  status,
}: typeof request extends fc.Arbitrary<infer T> ? T : never): SampleRequest => ({
  ...{ method, host, target: path + query, headers, client, body: "" },
  upstream: { status, headers: [["X-B", "up"]], body: "hello id=12" },
});

function sideOf(configuration: unknown): Side | undefined {
  const { plan, artifact, secrets, resources } = compileCase({
    ...{ name: "property", because: {}, reference: [] },
    configuration: configuration as Record<string, unknown>,
  });
  if (plan === undefined || artifact === undefined) return undefined;
  const place = (origin: string) => origin;
  return {
    name: "side",
    plan,
    artifact,
    secrets,
    resources,
    deployment: null,
    place,
    hidden: [],
    foreign: new Set(),
  };
}

/** Result of a request by the oracle, which shares no code with the diff. */
function outcome({ plan }: Side, { method, host, target, headers, body, client, upstream }: SampleRequest) {
  const line = ([name, value]: readonly [string, string]) => `${name}: ${value}`;
  const exchange = {
    request: {
      method,
      target,
      host,
      headers: [...headers].map(line),
      from: client,
      ...(body !== "" && { body }),
    },
    upstream: { status: upstream.status, headers: upstream.headers.map(line), body: upstream.body },
    expect: {},
  } as CaseExchange;
  const seen = predict(plan, exchange, ENDS);
  const { upstream: key } = (seen.upstreamRequest ?? {}) as { upstream?: string };
  const nodes = plan.upstreams.find((table: UpstreamTable) => table.key === key)?.nodes ?? null;
  return { ...comparable(seen), nodes };
}

async function differenceOf(before: Side, after: Side): Promise<TrafficDiff> {
  return diffTraffic(before.plan, after.plan, diffSimulator(before, after));
}

describe("traffic changes in a diff", () => {
  it(
    "the examples of a diff have different responses, and without changes no request has",
    async () => {
      let [examples, missing] = [0, 0];
      await fc.assert(
        fc.asyncProperty(
          pair,
          fc.array(request, { minLength: 10, maxLength: 20 }),
          async (written, asked) => {
            const [before, after] = [sideOf(written.before), sideOf(written.after)];
            if (before === undefined || after === undefined) return;
            const found = await differenceOf(before, after);
            for (const { example, kind } of found.changes) {
              if (example === null) {
                if (kind !== "renamed") missing++;
                continue;
              }
              examples++;
              expect(outcome(before, example.probe)).not.toEqual(outcome(after, example.probe));
            }
            for (const one of asked.map(probeFrom)) {
              const [old, fresh] = [outcome(before, one), outcome(after, one)];
              if (found.severity === "none") expect(fresh).toEqual(old);
              const taken = before.plan.routes.length > 0 && old.response.status !== 404;
              if (found.severity === "additive" && taken) expect(fresh).toEqual(old);
            }
          },
        ),
        { numRuns: RUNS },
      );
      expect(examples).toBeGreaterThan(RUNS / 2);
      expect(missing / (examples + missing)).toBeLessThan(0.3);
    },
    LONGEST_MS,
  );

  it(
    "a diff of a configuration with its reordered copy is empty",
    async () => {
      await fc.assert(
        fc.asyncProperty(pair, async ({ before: written }) => {
          const [before, after] = [sideOf(written), sideOf(turned(written))];
          expect(before === undefined).toBe(after === undefined);
          if (before === undefined || after === undefined) return;
          expect((await differenceOf(before, after)).changes).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
    LONGEST_MS,
  );
});

/** The same value with the keys of each map in reverse; lists keep their order, which has a meaning. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, turned(member)] as const)
      .reverse(),
  );
}
