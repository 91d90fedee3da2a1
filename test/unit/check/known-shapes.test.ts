import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { checkedModules } from "../../../cli/checked-modules.js";
import type { GeneratedModule } from "../../../compiler/5-emit/typescript.js";
import { enumeratedValues, skeletonOf } from "../../../compiler/6-check/module-skeleton.js";
import { Cache } from "../../../compiler/cache/cache.js";
import { sha256 } from "../../../runtime/abi/hash.js";

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

async function codesOf(modules: GeneratedModule[], cache: Cache, checker = "checker"): Promise<string[]> {
  const known = { checker, passed: new Set<string>(), shared: undefined, cache };
  const findings = await checkedModules(modules, [], known, { stage: () => {} });
  return findings.map(({ code }) => code);
}

it("a skeleton that has passed is not type-checked again, but the names of its modules are checked", async () => {
  const first = new Cache([]);
  expect(await codesOf([module('"a"', "a")], first)).toEqual([]);
  const next = new Cache(first.texts());
  const foreign = module('"b"', "b", "process.exit();\n");
  expect(await codesOf([module('"c"', "c"), foreign, module("5", "d")], next)).toEqual(["GW5001", "GW5003"]);
});

it("a skeleton that has not passed is not cached", async () => {
  const first = new Cache([]);
  expect(await codesOf([module("5", "a")], first)).toEqual(["GW5001"]);
  expect([...first.texts()]).toEqual([]);
});

it("a skeleton that passed with another checker is not in the cache", async () => {
  const first = new Cache([]);
  expect(await codesOf([module('"a"', "a")], first)).toEqual([]);
  const [[name = "", json = ""] = []] = first.texts();
  expect(name).toBe("skeletons checker");
  // As if a module with an error had passed.
  const shape = sha256(skeletonOf(module("5", "b").content, enumeratedValues()));
  const passed = new Cache([[name, JSON.stringify([shape, ...JSON.parse(json)])]]);
  expect(await codesOf([module("5", "b")], new Cache(passed.texts()))).toEqual([]);
  expect(await codesOf([module("5", "b")], passed, "other")).toEqual(["GW5001"]);
});

it("an unused result of skeletons stays for the next build", async () => {
  const first = new Cache([]);
  await codesOf([module('"a"', "a")], first);
  const next = new Cache(first.texts());
  next.begin({});
  await codesOf([], next);
  expect(next.texts()).toEqual(first.texts());
});
