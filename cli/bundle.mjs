/**
 * Bundles the programs of gwc, its threads and what packages import of it into `.build/bundle/`: a start
 * reads some dozen files instead of hundreds (docs/decisions/0021). It reads the sources, and from `.build`
 * the output of other build steps: it runs last.
 *
 * A bundled module keeps its location in `.build` (`import.meta.url`), where its schemas, templates and pages
 * are. `new URL("./thread.js", import.meta.url)` names a module that starts by itself; each becomes an entry
 * of the bundle.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { parseAst } from "rolldown/parseAst";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUILT = join(ROOT, ".build/");
const OUTPUT = join(BUILT, "bundle/");
const VALIDATORS = join(BUILT, "compiler/2-validate/built/");

/** The Kafka client is one file already, without its unused parts (plugins/broker-logger/build.mjs). */
const BUNDLED_ALREADY = join(ROOT, "plugins/broker-logger/runtime/platformatic-library.ts");

const sourceOf = (path) => path.replace(BUILT, ROOT).replace(/\.js$/, ".ts");
const builtOf = (path) => path.replace(ROOT, BUILT).replace(/\.ts$/, ".js");

/** Modules that users start and import: `bin` and `exports` of package.json. */
function publicModules() {
  const runtimes = readdirSync(join(ROOT, "plugins"))
    .filter((name) => existsSync(join(ROOT, "plugins", name, "runtime/index.ts")))
    .map((name) => [`plugin-${name}`, `plugins/${name}/runtime/index.ts`]);
  const modules = {
    gwc: "cli/gwc.ts",
    compiler: "cli/compiler.ts",
    gateway: "runtime/control/embed.ts",
    plugin: "compiler/plugin-api.ts",
    logger: "compiler/logger-api.ts",
    "logger-runtime": "runtime/logging/index.ts",
    runtime: "runtime/abi/index.ts",
    ...Object.fromEntries(runtimes),
  };
  return Object.fromEntries(Object.entries(modules).map(([name, path]) => [name, join(ROOT, path)]));
}

/** Modules that are loaded by the name of their schema. */
function validators() {
  const files = readdirSync(VALIDATORS, { recursive: true }).filter((name) => name.endsWith(".js"));
  return Object.fromEntries(files.map((name) => [`validators/${name.slice(0, -3)}`, join(VALIDATORS, name)]));
}

function* nodesOf(node) {
  if (Array.isArray(node)) for (const each of node) yield* nodesOf(each);
  else if (node !== null && typeof node === "object") {
    if (typeof node.type === "string") yield node;
    for (const child of Object.values(node)) yield* nodesOf(child);
  }
}

const isOwnUrl = (node) =>
  node?.type === "MemberExpression" && node.object.type === "MetaProperty" && node.property.name === "url";

/** Relative URL, valid in all files of the bundle, since they are in one folder. A folder ends with "/". */
const urlOf = (path) => {
  const from = relative(OUTPUT, path) + (path.endsWith("/") ? "/" : "");
  return `new URL(${JSON.stringify(from)}, import.meta.url)`;
};

/** Expression in the bundle for `new URL(name, import.meta.url)` of the module `id`. */
function namedUrl(context, name, id) {
  const path = resolve(dirname(builtOf(id)), name);
  if (`${path}/` === VALIDATORS) return urlOf(join(OUTPUT, "validators/"));
  const source = sourceOf(path);
  if (!name.endsWith(".js") || !existsSync(source)) return urlOf(name.endsWith("/") ? `${path}/` : path);
  const fileName = MODULES.get(source) ?? `${relative(ROOT, source).slice(0, -3).replaceAll("/", "-")}.js`;
  if (!MODULES.has(source)) context.emitFile({ type: "chunk", id: source, fileName });
  return urlOf(join(OUTPUT, fileName));
}

const places = {
  name: "places",
  resolveId(name, importer) {
    if (importer === undefined || !/^\.\.?\//.test(name)) return null;
    const source = sourceOf(resolve(dirname(importer), name));
    if (source === BUNDLED_ALREADY) return builtOf(source);
    return existsSync(source) ? source : null;
  },
  transform(code, id, { magicString }) {
    if (!code.includes("import.meta.url")) return null;
    const nodes = [...nodesOf(parseAst(code, { lang: "ts" }, id))];
    const named = nodes.filter(
      ({ type, callee, arguments: given }) =>
        type === "NewExpression" &&
        callee.name === "URL" &&
        given[0].type === "Literal" &&
        isOwnUrl(given[1]),
    );
    for (const { start, end, arguments: given } of named)
      magicString.overwrite(start, end, namedUrl(this, given[0].value, id));
    const isNamed = (own) => named.some(({ start, end }) => start <= own.start && own.end <= end);
    for (const own of nodes.filter((node) => isOwnUrl(node) && !isNamed(node)))
      magicString.overwrite(own.start, own.end, `${urlOf(builtOf(id))}.href`);
    return { code: magicString };
  },
};

const fresh = OUTPUT.replace(/\/$/, ".new");
rmSync(fresh, { recursive: true, force: true });
const input = publicModules();
const MODULES = new Map(Object.entries(input).map(([name, path]) => [path, `${name}.js`]));
await build({
  input: { ...input, ...validators() },
  platform: "node",
  external: (name) => !/^[./]/.test(name),
  plugins: [places],
  experimental: { nativeMagicString: true },
  output: { dir: fresh, format: "esm", sourcemap: true, comments: false, chunkFileNames: "[name]-[hash].js" },
  logLevel: "warn",
});
rmSync(OUTPUT, { recursive: true, force: true });
renameSync(fresh, OUTPUT);
