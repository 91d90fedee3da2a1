import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GeneratedModule, typescript } from "../../../compiler/5-emit/typescript.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import { compile } from "../../../compiler/index.js";
import { configPath, readOrigin } from "../../../compiler/model/config-path.js";
import { startOfFile } from "../../../compiler/model/diagnostic.js";
import type { EmitTarget, TargetFile } from "../../../compiler/model/emit-target.js";
import { type Plan, planOf } from "../../../compiler/model/plan.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";
import { prose } from "../../../compiler/prose/prose.js";
import { newCompilation } from "../../support/compilation.js";

const GOLDEN = join(import.meta.dirname, "../../golden");
const golden = readdirSync(GOLDEN, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);
const hashOf = () => "0123456789abcdef";
const TARGETS: EmitTarget<TargetFile>[] = [typescript, prose];

function planned(text: string): Plan {
  const { diagnostics, plan } = compile({
    sources: [{ name: "shop.yaml", text, format: "yaml" }],
    environment: {},
  });
  expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  if (plan === undefined) throw new Error("there is no plan");
  return plan;
}

const plans = golden
  .map((name) => planned(readFileSync(join(GOLDEN, name, "shop.yaml"), "utf8")))
  .filter(({ routes }) => routes.length > 0);
const named = ({ path, content }: TargetFile) => `${path}\n${content}`;

describe.each(TARGETS)("the emit target $name", (target) => {
  it("an emit target prints the golden plans to files with different paths and lacks nothing", () => {
    for (const plan of plans) {
      const paths = target.emit(plan, hashOf).map(({ path }) => path);
      expect(paths.length).toBeGreaterThan(0);
      expect(new Set(paths).size).toBe(paths.length);
      expect(target.lacks(plan, locationsOf([]))).toEqual([]);
    }
  });

  it("the files of a route do not depend on other routes", () => {
    for (const plan of plans) {
      const { routes, ...others } = plan;
      const alone = routes.flatMap((route) =>
        target.emit(planOf({ ...others, routes: [route] }), hashOf).map(named),
      );
      const whole = target.emit(plan, hashOf).map(named);
      expect(new Set(alone)).toEqual(new Set(whole));
    }
  });

  it("an emit target does not change the plan", () => {
    for (const plan of plans) {
      const before = structuredClone(plan);
      target.emit(plan, hashOf);
      target.lacks(plan, locationsOf([]));
      expect(plan).toEqual(before);
    }
  });
});

describe("the prose of header actions", () => {
  it("the prose of header actions masks credentials and names variables of the request", () => {
    const plan = planned(`routes:
  - id: r
    uri: /r
    upstream: { nodes: { "127.0.0.1:9": 1 } }
    plugins:
      proxy-rewrite:
        headers:
          set: { Authorization: "Bearer s3cr3t-of-it $arg_a", X-Tier: gold }
          add: { apikey: s3cr3t-too }
`);
    const routes = prose
      .emit(plan)
      .map(({ content }) => content)
      .join("\n");
    expect(routes).not.toContain("s3cr3t");
    expect(routes).toContain("$arg_a");
    expect(routes).toContain('sets the request header X-Tier to "gold"');
  });
});

describe("a plan", () => {
  it("a plan is plain JSON without JavaScript syntax", () => {
    const code =
      /=>|\bx\.(?:upstream|response|headers|request)|\bconst |gwc\/(?:runtime|plugins)|\brequire\(/;
    for (const plan of plans) {
      expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      expect(JSON.stringify(plan)).not.toMatch(code);
    }
  });

  it("a config path is parsed to the owner and path that it was made of", () => {
    const owner = { kind: "routes", id: "a.b-1" };
    const paths = [[], ["vars", 0, 2], ["plugins", "proxy-rewrite", "headers", "set", 'X-A b.c"]'], ["", 1]];
    for (const path of paths) expect(readOrigin(configPath(owner, path))).toEqual({ owner, path });
    expect(configPath(owner, ["plugins", "proxy-rewrite", "regex_uri", 0])).toBe(
      "routes/a.b-1 plugins.proxy-rewrite.regex_uri[0]",
    );
  });

  it("the source locations of a plan lead to files and to the store", () => {
    const { resources } = compile({
      sources: [
        {
          name: "a:b.yaml",
          text: "routes:\n  - { id: r, uri: /, upstream_id: u, vars: [[arg_a, ==, b]] }\n",
          format: "yaml",
        },
      ],
      stored: [{ kind: "routes", id: "1", value: { uri: "/1", upstream_id: "u" } }],
      environment: {},
    });
    const places = locationsOf(resources);
    expect(places.text("routes/r vars")).toBe("a:b.yaml:2:38");
    expect(places.text("routes/1 vars[0]")).toBe("admin routes/1 vars[0]");
    expect(places.text("routes/none")).toBe("routes/none");
  });
});

describe("an emit target that does not support a plugin", () => {
  const FILE = "routes:\n  - { id: r, uri: /a, upstream: { nodes: { 'a:80': 1 } } }\n";
  const source = { name: "a.yaml", text: FILE, format: "yaml" as const };
  const header = { plugins: { "proxy-rewrite": { headers: { set: { "X-A": "b" } } } } };
  /** Supports no plugin. */
  const lacking = (severity: "error" | "warning"): EmitTarget<GeneratedModule> => ({
    ...typescript,
    name: "bare",
    lacks: ({ routes }, places) =>
      routes.flatMap(({ pipeline }) =>
        (pipeline?.steps ?? []).map(({ plugin, origin }) => ({
          ...diagnostic("GW8001", places.span(origin) ?? startOfFile(origin), { plugin }),
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

  it("GW8001 stops a compile as an error, not as a warning, and has the location of the plugin", () => {
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

  it("GW8001 rejects a write that needs the plugin, and other writes are accepted", () => {
    const compilation = newCompilation({ target: lacking("error") });
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
