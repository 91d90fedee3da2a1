import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";

it("GW2127 reports a resource larger than an admin API body, with its size and the limit", () => {
  const route = { id: "large", uri: "/", plugins: { "response-rewrite": { body: "x".repeat(1_600_000) } } };
  const text = JSON.stringify({
    routes: [{ id: "small", uri: "/s", upstream: { nodes: { "127.0.0.1:9": 1 } } }, route],
  });
  const sources = [{ name: "gateway.json", text, format: "json" as const }];
  const { diagnostics } = compile({ sources, environment: {} });
  expect(diagnostics).toMatchObject([{ code: "GW2127", span: { file: "gateway.json", start: { line: 1 } } }]);
  expect(diagnostics[0]?.message).toBe("the route has 1600067 characters as JSON; the limit is 1572864");
});

const upstream = { nodes: { "127.0.0.1:9": 1 } };
const times = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, i) => of(i));
/** Returns the diagnostics of one route in a file. */
const of = (more: object) => {
  const text = JSON.stringify({ routes: [{ id: "r", uri: "/", upstream, ...more }] });
  return compile({ sources: [{ name: "g.json", text, format: "json" }], environment: {} }).diagnostics;
};

it.each<[string, (count: number) => object]>([
  ["hosts", (count) => ({ hosts: times(count, (i) => `h${i}.test`) })],
  ["remote_addrs", (count) => ({ remote_addrs: times(count, (i) => `10.1.${i >> 8}.${i & 255}`) })],
  ["nodes", (count) => ({ upstream: { nodes: Object.fromEntries(times(count, (i) => [`n${i}:80`, 1])) } })],
  ["labels", (count) => ({ labels: Object.fromEntries(times(count, (i) => [`l${i}`, "x"])) })],
  ['item 3 of item 1 of "vars"', (count) => ({ vars: [["arg_a", "in", times(count, (i) => `v${i}`)]] })],
  [
    "set",
    (count) => ({
      plugins: {
        "response-rewrite": { headers: { set: Object.fromEntries(times(count, (i) => [`X-${i}`, "x"])) } },
      },
    }),
  ],
])("GW2133 reports a list or object of more than 10,000 entries: %s", (name, more) => {
  const label = name.startsWith("item") ? name : `"${name}"`;
  const [found, ...others] = of(more(10_001));
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code: "GW2133", message: `${label} has 10001 entries; the limit is 10000` });
  expect(of(more(10_000))).toEqual([]);
});

it("GW2138 reports a resource of more than 60,000 values and variables", () => {
  const lists = (count: number) => ({
    vars: times(10, (i) => [`arg_a${i}`, "in", times(count, (k) => `v${k}`)]),
  });
  const [found, ...others] = of(lists(6_000));
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    code: "GW2138",
    message: "the route has 60047 values and variables; the limit is 60000",
    span: { file: "g.json", start: { line: 1, column: 12 } },
    errorMessage: "invalid configuration: the route has 60047 values and variables; the limit is 60000",
  });
  expect(of(lists(5_995))).toEqual([]);
  const rewrite = (set: object) => ({ plugins: { "response-rewrite": { headers: { set } } } });
  expect(of(rewrite({ "X-A": "$host".repeat(60_000) }))).toMatchObject([{ code: "GW2138" }]);
  expect(of(rewrite({ "X-A": "$host".repeat(50_000) }))).toEqual([]);
});

it("the first hundred unknown variables of a string are reported, and a note counts the others", () => {
  const set = { "X-A": `${"$nothing".repeat(40_000)}`, "X-B": "$nothing".repeat(100) };
  const found = of({ plugins: { "response-rewrite": { headers: { set } } } });
  expect(found).toHaveLength(200);
  expect(found.flatMap(({ notes }) => notes.map(({ message }) => message))).toEqual(["and 39900 more"]);
  expect(found[99]?.notes).toEqual([{ message: "and 39900 more" }]);
});

it("GW2134 reports a condition of more than 1,000 comparisons, nested or not", () => {
  const compared = (count: number) => times(count, (i) => [`arg_a${i}`, "==", `${i}`]);
  const nested = (count: number) => [
    "OR",
    ...times(count, (i) => ["AND", ["arg_b", "==", `${i}`], ["arg_c", "==", "1"]]),
  ];
  expect(of({ vars: compared(1_000) })).toEqual([]);
  expect(of({ vars: nested(500) })).toEqual([]);
  for (const vars of [compared(1_001), nested(501)])
    expect(of({ vars })).toMatchObject([
      { code: "GW2134", errorMessage: /^failed to validate the 'vars' expression: / },
    ]);
  const filter = { "response-rewrite": { status_code: 200, _meta: { filter: compared(1_001) } } };
  expect(of({ plugins: filter })).toMatchObject([{ code: "GW2134" }]);
});

it("GW2135 reports a route whose hosts and paths make more than 50,000 pairs", () => {
  const crossed = (hosts: number, uris: number) => ({
    uri: undefined,
    hosts: times(hosts, (i) => `h${i}.test`),
    uris: times(uris, (i) => `/p${i}`),
  });
  expect(of(crossed(250, 200))).toEqual([]);
  const found = of(crossed(250, 201));
  expect(found).toMatchObject([{ code: "GW2135", span: { file: "g.json" } }]);
  expect(found[0]?.message).toBe(
    'route "r" has 250 hosts and 201 paths, which make 50250 pairs; the limit is 50000',
  );
});

it("GW4013 notes the first ten comparisons of a contradiction and counts the others", () => {
  const [found] = of({ vars: times(1_000, (i) => ["arg_a", "==", `${i}`]) });
  expect(found).toMatchObject({ code: "GW4013" });
  expect(found?.message).toMatch(/arg_a == "9" and 990 more$/);
  expect(found?.notes).toHaveLength(10);
});
