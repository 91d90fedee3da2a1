import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";

it("the API reference is generated from the types of the doors for packages", () => {
  const script = join(ROOT, "test/tools/generate-api-reference.mjs");
  const printed = JSON.parse(execFileSync(process.execPath, [script, "--print"], { encoding: "utf8" }));
  const pages = filesBelow("docs/reference", ".md");
  expect(pages).toContain("docs/reference/plugin.md");
  expect(Object.fromEntries(pages.map((path) => [path, read(path)]))).toEqual(printed);
});

it.each([
  ["plugin", "PluginDefinition", "planHeaderActions"],
  ["logger", "LoggerSettings", "defineLogger"],
  ["logger-runtime", "Sink", "makeLogger"],
])("the page of %s has the type %s and the function %s with its signature", (page, type, name) => {
  const text = read(`docs/reference/${page}.md`);
  expect(text).toContain(`\ninterface ${type}`);
  expect(text).toContain(`\nfunction ${name}`);
});
