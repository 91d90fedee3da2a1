import { readSources } from "../1-parse/files.js";
import { policySource } from "../policy/policy-file.js";
import type { ReadFiles } from "./compiler-rpc.js";

/** Control calls this in its main thread, so it imports no parser. @param policy path of the policy file */
export function readFiles(paths: readonly string[], directory: string, policy?: string): ReadFiles {
  const { sources, diagnostics } = readSources(paths, directory);
  const read = policy === undefined ? undefined : policySource(policy, directory);
  const faults = [...diagnostics, ...(read?.diagnostics ?? [])];
  return { sources, faults, environment: { ...process.env }, ...(read && { policy: read.source }) };
}
