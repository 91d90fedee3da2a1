import type { BuiltResource } from "../abi/build-files.js";
import { type NeededVariable, variableOf } from "../abi/environment.js";
import type { Artifact } from "../abi/generation.js";
import type { PluginBundle, PluginPackage } from "../abi/plugin-bundle.js";
import { StartError } from "../process/contribution.js";
import { BuildError } from "../proxy/host/build-error.js";
import { readBuild } from "../proxy/host/build-reader.js";
import type { Settings } from "./settings.js";

/** Where `gwc run` was told to take the configuration from. */
export type RunSource =
  | Files
  | {
      kind: "dist";
      path: string;
      directory: string;
      writable: boolean;
      /** Files of public keys, one of which must have signed the build. */
      trusted?: readonly string[];
      /** File of a policy, absolute. */
      policy?: string;
    };

/** Where the configuration comes from. */
export type ConfigSource = Files | Build;

interface Files {
  kind: "files";
  paths: string[];
  directory: string;
  /** File of a policy, absolute. */
  policy?: string;
}

/** What `gwc build` wrote to `path`, already verified. */
export interface Build {
  kind: "dist";
  path: string;
  /** What the settings' paths are relative to. */
  directory: string;
  artifact: Artifact;
  /** What reads of the admin API show of it, and what stored resources may name; made when it is asked for. */
  readonly resources: readonly BuiltResource[];
  bundles: readonly PluginBundle[];
  /** References to the environment are still symbolic. */
  deployment: unknown;
  writable: boolean;
  trusted?: readonly string[];
  policy?: string;
  /** What the policy is about, beside the others; without a policy nobody needs it. */
  content?: { plan: string; packages: readonly PluginPackage[] };
}

/** What the launcher tells control at its start, over the channel between them. */
export interface LaunchSettings {
  settings: Settings;
  origin: RunSource;
  workers: number;
}

/**
 * @param environment where the build is to serve: its secrets must be known there
 * @throws StartError when a file of the build is not what its manifest says, a variable is not set, or it is to be writable and
 *   has plugins of packages: a build has of them what they do at run time, and nothing to compile with
 */
export function builtOrigin(
  from: Omit<RunSource & { kind: "dist" }, "kind">,
  environment?: Readonly<Record<string, string | undefined>>,
): Build {
  const { path, directory, writable, trusted, policy } = from;
  try {
    const dist = readBuild(path, trusted, policy !== undefined);
    const { artifact, secrets, bundles, packages, deployment, plan } = dist;
    if (writable && packages.length > 0) throw new StartError(notWritable(packages));
    const unset = environment
      ? secrets.filter(({ name }) => (variableOf(environment, name) ?? "") === "")
      : [];
    if (unset.length > 0) throw new StartError(unset.map(unsetText).join("\n"));
    const by = policy === undefined ? {} : { policy, content: { plan, packages } };
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

/** As GW3016 says it; the catalogue belongs to the compiler, which need not be installed where a build runs. */
function unsetText({ name, place }: NeededVariable): string {
  return `error GW3016: the environment variable ${name} is not set, and ${place} needs it`;
}
