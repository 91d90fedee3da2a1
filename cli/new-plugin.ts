import { failed } from "./output.js";
import "../plugins/index.js";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { findPlugin } from "../compiler/plugin/registry.js";
import { newPackage, writeNew } from "./new-package.js";

const LIST = "plugins/index.ts";

/** Names that cannot name a variable in a program or a field of a plain object. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    "arguments await break case catch class const constructor continue debugger default delete do else enum eval export " +
    "extends false finally for function if implements import in instanceof interface let new null package private " +
    "protected public return static super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const pascal = (name: string) => camel(`-${name}`);

/** Files of a plugin that sets one response header: small, but with a part in every layer. */
function files(name: string): Record<string, string> {
  const schemaText = JSON.stringify(schema(name), null, 2).replace(/\[\s+"value"\s+\]/, '["value"]');
  const own = {
    "schema.json": `${schemaText}\n`,
    "schema.gen.ts": types(name),
    "index.ts": meaning(name),
    "headerFilter.hbs": "{{> headers headers}}\n",
    "README.md": page(name),
    "cases/sets-the-header.yaml": conformance(name),
    "oracle.ts": oracleStep(name),
  };
  return Object.fromEntries(Object.entries(own).map(([file, text]) => [`plugins/${name}/${file}`, text]));
}

const schema = (name: string) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  title: pascal(name),
  description: "Sets one response header.",
  type: "object",
  properties: {
    value: { description: `Value of the response header X-${name}.`, $ref: "gwc:/parts/header-value.json" },
    _meta: { $ref: "gwc:/parts/plugin-meta.json" },
  },
  required: ["value"],
  additionalProperties: false,
});

/** Types as `npm run types` makes them of the schema. */
const types = (name: string) => `// Generated from schemas by \`npm run types\`. Change those, not this file.

export interface ${pascal(name)} {
  value: string | number;
}
`;

const meaning = (name: string) => `import {
  type HeaderAction,
  headerWords,
  type PluginDefinition,
  planHeaderActions,
} from "../../compiler/plugin-api.js";
import type { ${pascal(name)} } from "./schema.gen.js";

/** Data of a step of ${name} in the headerFilter phase. */
export interface ${pascal(name)}Data {
  headers: HeaderAction[];
}

export const ${camel(name)}: PluginDefinition<${pascal(name)}, ${pascal(name)}Data> = {
  name: "${name}",
  priority: 0,
  moduleUrl: import.meta.url,
  phases: ["headerFilter"],
  plan({ value, spans }, context) {
    const path = ["value"];
    const field = { name: "X-${name}", path, values: [{ text: String(value.value), path }] };
    const place = { now: "response", place: "a response header", captures: undefined } as const;
    const headers = planHeaderActions({ add: [], remove: [], set: [field] }, { ...context, ...place, spans });
    return [{ phase: "headerFilter", origin: context.origin([]), data: { headers } }];
  },
  describe: ({ data: { headers } }) => headerWords(headers, "response"),
  view({ data: { headers } }, printer) {
    return { headers: printer.headers(headers, printer.code\`x.response\`, "append") };
  },
};
`;

const page = (name: string) => `# ${name}

Sets one response header.

<!-- attributes of ${name} -->
<!-- end of attributes -->

## Example

\`\`\`yaml
upstreams:
  - id: shop
    nodes: { "127.0.0.1:8080": 1 }

routes:
  - id: shop
    uri: /*
    upstream_id: shop
    plugins:
      ${name}: { value: hello }
\`\`\`
`;

const conformance = (name: string) => `reference: "5.2"
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { ${name}: { value: hello } } }
exchanges:
  - expect: { response: { headers: { X-${name}: hello } } }
`;

/** The oracle: a second implementation that shares no code with the emitter. */
const oracleStep = (name: string) => `import { act, addAfter } from "../../test/oracle/header-actions.js";
import type { OracleStep } from "../../test/oracle/oracle-step.js";
import type { ${pascal(name)}Data } from "./index.js";

/** ${name} in the headerFilter phase. */
export const oracle: OracleStep = (step, state) => {
  const { headers } = step.data as ${pascal(name)}Data;
  const { response } = state;
  if (!response) return;
  act(headers, state, addAfter, {
    read: () => response.headers,
    write(fields) {
      response.headers = fields;
    },
  });
};
`;

/** Adds an import, sorted by path, and a line to `LIST`. Undefined if the source has an unexpected form. */
function extended(source: string, name: string): string | undefined {
  const lines = source.split("\n");
  const last = lines.findLastIndex((text) => /^import .* from ".*";$/.test(text));
  const end = lines.indexOf("];");
  if (last < 0 || end < 0) return undefined;
  const own = `import { ${camel(name)} } from "./${name}/index.js";`;
  const from = (text: string) => text.slice(text.lastIndexOf(' from "'));
  const imports = [...lines.slice(0, last + 1), own].sort((a, b) => (from(a) < from(b) ? -1 : 1));
  return [...imports, ...lines.slice(last + 1, end), `  ${camel(name)},`, ...lines.slice(end)].join("\n");
}

interface NewPluginOptions {
  /** Adds the plugin to the built-in ones, in a checkout of gwc. */
  builtIn?: boolean;
}

export async function newPlugin(
  name: string,
  folder: string | undefined,
  { builtIn = false }: NewPluginOptions,
): Promise<number> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 64)
    return failed(`invalid plugin name "${name}": use lower-case words joined by hyphens`, 2);
  if (TAKEN.has(name))
    return failed(
      `invalid plugin name "${name}": it is reserved in JavaScript; choose a name of two words`,
      2,
    );
  if (!builtIn && findPlugin(name) !== undefined)
    return failed(`gwc has a built-in plugin "${name}"; choose another name`, 2);
  if (builtIn && folder !== undefined)
    return failed("--built-in takes no folder: it writes to plugins/ of a checkout", 2);
  return builtIn ? newBuiltIn(name) : newPackage(name, folder);
}

/** Creates a built-in plugin in a checkout: one folder, one line in the list, one conformance case that passes. */
async function newBuiltIn(name: string): Promise<number> {
  if (!existsSync(LIST)) return failed(`${LIST} does not exist; run this in a checkout of gwc`, 2);
  const created = files(name);
  const list = extended(await readFile(LIST, "utf8"), name);
  const there = Object.keys(created).filter((path) => existsSync(path));
  if (there.length > 0 || list === undefined) {
    const why = there.length > 0 ? `${there.join(", ")} exists` : `${LIST} cannot be extended`;
    return failed(`nothing was written; ${why}`, 1);
  }
  await writeNew(".", created);
  await writeFile(LIST, list);
  process.stdout.write(
    `wrote ${Object.keys(created).join("\n      ")}\nand one line in ${LIST}\n` +
      "next: npm run types && UPDATE=1 npx vitest run --config test/vitest.config.ts test/unit/docs && npm run check\n",
  );
  return 0;
}
