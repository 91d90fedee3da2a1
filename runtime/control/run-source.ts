import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { MANIFEST } from "../abi/build-files.js";
import { StartError } from "../process/contribution.js";
import type { RunSource } from "./launch-settings.js";

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
  /** Files of public keys, one of which must have signed the build. Default: those that GWC_VERIFY_KEY names. */
  verify?: readonly string[] | undefined;
  /** File of a policy, which what runs has to keep. */
  policy?: string | undefined;
}

/** Files of public keys, as PATH lists directories. */
const VARIABLE = "GWC_VERIFY_KEY";

/** @throws StartError when a build has to be signed and what was named is none */
export function runOrigin({ paths, directory, writable, verify, policy }: RunArguments): RunSource {
  const by = policy === undefined ? {} : { policy: resolve(directory, policy) };
  const trusted = (verify ?? namedKeys())?.map((file) => resolve(directory, file));
  const [only] = paths;
  if (paths.length === 1 && only !== undefined && existsSync(join(resolve(directory, only), MANIFEST))) {
    const path = resolve(directory, only);
    return { kind: "dist", path, directory, writable, ...(trusted && { trusted }), ...by };
  }
  if (trusted !== undefined)
    throw new StartError(
      `only signed builds run here (${verify ? "--verify" : VARIABLE}), and ${paths.join(", ")} is none: name a directory that gwc build --sign wrote`,
    );
  return { kind: "files", paths, directory, ...by };
}

/** Keys that the environment names. One that is set and empty is a mistake of whoever wrote the unit or the pod, and must not switch the check off. @throws StartError */
export function namedKeys(): string[] | undefined {
  const named = process.env[VARIABLE];
  if (named === undefined) return undefined;
  const files = named.split(delimiter).filter((file) => file !== "");
  if (files.length === 0) throw new StartError(`${VARIABLE} is set and names no key: name one, or unset it`);
  return files;
}
