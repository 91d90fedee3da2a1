import { expect, it } from "vitest";
import { withPluginChecks } from "../../../compiler/packages/checked-plugin.js";
import type { PluginDefinition, TypedStep } from "../../../compiler/plugin/definition.js";

const DEFINITION: PluginDefinition<object, null> = {
  name: "told-apart",
  priority: 1,
  moduleUrl: import.meta.url,
  phases: ["access"],
  plan: () => [],
  describe: (_step, _resource, isProxied) => [isProxied ? "asks before the upstream" : "answers by itself"],
  view: () => ({}),
};
const STEP: TypedStep<null> = {
  phase: "access",
  origin: "routes/r",
  plugin: "told-apart",
  filter: null,
  data: null,
};

it.each([
  [true, "asks before the upstream"],
  [false, "answers by itself"],
])("describe of a package's plugin receives isProxied as %s", (isProxied, sentence) => {
  const checked = withPluginChecks(DEFINITION as PluginDefinition, "gwc-plugin-told-apart");
  expect(checked.describe?.(STEP, undefined, isProxied)).toEqual([sentence]);
});
