import { describe, expect, it } from "vitest";
import { filesBelow, type Import, importsOf, reachedFrom } from "./sources.js";

const ROOMS = [
  ["runtime/abi", "schema"],
  ["compiler", "runtime/http"],
  ["runtime/logging", "runtime/proxy"],
  ["runtime/process"],
  ["plugins"],
  ["runtime/control"],
  ["cli"],
];
const layerOf = new Map(
  ROOMS.flatMap((rooms, layer) => rooms.map((room): [string, number] => [room, layer])),
);

/** Folders of the compiler, lowest row first; the steps of a compile are numbered. */
const COMPILER_ROWS = [
  ["model", "cache"],
  ["diagnostics"],
  ["1-parse", "plugin", "regex"],
  ["variables", "certificates", "6-check"],
  ["2-validate", "report", "prose"],
  ["3-resolve", "4-plan"],
  ["5-emit", "log", "policy", "regex-tester", "secrets"],
  ["packages"],
  ["compilation"],
  ["7-build", "diff", "which-route"],
  ["thread"],
];
const rowOf = new Map(
  COMPILER_ROWS.flatMap((folders, row) => folders.map((folder): [string, number] => [folder, row])),
);
/** Folder of the compiler; undefined for its doors, `index` and `plugin-api`. */
const compilerFolder = (path: string) => /^compiler\/([^/]+)\//.exec(path)?.[1];

const below = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
// Oracles and cases of a plugin belong to the tests; programs for browsers (the captcha's widget and the web
// interface) are separate.
const IN_BROWSERS =
  /^(?:plugins\/(?:captcha\/widget|[a-z-]+\/dashboard)|runtime\/dashboard)\/|^plugins\/dashboard\.ts$/;
const all = ["schema", "compiler", "runtime", "plugins", "cli"]
  .flatMap((folder) => filesBelow(folder, ".ts"))
  .filter((path) => !path.endsWith("/oracle.ts") && !IN_BROWSERS.test(path))
  .flatMap((path) => importsOf(path));
const shown = (imports: Import[]) => imports.map((edge) => `${edge.from} -> ${edge.to}`);

const inBrowser = (folder: string) =>
  [".ts", ".tsx"].flatMap((extension) => filesBelow(folder, extension)).flatMap((path) => importsOf(path));
const isOfBrowsers = (specifier: string) => !specifier.startsWith("node:") && !specifier.startsWith("gwc");

/**
 * Algorithm that control and the web interface share. It imports nothing, so it brings no other code of the
 * gateway into browsers.
 */
const SHARED_WITH_BROWSERS = "runtime/abi/three-way";

const atOnce = (path: string) => importsOf(path).filter(({ typeOnly, lazy }) => !typeOnly && !lazy);

/** Packages that a gateway lacks if it is installed to run builds only. */
const OF_COMPILER = /^(?:acorn|ajv|handlebars|rolldown|ts-morph|yaml)(?:\/|$)/;
/** Files that control loads after its start, to mask credentials of a build. */
const MASKING = ["plugins/index.ts", "compiler/thread/credentials-client.ts"];

const room = (path: string) => /^(?:runtime\/)?[^/]+/.exec(path)?.[0] ?? path;

/** Pairs whose layers would allow an import that is still forbidden. */
const NEVER: [string, string][] = [
  ["compiler", "runtime/http"],
  ["runtime/proxy", "runtime/logging"],
  ["runtime/logging", "runtime/proxy"],
  ["runtime/proxy", "compiler"],
  ["runtime/process", "compiler"],
  ["runtime/logging", "compiler"],
  ["runtime/http", "schema"],
  ["runtime/proxy", "schema"],
  ["runtime/control", "schema"],
];

describe("direction of imports", () => {
  it("each source folder is one of the ten rooms", () => {
    const files = all.map(({ from }) => from);
    expect([...new Set(files.map(room))].sort()).toEqual([...layerOf.keys()].sort());
  });

  it("an import leads from a room to a lower layer, also for types", () => {
    const layer = (path: string) => layerOf.get(room(path)) ?? Number.NaN;
    const rising = all.filter(
      ({ own, from, to }) => own && room(from) !== room(to) && !(layer(from) > layer(to)),
    );
    expect(shown(rising)).toEqual([]);
  });

  it("each folder of the compiler has a row", () => {
    const folders = all.map(({ from }) => compilerFolder(from)).filter((folder) => folder !== undefined);
    expect([...new Set(folders)].sort()).toEqual([...rowOf.keys()].sort());
  });

  it("an import leads from a folder of the compiler to a lower row, also for types", () => {
    const row = (path: string) => rowOf.get(compilerFolder(path) ?? "") ?? Number.POSITIVE_INFINITY;
    const rising = all.filter(({ own, from, to }) => {
      if (!own || !below(from, "compiler") || !below(to, "compiler")) return false;
      return compilerFolder(from) !== compilerFolder(to) && !(row(from) > row(to));
    });
    expect(shown(rising)).toEqual([]);
  });

  it("a step of a compile imports only earlier steps", () => {
    const step = (path: string) => Number(/^compiler\/(\d)-/.exec(path)?.[1] ?? Number.NaN);
    const bad = all.filter(({ own, from, to }) => own && step(to) > step(from));
    expect(shown(bad)).toEqual([]);
  });

  it.each(NEVER)("no import leads from %s to %s", (from, to) => {
    const bad = all.filter((edge) => edge.own && below(edge.from, from) && below(edge.to, to));
    expect(shown(bad)).toEqual([]);
  });

  it("control imports the compiler only as types, except for its client", () => {
    const allowed = (edge: Import) =>
      edge.typeOnly || !below(edge.to, "compiler") || below(edge.to, "compiler/thread");
    const bad = all.filter((edge) => edge.own && below(edge.from, "runtime/control") && !allowed(edge));
    expect(shown(bad)).toEqual([]);
  });

  it("the web interface imports only packages, its own files, the plugin pages and the three-way merge", () => {
    const imports = inBrowser("runtime/dashboard");
    expect(imports.length).toBeGreaterThan(100);
    const others = ["plugins/dashboard", SHARED_WITH_BROWSERS];
    const foreign = imports.filter(
      ({ own, to }) => (own && !below(to, "runtime/dashboard") && !others.includes(to)) || !isOfBrowsers(to),
    );
    expect(shown(foreign)).toEqual([]);
    expect(shown(importsOf(`${SHARED_WITH_BROWSERS}.ts`))).toEqual([]);
  });

  it("a page of a plugin imports only packages, its own folder and two files of the web interface", () => {
    const doors = ["runtime/dashboard/plugin-kit", "runtime/dashboard/plugin-page"];
    const plugin = (path: string) => /^plugins\/([a-z-]+)\//.exec(path)?.[1];
    const ofPages = /^plugins\/[a-z-]+\/(?:dashboard|widget)\//;
    const imports = inBrowser("plugins").filter(({ from }) => /^plugins\/[a-z-]+\/dashboard\//.test(from));
    expect(imports.length).toBeGreaterThan(10);
    const foreign = imports.filter(({ own, from, to }) => {
      if (!own) return !isOfBrowsers(to);
      return !doors.includes(to) && !(ofPages.test(to) && plugin(to) === plugin(from));
    });
    expect(shown(foreign)).toEqual([]);
  });

  it("each third-party package is imported in one folder", () => {
    const homes: Record<string, RegExp> = {
      yaml: /^compiler\/1-parse\//,
      ajv: /^compiler\/2-validate\//,
      handlebars: /^compiler\/5-emit\//,
      "ts-morph": /^compiler\/6-check\//,
      acorn: /^compiler\/6-check\//,
      rolldown: /^compiler\/packages\//,
      re2js: /^(?:compiler\/regex|runtime\/abi\/text)\//,
      "lru-cache": /^compiler\/regex\//,
      graphql: /^runtime\/proxy\/exchange\//,
      commander: /^cli\//,
      ink: /^cli\/top\/screen\//,
      react: /^cli\/top\/screen\//,
      // Two databases with two owners: control stores resources, the captcha stores its sessions.
      lmdb: /^(?:runtime\/control|plugins\/captcha\/service)\/store\//,
      ioredis: /^plugins\/captcha\/service\/store\//,
      jose: /^plugins\/captcha\/service\/token\//,
      fzstd: /^runtime\/http\//,
      "prom-client": /^runtime\/control\/metrics\//,
      kafkajs: /^plugins\/broker-logger\/runtime\//,
      "@platformatic/kafka": /^plugins\/broker-logger\/runtime\//,
      snappyjs: /^plugins\/broker-logger\/runtime\//,
      "@bokuweb/zstd-wasm": /^runtime\/logging\//,
      // Browsers solve proofs of work and the service checks them with the same package.
      "hash-wasm": /^plugins\/captcha\/service\/pow\//,
      undici: /^(?:runtime\/control|plugins\/(?:captcha|http-logger)\/runtime)\//,
    };
    const packages = all.filter(
      (edge) => !edge.own && !edge.to.startsWith("node:") && edge.to !== "gwc/runtime",
    );
    const home = (edge: Import) => homes[edge.to.replace(/^(@[^/]+\/[^/]+|[^/]+).*$/, "$1")];
    expect(shown(packages.filter((edge) => !home(edge)?.test(edge.from)))).toEqual([]);
  });

  it("the start of control loads no package but lmdb, because parsers run in the compiler's thread", () => {
    const files = [
      ...reachedFrom(["runtime/control/main.ts", "compiler/thread/compiler-client.ts"], atOnce).keys(),
    ];
    expect(files.length).toBeGreaterThan(100);
    const packages = files.flatMap(atOnce).filter(({ own, to }) => !own && !to.startsWith("node:"));
    expect([...new Set(packages.map(({ to }) => to))]).toEqual(["lmdb"]);
  });

  it.each([
    ["control", ["runtime/control/main.ts", ...MASKING]],
    ["the process that reads settings", ["runtime/control/settings-main.ts"]],
    ["a worker", ["cli/worker.ts"]],
  ])("%s without the compiler loads none of the packages that only the compiler needs", (_, starts) => {
    const importers = reachedFrom(starts, atOnce);
    expect(importers.size).toBeGreaterThan(50);
    const trail = (path: string): string[] =>
      path === "" ? [] : [...trail(importers.get(path) ?? ""), path];
    const found = [...importers.keys()]
      .flatMap(atOnce)
      .filter(({ own, to }) => !own && OF_COMPILER.test(to))
      .map(({ from, to }) => [...trail(from), to].join(" -> "));
    expect(found).toEqual([]);
  });

  it("the import graph has no cycle, types included", () => {
    const edges = new Map<string, string[]>();
    for (const edge of all) if (edge.own) edges.set(edge.from, [...(edges.get(edge.from) ?? []), edge.to]);
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
