import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Files of a plugin that sets a response header, by their path in its package; `change` replaces or adds
 * some.
 */
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

/** The definition of such a plugin; `fields` come last, so that they override others. */
export function definition(name: string, fields = ""): string {
  return `import { definePlugin, headerWords, planHeaderActions } from "gwc/plugin";
export default definePlugin({
  name: "${name}", abi: [3, 3], priority: 0, phases: ["headerFilter"],
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

/** Changes for a plugin whose modules call a dependency of its own to count: "X-Count: n-1". */
export const COUNTING: Record<string, string> = {
  "package.json": JSON.stringify({
    name: "gwc-plugin-counting",
    version: "2.0.0",
    type: "module",
    main: "index.js",
    license: "MIT",
  }),
  "index.js": definition(
    "counting",
    `exports: { counted: ["next"] }, runtime: "runtime/index.js",
  view: ({ data }, printer) => ({
    headers: {
      owner: null,
      statements: [printer.code\`x.response.headers.set(\${printer.literal("X-Count")}, \${printer.constant("count", printer.code\`\${printer.imported("counted")}(\${printer.literal("n")})\`)}.next())\`],
    },
  }),`,
  ),
  "runtime/index.js": `import { label } from "label";
export function counted(name) { let n = 0; return { next: () => label(name, ++n) }; }
export const runtime = { exports: { counted } };
`,
  "runtime/index.d.ts": `import type { PluginRuntime } from "gwc/plugin";
export interface Counted { next(): string }
export function counted(name: string): Counted;
export const runtime: PluginRuntime;
`,
  "node_modules/label/package.json": '{"name":"label","version":"1.0.0","license":"ISC","main":"index.js"}',
  "node_modules/label/LICENSE": "Copyright of label",
  "node_modules/label/index.js": `const { format } = require("util"); exports.label = (a, b) => format("%s-%d", a, b);\n`,
};

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
