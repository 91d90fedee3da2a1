import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { MANIFEST } from "../abi/build-files.js";
import { StartError } from "../process/contribution.js";
import type { RunSource } from "./launch-settings.js";

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
