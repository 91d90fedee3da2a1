import type { ReadFiles } from "./compiler-rpc.js";
import { readSources } from "./parse/files.js";
import { policySource } from "./policy/policy-file.js";

/**
 * Reads files, and the policy beside them, as the compiler's thread is given them. Control does so in its main thread: this imports no
 * parser.
 * @param policy a file of its own
 */
export function readFiles(paths: readonly string[], directory: string, policy?: string): ReadFiles {
  const { sources, diagnostics } = readSources(paths, directory);
  const read = policy === undefined ? undefined : policySource(policy, directory);
  const faults = [...diagnostics, ...(read?.diagnostics ?? [])];
  return { sources, faults, environment: { ...process.env }, ...(read && { policy: read.source }) };
}
