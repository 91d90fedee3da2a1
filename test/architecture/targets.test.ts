import "../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { plugins } from "../../compiler/plugin/registry.js";
import { filesBelow, type Import, importsOf, reachedFrom } from "./sources.js";

const sources = ["compiler", "plugins", "cli"].flatMap((folder) => filesBelow(folder, ".ts"));
const own = new Map(sources.map((path) => [path, importsOf(path).filter((edge) => edge.own)]));
const all = [...own.values()].flat();
const shown = (edges: readonly Import[]) => edges.map(({ from, to }) => `${from} -> ${to}`);
const isTarget = (path: string) => /^compiler\/(?:emit|prose)\//.test(path);

/** Modules that check packages of third parties before use. */
const TRIES = ["compiler/packages/assets.ts", "compiler/packages/checked-plugin.ts"];

describe("plans and emit targets", () => {
  it("code of the plan reaches no code of an emit target, types included", () => {
    const plan = sources.filter((path) => /^compiler\/(?:plan|log|resolve)\//.test(path));
    const seen = reachedFrom(plan, (path) => own.get(path) ?? []);
    const reached = [...seen].filter(([path]) => isTarget(path)).map(([path, from]) => `${from} -> ${path}`);
    expect(reached).toEqual([]);
  });

  it("plugins import only words.ts of the emit targets", () => {
    const bad = all.filter(
      ({ from, to }) => from.startsWith("plugins/") && isTarget(to) && to !== "compiler/prose/words.ts",
    );
    expect(shown(bad)).toEqual([]);
  });

  it("no emit target imports another", () => {
    const folder = (path: string) => path.split("/")[1];
    const bad = all.filter(({ from, to }) => isTarget(from) && isTarget(to) && folder(from) !== folder(to));
    expect(shown(bad)).toEqual([]);
  });

  it("an emit target is imported only through its interface", () => {
    const doors = ["compiler/5-emit/typescript.ts", "compiler/prose/prose.ts", "compiler/prose/words.ts"];
    const bad = all.filter(
      ({ from, to }) => isTarget(to) && !isTarget(from) && !TRIES.includes(from) && !doors.includes(to),
    );
    expect(shown(bad)).toEqual([]);
  });

  it("every bundled plugin has a description in prose", () => {
    expect(plugins().filter(({ describe: words }) => words === undefined)).toEqual([]);
  });
});
