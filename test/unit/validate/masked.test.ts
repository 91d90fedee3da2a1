import "../../../plugins/index.js";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { fixedSpans } from "../../../compiler/1-parse/spans.js";
import { exposedSecretPaths } from "../../../compiler/2-validate/annotations.js";
import { maskedPaths } from "../../../compiler/2-validate/masked.js";
import { validateResource } from "../../../compiler/2-validate/resource.js";
import { pluginNames } from "../../../compiler/plugin/registry.js";

type Plugins = Record<string, object>;

/** Returns plugin settings of all routes in the plugins' cases that have no diagnostic. */
function rightSettings(): Plugins[] {
  const files = readdirSync("plugins").flatMap((plugin) =>
    existsSync(`plugins/${plugin}/cases`)
      ? readdirSync(`plugins/${plugin}/cases`).map((name) => `plugins/${plugin}/cases/${name}`)
      : [],
  );
  return files
    .flatMap((file) => {
      const { configuration } = parse(readFileSync(file, "utf8")) as {
        configuration?: { routes?: { plugins?: Plugins }[] };
      };
      const routes = configuration?.routes ?? [];
      return Array.isArray(routes) ? routes.flatMap(({ plugins }) => (plugins ? [plugins] : [])) : [];
    })
    .filter((plugins) => isRight(plugins));
}

function isRight(plugins: Plugins): boolean {
  const value = { id: "r", uri: "/r", upstream: { nodes: { "a:1": 1 } }, plugins };
  const located = { value, spans: fixedSpans({ file: "a", start: PLACE, end: PLACE }) };
  return validateResource("routes", located, { plugins: pluginNames() }).diagnostics.length === 0;
}
const PLACE = { line: 1, column: 1 };

const disabled = (plugins: Plugins): Plugins =>
  Object.fromEntries(
    Object.entries(plugins).map(([name, settings]) => [name, { ...settings, _meta: { disable: true } }]),
  );

it("a disabled plugin with valid settings has only its secrets masked", () => {
  const right = rightSettings();
  expect(right.length).toBeGreaterThan(200);
  for (const plugins of right) {
    const value = { id: "r", plugins: disabled(plugins) };
    expect([plugins, maskedPaths("routes", value)]).toEqual([plugins, exposedSecretPaths("routes", value)]);
  }
});

it("every string of a disabled plugin that is invalid by its schema is masked, unlike in an enabled one", () => {
  const settings = { header: "X-Key", Key: "a", deep: [{ b: "c" }, 1], query: ["d"], hide_credentials: "e" };
  const of = (disable: boolean) =>
    maskedPaths("routes", { id: "r", plugins: { "key-auth": { ...settings, _meta: { disable } } } });
  const paths = [["Key"], ["deep", 0, "b"], ["query", 0], ["hide_credentials"]];
  expect(of(true)).toEqual(paths.map((path) => ["plugins", "key-auth", ...path]));
  expect(of(false)).toEqual([]);
});
