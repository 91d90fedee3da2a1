import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files of a plugin that sets a response header, by their path in its package; `change` replaces and adds some. */
export function packageFiles(name: string, change: Record<string, string> = {}): Record<string, string> {
  return {
    "package.json": JSON.stringify({
      name: `gwc-plugin-${name}`,
      version: "1.2.3",
      type: "module",
      main: "index.js",
    }),
    "schema.json": JSON.stringify({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        value: { $ref: "gwc:/parts/header-value.json" },
        _meta: { $ref: "gwc:/parts/plugin-meta.json" },
      },
      required: ["value"],
      additionalProperties: false,
    }),
    "headerFilter.hbs": "{{> headers headers}}\n",
    "index.js": definition(name),
    ...change,
  };
}

/** The definition of such a plugin; `fields` come last, so that they replace others. */
export function definition(name: string, fields = ""): string {
  return `import { definePlugin, headerWords, planHeaderActions } from "gwc/plugin";
export default definePlugin({
  name: "${name}", abi: [2, 2], priority: 0, phases: ["headerFilter"],
  plan({ value, spans }, context) {
    const path = ["value"];
    const field = { name: "X-${name}", path, values: [{ text: String(value.value), path }] };
    const place = { now: "response", place: "a response header", captures: undefined };
    const headers = planHeaderActions({ add: [], remove: [], set: [field] }, { ...context, ...place, spans });
    return [{ phase: "headerFilter", origin: context.origin([]), data: { headers } }];
  },
  describe: ({ data }) => headerWords(data.headers, "response"),
  view: ({ data }, printer) => ({ headers: printer.headers(data.headers, printer.code\`x.response\`, "append") }),
  ${fields}
});
`;
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A gateway.yaml with one route that uses plugins. */
export function configuration(packages: readonly string[], plugins: Record<string, object>): string {
  return `plugins:
${packages.map((name) => `  - ${name}\n`).join("")}upstreams:
  - { id: main, nodes: { "127.0.0.1:1980": 1 } }
routes:
  - id: r
    uri: /*
    upstream_id: main
    plugins: ${JSON.stringify(plugins)}
`;
}
