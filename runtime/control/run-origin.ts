import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RunOrigin } from "./launch-settings.js";

/** What `gwc run` was called with. */
export interface RunArguments {
  /** Files and directories, or one directory made by `gwc build`. */
  paths: string[];
  /** What paths are relative to. */
  directory: string;
  writable: boolean;
  /** Reload whenever the files, or the build, are others. */
  watch?: boolean;
  /** Overrides `gw.workers`. */
  workers?: number | undefined;
}

export function runOrigin({ paths, directory, writable }: RunArguments): RunOrigin {
  const [only] = paths;
  if (
    paths.length === 1 &&
    only !== undefined &&
    existsSync(join(resolve(directory, only), "manifest.json"))
  ) {
    return { kind: "dist", path: resolve(directory, only), directory, writable };
  }
  return { kind: "files", paths, directory };
}
