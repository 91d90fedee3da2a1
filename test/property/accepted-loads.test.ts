// The compiler rejects a configuration with a reason, or its modules load in a worker: at any size.
import "../../plugins/index.js";
import "../../plugins/runtime.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CompilerRpc } from "../../compiler/thread/compiler-rpc.js";
import { loadModule } from "../../runtime/proxy/host/load.js";
import { newCompilation } from "../support/compilation.js";
import { runs } from "../support/runs.js";

const RUNS = runs(12);
const upstream = { nodes: { "127.0.0.1:9": 1 } };

interface Filter {
  regex: string;
  replace: string;
  scope?: string;
  options?: string;
}

function written(route: object): { modules: number; errors: { code: string; message: string }[] } {
  const calls = new CompilerRpc(newCompilation());
  calls.load({ sources: [], faults: [], environment: {} }, []);
  const text = JSON.stringify({ uri: "/x", upstream, ...route });
  const { delta, diagnostics } = calls.write([{ put: { kind: "routes", id: "1", text } }]);
  for (const module of delta?.modules.put ?? []) loadModule(module);
  const errors = delta ? [] : diagnostics.filter(({ severity }) => severity === "error");
  return { modules: delta?.modules.put.length ?? 0, errors };
}

const filtering = (filters: Filter[]) => ({ plugins: { "response-rewrite": { filters } } });

/** A setting that grows with `n`, each in its own way. */
const GROWING: Record<string, (n: number) => object> = {
  "alternating filters": (n) =>
    filtering(
      Array.from({ length: n }, (_, i) => ({
        regex: `a${i}b`,
        replace: "x",
        scope: i % 2 === 0 ? "once" : "global",
        options: ["jo", "u", "i", "ui"][i % 4] ?? "",
      })),
    ),
  "a long pattern": (n) => filtering([{ regex: "ab".repeat(n * 4), replace: "" }]),
  "nested groups": (n) => filtering([{ regex: `${"(?:".repeat(n)}a${")?".repeat(n)}`, replace: "" }]),
  "captures in a replacement": (n) => filtering([{ regex: "(a)", replace: "$1-".repeat(n * 20) }]),
  "variables in a header": (n) => ({
    plugins: { "response-rewrite": { headers: { set: { "X-A": "$uri-".repeat(n * 20) } } } },
  }),
  "nested conditions": (n) => ({
    vars: [
      Array.from({ length: n }).reduce<unknown>(
        (inner) => ["OR", inner, ["arg_a", "==", "1"]],
        ["arg_b", "==", "2"],
      ),
    ],
  }),
  "many conditions": (n) => ({ vars: Array.from({ length: n }, (_, i) => [`arg_a${i}`, "~~", `^x${i}`]) }),
  "a list of values": (n) => ({ vars: [["arg_a", "in", Array.from({ length: n * 20 }, (_, i) => `v${i}`)]] }),
  "many headers": (n) => ({
    plugins: {
      "proxy-rewrite": {
        headers: { set: Object.fromEntries(Array.from({ length: n }, (_, i) => [`X-A${i}`, `$arg_a${i}`])) },
      },
    },
  }),
};

describe("loading of accepted configurations", () => {
  it("the compiler accepts 1,400 alternating filters", () => {
    expect(written(GROWING["alternating filters"]?.(1_400) ?? {})).toEqual({ modules: 1, errors: [] });
  });

  it("the compiler rejects 200 kB of patterns with GW4510, with their size and the limit", () => {
    const regex = (i: number) => `^x${i}${"ab".repeat(4_000)}`;
    const filters = Array.from({ length: 25 }, (_, i) => ({ regex: regex(i), replace: "x" }));
    const { errors } = written(filtering(filters));
    expect(errors).toContainEqual(
      expect.objectContaining({
        code: "GW4510",
        message: expect.stringMatching(/they have 136\d{3} characters up to here; the limit is 131072/),
      }),
    );
  });

  it.each(Object.keys(GROWING))(
    "the compiler rejects %s with an error or its modules load, at any size",
    (name) => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2_000 }), (n) => {
          const { modules, errors } = written(GROWING[name]?.(n) ?? {});
          if (modules === 0) expect(errors.map(({ code }) => code)).not.toEqual([]);
        }),
        { numRuns: RUNS, examples: [[1], [2_000]] },
      );
    },
  );
});
