import { describe, expect, it } from "vitest";
import { filesBelow, type Import, importsOf } from "./sources.js";

const compiler = filesBelow("compiler", ".ts");
const runtime = filesBelow("runtime", ".ts");
const plugins = filesBelow("plugins", ".ts").filter((path) => !path.endsWith("/oracle.ts"));
const all = [...filesBelow("schema", ".ts"), ...compiler, ...runtime, ...plugins].flatMap((path) =>
  importsOf(path),
);
const shown = (imports: Import[]) => imports.map((edge) => `${edge.from} -> ${edge.to}`);
const below = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

describe("direction of imports", () => {
  it("lets runtime/abi import nothing outside itself", () => {
    expect(
      shown(
        all.filter((edge) => below(edge.from, "runtime/abi") && !(edge.own && below(edge.to, "runtime/abi"))),
      ),
    ).toEqual([]);
  });

  it("lets the compiler see only runtime/abi of the runtime, and the command line also what it starts", () => {
    const allowed = (edge: Import) =>
      below(edge.to, "runtime/abi") || below(edge.from, "compiler/cli") || !below(edge.to, "runtime");
    expect(shown(all.filter((edge) => edge.own && below(edge.from, "compiler") && !allowed(edge)))).toEqual(
      [],
    );
  });

  it("lets the runtime see the compiler only as types, but for the thread that control starts", () => {
    const allowed = (edge: Import) =>
      edge.typeOnly ||
      !below(edge.to, "compiler") ||
      (below(edge.from, "runtime/control") && /^compiler\/(?:worker|compiler-rpc)/.test(edge.to));
    expect(shown(all.filter((edge) => edge.own && below(edge.from, "runtime") && !allowed(edge)))).toEqual(
      [],
    );
  });

  it("keeps the wire free of everything above it", () => {
    const forbidden = ["runtime/host", "runtime/control", "runtime/router", "plugins", "compiler", "schema"];
    const bad = all.filter(
      (edge) => edge.own && below(edge.from, "runtime/wire") && forbidden.some((f) => below(edge.to, f)),
    );
    expect(shown(bad)).toEqual([]);
  });

  it("lets control see the host, never the other way round", () => {
    expect(
      shown(
        all.filter(
          (edge) => edge.own && below(edge.from, "runtime/host") && below(edge.to, "runtime/control"),
        ),
      ),
    ).toEqual([]);
  });

  it("imports each third-party package in one folder", () => {
    const homes: Record<string, RegExp> = {
      yaml: /^compiler\/parse\//,
      ajv: /^compiler\/validate\//,
      handlebars: /^compiler\/emit\//,
      "ts-morph": /^compiler\/check\//,
      re2js: /^(?:compiler\/regex|runtime\/text)\//,
      commander: /^compiler\/cli\//,
      // Two databases with two owners: what the admin API wrote is control's, what was claimed is the captcha's.
      lmdb: /^runtime\/(?:control|captcha)\/store\//,
      ioredis: /^runtime\/captcha\/store\//,
      jose: /^runtime\/captcha\/token\//,
      fzstd: /^runtime\/exchange\//,
      "prom-client": /^runtime\/control\/metrics\//,
      kafkajs: /^plugins\/broker-logger\/runtime\//,
      snappyjs: /^plugins\/broker-logger\/runtime\//,
      "@bokuweb/zstd-wasm": /^plugins\/broker-logger\/runtime\//,
      undici: /^(?:runtime\/control|plugins\/captcha\/runtime)\//,
    };
    const packages = all.filter(
      (edge) => !edge.own && !edge.to.startsWith("node:") && edge.to !== "gwc/runtime",
    );
    const home = (edge: Import) => homes[edge.to.replace(/^(@[^/]+\/[^/]+|[^/]+).*$/, "$1")];
    expect(shown(packages.filter((edge) => !home(edge)?.test(edge.from)))).toEqual([]);
  });

  it("keeps the captcha service apart from the gateway", () => {
    const allowed = [
      "runtime/abi",
      "runtime/captcha",
      "runtime/wire",
      "runtime/control/store",
      "runtime/batch",
      "runtime/metrics",
      "runtime/text",
      // Audit records leave through the loggers' own sinks.
      "runtime/log",
      "runtime/plugin-runtimes.ts",
      // The channel to control and its log lines.
      "runtime/process",
    ];
    const bad = all.filter(
      (edge) =>
        edge.own && below(edge.from, "runtime/captcha") && !allowed.some((place) => below(edge.to, place)),
    );
    expect(shown(bad)).toEqual([]);
  });

  it("has no cycle among imports that run", () => {
    const edges = new Map<string, string[]>();
    for (const edge of all)
      if (edge.own && !edge.typeOnly) edges.set(edge.from, [...(edges.get(edge.from) ?? []), edge.to]);
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const visit = (path: string, trail: string[]): void => {
      if (state.get(path) === "done") return;
      if (state.get(path) === "open") {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
        return;
      }
      state.set(path, "open");
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      state.set(path, "done");
    };
    for (const path of edges.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});
