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
import type { LiteralSecret } from "../4-plan/secret.js";
import { sourceMap } from "../5-emit/source-map.js";
import { type GeneratedModule, StaleCacheError } from "../5-emit/typescript.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { LoadedPackage } from "../model/package.js";
import type { Plan } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import type { Path } from "../model/source.js";
import { locationsOf } from "../model/source-locations.js";
import { neededVariables } from "../secrets/unset-variables.js";
import type { BuildCache } from "./build-cache.js";
import { type BuildFile, fileOf } from "./build-file.js";
import { linePerItemJson } from "./line-per-item-json.js";
import type { LinkedCopy } from "./linked-copy.js";
import { replaceDirectory, type WriteCounts } from "./replace-directory.js";
import { locationsText, resourcesText } from "./resources.js";
import { SigningError } from "./sign.js";

/** Result of a compile without errors, to be written. */
export interface BuildContent {
  artifact: Artifact;
  plan: Plan;
  modules: readonly GeneratedModule[];
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
  /** Cache of the replaced build, to which this build adds its results. */
  memory?: BuildCache | undefined;
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
  for (const module of content.modules) {
    const { marks, path } = module;
    files.set(path, marks ? { ...marks.typescript, text: () => module.content } : fileOf(module.content));
  }
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
    modules: artifact.modules.map(({ moduleId, file, hash }) => ({ moduleId, file, hash })),
  });
}

/** Canonical plan with one part on each line. */
function planText({ tables, ...parts }: Plan): string {
  const fields = Object.entries({ ...tables, ...parts }).sort(([a], [b]) => (a < b ? -1 : 1));
  return linePerItemJson(Object.fromEntries(fields), canonicalJson);
}

/** Source map of each module, by its path. Configuration files are named relative to the map. */
function mapsOf({ modules, resources, memory }: BuildContent, root: string): Map<string, BuildFile> {
  const places = locationsOf(resources);
  const names = new Map<string, string>();
  const maps = modules.map((module): [string, BuildFile] => {
    const { moduleId, file } = module.text;
    const path = `${file}.js`;
    const folder = dirname(join(root, path));
    const sources = new Set<string>();
    const nameOf = (source: string) => {
      sources.add(source);
      const key = `${folder}\0${source}`;
      const name = names.get(key) ?? relative(folder, resolve(source)).split(sep).join("/");
      names.set(key, name);
      return name;
    };
    const text = () => `${JSON.stringify(sourceMap(basename(path), module, places, nameOf))}\n`;
    const known = memory?.map(moduleId);
    const map = known ? { ...known, text } : fileOf(text());
    if (known === undefined) memory?.learnMap(moduleId, map, [...sources]);
    return [`${path}.map`, map];
  });
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

/**
 * Writes a build to `directory` as a whole, or not at all. A directory that contains anything other than a
 * build is not replaced.
 * @param placed receives the numbers of written and unchanged files, and all files
 * @throws StaleCacheError
 * @returns diagnostics; nothing was written if one is an error
 */
export function writeBuild(
  directory: string,
  content: BuildContent,
  placed: (files: WriteCounts, marks: ReadonlyMap<string, BuildFile>) => void = () => {},
): Diagnostic[] {
  if (content.pluginSecrets.length > 0)
    return content.pluginSecrets.map(({ field, span }) => diagnostic("GW6109", span, { setting: field }));
  const target = targetOf(directory);
  if (!isReplaceable(target)) return [diagnostic("GW6101", undefined, { directory })];
  try {
    const files = buildFiles(content, resolve(directory));
    placed(replaceDirectory(target, files, content.copy), files);
  } catch (error) {
    if (error instanceof StaleCacheError) throw error;
    if (error instanceof SigningError) return [diagnostic("GW6115", undefined, { reason: error.message })];
    return [diagnostic("GW6102", undefined, { directory, reason: (error as Error).message })];
  }
  return content.literalSecrets.map(({ path, span }) =>
    diagnostic("GW6108", span, { setting: path.join(".") }),
  );
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
