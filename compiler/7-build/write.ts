import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import {
  BUILD_FORMAT,
  LOCATIONS_FILE,
  MANIFEST,
  PLAN_FILE,
  RESOURCES_FILE,
  SBOM_FILE,
} from "../../runtime/abi/build-files.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { bundlePath, licensesPath, type PluginBundle } from "../../runtime/abi/plugin-bundle.js";
import { readRegularText } from "../../runtime/abi/regular-file.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { UnchangedRoute } from "../4-plan/route-cache.js";
import type { LiteralSecret } from "../4-plan/secret.js";
import { moduleFile } from "../5-emit/module.js";
import { sourceMap } from "../5-emit/source-map.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { LoadedPackage } from "../model/package.js";
import type { Plan } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { locationsOf } from "../model/source-locations.js";
import { neededVariables } from "../secrets/unset-variables.js";
import { type BuildFile, fileOf } from "./build-file.js";
import { linePerItemJson } from "./line-per-item-json.js";
import type { LinkedCopy } from "./linked-copy.js";
import { replaceDirectory, type WriteCounts } from "./replace-directory.js";
import { locationsText, resourcesText } from "./resources.js";
import { SigningError } from "./sign.js";

/** Result of a compile without errors, to be written. */
export interface BuildContent {
  artifact: Omit<Artifact, "modules">;
  /** Required if there are packages. */
  plan?: Plan | undefined;
  modules: readonly GeneratedModule[];
  /** Routes whose modules and maps are in the replaced build. */
  unchanged?: readonly UnchangedRoute[];
  /** Deployment settings with references to the environment as written; null if the sources have none. */
  deployment: unknown;
  literalSecrets: readonly { path: Path; span: Span }[];
  /** Literal secrets of plugins. A build must not contain them, and the plugins do not work without them. */
  pluginSecrets: readonly LiteralSecret[];
  resources: readonly Resource[];
  /** Packages of plugins, sorted by the files that name them. */
  packages?: readonly LoadedPackage[];
  bundles?: readonly PluginBundle[];
  /** Hash of the checker that all modules passed (`checkerHash`); absent if they were not checked. */
  checked?: string | undefined;
  /** Names of environment variables whose values are part of the compiled configuration. */
  environment: readonly string[];
  /** SHA-256 of the policy that the build satisfies; absent if there was none. */
  policy?: string;
  /** Text of `sbom.json`; absent if it was not requested. */
  sbom?: string;
  /** Linked copy of the replaced directory. */
  copy?: LinkedCopy | undefined;
  /**
   * Files about the manifest, such as signatures, made from its text; the manifest cannot list them.
   * @throws SigningError
   */
  beside?: (manifest: string) => ReadonlyMap<string, string>;
}

/** Generator name that marks a directory as written by `gwc build`, so that another build may replace it. */
const GENERATOR = "gwc";

/**
 * Files of a build by path below the directory, including the manifest. The same content gives the same
 * bytes: no dates, hosts or absolute paths. Only the source maps and `locations.json` hold locations.
 */
function buildFiles(content: BuildContent, root: string): Map<string, BuildFile> {
  const { artifact } = content;
  const files = new Map<string, BuildFile>();
  const add = (name: string, text: string) => files.set(name, fileOf(text));
  for (const module of content.modules) add(module.path, module.content);
  for (const { row, made } of content.unchanged ?? []) files.set(`${fileOfRoute(row)}.ts`, made.typescript);
  for (const bundle of content.bundles ?? []) {
    add(bundlePath(bundle), bundle.code);
    add(licensesPath(bundle), bundle.licenses);
  }
  if (content.packages?.length) add(PLAN_FILE, planText(content.plan));
  add("gateway.json", gatewayText(content));
  if (content.sbom !== undefined) add(SBOM_FILE, content.sbom);
  add(RESOURCES_FILE, resourcesText(content.resources));
  const names = [...files.keys()].sort();
  const maps = mapsOf(content, root);
  maps.set(LOCATIONS_FILE, fileOf(locationsText(content.resources)));
  const hashes = (listed: Iterable<readonly [string, BuildFile | undefined]>) =>
    Object.fromEntries([...listed].map(([name, file]) => [name, file?.hash]));
  const manifest = linePerItemJson({
    generator: GENERATOR,
    version: VERSION,
    format: BUILD_FORMAT,
    abi: artifact.abi,
    planHash: artifact.planHash,
    ...(content.policy !== undefined && { policy: content.policy }),
    checked: content.checked,
    environment: [...content.environment].sort(),
    ...(content.packages?.length && { plugins: listed(content.packages, content.bundles ?? []) }),
    files: hashes(names.map((name) => [name, files.get(name)])),
    maps: hashes(maps),
  });
  for (const [name, file] of maps) files.set(name, file);
  // Written after the files that it lists: a file younger than the manifest was changed later.
  add(MANIFEST, manifest);
  for (const [name, text] of content.beside?.(manifest) ?? []) add(name, text);
  return files;
}

const fileOfRoute = ({ id }: { id: string }) => moduleFile({ kind: "route", id });

/** Text of `gateway.json`, from which control and workers start. */
function gatewayText({ artifact, ...content }: BuildContent): string {
  const needed = neededVariables(content.resources);
  return linePerItemJson({
    deployment: withoutSecrets(content.deployment, content.literalSecrets),
    routes: artifact.routes,
    upstreams: artifact.upstreams,
    globalRules: artifact.globalRules,
    pluginMetadata: artifact.pluginMetadata,
    ...(artifact.tables && { tables: artifact.tables }),
    ...(needed.length > 0 && { secrets: needed }),
    modules: listedModules(content),
  });
}

function listedModules({ modules, unchanged = [] }: Pick<BuildContent, "modules" | "unchanged">): object[] {
  const made = modules.map(({ text: { moduleId, file, hash } }) => ({ moduleId, file, hash }));
  const others = unchanged.map(({ row, made: { loadable: hash } }) => ({
    ...{ moduleId: `route:${row.id}`, file: fileOfRoute(row), hash },
  }));
  return others.length === 0 ? made : [...made, ...others].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
}

/** Canonical plan with one part on each line. */
function planText(plan: Plan | undefined): string {
  if (plan === undefined) throw new Error("a route of the cache has no plan");
  const { tables, ...parts } = plan;
  const fields = Object.entries({ ...tables, ...parts }).sort(([a], [b]) => (a < b ? -1 : 1));
  return linePerItemJson(Object.fromEntries(fields), canonicalJson);
}

/** Source map of each module, by its path. Configuration files are named relative to the map. */
function mapsOf({ modules, unchanged = [], resources }: BuildContent, root: string): Map<string, BuildFile> {
  const places = locationsOf(resources);
  const names = new Map<string, string>();
  const maps = modules.map((module): [string, BuildFile] => {
    const path = `${module.text.file}.js`;
    const folder = dirname(join(root, path));
    const sources = new Set<string>();
    const nameOf = (source: string) => {
      sources.add(source);
      const key = `${folder}\0${source}`;
      const name = names.get(key) ?? relative(folder, resolve(source)).split(sep).join("/");
      names.set(key, name);
      return name;
    };
    const map = fileOf(`${JSON.stringify(sourceMap(basename(path), module, places, nameOf))}\n`);
    return [`${path}.map`, { ...map, sources: [...sources] }];
  });
  for (const { row, made } of unchanged) maps.push([`${fileOfRoute(row)}.js.map`, made.map]);
  return new Map(maps.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Packages of plugins of this build, with the files of their calls. */
function listed(packages: readonly LoadedPackage[], bundles: readonly PluginBundle[]): object[] {
  const entries = packages.map(({ plugin: name, version, abi, hash, exports }) => {
    const bundle = bundles.find((one) => one.name === name);
    return { name, version, abi, hash, exports, ...(bundle && { file: bundlePath(bundle) }) };
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Removes literal secrets from deployment settings, with the list item or field that holds one, so that no
 * empty key counts as a key.
 */
function withoutSecrets(deployment: unknown, secrets: BuildContent["literalSecrets"]): unknown {
  const copy = structuredClone(deployment ?? null);
  // From the last to the first, so that removing a list item does not shift the remaining ones.
  for (const { path } of [...secrets].reverse()) {
    const list = path.findLastIndex((step) => typeof step === "number");
    const parent = path.slice(0, list < 0 ? -1 : list).reduce(child, copy);
    const step = path[list < 0 ? path.length - 1 : list];
    if (Array.isArray(parent)) parent.splice(Number(step), 1);
    else if (step !== undefined) delete (parent as Record<string, unknown>)[step];
  }
  return copy;
}

function child(value: unknown, step: string | number): unknown {
  return (value as Record<string, unknown>)[step];
}

/** Result of a build; without `files`, nothing was written. */
export interface BuildResult {
  diagnostics: Diagnostic[];
  counts?: WriteCounts;
  files?: ReadonlyMap<string, BuildFile>;
  /** A file of an unchanged route is missing or damaged: build again without a cache. */
  isStale?: true;
}

/**
 * Writes a build to `directory` as a whole, or not at all. A directory that contains anything other than a
 * build is not replaced.
 */
export function writeBuild(directory: string, content: BuildContent): BuildResult {
  if (content.pluginSecrets.length > 0) {
    const found = content.pluginSecrets.map(({ field, span }) =>
      diagnostic("GW6109", span, { setting: field }),
    );
    return { diagnostics: found };
  }
  const target = targetOf(directory);
  if (!isReplaceable(target)) return { diagnostics: [diagnostic("GW6101", undefined, { directory })] };
  try {
    const files = buildFiles(content, resolve(directory));
    const counts = replaceDirectory(target, files, content.copy);
    if (counts === undefined) return { diagnostics: [], isStale: true };
    const diagnostics = content.literalSecrets.map(({ path, span }) =>
      diagnostic("GW6108", span, { setting: path.join(".") }),
    );
    return { diagnostics, counts, files };
  } catch (error) {
    const reason = (error as Error).message;
    const isOfSigner = error instanceof SigningError;
    const fault = isOfSigner
      ? diagnostic("GW6115", undefined, { reason })
      : diagnostic("GW6102", undefined, { directory, reason });
    return { diagnostics: [fault] };
  }
}

/** Target of a symbolic link, which is kept: only the directory that it leads to is replaced. */
export const targetOf = (directory: string): string =>
  existsSync(directory) ? realpathSync(directory) : resolve(directory);

function isReplaceable(target: string): boolean {
  try {
    if (!existsSync(target) || readdirSync(target).length === 0) return true;
    const manifest: unknown = JSON.parse(readRegularText(join(target, MANIFEST)));
    return (manifest as { generator?: unknown } | null)?.generator === GENERATOR;
  } catch {
    return false;
  }
}
