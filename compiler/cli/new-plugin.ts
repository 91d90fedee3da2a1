import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const LIST = "compiler/plugins/index.ts";

const camel = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const title = (name: string) => name.replace(/-/g, " ");

/** Files of a plugin that sets one response header: small, and touching every layer. */
function files(name: string): Record<string, string> {
  return {
    [`schema/plugins/${name}.json`]: `${JSON.stringify(schema(name), null, 2)}\n`,
    [`compiler/plugins/${name}.ts`]: meaning(name),
    [`templates/plugins/${name}.headerFilter.hbs`]: `{{#each actions}}\n{{expr call}};\n{{/each}}\n`,
    [`docs/plugins/${name}.md`]: `# ${name}\n\nSets one response header.\n\n<!-- attributes of ${name} -->\n<!-- end of attributes -->\n`,
    [`test/conformance/${name}/sets-the-header.yaml`]: conformance(name),
  };
}

const schema = (name: string) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  $id: `plugins/${name}.json`,
  title: name,
  description: `Settings of ${title(name)}.`,
  type: "object",
  properties: {
    _meta: { $ref: "../parts/meta.json" },
    value: { type: "string", minLength: 1, description: `Value of the response header X-${name}.` },
  },
  required: ["value"],
  additionalProperties: false,
});

const meaning = (name: string) => `import { planHeaderAction } from "../plan/header-actions.js";
import type { HeaderAction } from "../plan/plan.js";
import type { PluginDefinition } from "./plugin.js";
import { responseActionsView } from "./view.js";

/** What one step of ${name} does. */
export interface ${camel(`x-${name}`).slice(1)}Data {
  actions: HeaderAction[];
}

/** Sets one response header. */
export const ${camel(name)}: PluginDefinition = {
  name: "${name}",
  plan(settings, context) {
    const action = planHeaderAction("set", "X-${name}", String(settings.value["value"]), ["value"], context);
    return [{ phase: "headerFilter", origin: context.origin([]), data: { actions: [action] } }];
  },
  view: (step, printer) => responseActionsView(step, printer),
};
`;

const conformance = (name: string) => `because: "${name} sets one response header."
configuration:
  upstreams: [{ id: u, nodes: { "127.0.0.1:1": 1 } }]
  routes:
    - { id: r, uri: /a, upstream_id: u, plugins: { ${name}: { value: hello } } }
exchanges:
  - request: { method: GET, target: /a }
    upstream: { status: 200, body: ok }
    expect: { response: { status: 200, headers: { X-${name}: [hello] } } }
`;

/** The list with one import and one line more; undefined when the list does not look as expected. */
function listed(source: string, name: string): string | undefined {
  const lastImport = source.lastIndexOf('";\n', source.indexOf("export")) + 3;
  const end = source.indexOf("];");
  if (lastImport < 3 || end < 0) return undefined;
  const imported = `import { ${camel(name)} } from "./${name}.js";\n`;
  const line = `  { ...${camel(name)}, priority: 0 },\n`;
  return source.slice(0, lastImport) + imported + source.slice(lastImport, end) + line + source.slice(end);
}

/** \`gwc new plugin NAME\`, in a checkout: one stem in every layer, one line in the list, a conformance case that passes. */
export async function newPlugin(name: string): Promise<number> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    process.stderr.write(`gwc: "${name}" is not a plugin name: lower-case words joined by hyphens\n`);
    return 2;
  }
  if (!existsSync(LIST)) {
    process.stderr.write(`gwc: ${LIST} is not here; run this in a checkout of gwc\n`);
    return 2;
  }
  const created = files(name);
  const there = Object.keys(created).filter((path) => existsSync(path));
  const list = listed(await readFile(LIST, "utf8"), name);
  if (there.length > 0 || list === undefined) {
    process.stderr.write(
      `gwc: nothing was written; ${there.length > 0 ? `${there.join(", ")} exists` : `${LIST} cannot be extended`}\n`,
    );
    return 1;
  }
  for (const [path, text] of Object.entries(created)) {
    await mkdir(dirname(join(".", path)), { recursive: true });
    await writeFile(path, text, { flag: "wx" });
  }
  await writeFile(LIST, list);
  process.stdout.write(
    `wrote ${Object.keys(created).join("\n      ")}\nand one line in ${LIST}\nnext: npm run build && npm run test:fast\n`,
  );
  return 0;
}
