import "../../plugins/index.js";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceMap } from "../../compiler/5-emit/source-map.js";
import type { GeneratedModule } from "../../compiler/5-emit/typescript.js";
import { checkModules } from "../../compiler/6-check/index.js";
import { compile } from "../../compiler/index.js";
import { locationsOf, type SourceLocations } from "../../compiler/model/source-locations.js";
import { decodeMappings } from "../../runtime/abi/source-map.js";
import { compactJson } from "./compact-json.js";

// Each folder is one small configuration with its plan and modules. `UPDATE=1` writes them; read the diff.
const HERE = import.meta.dirname;
const UPDATE = process.env.UPDATE === "1";
const LONGEST = 132;
const MAX_CODE = 60;

const cases = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

function compiled(name: string) {
  const text = readFileSync(join(HERE, name, "shop.yaml"), "utf8");
  const sources = [{ name: "shop.yaml", text, format: "yaml" as const }];
  const { diagnostics, plan, modules, resources } = compile({ sources, environment: {} });
  expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  const files = modules.map(({ path, content, text: { file, code } }) => ({
    path,
    file,
    typescript: content,
    loadable: code,
  }));
  const places = locationsOf(resources);
  const maps = modules.map((module) => mapText(module, places));
  return {
    maps,
    pipelines: [...(plan?.globalRules ?? []), ...(plan?.routes ?? []).map((r) => r.pipeline)],
    files,
  };
}

/** Prints a source map: line and column of the configuration, the config path and the code mapped to it. */
function mapText(module: GeneratedModule, places: SourceLocations): string {
  const { mappings, names } = sourceMap(module.path, module, places, (file) => file);
  const lines = module.content.split("\n");
  const found = decodeMappings(mappings);
  const texts = found.map(({ line, column, name, sourceLine, sourceColumn }, i) => {
    const next = found[i + 1];
    const code = lines[line]?.slice(column, next?.line === line ? next.column : undefined) ?? "";
    return `  ${sourceLine + 1}:${sourceColumn + 1} ${names[name]} | ${code.trimEnd().slice(0, MAX_CODE)}\n`;
  });
  return `${module.path}\n${texts.join("")}`;
}

/** Returns the generated files of a case by path: pipelines of the plan, modules and their source maps. */
function generated(name: string): Map<string, string> {
  const { pipelines, files, maps } = compiled(name);
  return new Map([
    ["maps.txt", maps.join("\n")],
    ["plan.json", `${compactJson(pipelines)}\n`],
    ...files.map(({ path, typescript }): [string, string] => [path, typescript]),
  ]);
}

function expected(name: string): Map<string, string> {
  const folder = join(HERE, name, "expected");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

function update(name: string, files: ReadonlyMap<string, string>): void {
  const folder = join(HERE, name, "expected");
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

describe("configuration to plan and module", () => {
  it.each(cases)("the generated files of %s are the expected ones (UPDATE=1 writes them)", (name) => {
    const actual = generated(name);
    if (UPDATE) update(name, actual);
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected(name)));
    for (const [path, text] of actual) {
      expect(text.split("\n").length, `${path} is about one thing`).toBeLessThanOrEqual(LONGEST);
    }
  });

  it("the golden modules pass the type check, the formatter and the check of names", () => {
    expect(checkModules(cases.flatMap((name) => compiled(name).files))).toEqual([]);
  });
});
