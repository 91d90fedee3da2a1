import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { LOGGER_RUNTIME } from "../../runtime/abi/plugin-bundle.js";
import { reasonOf } from "./package-error.js";

export interface Bundled {
  code: string;
  /** Licences of the bundled packages, each with name and version. */
  licenses: string;
}

const BUILT_IN: ReadonlySet<string> = new Set(builtinModules);

/** Accepts modules of another release: libraries try `node:sqlite` and continue without it. */
const isOfNode = (name: string) => name.startsWith("node:") || BUILT_IN.has(name);

/**
 * Bundles all imports into one ES module, with the same bytes in every location. rolldown is loaded only
 * here: it takes 60 ms and 22 MB, and most gateways have no packages.
 * @throws Error with the reason if something cannot be bundled
 */
export async function bundled(entry: string, root: string): Promise<Bundled> {
  const build = await opened(entry, root);
  try {
    const [chunk] = (await build.generate(OUTPUT)).output;
    await refuseOpenEnds(chunk.code, [...chunk.imports, ...chunk.dynamicImports]);
    return { code: chunk.code, licenses: licensesOf(chunk.moduleIds, root) };
  } catch (error) {
    throw new Error(causeOf(error));
  } finally {
    await build.close();
  }
}

/** Source map (v3) of the same bytes, with sources relative to the package. */
export async function bundleMap(entry: string, root: string): Promise<string | undefined> {
  const build = await opened(entry, root);
  try {
    // Sources are relative to the file that would be written.
    const [{ map }] = (
      await build.generate({ ...OUTPUT, file: join(root, "bundle.js"), sourcemap: "hidden" })
    ).output;
    return map?.toString();
  } finally {
    await build.close();
  }
}

const OUTPUT = {
  format: "esm",
  codeSplitting: false,
  comments: { legal: true, annotation: true, jsdoc: false },
} as const;

async function opened(entry: string, root: string) {
  const { rolldown } = await import("rolldown");
  return rolldown({
    input: entry,
    cwd: root,
    platform: "node",
    logLevel: "silent",
    // Omits comments with paths of modules, which depend on the location of dependencies.
    experimental: { attachDebugInfo: "none" },
    plugins: [{ name: "gwc", resolveId: ownOrRefused }],
  });
}

/** First error: the others follow from it, or appear at the next attempt. */
function causeOf(error: unknown): string {
  const [first] = (error as { errors?: unknown[] }).errors ?? [];
  return reasonOf(first ?? error).replace(/^Error: /, "");
}

/** Lets the module of gwc stay an import of the bundle (`linkOwnModules`). */
function ownOrRefused(specifier: string): { id: string; external: true } | null {
  if (specifier === LOGGER_RUNTIME) return { id: specifier, external: true };
  if (specifier === "gwc" || specifier.startsWith("gwc/"))
    throw new Error(
      `it imports "${specifier}": of gwc, runtime code may import only "${LOGGER_RUNTIME}", and types`,
    );
  if (specifier.endsWith(".node"))
    throw new Error(`"${specifier}" is a native addon, which cannot be bundled`);
  return null;
}

interface Node {
  type: string;
  [member: string]: unknown;
}

/** Rejects what a bundle would resolve at run time: computed imports, files next to a module, missing packages. */
async function refuseOpenEnds(code: string, imports: readonly string[]): Promise<void> {
  const missing = imports.find((name) => !isOfNode(name) && name !== LOGGER_RUNTIME);
  if (missing !== undefined) throw new Error(`"${missing}" is not installed`);
  const { parseAst } = await import("rolldown/parseAst");
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === "object" && value !== null) {
      if (typeof (value as Node).type === "string") refuseNode(value as Node, code);
      for (const member of Object.values(value)) visit(member);
    }
  };
  visit(parseAst(code));
}

function refuseNode(node: Node, code: string): void {
  if (node.type === "ImportExpression" && !isBuiltIn(node["source"]))
    throw new Error(`an import is computed: ${shown(node, code)}`);
  const callee = node["callee"] as Node | undefined;
  const [first, second] = (node["arguments"] as Node[] | undefined) ?? [];
  if (node.type === "CallExpression" && callee?.["name"] === "__require" && !isBuiltIn(first))
    throw new Error(`it loads a module that is not in the bundle: ${shown(node, code)}`);
  if (
    node.type === "NewExpression" &&
    callee?.["name"] === "URL" &&
    second &&
    shown(second, code) === "import.meta.url"
  )
    throw new Error(`it reads a file that is not in the bundle: ${shown(node, code)}`);
}

const isBuiltIn = (node: unknown) => isOfNode(String((node as Node | undefined)?.["value"]));

const shown = ({ start, end }: Node, code: string) => code.slice(Number(start), Number(end)).slice(0, 80);

/** Sorts by name. */
function licensesOf(modules: readonly string[], root: string): string {
  const packages = new Map<string, string>();
  for (const id of modules) {
    const folder = packageFolder(dirname(id.replace(/^\0/, "")), root);
    if (folder === undefined) continue;
    const {
      name = "",
      version = "",
      license,
    } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      name?: string;
      version?: string;
      license?: unknown;
    };
    const file = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(each));
    const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
    packages.set(
      `${name} ${version}`,
      `${typeof license === "string" ? license : "no licence stated"}${text}`,
    );
  }
  const sorted = [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, text]) => `${name}: ${text}\n`).join(`\n${"-".repeat(80)}\n\n`);
}

function packageFolder(folder: string, root: string): string | undefined {
  const manifest = join(folder, "package.json");
  if (existsSync(manifest)) {
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name?: unknown };
    if (name !== undefined || folder === root) return folder;
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(parent, root);
}
