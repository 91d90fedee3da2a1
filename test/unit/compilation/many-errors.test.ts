import "../../../plugins/index.js";
import { beforeEach, describe, expect, it } from "vitest";
import type { Compilation } from "../../../compiler/compilation/compilation.js";
import type { Change } from "../../../compiler/model/input.js";
import type { Kind } from "../../../compiler/model/resource.js";
import { newCompilation } from "../../support/compilation.js";

const put = (kind: Kind, id: string, value: object): Change => ({
  put: { kind, id, text: JSON.stringify(value) },
});
const nodes = { "10.0.0.2:80": 1 };

let compilation: Compilation;
beforeEach(() => {
  compilation = newCompilation();
  compilation.load({ sources: [], environment: {} });
});

function accepted(change: Change) {
  const pending = compilation.write([change]);
  expect(pending.errorMessage).toBe("");
  pending.commit();
  return pending;
}

describe("a write with more errors than the limit", () => {
  const wrong = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, `$nothing_${i}`]));
  const route = (count: number) =>
    put("routes", "1", {
      uri: "/1",
      upstream: { nodes },
      plugins: { "response-rewrite": { headers: { set: wrong(count) } } },
    });
  const note = { message: "the check ended at the 100th error" };

  it("the check of a write ends at its hundredth error and changes nothing", () => {
    const { delta, diagnostics, errorMessage } = compilation.write([route(9_000)]);
    expect(delta).toBeUndefined();
    expect(errorMessage).toMatch(
      /^failed to check the configuration of plugin response-rewrite err: unknown/,
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(Array.from({ length: 100 }, () => "GW4001"));
    expect(diagnostics.map(({ notes }) => notes)).toEqual([...Array.from({ length: 99 }, () => []), [note]]);
    accepted(put("routes", "1", { uri: "/1", upstream: { nodes } }));
  });

  const list = <T>(count: number, of: (index: number) => T) => Array.from({ length: count }, (_, i) => of(i));
  const wide = (count: number, value: unknown) =>
    Object.fromEntries(list(count, (i) => [`name${i}${"x".repeat(100)}`, value]));
  it.each<[string, object, string]>([
    ["hosts", { hosts: list(20_000, (i) => `h${i}.test`) }, "GW2133"],
    ["conditions", { vars: list(50_000, (i) => ["arg_a", "==", `${i}`]) }, "GW2133"],
    ["lists in conditions", { vars: list(60, () => list(9_000, () => 0)) }, "GW2138"],
    ["empty lists in conditions", { vars: list(50, () => list(9_000, () => [])) }, "GW2138"],
    ["fields", wide(9_000, 1), "GW2101"],
    ["fields of plugins", { plugins: { syslog: wide(9_000, 1), redirect: wide(3_000, {}) } }, "GW2101"],
    ["plugins", { plugins: wide(9_000, {}) }, "GW2114"],
    ["nodes", { upstream: { nodes: list(9_900, () => ({ host: "x x", port: -1, weight: "a" })) } }, "GW2105"],
    [
      "filters",
      { plugins: { "response-rewrite": { filters: list(9_900, () => ({ regex: 1 })) } } },
      "GW2102",
    ],
    ["a long text", { desc: "$host".repeat(250_000) }, "GW2138"],
    ["a long name", { [`a${"b".repeat(1_400_000)}`]: 1 }, "GW2101"],
  ])("a limit ends the check of a large write: %s", (_what, more, code) => {
    const { diagnostics } = compilation.write([
      put("routes", "1", { uri: "/1", upstream: { nodes }, ...more }),
    ]);
    expect(diagnostics.map((one) => one.code)).toContain(code);
    expect(diagnostics.length).toBeLessThanOrEqual(100);
    // `error_msg` repeats what was written, as the reference does.
    const told = diagnostics.map(({ errorMessage: _, ...rest }) => rest);
    expect(JSON.stringify(told).length).toBeLessThan(200_000);
  });

  it("a write with exactly a hundred errors has no note that the check ended", () => {
    const { diagnostics } = compilation.write([route(100)]);
    expect(diagnostics).toHaveLength(100);
    expect(diagnostics.flatMap(({ notes }) => notes)).toEqual([]);
  });

  it("a service that breaks many routes is rejected, and the routes do not change", () => {
    const plugins = { "proxy-rewrite": { uri: "/a" } };
    accepted(put("services", "s", { upstream: { nodes }, plugins }));
    for (let i = 0; i < 110; i++) accepted(put("routes", `r${i}`, { uri: `/r${i}`, service_id: "s" }));
    const service = put("services", "s", {
      upstream: { nodes },
      plugins: { "response-rewrite": { headers: { set: wrong(150) } } },
    });
    const { delta, diagnostics } = compilation.write([service]);
    expect([delta, diagnostics.length, diagnostics.at(-1)?.notes]).toEqual([undefined, 100, [note]]);
    const { delta: next } = accepted(put("routes", "r0", { uri: "/other", service_id: "s" }));
    expect(next?.modules.put.map(({ code }) => code.includes("nothing_"))).not.toContain(true);
  });
});
