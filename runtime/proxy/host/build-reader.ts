import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import {
  BUILD_FORMAT,
  type BuiltResource,
  LOCATIONS_FILE,
  MANIFEST,
  PLAN_FILE,
  RESOURCES_FILE,
  SIGNATURE_FILE,
  UNLISTED_FILES,
} from "../../abi/build-files.js";
import type { NeededVariable } from "../../abi/environment.js";
import type { Artifact } from "../../abi/generation.js";
import { sha256 } from "../../abi/hash.js";
import { loadableOf } from "../../abi/loadable.js";
import { licensesPath, type PluginBundle, type PluginPackage } from "../../abi/plugin-bundle.js";
import {
  MAX_FILE_BYTES,
  MAX_KEY_BYTES,
  pathFault,
  readRegularFile,
  readRegularText,
  UnreadableFileError,
} from "../../abi/regular-file.js";
import { checkSignature, KeyError, MANIFEST_TYPE, readTrustedKeys } from "../../abi/signature.js";
import { ABI } from "../../abi/version.js";
import { BuildError } from "./build-error.js";

export interface Manifest {
  generator: string;
  version: string;
  format: number;
  abi: number;
  planHash: string;
  /** SHA-256 of the policy that the build satisfies. */
  policy?: string;
  /** Environment variables whose values were compiled in. */
  environment: string[];
  /** Plugin packages; `file` is their runtime code. */
  plugins?: (PluginPackage & { exports: string[]; file?: string })[];
  /** SHA-256 in hex, by path. */
  files: Record<string, string>;
  /** SHA-256 of source maps and source locations, which nothing that runs depends on. */
  maps?: Record<string, string>;
}

/** Public key files, one of which must have signed; undefined: no signature needed. */
export type TrustedFiles = readonly string[] | undefined;

/**
 * Reads a build of `gwc build`. Every file must be in the manifest with its hash, and every file of the
 * manifest must exist, since the loader runs what it is given. Each file is read once, so the verified bytes
 * are the loaded ones.
 * @param withPlan also reads the plan
 * @throws BuildError GW6103 without manifest, GW6104 for another format or ABI, GW6105 altered,
 * GW6106 missing, GW6107 unknown file, GW6110 to GW6114 if no trusted key has signed the manifest, GW6117 for
 * a name that leads outside, GW6118 for a file that is not regular
 */
export function readBuild(directory: string, trusted?: TrustedFiles, withPlan = false) {
  const manifest = readManifest(directory, trusted);
  const texts = verifiedFiles(directory, manifest, withPlan ? undefined : PLAN_FILE);
  const gateway = parsed(texts.get("gateway.json") ?? "") as {
    deployment?: unknown;
    secrets?: NeededVariable[];
    modules?: { moduleId: string; file: string; hash: string }[];
  } & Pick<Artifact, "routes" | "upstreams" | "globalRules" | "pluginMetadata" | "tables">;
  const lists = [gateway?.routes, gateway?.upstreams, gateway?.globalRules, gateway?.modules];
  if (!lists.every(Array.isArray)) throw new BuildError("GW6103", { directory });
  const modules = (gateway.modules ?? []).map(({ moduleId, file, hash }) => {
    const typescript = texts.get(`${file}.ts`);
    if (typescript === undefined) throw new BuildError("GW6106", { directory, file: `${file}.ts` });
    const code = loadableOf(typescript);
    if (sha256(code) !== hash) throw new BuildError("GW6105", { directory, file: `${file}.ts` });
    return { moduleId, file, hash, code };
  });
  const { deployment = null, secrets = [], pluginMetadata = [], ...rows } = gateway;
  const { abi, planHash, policy, version } = manifest;
  const resources = resourcesIn(directory, manifest, texts, rows.routes);
  return {
    artifact: { ...rows, abi, planHash, pluginMetadata, modules },
    /** Created on demand. */
    get resources() {
      return resources();
    },
    /** Version of gwc that wrote it. */
    version,
    /** Deployment settings with unresolved references to the environment; null without settings. */
    deployment,
    /** Text of `plan.json`; undefined if not requested, or without plugins of packages. */
    plan: texts.get(PLAN_FILE),
    /** SHA-256 of the policy that it satisfies; undefined if it was built without one. */
    policy,
    /** Environment variables that the secrets of its resources need. */
    secrets,
    packages: manifest.plugins ?? [],
    bundles: bundlesIn(directory, manifest, texts),
  };
}

/**
 * Reads only the deployment settings; control verifies the other files when it loads them.
 * @throws BuildError if the build is invalid
 */
export function readBuildDeployment(directory: string, trusted?: TrustedFiles): unknown {
  const text = readGatewayText(directory, trusted);
  return (parsed(text) as { deployment?: unknown } | undefined)?.deployment ?? null;
}

/**
 * Reads `gateway.json` and verifies its hash.
 * @throws BuildError if the build is invalid
 */
export function readGatewayText(directory: string, trusted?: TrustedFiles): string {
  const { files } = readManifest(directory, trusted);
  const file = "gateway.json";
  const text = readBuilt(directory, file).toString("utf8");
  if (sha256(text) !== files[file]) throw new BuildError("GW6105", { directory, file });
  return text;
}

/** Reads the files now, since the directory may soon hold another build; parses them on demand. */
function resourcesIn(
  directory: string,
  { maps = {} }: Manifest,
  texts: ReadonlyMap<string, string>,
  routes: Artifact["routes"],
): () => BuiltResource[] {
  const text = texts.get(RESOURCES_FILE) ?? "[]";
  const placesText = placesIn(directory, maps[LOCATIONS_FILE]);
  let made: BuiltResource[] | undefined;
  return () => (made ??= resourcesOf(text, placesText, routes));
}

function resourcesOf(text: string, placesText: string, routes: Artifact["routes"]): BuiltResource[] {
  const listed = (parsed(text) ?? []) as Omit<BuiltResource, "place">[];
  const places = (parsed(placesText) ?? {}) as Record<string, string>;
  const orders = new Map(routes.map(({ id, order }) => [id, order]));
  return listed.map((resource) => {
    const order = resource.kind === "routes" ? orders.get(resource.id) : undefined;
    const place = places[`${resource.kind}/${resource.id}`] ?? "";
    return { ...resource, place, ...(order !== undefined && { order }) };
  });
}

/** Reads the source locations. Nothing that runs depends on them, so if damaged or missing they are empty. */
function placesIn(directory: string, hash: string | undefined): string {
  try {
    const text = readRegularText(join(directory, LOCATIONS_FILE));
    return sha256(text) === hash ? text : "{}";
  } catch {
    return "{}";
  }
}

function bundlesIn(
  directory: string,
  { plugins = [] }: Manifest,
  texts: ReadonlyMap<string, string>,
): PluginBundle[] {
  return plugins.flatMap(({ file, ...listed }) => {
    if (file === undefined) return [];
    const code = texts.get(file);
    if (code === undefined) throw new BuildError("GW6106", { directory, file });
    return [{ ...listed, code, licenses: texts.get(licensesPath({ name: listed.name, code })) ?? "" }];
  });
}

function readManifest(directory: string, trusted: TrustedFiles): Manifest {
  const bytes = readManifestBytes(directory);
  // Before anything in it is parsed.
  if (trusted !== undefined) refuseUnsigned(directory, bytes, trusted);
  return manifestIn(directory, bytes.toString("utf8"));
}

/** @throws BuildError if the manifest is missing or not a regular file */
export const readManifestBytes = (directory: string): Buffer => readBuilt(directory, MANIFEST, "GW6103");

/** @throws BuildError GW6118 if the file is not regular, `absent` if it is missing */
function readBuilt(directory: string, file: string, absent = "GW6106", scratch?: Buffer): Buffer {
  try {
    return readRegularFile(join(directory, file), MAX_FILE_BYTES, scratch);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw unreadable(directory, file, error);
    throw new BuildError(absent, { directory, file });
  }
}

const unreadable = (directory: string, file: string, { message: reason }: UnreadableFileError) =>
  new BuildError("GW6118", { directory, file, reason });

/** @throws BuildError if the manifest is invalid */
export function manifestIn(directory: string, text: string): Manifest {
  const manifest = parsed(text) as Partial<Manifest> | null;
  if (
    manifest?.generator !== "gwc" ||
    typeof manifest.files !== "object" ||
    manifest.files === null ||
    !("gateway.json" in manifest.files)
  )
    throw new BuildError("GW6103", { directory });
  refuseOther(directory, "format", manifest.format, BUILD_FORMAT);
  refuseOther(directory, "ABI", manifest.abi, ABI);
  checkNames(directory, manifest as Manifest);
  return manifest as Manifest;
}

/** @throws BuildError GW6104 */
function refuseOther(directory: string, what: string, found: number | undefined, expected: number): void {
  if (found !== expected)
    throw new BuildError("GW6104", { directory, what, found: String(found ?? "none"), expected });
}

/**
 * Rejects names that lead outside: files are read, linked, removed and written by them.
 * @throws BuildError GW6117
 */
function checkNames(directory: string, { files, maps = {}, plugins = [] }: Manifest): void {
  const bundles = plugins.map(({ name }) => `plugins/${name}`);
  for (const file of [...Object.keys(files), ...Object.keys(maps), ...bundles]) {
    const reason = pathFault(file);
    if (reason !== undefined) throw new BuildError("GW6117", { directory, file, reason });
  }
}

/** Reads the keys each time: a replaced key file applies from the next reload. */
function refuseUnsigned(directory: string, manifest: Buffer, trusted: readonly string[]): void {
  try {
    const keys = readTrustedKeys(trusted);
    const signature = signatureText(directory);
    if (signature === undefined) throw new BuildError("GW6110", { directory });
    const check = checkSignature(signature, MANIFEST_TYPE, manifest, keys);
    if (!check.ok) throw BuildError.ofSignature(directory, check, keys);
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new BuildError("GW6113", { directory, file: error.file, reason: error.message });
  }
}

/**
 * @returns undefined if the file does not exist
 * @throws BuildError GW6118
 */
export function signatureText(
  directory: string,
  file = SIGNATURE_FILE,
  maxBytes = MAX_KEY_BYTES,
): string | undefined {
  try {
    return readRegularText(join(directory, file), maxBytes);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw unreadable(directory, file, error);
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Buffer size in bytes; nearly all files are modules of a few kB. */
const SMALL = 1_048_576;

/** @param unread file that is verified, but whose text is not returned */
function verifiedFiles(
  directory: string,
  manifest: Manifest,
  unread: string | undefined,
): Map<string, string> {
  const present = new Set(filesBelow(directory));
  for (const file of UNLISTED_FILES) present.delete(file);
  const texts = new Map<string, string>();
  const buffer = Buffer.allocUnsafe(SMALL);
  for (const [file, hash] of Object.entries(manifest.files)) {
    if (!present.delete(file)) throw new BuildError("GW6106", { directory, file });
    const bytes = readBuilt(directory, file, "GW6106", buffer);
    if (sha256(bytes) !== hash) throw new BuildError("GW6105", { directory, file });
    if (file !== unread) texts.set(file, bytes.toString("utf8"));
  }
  for (const file of Object.keys(manifest.maps ?? {})) present.delete(file);
  for (const file of present) throw new BuildError("GW6107", { directory, file });
  return texts;
}

/** Returns the paths below a directory, sorted; a symbolic link counts as a file. */
export function filesBelow(directory: string): string[] {
  // One path per folder: joining a path for each of 40,000 files took 0.1 s of a start.
  const folders = new Map<string, string>();
  const folderOf = (path: string) => {
    let folder = folders.get(path);
    if (folder === undefined) {
      const below = relative(directory, path).split(sep).join("/");
      folders.set(path, (folder = below === "" ? "" : `${below}/`));
    }
    return folder;
  };
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => `${folderOf(parentPath)}${name}`)
    .sort();
}
