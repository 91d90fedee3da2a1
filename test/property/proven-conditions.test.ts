// The oracle evaluates the conditions that the compiler omits because methods, hosts and paths of the
// route decide them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Condition } from "../../compiler/model/plan.js";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import type { CaseExchange } from "../conformance/runner/case.js";
import { comparable } from "../conformance/runner/check.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { happened } from "../conformance/runner/in-process.js";
import { predict } from "../conformance/runner/prediction.js";
import { runs } from "../support/runs.js";

const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };
const RUNS = runs(100);

const METHODS = ["GET", "POST", "HEAD", "DELETE"];
const HOSTS = ["gw.test", "*.test", "*", "*gw.test", "a.gw.test", "*.gw.test", "10.0.0.1", "5"];
const URIS = ["/a", "/a+b", "/a/*", "/*", "/x%20y", "/:part", "/a*b", "/*/b", "/A", "/%2Ab", "/a/b", "/1"];
const SENT_HOSTS = ["gw.test", "GW.Test:9080", "gw.test.", "a.gw.test", "b.test", "10.0.0.1:81", "5"];
const PATHS = [
  "/a",
  "/a%2Bb",
  "/a+b",
  "/a/b",
  "/",
  "/%61",
  "/x%20y",
  "/A",
  "/*b",
  "/%2ab",
  "/a/../a",
  "/a/%2F",
  "/1",
];

const few = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });

const about = (variables: string[], values: string[], patterns: string[]) => {
  const value = fc.oneof(fc.constantFrom(...values), fc.constantFrom<unknown>("", "z", 5, 1, "é"));
  const right = fc.oneof(
    fc.tuple(fc.constantFrom("==", "~="), value),
    fc.tuple(fc.constant("in"), fc.array(value, { minLength: 1, maxLength: 4 })),
    fc.tuple(fc.constantFrom("~~", "~*"), fc.constantFrom(...patterns)),
    fc.tuple(fc.constantFrom(">", "<=", ">=", "<"), fc.constantFrom(1, 5)),
  );
  return fc
    .tuple(fc.constantFrom(...variables), fc.constantFrom<string[]>([], ["!"]), right)
    .map(([name, not, [operator, other]]): unknown[] => [name, ...not, operator, other]);
};
const comparison = fc.oneof(
  about(["request_method", "method"], [...METHODS, "get"], ["^GET$", "E", "get", "^(?:GET|HEAD)"]),
  about(
    ["host", "hostname"],
    ["gw.test", "GW.test", "*.test", "a.gw.test", "10.0.0.1"],
    ["test$", "GW", "^10\\."],
  ),
  fc.constantFrom<unknown[]>(["host", "ipmatch", "10.0.0.0/8"], ["host", "!", "ipmatch", ["10.0.0.1"]]),
  about(["uri"], [...PATHS, "/b", "/a/c", "/A/b", "a"], ["^/a", "^/A$", "%2B", "/$"]),
  about(["arg_k"], ["1", "2"], ["^1"]),
);
const expression = fc.oneof(
  fc.array(comparison, { minLength: 1, maxLength: 3 }),
  fc
    .tuple(fc.constantFrom("AND", "OR", "!AND", "!OR"), fc.array(comparison, { minLength: 2, maxLength: 3 }))
    .map(([word, items]): unknown[] => [word, ...items]),
);

const route = fc.record(
  {
    methods: few(METHODS),
    hosts: few(HOSTS),
    vars: expression,
    rewriting: expression,
    answering: expression,
    changing: expression,
  },
  { requiredKeys: [] },
);

const configuration = fc.record({ uris: few(URIS), narrowed: route }).map(({ uris, narrowed }) => {
  const { methods, hosts, vars, rewriting, answering, changing } = narrowed;
  const filtered = (filter: unknown[] | undefined, rest: object) => ({
    ...(filter && { _meta: { filter } }),
    ...rest,
  });
  return {
    upstreams: [{ id: "main", nodes: { "127.0.0.1:1980": 1 } }],
    routes: [
      {
        id: "narrow",
        uris,
        upstream_id: "main",
        ...(methods && { methods }),
        ...(hosts && { hosts }),
        ...(vars && { vars }),
        plugins: {
          // Rewriting the request changes no input of conditions.
          "proxy-rewrite": filtered(rewriting, {
            uri: "/else",
            method: "PUT",
            host: "else.test",
            headers: { "X-Rewritten": "yes" },
          }),
          "response-rewrite": filtered(answering, {
            headers: { "X-Answered": "yes" },
            ...(changing && { vars: changing }),
          }),
        },
      },
    ],
  };
});

/** Choice of method and host among those of the route, and a query. */
const choice = fc.record({
  method: fc.nat(),
  host: fc.nat(),
  query: fc.constantFrom("", "?k=1", "?k=2"),
});

type Choice = typeof choice extends fc.Arbitrary<infer C> ? C : never;
type Written = typeof configuration extends fc.Arbitrary<infer C> ? C : never;

/** A request for each path, with a method and a host that the route accepts. */
function requestsOf({ routes }: Written, { method, host, query }: Choice) {
  const { methods = METHODS, hosts = ["*"] } = routes[0] ?? {};
  const fits = (sent: string) => {
    const name = sent.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "");
    return hosts.some((entry) => (entry.startsWith("*") ? name.endsWith(entry.slice(1)) : name === entry));
  };
  const fitting = SENT_HOSTS.filter(fits);
  return PATHS.map((path, i) => ({
    method: methods[(method + i) % methods.length] ?? "GET",
    target: path + query,
    headers: [`Host: ${fitting[(host + i) % fitting.length] ?? "gw.test"}`],
  }));
}

function provenIn(condition: Condition | null): boolean[] {
  if (condition === null || condition.kind === "always") return [];
  if (condition.kind !== "compare") return condition.items.flatMap(provenIn);
  return condition.proven === undefined ? [] : [condition.proven];
}

describe("constant conditions", () => {
  it("a module without its constant conditions behaves as the oracle with them", async () => {
    const proven = { true: 0, false: 0 };
    await fc.assert(
      fc.asyncProperty(configuration, choice, async (written, chosen) => {
        const { plan, artifact } = compileCase({
          name: "p",
          because: {},
          reference: [],
          configuration: written,
        });
        if (plan === undefined || artifact === undefined) return;
        for (const { pipeline } of plan.routes)
          for (const filter of [pipeline?.match, ...(pipeline?.steps ?? []).map((step) => step.filter)])
            for (const outcome of provenIn(filter ?? null)) proven[`${outcome}`]++;
        for (const asked of requestsOf(written, chosen)) {
          const exchange: CaseExchange = {
            request: asked,
            upstream: { status: 200, body: "ok" },
            expect: {},
          };
          const seen = await happened(capturing(artifact).generation, exchange, ENDS);
          seen.logs = [];
          expect(comparable(seen)).toEqual(comparable(predict(plan, exchange, ENDS)));
        }
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(proven.true, proven.false)).toBeGreaterThan(RUNS / 5);
  });
});
