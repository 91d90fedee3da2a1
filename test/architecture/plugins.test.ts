import "../../plugins/index.js";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { plugins } from "../../compiler/plugin/registry.js";
import { CONTRIBUTIONS } from "../../plugins/control.js";
import { PLUGIN_RUNTIMES } from "../../plugins/runtime.js";
import { schemaFile } from "../../schema/schemas.js";
import { filesBelow, importsOf, ROOT, read, syntaxTree } from "./sources.js";

const LISTS = ["index", "runtime", "control", "commands", "dashboard"].map((list) => `plugins/${list}.ts`);
const folders = [...new Set(filesBelow("plugins", ".ts").map((path) => path.split("/")[1] ?? ""))].filter(
  (name) => !name.endsWith(".ts"),
);
/** Folders of a plugin that run instead of compile. */
const RUNS = /\/(?:runtime|service|control|cli)\//;
/** Folders of a plugin with programs for browsers, whose imports `imports.test.ts` checks. */
const IN_BROWSERS = /\/(?:widget|dashboard)\//;
/** Files outside of its folder that a plugin may import (docs/decisions/0030); pages: `imports.test.ts`. */
const DOORS = [
  "compiler/plugin-api.ts",
  "compiler/logger-api.ts",
  "compiler/service-api.ts",
  "runtime/abi/plugin-api.ts",
  "runtime/logging/index.ts",
  "runtime/process/contribution-api.ts",
  "runtime/process/service-api.ts",
  "runtime/process/service-process.ts",
  // Registers the destinations that the log of a service may have.
  "plugins/runtime.ts",
];
const has = (path: string) => existsSync(join(ROOT, path));
const pluginOf = (path: string) => /^plugins\/([a-z0-9-]+)\//.exec(path)?.[1];

/** Strings and member names of a file. */
function textsOf(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text);
    // `redirect`, an option of fetch, is also the name of a plugin.
    if (ts.isPropertyAssignment(node) && /^redirect: "manual"$/.test(node.getText())) return;
    if ((ts.isPropertyAssignment(node) || ts.isPropertySignature(node)) && ts.isIdentifier(node.name))
      found.push(node.name.text);
    if (ts.isShorthandPropertyAssignment(node) || ts.isPropertyAccessExpression(node))
      found.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(syntaxTree(path));
  return found;
}

/** Rest of a text behind a name at its beginning; "" for another beginning. */
const after = (text: string, name: string) => (text.startsWith(name) ? text.slice(name.length) : "");
/** "captcha_customers", "captcha:", "captcha/site-keys" and "captcha.audit" are names of the plugin, too. */
const FOLLOWED = /^[_:/.]/;

describe("a plugin is one folder and one line in the lists", () => {
  it("each plugin of the list has a folder, and each folder is in the list", () => {
    expect(
      plugins()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(folders.sort());
  });

  it.each(plugins())(
    "the plugin $name has definition, schema, templates, oracle, cases and documentation",
    ({ name, phases, template }) => {
      for (const file of ["index.ts", "schema.json", "oracle.ts", "README.md"])
        expect(has(`plugins/${name}/${file}`), file).toBe(true);
      const fromGwc = template !== undefined && has(`templates/${template}.hbs`);
      expect(phases.filter((phase) => !fromGwc && !has(`plugins/${name}/${phase}.hbs`))).toEqual([]);
      expect(filesBelow(`plugins/${name}/cases`, ".yaml").length).toBeGreaterThan(0);
    },
  );

  it("a plugin has a runtime exactly if its definition has exports", () => {
    const calling = plugins().filter(({ exports }) => exports !== undefined);
    expect(Object.keys(PLUGIN_RUNTIMES).sort()).toEqual(calling.map(({ name }) => name).sort());
    const running = folders.filter((name) => has(`plugins/${name}/runtime/index.ts`));
    expect(running.sort()).toEqual(Object.keys(PLUGIN_RUNTIMES).sort());
  });

  it("both halves of a plugin declare the same reserved headers", () => {
    const declared = plugins().map(({ name, reservedHeaders = [] }) => [name, reservedHeaders]);
    const running = plugins().map(({ name }) => [name, PLUGIN_RUNTIMES[name]?.reservedHeaders ?? []]);
    expect(running).toEqual(declared);
    expect(declared).toContainEqual(["captcha", ["X-Captcha-Result", "X-Captcha-Request-Id"]]);
  });

  it("no file outside of its folder names a reserved header of a plugin", () => {
    const names = plugins().flatMap(({ reservedHeaders = [] }) =>
      reservedHeaders.map((name) => name.toLowerCase()),
    );
    const naming = ["compiler", "runtime", "cli"]
      .flatMap((folder) => filesBelow(folder, ".ts"))
      .filter((path) =>
        textsOf(path).some((text) => names.some((name) => text.toLowerCase().includes(name))),
      );
    expect(naming).toEqual([]);
  });

  it("each page of a plugin is in the list of the web interface and has the plugin's name", () => {
    const list = importsOf("plugins/dashboard.ts").map(({ to }) => pluginOf(to));
    const withPage = folders.filter((name) => has(`plugins/${name}/dashboard/index.ts`));
    expect(list.filter((name) => name !== undefined).sort()).toEqual(withPage.sort());
    for (const name of withPage)
      expect(textsOf(`plugins/${name}/dashboard/index.ts`)).toEqual(expect.arrayContaining(["name", name]));
  });

  it("each page of the web interface has its own shortcut letter", () => {
    const letters = (path: string) =>
      [...read(path).matchAll(/\bkey: "(\w)"|\blistOf\("\w+", "(\w)"/g)].map(
        ([, one, other]) => one ?? other,
      );
    const pages = folders
      .map((name) => `plugins/${name}/dashboard/index.ts`)
      .filter(has)
      .flatMap(letters);
    const all = [...letters("runtime/dashboard/app/page-list.ts"), ...pages];
    expect(all.length).toBeGreaterThan(14);
    expect(new Set(all).size).toBe(all.length);
  });

  it("a plugin's resources have the same names in the compiler and in the admin API", () => {
    const compiled = plugins().flatMap(({ name: plugin, kinds = [] }) =>
      kinds.map(({ name: kind, path, label }) => ({ plugin, kind, path, label })),
    );
    const administered = CONTRIBUTIONS.flatMap(({ plugin, resources = [] }) =>
      resources.map(({ kind, path, label }) => ({ plugin, kind, path, label })),
    );
    expect(administered).toEqual(compiled);
  });

  it("the configuration schema refers to the schemas of plugin kinds and has a schema for plugin sections", () => {
    const { properties = {} } = schemaFile("configuration.json").node;
    for (const { kinds = [], sections = [] } of plugins()) {
      for (const { name, schema } of kinds) expect(properties[name]?.items).toEqual({ $ref: schema });
      for (const { name } of sections) expect(properties[name]?.$ref).toMatch(/\.json$/);
    }
  });

  it("a plugin is imported only by the lists and by its own folder", () => {
    const all = ["schema", "compiler", "runtime", "plugins", "cli"].flatMap((folder) =>
      filesBelow(folder, ".ts"),
    );
    const foreign = all
      .filter((path) => !LISTS.includes(path))
      .flatMap((path) => importsOf(path))
      .filter(({ to, own }) => own && pluginOf(to) !== undefined)
      .filter(({ from, to }) => pluginOf(from) !== pluginOf(to));
    expect(foreign.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("a plugin imports only its own folder and the doors for plugins", () => {
    const files = filesBelow("plugins", ".ts").filter(
      (path) => pluginOf(path) !== undefined && !path.endsWith("/oracle.ts") && !IN_BROWSERS.test(path),
    );
    const imports = files.flatMap((path) => importsOf(path)).filter(({ own }) => own);
    expect(new Set(imports.map(({ from }) => pluginOf(from)))).toContain("captcha");
    expect(imports.length).toBeGreaterThan(400);
    const foreign = imports.filter(({ from, to }) => pluginOf(to) !== pluginOf(from) && !DOORS.includes(to));
    expect(foreign.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("each door for plugins is used, and contains only re-exports", () => {
    const used = new Set(
      filesBelow("plugins", ".ts")
        .flatMap((path) => importsOf(path))
        .map(({ to }) => to),
    );
    expect(DOORS.filter((door) => !used.has(door))).toEqual([]);
    const isReExport = (node: ts.Statement) =>
      (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) ||
      // Imported for its effect on the process.
      (ts.isImportDeclaration(node) && node.importClause === undefined);
    const doors = DOORS.filter((door) => door !== "plugins/runtime.ts" && !door.includes(".gen."));
    expect(doors.filter((door) => !syntaxTree(door).statements.every(isReExport))).toEqual([]);
  });

  it("the compile half and the run half of a plugin do not import each other", () => {
    // Tables that both halves share import neither half.
    const isTable = (path: string) =>
      pluginOf(path) !== undefined &&
      importsOf(path).every(({ to, typeOnly }) => typeOnly || to.startsWith("runtime/abi/"));
    const crossing = filesBelow("plugins", ".ts")
      .filter(
        (path) => pluginOf(path) !== undefined && !path.endsWith("/oracle.ts") && !IN_BROWSERS.test(path),
      )
      .flatMap((path) => importsOf(path))
      .filter(({ from, to, own, typeOnly }) => {
        // Defaults of settings are a table that both halves read.
        if (
          !own ||
          typeOnly ||
          to.endsWith("/defaults.gen.ts") ||
          LISTS.includes(to) ||
          to.includes("/widget/")
        )
          return false;
        const runs = RUNS.test(from);
        if (runs && !RUNS.test(to) && isTable(to)) return false;
        if (pluginOf(to) !== undefined) return RUNS.test(to) !== runs;
        if (to.startsWith("test/")) return true;
        return runs
          ? !to.startsWith("runtime/") && !(from.includes("/cli/") && to.startsWith("schema/"))
          : to.startsWith("runtime/") && !to.startsWith("runtime/abi/");
      });
    expect(crossing.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  /** The sandbox writes a setting of response-rewrite for "Copy as a filter". */
  const SANDBOX = "runtime/dashboard/pages/tried-regex.tsx";

  it("no file outside of its folder and the lists names a plugin", () => {
    const names = plugins().map(({ name }) => name);
    const says = (text: string) => names.some((name) => text === name || FOLLOWED.test(after(text, name)));
    const naming = ["schema", "compiler", "runtime", "cli"]
      .flatMap((folder) => [...filesBelow(folder, ".ts"), ...filesBelow(folder, ".tsx")])
      .filter((path) => !path.includes(".gen.") && path !== SANDBOX && textsOf(path).some(says));
    expect(naming).toEqual([]);
  });

  it.each([
    ["compiler/plugin/registry.ts", "plugins/index.ts"],
    ["runtime/abi/plugin-runtime.ts", "plugins/runtime.ts"],
  ])("a program that reaches %s also registers the plugins", (registry, list) => {
    const reached = (path: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(path)) return seen;
      seen.add(path);
      for (const { to, own, typeOnly } of has(path) ? importsOf(path) : [])
        if (own && !typeOnly) reached(to, seen);
      return seen;
    };
    // Threads of the compiler receive the list of modules to load.
    const programs = [
      ...filesBelow("cli", ".ts"),
      "runtime/control/main.ts",
      "runtime/control/settings-main.ts",
    ];
    const unaware = programs.filter((path) => {
      const all = reached(path);
      return all.has(registry) && !all.has(list);
    });
    expect(unaware).toEqual([]);
  });
});
