import "../../../plugins/index.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { sourceMap } from "../../../compiler/5-emit/source-map.js";
import { compile } from "../../../compiler/index.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";
import { withPluginChecks } from "../../../compiler/packages/checked-plugin.js";
import type { PluginDefinition } from "../../../compiler/plugin/definition.js";
import { registerPlugin } from "../../../compiler/plugin/registry.js";
import { decodeMappings } from "../../../runtime/abi/source-map.js";
import { useTemporaryDirectory } from "../../support/cli.js";
import { packageFiles, writeFiles } from "../../support/plugin-package.js";

const PROPERTIES = { url: {}, timeout_ms: {}, cache_seconds: {}, user: {}, header: {} };
const SETTINGS = {
  url: "http://a.test/",
  timeout_ms: 5,
  cache_seconds: 60,
  user: { id: "u1" },
  header: "X-A",
};

/** A plugin whose data has names of its own, and whose step has the address of a setting. */
const DEFINITION: PluginDefinition<typeof SETTINGS, null, Record<string, never>> = {
  name: "lines",
  priority: 1,
  moduleUrl: "",
  phases: ["access"],
  exports: { lookup: ["ask"] },
  resourceConstant: "service",
  plan({ value }, context) {
    const { url, timeout_ms: timeoutMs, cache_seconds: seconds, user } = value;
    context.resource({ url, timeoutMs, cacheMs: seconds * 1000, user, key: "k", headers: [value.header] });
    return [{ phase: "access", origin: context.origin(["user", "id"]), data: null }];
  },
  resource: (kept, printer) => {
    const sources = { cacheMs: ["cache_seconds"], headers: ["header"] };
    return printer.code`${printer.imported("lookup")}(${printer.data(kept, sources)})`;
  },
  view: (_, printer) => ({
    header: printer.from(["header"], printer.literal("X-A")),
    lookup: printer.resource(),
  }),
};

const directory = useTemporaryDirectory();

it("source maps of a package's modules lead from its data to the settings of the same name, or to declared ones", () => {
  const files = packageFiles("lines", {
    "schema.json": JSON.stringify({ type: "object", properties: PROPERTIES, additionalProperties: false }),
    "access.hbs": "{{expr lookup}}.ask(x);\nx.response.headers.set({{expr header}}, x.requestId);\n",
  });
  writeFiles(directory.path, files);
  const moduleUrl = pathToFileURL(join(directory.path, "index.js")).href;
  registerPlugin(
    withPluginChecks({ ...DEFINITION, moduleUrl } as unknown as PluginDefinition, "gwc-plugin-lines"),
  );
  const text = JSON.stringify({
    upstreams: [{ id: "u", nodes: { "a.test:80": 1 } }],
    routes: [{ id: "r", uri: "/*", upstream_id: "u", plugins: { lines: SETTINGS } }],
  });
  const { diagnostics, modules, resources } = compile({
    sources: [{ name: "a.json", text, format: "json" }],
    environment: {},
  });
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const [module] = modules;
  if (module === undefined) throw new Error("no module");
  const { mappings, names } = sourceMap("r.js", module, locationsOf(resources), String);
  const lines = module.content.split("\n");
  const found = decodeMappings(mappings);
  const addressOf = (code: string) => {
    const line = lines.findIndex((one) => one.includes(code));
    const column = lines[line]?.indexOf(code) ?? -1;
    const mapping = found.findLast((one) => one.line === line && one.column <= column);
    return names[mapping?.name ?? -1]?.replace("routes/r plugins.", "");
  };
  expect(["url:", "timeoutMs:", "cacheMs:", "id:", "headers: [", "key:"].map(addressOf)).toEqual([
    "lines.url",
    "lines.timeout_ms",
    "lines.cache_seconds",
    "lines.user.id",
    "lines.header",
    "lines",
  ]);
  expect(["service.ask(x)", "x.response.headers.set("].map(addressOf)).toEqual([
    "lines.user.id",
    "lines.header",
  ]);
});
