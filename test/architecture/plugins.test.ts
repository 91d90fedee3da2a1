import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLUGINS } from "../../compiler/plugins/index.js";
import { filesBelow, ROOT, read } from "./sources.js";

const names = PLUGINS.map((plugin) => plugin.name);
const has = (path: string) => existsSync(join(ROOT, path));
const stems = (folder: string, extension: string, except: string[] = []) =>
  filesBelow(folder, extension)
    .filter((path) => path.split("/").length === folder.split("/").length + 1)
    .map((path) => path.slice(folder.length + 1).split(".")[0] ?? "")
    .filter((stem) => !except.includes(stem));

describe("a plugin is one stem in every layer and one line in the list", () => {
  it.each(names)("%s has schema, meaning, template, documentation and conformance cases", (name) => {
    expect(has(`schema/plugins/${name}.json`), "schema").toBe(true);
    expect(has(`compiler/plugins/${name}.ts`), "meaning").toBe(true);
    expect(
      filesBelow("templates/plugins", ".hbs").some((path) => path.startsWith(`templates/plugins/${name}.`)),
    ).toBe(true);
    expect(has(`docs/plugins/${name}.md`), "documentation").toBe(true);
    expect(filesBelow(`test/conformance/${name}`, ".yaml").length).toBeGreaterThan(0);
  });

  it("has no orphan in any layer", () => {
    expect(stems("schema/plugins", ".json").filter((stem) => !names.includes(stem))).toEqual([]);
    expect(stems("templates/plugins", ".hbs").filter((stem) => !names.includes(stem))).toEqual([]);
    expect(stems("docs/plugins", ".md").filter((stem) => !names.includes(stem))).toEqual([]);
    expect(stems("runtime/plugins", ".ts", ["sinks"]).filter((stem) => !names.includes(stem))).toEqual([]);
  });

  it("is named in no other file of the compiler and the runtime", () => {
    const stem = new RegExp(`(?:${names.join("|")})(?:\\.ts)?$`);
    const own = (path: string) =>
      stem.test(path) ||
      names.some((name) => path.split("/").some((part) => part === name || part.startsWith(`${name}.`)));
    // The lists: what the compiler knows, what generated code may call, and who opens which kind of destination.
    const list = [
      "compiler/plugins/index.ts",
      "runtime/index.ts",
      "runtime/abi/surface.ts",
      "runtime/plugins/sinks.ts",
      "schema/types.gen.ts",
    ];
    const sources = [...filesBelow("compiler", ".ts"), ...filesBelow("runtime", ".ts")].filter(
      (path) =>
        !own(path) &&
        !list.includes(path) &&
        !path.startsWith("compiler/diagnostics/catalogue/") &&
        !path.startsWith("compiler/cli/"),
    );
    // The service that one plugin asks has its name too, and a subject of its own: there the settings of a plugin would give it away.
    const shown = (name: string, text: string) =>
      name === "captcha" ? /plugins[/.]captcha\b/.test(text) : text.includes(name);
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const naming = sources.filter((path) => names.some((name) => shown(name, code(read(path)))));
    expect(naming).toEqual([]);
  });
});
