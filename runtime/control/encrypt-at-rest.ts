import { log } from "../process/log.js";
import type { ControlCompiler } from "./compiler.js";
import type { Configuration } from "./configuration.js";
import type { OpenedStore } from "./opened-store.js";
import { StoreError } from "./store/store.js";

/** Encrypts secrets that an earlier version stored in plain text. */
export async function encryptOpenSecrets(
  { state, store }: OpenedStore,
  { resources }: Configuration,
  compiler: ControlCompiler | null,
): Promise<void> {
  const { generation, revision } = state;
  const unknown = state.resources.filter(({ secrets, value }) => secrets === undefined && value !== null);
  // Skips the compiler at a start with nothing to encrypt.
  if (unknown.length === 0) return;
  const found = (await compiler?.secretPaths(unknown)) ?? [];
  const put = unknown.flatMap((resource, i) => {
    const secrets = found[i] ?? [];
    return secrets.length === 0 ? [] : [{ ...resource, secrets }];
  });
  if (put.length === 0) return;
  for (const resource of put) resources.put(resource);
  try {
    store.commit({ put, remove: [], generation, revision });
    log("secrets_encrypted", { resources: put.length });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log("secrets_not_encrypted", { reason: error.message });
  }
}
