import { literalReference, literalVersion, unscoped } from "../abi/literal-secret.js";
import { ABI } from "../abi/version.js";
import type { GenerationContent } from "../process/generation-log.js";
import { log } from "../process/log.js";
import type { Secrets } from "../process/messages.js";
import type { ControlCompiler } from "./compiler.js";
import type { ConfigSource } from "./launch-settings.js";
import type { OpenedStore } from "./opened-store.js";
import type { Publication } from "./publication.js";
import { textAt } from "./secret-paths.js";
import type { StoredResource } from "./store/store.js";

export interface EarlyServing {
  secretKey: string;
  connect: () => Promise<void>;
}

interface EarlyParts {
  origin: ConfigSource;
  compiler: ControlCompiler | null;
  opened: OpenedStore;
  publication: Publication;
  early?: EarlyServing | undefined;
}

/** Digest of all inputs of a compile besides the store. Undefined: the last generation never serves early. */
export function inputsOf({ origin, compiler, opened, early }: EarlyParts): string | undefined {
  if (origin.kind !== "files" || opened.unusable !== undefined || early === undefined) return undefined;
  return compiler?.inputs(origin.paths, opened.state.resources);
}

/**
 * Lets workers serve the last generation while the same inputs are compiled again, which takes a second for
 * some hundred routes. If the result differs, it replaces that generation.
 */
export async function serveLast(
  { opened, publication, early }: EarlyParts,
  last: GenerationContent | undefined,
  inputs: string | undefined,
): Promise<void> {
  if (early === undefined || last === undefined || inputs === undefined || last.inputs !== inputs) return;
  const { resources, generation } = opened.state;
  // A damaged log, or one cut short by a full disk, lacks the last write: it may still have a deleted route.
  if (last.number !== generation) return;
  const now = Date.now() / 1000;
  const isDue = resources.some(({ expires = now + 1 }) => expires <= now);
  const secrets = secretsFor(last.secretNames, resources, early.secretKey);
  if (last.abi !== ABI || isDue || secrets === undefined) return;
  await publication.begin(last, secrets);
  await early.connect();
  log("serves_before_compile", { generation: last.number, routes: last.routes.size });
}

/** @returns undefined if some are not in the store: only a compile knows those of files */
function secretsFor(
  names: readonly string[],
  resources: readonly StoredResource[],
  key: string,
): Secrets | undefined {
  if (names.length === 0) return {};
  const known = new Map<string, string>();
  for (const { value, secrets = [] } of resources)
    for (const path of secrets) {
      const text = textAt(value, path);
      if (text !== undefined) known.set(literalReference(literalVersion(key, text)), text);
    }
  const found = names.map((name) => [name, known.get(unscoped(name))] as const);
  return found.every(([, text]) => text !== undefined) ? (Object.fromEntries(found) as Secrets) : undefined;
}
