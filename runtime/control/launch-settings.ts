import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { type BuiltResource, MANIFEST } from "../abi/build-files.js";
import { type NeededVariable, variableOf } from "../abi/environment.js";
import type { Artifact } from "../abi/generation.js";
import type { PluginBundle, PluginPackage } from "../abi/plugin-bundle.js";
import { StartError } from "../process/contribution.js";
import { BuildError } from "../proxy/host/build-error.js";
import { readBuild } from "../proxy/host/build-reader.js";
import type { Settings } from "./settings.js";

export type RunSource =
  | Files
  | {
      kind: "dist";
      path: string;
      directory: string;
      writable: boolean;
      /** Files of public keys, one of which must have signed the build. */
      trusted?: readonly string[];
      policy?: string;
    };

export type ConfigSource = Files | Build;

interface Files {
  kind: "files";
  paths: string[];
  directory: string;
  policy?: string;
}

/** Verified output of `gwc build` in `path`. */
export interface Build {
  kind: "dist";
  path: string;
  directory: string;
  artifact: Artifact;
  /** Resources for reads of the admin API and for references by stored resources; computed on first use. */
  readonly resources: readonly BuiltResource[];
  bundles: readonly PluginBundle[];
  /** Has unresolved references to the environment. */
  deployment: unknown;
  writable: boolean;
  trusted?: readonly string[];
  policy?: string;
  /** Further input of the policy check; absent without a policy. */
  content?: {
    path: string;
    version: string;
    plan: string | undefined;
    policy: string | undefined;
    packages: readonly PluginPackage[];
  };
}

export interface LaunchSettings {
  settings: Settings;
  origin: RunSource;
  workers: number;
}

/** Directory of the store; null for a build without writes. */
export const storeDirectoryOf = ({ store }: Settings, origin: RunSource): string | null =>
  origin.kind === "dist" && !origin.writable ? null : store;

/**
 * @param environment environment of the gateway, which must define the secrets of the build
 * @throws StartError if a file of the build does not match its manifest or a variable is not set. Also if it
 * is writable and has plugins of packages: a build has their runtime code, but nothing to compile with
 */
export function builtOrigin(
  from: Omit<RunSource & { kind: "dist" }, "kind">,
  environment?: Readonly<Record<string, string | undefined>>,
): Build {
  const { path, directory, writable, trusted, policy } = from;
  try {
    const dist = readBuild(path, trusted, policy !== undefined);
    const { artifact, secrets, bundles, packages, deployment, plan, version } = dist;
    if (writable && packages.length > 0) throw new StartError(notWritable(packages));
    const unset = environment
      ? secrets.filter(({ name }) => (variableOf(environment, name) ?? "") === "")
      : [];
    if (unset.length > 0) throw new StartError(unset.map(unsetText).join("\n"));
    const content = { path, version, plan, policy: dist.policy, packages };
    const by = policy === undefined ? {} : { policy, content };
    return {
      ...{ kind: "dist", path, directory, writable, artifact, bundles, deployment },
      ...(trusted && { trusted }),
      ...by,
      get resources() {
        return dist.resources;
      },
    };
  } catch (error) {
    if (error instanceof BuildError) throw new StartError(error.message);
    throw error;
  }
}

function notWritable(packages: readonly PluginPackage[]): string {
  const names = packages.map(({ name, version }) => `${name} ${version}`).join(", ");
  return (
    `this build has plugins of packages (${names}), which the admin API cannot compile with: ` +
    "run it without --writable, or run the configuration files"
  );
}

/** Repeats the text of GW3016: its catalogue is part of the compiler, which a build may lack. */
function unsetText({ name, place }: NeededVariable): string {
  return `error GW3016: the environment variable ${name} is not set, and ${place} needs it`;
}

export interface RunArguments {
  /** Files and directories, or one directory made by `gwc build`. */
  paths: string[];
  directory: string;
  writable: boolean;
  /** Reload whenever the files or the build change. */
  watch?: boolean;
  /** Overrides `gw.workers`. */
  workers?: number | undefined;
  /** Files of public keys, one of which must have signed the build. Default: those in GWC_VERIFY_KEY. */
  verify?: readonly string[] | undefined;
  policy?: string | undefined;
}

/** Files of public keys, separated as in PATH. */
const VARIABLE = "GWC_VERIFY_KEY";

/** @throws StartError if a build must be signed and the path is not a build */
export function runSource({ paths, directory, writable, verify, policy }: RunArguments): RunSource {
  const by = policy === undefined ? {} : { policy: resolve(directory, policy) };
  const trusted = (verify ?? namedKeys())?.map((file) => resolve(directory, file));
  const [only] = paths;
  if (paths.length === 1 && only !== undefined && existsSync(join(resolve(directory, only), MANIFEST))) {
    const path = resolve(directory, only);
    return { kind: "dist", path, directory, writable, ...(trusted && { trusted }), ...by };
  }
  if (trusted !== undefined)
    throw new StartError(
      `only signed builds run here (${verify ? "--verify" : VARIABLE}), and ${paths.join(", ")} is not one: name a directory that gwc build --sign wrote`,
    );
  return { kind: "files", paths, directory, ...by };
}

/** An empty variable is a mistake and must not disable the check. @throws StartError */
export function namedKeys(): string[] | undefined {
  const named = process.env[VARIABLE];
  if (named === undefined) return undefined;
  const files = named.split(delimiter).filter((file) => file !== "");
  if (files.length === 0) throw new StartError(`${VARIABLE} is set but names no key: name one, or unset it`);
  return files;
}
