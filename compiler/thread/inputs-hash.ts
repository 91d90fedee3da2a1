import { environmentReferences, variableOf } from "../../runtime/abi/environment.js";
import { canonicalHash, sha256 } from "../../runtime/abi/hash.js";
import { ABI, VERSION } from "../../runtime/abi/version.js";
import type { StoredResource } from "../model/input.js";
import { policyHash } from "../policy/policy-file.js";
import type { ReadFiles } from "./compiler-rpc.js";

/**
 * Hashes all inputs of a compile except the store and packages: texts, the variables that they name, policy,
 * and version of gwc.
 * @param stored resources of the store, for the variables that they name
 * @returns undefined if a file cannot be read
 */
export function inputsHash(
  { sources, faults, environment, policy }: ReadFiles,
  stored: readonly Pick<StoredResource, "value">[],
): string | undefined {
  if (faults.length > 0) return undefined;
  const files = [...sources, ...(policy ? [policy] : [])];
  const written = [...files.map(({ text }) => text), ...stored.map(({ value }) => JSON.stringify(value))];
  const named = written.flatMap(environmentReferences);
  const names = [...new Set(named.map(({ name }) => name))].sort();
  const variables = names.map((name) => [name, variableOf(environment, name) ?? null]);
  // Each text by its hash: as JSON, 10 MB of texts took 46 ms of a reload.
  const texts = files.map(({ name, text }) => [name, sha256(text)]);
  return canonicalHash({ version: VERSION, abi: ABI, texts, variables, policy: policy !== undefined });
}

export interface CompiledTexts {
  /** Result of `inputsHash`; undefined also if a build replaces the files. */
  inputs: string | undefined;
  policy: string | undefined;
}

/** @param stored resources of the store, compiled with the files */
export const compiledTexts = (
  files: ReadFiles,
  stored: readonly Pick<StoredResource, "value">[],
): CompiledTexts => ({
  inputs: files.built ? undefined : inputsHash(files, stored),
  policy: policyHash(files.policy),
});
