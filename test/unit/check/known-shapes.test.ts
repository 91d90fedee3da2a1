import "../../../plugins/index.js";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkedModules } from "../../../cli/checked-modules.js";
import type { GeneratedModule } from "../../../compiler/5-emit/typescript.js";
import { BuildCache, type BuildCacheEntry } from "../../../compiler/7-build/build-cache.js";

/** @param id the type check rejects a number */
function module(id: string, name: string, code = "module.exports = 1;\n"): GeneratedModule {
  const content = `import { defineRoute } from "gwc/runtime";\n\nexport default defineRoute({\n  id: ${id},\n});\n`;
  const file = `routes/${name}`;
  return {
    path: `${file}.ts`,
    content,
    paths: "",
    pipeline: "",
    text: { moduleId: `route:${name}`, file, hash: "", code },
  };
}

async function codesOf(modules: GeneratedModule[], memory: BuildCache): Promise<string[]> {
  const places = { out: join(tmpdir(), "gwc-no-build"), memory };
  const { findings } = await checkedModules(modules, [], places, { stage: () => {} });
  return findings.map(({ code }) => code);
}

const keptBy = (memory: BuildCache): BuildCacheEntry =>
  memory.kept({ version: 1, routes: [], globalRules: [], upstreams: [] }, [], new Map());

it("a skeleton that has passed is not type-checked again, but the names of its modules are checked", async () => {
  const first = new BuildCache("maker", []);
  expect(await codesOf([module('"a"', "a")], first)).toEqual([]);
  const next = new BuildCache("maker", [], keptBy(first));
  const foreign = module('"b"', "b", "process.exit();\n");
  expect(await codesOf([module('"c"', "c"), foreign, module("5", "d")], next)).toEqual(["GW5001", "GW5003"]);
});

it("a skeleton that has not passed is not cached", async () => {
  const first = new BuildCache("maker", []);
  expect(await codesOf([module("5", "a")], first)).toEqual(["GW5001"]);
  const next = new BuildCache("maker", [], keptBy(first));
  expect(await codesOf([module("6", "b")], next)).toEqual(["GW5001"]);
});

it("a skeleton that passed with another compiler or checker is not in the cache", async () => {
  const first = new BuildCache("maker", []);
  await codesOf([module('"a"', "a")], first);
  const kept = keptBy(first);
  const [shape = ""] = kept.shapes?.names ?? [];
  expect(new BuildCache("other", [], kept).skeletons(kept.shapes?.checker ?? "").has(shape)).toBe(false);
  expect(new BuildCache("maker", [], kept).skeletons("other").has(shape)).toBe(false);
  expect(new BuildCache("maker", [], kept).skeletons(kept.shapes?.checker ?? "").has(shape)).toBe(true);
});
