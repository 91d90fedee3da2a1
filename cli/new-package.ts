import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { visibleLine } from "../runtime/abi/text/unseen.js";
import { ABI, VERSION } from "../runtime/abi/version.js";
import { failed } from "./output.js";

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const manifest = (name: string, gwc: string) =>
  json({
    name: `gwc-plugin-${name}`,
    version: "0.1.0",
    description: `The plugin ${name} of gwc: sets a response header.`,
    keywords: ["gwc-plugin"],
    // The author's decision: npm's word for a package that nobody else may use.
    license: "UNLICENSED",
    type: "module",
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    files: ["dist", "schema.json", "*.hbs", "README.md"],
    scripts: { build: "tsc", test: "tsc && gwc test-plugin", prepack: "tsc" },
    peerDependencies: { gwc: `^${VERSION}` },
    devDependencies: { gwc, typescript: "^6.0.0 || ^7.0.0" },
  });

const TSCONFIG = json({
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023"],
    module: "NodeNext",
    moduleResolution: "NodeNext",
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    declaration: true,
    skipLibCheck: true,
    rootDir: "src",
    outDir: "dist",
  },
  include: ["src"],
});

const schema = (name: string, header: string) =>
  json({
    $schema: "http://json-schema.org/draft-07/schema#",
    title: header.slice(2),
    description: `Settings of ${name}: a header is set in every response.`,
    type: "object",
    properties: {
      value: {
        description: `Value of the response header ${header}.`,
        type: "string",
        minLength: 1,
        maxLength: 200,
        pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$",
        "x-pattern-description": "printable ASCII without blanks around it",
        default: "hello",
      },
      _meta: { $ref: "gwc:/parts/plugin-meta.json" },
    },
    additionalProperties: false,
    examples: [{}, { value: "good day" }],
  });

const meaning = (name: string, header: string) => `import { definePlugin, quoted } from "gwc/plugin";

/** As schema.json allows them, its defaults filled in. */
export interface Settings {
  value: string;
}

/** Data of a step in the plan. */
export interface Data {
  header: string;
  value: string;
}

export default definePlugin<Settings, Data>({
  name: "${name}",
  // Lowest and highest number of the interface of gwc that this is made for.
  abi: [${ABI}, ${ABI}],
  // Plugins of a phase run by priority, the highest first.
  priority: 0,
  phases: ["headerFilter"],
  // Once for each place of a configuration that names the plugin: what is to be done. Pure: no clock, no files, no network.
  plan({ value: { value } }, context) {
    const data = { header: "${header}", value };
    return [{ phase: "headerFilter", origin: context.origin(["value"]), data }];
  },
  // For \`gwc explain-route\`.
  describe: ({ data: { header, value } }) => [\`sets the response header \${header} to \${quoted(value)}\`],
  // Values that headerFilter.hbs prints.
  view: ({ data: { header, value } }) => ({ header, value }),
});
`;

const TEMPLATE = "x.response.headers.set({{lit header}}, {{lit value}});\n";

const ORACLE = `import type { Oracle } from "gwc/plugin";
import type { Data } from "./index.js";

/** The same meaning again, as simple as can be: \`gwc test-plugin\` compares what the generated module does with it. */
export const oracle: Oracle<Data> = ({ data }, { response }) => {
  if (response === undefined) return;
  const others = response.headers.filter(([name]) => name.toLowerCase() !== data.header.toLowerCase());
  response.headers = [...others, [data.header, data.value]];
};
`;

const shown = (
  name: string,
  header: string,
) => `because: "${header} is set in every response, whatever the upstream sent"
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { ${name}: { value: good day } } }
exchanges:
  - when: the upstream sends none
    expect: { response: { status: 200, headers: { ${header}: good day } } }
  - when: the upstream sends one too
    upstream: { status: 404, headers: ["${header}: other"], body: gone }
    expect: { response: { status: 404, headers: { ${header}: good day }, body: gone } }
`;

const refused = (name: string) => `because: "a value is printable ASCII"
configuration:
  routes:
    - { id: r, uri: /*, upstream_id: main, plugins: { ${name}: { value: "größe" } } }
refused: [GW2106]
`;

const readme = (name: string, header: string) => `# gwc-plugin-${name}

A plugin of the gateway compiler gwc: sets the header \`${header}\` in every response.

\`\`\`yaml
plugins:
  - gwc-plugin-${name}

upstreams:
  - id: shop
    nodes: { "127.0.0.1:8080": 1 }

routes:
  - id: shop
    uri: /*
    upstream_id: shop
    plugins:
      ${name}: { value: good day }
\`\`\`

| setting | default | what it says |
| ------- | ------- | ------------ |
| \`value\` | \`hello\` | value of \`${header}\`, printable ASCII |

\`npm test\` compiles the plugin and runs its cases; the guide is docs/plugin-guide.md of gwc.
`;

/** Writes files by their path below a folder; none of them may exist. */
export async function writeNew(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text, { flag: "wx" });
  }
}

/**
 * Version of gwc that npm installs for the tests of the package. It is the surrounding checkout of gwc, the
 * gwc file that the surrounding project depends on, or the running version, which the registry of npm does not have: see `firstCommands`.
 */
function gwcFor(root: string): string {
  for (let at = dirname(root); at !== dirname(at); at = dirname(at)) {
    const spec = gwcIn(join(at, "package.json"));
    if (spec === ITSELF) return `file:${relative(root, at)}`;
    if (spec?.startsWith("file:")) return `file:${relative(root, resolve(at, spec.slice("file:".length)))}`;
    if (spec !== undefined) break;
  }
  return `^${VERSION}`;
}

/** Marks a checkout of gwc, in place of a dependency. */
const ITSELF = "";

interface Manifest {
  name?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function gwcIn(file: string): string | undefined {
  try {
    const { name, dependencies, devDependencies } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    if (name === "gwc") return ITSELF;
    return dependencies?.["gwc"] ?? devDependencies?.["gwc"];
  } catch {
    return undefined;
  }
}

function packageFiles(name: string, gwc: string): Record<string, string> {
  const header = `X-${name.replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())}`;
  return {
    "package.json": manifest(name, gwc),
    "tsconfig.json": TSCONFIG,
    ".gitignore": "node_modules\ndist\n",
    "schema.json": schema(name, header),
    "headerFilter.hbs": TEMPLATE,
    "src/index.ts": meaning(name, header),
    "src/oracle.ts": ORACLE,
    "cases/sets-the-header.yaml": shown(name, header),
    "cases/refuses-other-texts.yaml": refused(name),
    "README.md": readme(name, header),
  };
}

/** First commands in a package. @param gwc its version in the manifest; the registry of npm has no gwc */
const firstCommands = (gwc: string) =>
  gwc.startsWith("file:")
    ? "npm install && npm test"
    : `npm install --save-dev PATH/gwc-${VERSION}.tgz && npm test (PATH: the folder of the release file)`;

/** A path as one word of a POSIX shell. */
const shellWord = (path: string) =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** `gwc new plugin NAME`: writes a complete and tested package into a folder that is missing or empty. */
export async function newPackage(name: string, folder = `gwc-plugin-${name}`): Promise<number> {
  const root = resolve(folder);
  if (existsSync(root) && readdirSync(root).some((file) => file !== ".git"))
    return failed(`nothing was written; ${folder} exists and is not empty`, 1);
  const gwc = gwcFor(root);
  const files = packageFiles(name, gwc);
  await writeNew(root, files);
  const folderShown = visibleLine(relative(process.cwd(), root) || ".");
  process.stdout.write(
    `wrote ${Object.keys(files)
      .map((path) => join(folderShown, path))
      .join("\n      ")}\n` +
      `next: cd ${shellWord(folderShown)} && ${firstCommands(gwc)}\n` +
      `then add it to a configuration file with plugins: [./${folderShown}], and use the plugin ${name} in a route\n`,
  );
  return 0;
}
