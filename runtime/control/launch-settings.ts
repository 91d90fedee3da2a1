import type { NeededVariable } from "../abi/environment.js";
import type { Artifact } from "../abi/generation.js";
import type { PluginBundle } from "../abi/plugin-bundle.js";
import { StartError } from "../process/start-error.js";
import { DistFault, readDist } from "../proxy/host/dist.js";
import type { Settings } from "./settings.js";

/** Where `gwc run` was told to take the configuration from. */
export type RunOrigin =
  | { kind: "files"; paths: string[]; directory: string }
  | { kind: "dist"; path: string; directory: string; writable: boolean };

/** Where the configuration comes from. */
export type Origin =
  | { kind: "files"; paths: string[]; directory: string }
  /** What `gwc build` wrote, already verified. */
  | { kind: "dist"; artifact: Artifact; bundles: readonly PluginBundle[]; writable: boolean };

/** What the launcher tells control at its start, over the channel between them. */
export interface LaunchSettings {
  settings: Settings;
  origin: RunOrigin;
  workers: number;
}

/**
 * @param environment where the build is to serve: its secrets must be known there
 * @throws StartError when a file of the build is not what its manifest says, or a variable is not set
 */
export function builtOrigin(
  { path, writable }: RunOrigin & { kind: "dist" },
  environment?: Readonly<Record<string, string | undefined>>,
): Origin {
  try {
    const { artifact, secrets, bundles } = readDist(path);
    const unset = environment ? secrets.filter(({ name }) => (environment[name] ?? "") === "") : [];
    if (unset.length > 0) throw new StartError(unset.map(unsetText).join("\n"));
    return { kind: "dist", artifact, bundles, writable };
  } catch (error) {
    if (error instanceof DistFault) throw new StartError(error.message);
    throw error;
  }
}

/** As GW3016 says it; the catalogue belongs to the compiler, which need not be installed where a build runs. */
function unsetText({ name, place }: NeededVariable): string {
  return `error GW3016: the environment variable ${name} is not set, and ${place} needs it`;
}
