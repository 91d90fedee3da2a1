import { DistFault, readDist } from "../host/dist.js";
import type { Origin } from "./control.js";
import type { Settings } from "./settings.js";
import { StartError } from "./start-error.js";

/** Where `gwc run` was told to take the configuration from. */
export type RunOrigin =
  | { kind: "files"; paths: string[]; directory: string }
  | { kind: "dist"; path: string; directory: string; writable: boolean };

/** What the launcher leaves for control in the settings file. */
export interface LaunchSettings {
  settings: Settings;
  origin: RunOrigin;
  workers: number;
}

/** @throws StartError when a file of the build is not what its manifest says */
export function builtOrigin({ path, writable }: RunOrigin & { kind: "dist" }): Origin {
  try {
    return { kind: "dist", artifact: readDist(path).artifact, writable };
  } catch (error) {
    if (error instanceof DistFault) throw new StartError(error.message);
    throw error;
  }
}
