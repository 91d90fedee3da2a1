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
/** Folders of a plugin that are no part of compiling. */
const RUNS = /\/(?:runtime|service|control|cli)\//;
/** Those that are programs of browsers: `imports.test.ts` says what they import. */
const IN_BROWSERS = /\/(?:widget|dashboard)\//;
const has = (path: string) => existsSync(join(ROOT, path));
const pluginOf = (path: string) => /^plugins\/([a-z0-9-]+)\//.exec(path)?.[1];

/** Texts and names of members in a file: what it can do with a name. */
function textsOf(path: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) found.push(node.text);
    // An option of fetch has the name of a plugin.
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

/** What comes after a name at the beginning of a text; "" for another beginning. */
const after = (text: string, name: string) => (text.startsWith(name) ? text.slice(name.length) : "");
/** "captcha_customers", "captcha:", "captcha/site-keys", "captcha.audit" are names of the plugin's, too. */
const FOLLOWED = /^[_:/.]/;

describe("a plugin is one folder and one line in the list", () => {
  it("has a folder for each plugin of the list, and none besides", () => {
    expect(
      plugins()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(folders.sort());
  });

  it.each(plugins())(
    "$name has definition, schema, templates, oracle, cases and documentation",
    ({ name, phases }) => {
      for (const file of ["index.ts", "schema.json", "oracle.ts", "README.md"])
        expect(has(`plugins/${name}/${file}`), file).toBe(true);
      expect(phases.filter((phase) => !has(`plugins/${name}/${phase}.hbs`))).toEqual([]);
      expect(filesBelow(`plugins/${name}/cases`, ".yaml").length).toBeGreaterThan(0);
    },
  );

  it("does at run time what its definition calls, and has a runtime only then", () => {
    const calling = plugins().filter(({ exports }) => exports !== undefined);
    expect(Object.keys(PLUGIN_RUNTIMES).sort()).toEqual(calling.map(({ name }) => name).sort());
    const running = folders.filter((name) => has(`plugins/${name}/runtime/index.ts`));
    expect(running.sort()).toEqual(Object.keys(PLUGIN_RUNTIMES).sort());
  });

  it("has its page in the list of the web interface, under an address of its own name", () => {
    const list = importsOf("plugins/dashboard.ts").map(({ to }) => pluginOf(to));
    const withPage = folders.filter((name) => has(`plugins/${name}/dashboard/index.ts`));
    expect(list.filter((name) => name !== undefined).sort()).toEqual(withPage.sort());
    for (const name of withPage)
      expect(textsOf(`plugins/${name}/dashboard/index.ts`)).toEqual(expect.arrayContaining(["name", name]));
  });

  it("has a page under a letter that no other page has", () => {
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

  it("calls its resources the same in the compiler and in the admin API", () => {
    const compiled = plugins().flatMap(({ name: plugin, kinds = [] }) =>
      kinds.map(({ name: kind, path, label }) => ({ plugin, kind, path, label })),
    );
    const administered = CONTRIBUTIONS.flatMap(({ plugin, resources = [] }) =>
      resources.map(({ kind, path, label }) => ({ plugin, kind, path, label })),
    );
    expect(administered).toEqual(compiled);
  });

  it("adds the schemas of its kinds and sections to those of configuration files", () => {
    const { properties = {} } = schemaFile("configuration.json").node;
    for (const { kinds = [], sections = [] } of plugins()) {
      for (const { name, schema } of kinds) expect(properties[name]?.items).toEqual({ $ref: schema });
      for (const { name } of sections) expect(properties[name]?.$ref).toMatch(/\.json$/);
    }
  });

  it("is imported by the lists alone, and by its own folder", () => {
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

  it("imports what compiles it and what runs it in separate halves", () => {
    // What the halves tell each other is a table that loads nothing of either.
    const isTable = (path: string) =>
      pluginOf(path) !== undefined &&
      importsOf(path).every(({ to, typeOnly }) => typeOnly || to.startsWith("runtime/abi/"));
    const crossing = filesBelow("plugins", ".ts")
      .filter(
        (path) => pluginOf(path) !== undefined && !path.endsWith("/oracle.ts") && !IN_BROWSERS.test(path),
      )
      .flatMap((path) => importsOf(path))
      .filter(({ from, to, own, typeOnly }) => {
        // What settings default to is a table that both read.
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

  /** "Copy as a filter" of the sandbox writes a setting of response-rewrite, which is what the page is for. */
  const SANDBOX = "runtime/dashboard/pages/tried-regex.tsx";

  it("is named nowhere but in its folder and in the lists", () => {
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
  ])("is registered wherever a program reaches %s", (registry, list) => {
    const reached = (path: string, seen = new Set<string>()): Set<string> => {
      if (seen.has(path)) return seen;
      seen.add(path);
      for (const { to, own, typeOnly } of has(path) ? importsOf(path) : [])
        if (own && !typeOnly) reached(to, seen);
      return seen;
    };
    // Threads of the compiler are told what to load.
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
