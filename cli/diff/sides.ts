import { MANIFEST } from "../../runtime/abi/build-files.js";
import "../../plugins/index.js";
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSources } from "../../compiler/1-parse/files.js";
import { planOfBuild } from "../../compiler/7-build/built-plan.js";
import { lazyModules, WITHOUT_MODULES } from "../../compiler/diff/lazy-modules.js";
import { hasErrors } from "../../compiler/model/diagnostic.js";
import { locationsOf } from "../../compiler/model/source-locations.js";
import { secretValues } from "../../compiler/secrets/secret-values.js";
import { VERSION } from "../../runtime/abi/version.js";
import { registerBundles, registerPackages } from "../../runtime/control/in-process/package-runtimes.js";
import { BuildError } from "../../runtime/proxy/host/build-error.js";
import { readBuild } from "../../runtime/proxy/host/build-reader.js";
import { type Compiled as CompiledFiles, compileSources, printDiagnostics } from "../input.js";
import { DEFAULTS, presentPaths } from "../paths.js";
import { Revision, spelledRevision } from "./git-tree.js";
import { readLive } from "./live.js";
import { DiffInputError, type Side } from "./side.js";

export interface SideOptions {
  key?: string | undefined;
  /** Key of the hashes that identify literal secrets of both sides, so that a changed secret is a difference. */
  secretKey: string;
  /** One of the keys must have signed a build, because its modules are run. Undefined: no signature is needed. */
  trusted?: readonly string[] | undefined;
  beside?: string;
  /** The other side, if it was read already: a running gateway has its secrets, and a build of equal hash its plan. */
  other?: Side;
}

/** A revision, and the paths in it: "main:gateway", "main:a.yaml,conf.d", "HEAD~1:". */
const REVISION = /^([^:]+):(.*)$/s;
const ADDRESS = /^https?:\/\//i;

export const isLive = (written: string): boolean => ADDRESS.test(written);

/**
 * Reads and compiles one of the two configurations. An existing file wins over a revision of the same name.
 * @throws DiffInputError
 */
export async function readSide(written: string, options: SideOptions): Promise<Side> {
  if (isLive(written)) return readLiveSide(written, options);
  const paths = written.split(",");
  if (paths.every((path) => existsSync(path))) return readPaths(written, paths, options);
  const [, revision, rest = ""] = REVISION.exec(written) ?? [];
  if (revision === undefined) {
    const meant = spelledRevision(written, options.beside ?? "gateway.yaml");
    if (meant === undefined) return readPaths(written, paths, options);
    throw new DiffInputError(
      `file "${written}" does not exist; to compare with the revision, write "${meant}"`,
    );
  }
  return readRevision(written, revision, rest, options);
}

async function readRevision(
  name: string,
  revision: string,
  rest: string,
  options: SideOptions,
): Promise<Side> {
  const defaults = DEFAULTS.map((path) => `./${path}`);
  const tree = new Revision(revision, rest === "" ? defaults : rest.split(","), rest === "");
  const { build, paths, top } = tree;
  if (build !== undefined) return tree.withFolder(build, (folder) => readBuildSide(name, folder, options));
  // Names and packages are resolved in the working tree, because only it has installed packages.
  const side = await readFiles(name, readSources(paths, top, tree), options);
  return side.foreign.size === 0 ? side : { ...side, note: foreignNote(side) };
}

async function readPaths(name: string, paths: readonly string[], options: SideOptions): Promise<Side> {
  const [only = ""] = paths;
  if (paths.length === 1 && isBuild(only)) return readBuildSide(name, resolve(only), options);
  return readFiles(name, readSources(paths), options);
}

const readFiles = async (
  name: string,
  read: ReturnType<typeof readSources>,
  { secretKey }: SideOptions,
): Promise<Side> => sideOf(name, await compileSources(read, { secretKey, target: WITHOUT_MODULES }));

/** Note on packages: a process loads one version of a plugin, and no revision contains installed packages. */
function foreignNote({ name, foreign }: Side): string {
  const plugins = [...foreign].sort().join(", ");
  return `plugins of packages (${plugins}) come from the working tree for ${name} too, so changes in their code are not compared`;
}

/** Reports whether the path is a directory of `gwc build`. */
export const isBuild = (path: string): boolean =>
  existsSync(path) && statSync(path).isDirectory() && existsSync(join(path, MANIFEST));

async function sideOf(
  name: string,
  compiled: CompiledFiles,
  places?: ReadonlyMap<string, string>,
): Promise<Side> {
  const { result, packages } = compiled;
  if (result?.plan === undefined || result.artifact === undefined || hasErrors(compiled.diagnostics)) {
    printDiagnostics("text", compiled);
    throw new DiffInputError(`${name} does not compile`);
  }
  const { plan, artifact, deployment, secrets, resources } = result;
  const known = locationsOf(resources);
  await registerPackages(packages);
  return {
    name,
    plan,
    artifact,
    moduleOf: lazyModules(plan),
    deployment,
    secrets,
    resources,
    place: (origin) => places?.get(origin) ?? known.text(origin),
    hidden: secretValues(
      resources,
      deployment,
      compiled.sources.map(({ text }) => text),
      process.env,
    ),
    foreign: new Set(packages.map(({ plugin }) => plugin)),
  };
}

async function readBuildSide(
  name: string,
  directory: string,
  { trusted, other }: SideOptions,
): Promise<Side> {
  try {
    const build = readBuild(directory, trusted, true);
    const { artifact, deployment, packages, bundles, resources } = build;
    const isSame = other?.artifact.planHash === artifact.planHash;
    const plan = isSame ? other.plan : planOfBuild(build);
    if (Array.isArray(plan)) {
      printDiagnostics("text", { sources: [], diagnostics: plan, environment: {}, result: undefined });
      throw new DiffInputError(`${name} does not compile with this gwc: build again with it`);
    }
    await registerBundles(bundles);
    const places = new Map(resources.map(({ kind, id, place }) => [`${kind}/${id}`, place]));
    return {
      name,
      built: true,
      plan,
      artifact,
      deployment,
      resources,
      secrets: new Map(),
      hidden: secretValues(resources, deployment, [JSON.stringify([resources, deployment])], process.env),
      place: (origin) => places.get(origin.split(" ")[0] ?? "") || origin,
      foreign: new Set(packages.map((one) => one.name)),
      ...(!isSame &&
        build.plan === undefined &&
        build.version !== VERSION && { note: versionNote(name, build.version) }),
    };
  } catch (error) {
    if (error instanceof BuildError) throw new DiffInputError(error.message);
    throw error;
  }
}

/** Note on a build of another version, whose plan is made by this one. */
const versionNote = (name: string, version: string): string =>
  `${name} was built by gwc ${version} and is planned by gwc ${VERSION}, so changes of gwc are not compared`;

async function readLiveSide(address: string, { key, secretKey, other }: SideOptions): Promise<Side> {
  const { source, stored, places } = await readLive(address, key, other);
  const compiled = await compileSources(
    { sources: [source], diagnostics: [] },
    { secretKey, stored, target: WITHOUT_MODULES },
  );
  const side = await sideOf(address, compiled, places);
  // The admin API does not return settings, so those of the other side are assumed.
  return { ...side, deployment: undefined, foreign: new Set([...side.foreign, ...(other?.foreign ?? [])]) };
}

/** Files of the current directory, compared if the command line names one side only. */
export function defaultSide(): string | undefined {
  const found = presentPaths([]);
  return found.length === 0 ? undefined : found.join(",");
}
