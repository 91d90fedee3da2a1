import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import { type GeneratedModule, typescript } from "../../../compiler/emit/typescript.js";
import { Compilation } from "../../../compiler/incremental.js";
import { compile } from "../../../compiler/index.js";
import { originOf, spanOf } from "../../../compiler/plan/origin.js";
import { type Plan, planOf } from "../../../compiler/plan/whole.js";
import { prose } from "../../../compiler/prose/prose.js";
import type { Target, TargetFile } from "../../../compiler/target.js";

const GOLDEN = join(import.meta.dirname, "../../golden");
const golden = readdirSync(GOLDEN, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const hashOf = () => "0123456789abcdef";
const TARGETS: Target<TargetFile>[] = [typescript, prose];

function planned(text: string): Plan {
  const { diagnostics, plan } = compile({
    sources: [{ name: "shop.yaml", text, format: "yaml" }],
    environment: {},
  });
  expect(diagnostics).toEqual([]);
  if (plan === undefined) throw new Error("there is no plan");
  return plan;
}

const plans = golden
  .map((name) => planned(readFileSync(join(GOLDEN, name, "shop.yaml"), "utf8")))
  .filter(({ routes }) => routes.length > 0);
const named = ({ path, content }: TargetFile) => `${path}\n${content}`;

describe.each(TARGETS)("the target $name", (target) => {
  it("gives files of the golden plans, each with a path of its own, and lacks nothing", () => {
    for (const plan of plans) {
      const paths = target.emit(plan, hashOf).map(({ path }) => path);
      expect(paths.length).toBeGreaterThan(0);
      expect(new Set(paths).size).toBe(paths.length);
      expect(target.lacks(plan)).toEqual([]);
    }
  });

  it("gives for a route the same, whatever other routes there are", () => {
    for (const plan of plans) {
      const { routes, ...others } = plan;
      const alone = routes.flatMap((route) =>
        target.emit(planOf({ ...others, routes: [route] }), hashOf).map(named),
      );
      const whole = target.emit(plan, hashOf).map(named);
      expect(new Set(alone)).toEqual(new Set(whole));
    }
  });

  it("changes nothing of the plan", () => {
    for (const plan of plans) {
      const before = structuredClone(plan);
      target.emit(plan, hashOf);
      target.lacks(plan);
      expect(plan).toEqual(before);
    }
  });
});

describe("a plan", () => {
  it("is plain data without syntax of the target that runs", () => {
    const code =
      /=>|\bx\.(?:upstream|response|headers|request)|\bconst |gwc\/(?:runtime|plugins)|\brequire\(/;
    for (const plan of plans) {
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      expect(JSON.stringify(plan)).not.toMatch(code);
    }
  });

  it("has origins that lead back to their places", () => {
    const at = { file: "conf.d/a:b.yaml", start: { line: 31, column: 9 }, end: { line: 31, column: 12 } };
    expect(spanOf(originOf(at))).toEqual({ ...at, end: at.start });
    const stored = spanOf(originOf({ ...at, file: "PUT /gw/admin/routes/1" }, ["plugins", "syslog"]));
    expect(stored).toMatchObject({ file: "admin routes/1 plugins.syslog", start: { line: 1, column: 1 } });
  });
});

describe("a target that lacks something", () => {
  const FILE = "routes:\n  - { id: r, uri: /a, upstream: { nodes: { 'a:80': 1 } } }\n";
  const source = { name: "a.yaml", text: FILE, format: "yaml" as const };
  const header = { plugins: { "proxy-rewrite": { headers: { set: { "X-A": "b" } } } } };
  /** Can do no plugin. */
  const lacking = (severity: "error" | "warning"): Target<GeneratedModule> => ({
    ...typescript,
    name: "bare",
    lacks: ({ routes }) =>
      routes.flatMap(({ pipeline }) =>
        (pipeline?.steps ?? []).map(({ plugin, origin }) => ({
          ...diagnostic("GW8001", spanOf(origin), { plugin }),
          severity,
        })),
      ),
  });
  const put = (id: string) => ({
    put: {
      kind: "routes" as const,
      id,
      text: JSON.stringify({ uri: "/b", upstream: { nodes: { "a:80": 1 } }, ...header }),
    },
  });

  it("keeps what needs it from being compiled, and says where", () => {
    const text = `${FILE.slice(0, -3)}, plugins: ${JSON.stringify(header.plugins)} }\n`;
    const input = { sources: [{ ...source, text }], environment: {} };
    const { diagnostics, artifact } = compile(input, lacking("error"));
    expect(artifact).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { code: "GW8001", span: { file: "a.yaml", start: { line: 2, column: 69 } } },
    ]);
    const warned = compile(input, lacking("warning"));
    expect(warned.diagnostics.map(({ code }) => code)).toEqual(["GW8001"]);
    expect(warned.artifact).toEqual(compile(input).artifact);
  });

  it("refuses a write that needs it, and takes others", () => {
    const compilation = new Compilation(undefined, undefined, false, lacking("error"));
    expect(compilation.load({ sources: [source], environment: {} }).diagnostics).toEqual([]);
    const refused = compilation.write([put("2")]);
    expect(refused.delta).toBeUndefined();
    expect(refused.diagnostics.map(({ code }) => code)).toEqual(["GW8001"]);
    const plain = {
      put: { ...put("2").put, text: JSON.stringify({ uri: "/b", upstream: { nodes: { "a:80": 1 } } }) },
    };
    expect(compilation.write([plain]).delta?.routes.put.map(({ id }) => id)).toEqual(["2"]);
  });
});
