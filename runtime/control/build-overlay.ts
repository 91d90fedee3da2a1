import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { ResourceName } from "../../compiler/model/resource.js";
import type { CompilerThread, PendingCompile } from "../../compiler/thread/compiler-client.js";
import type { Artifact, Delta } from "../abi/generation.js";
import { joinedRows, joinedTables, type PluginTables } from "../abi/plugin-tables.js";
import type { Secrets } from "../process/messages.js";
import { pathOf } from "./admin/kinds.js";
import type { Build } from "./launch-settings.js";
import { builtNames, clashOf } from "./resource-catalog.js";
import type { StoredResource } from "./store/store.js";

/** Lists that a delta replaces as a whole. */
export type BuiltLists = Pick<Artifact, "globalRules" | "pluginMetadata" | "tables">;

export interface BuildOverlay {
  /** Reason why the build and the store conflict; undefined if they do not. */
  reason: string | undefined;
  /** Diagnostics as `gwc check` prints them; "" if there are none. */
  report: string;
  diagnostics: Diagnostic[];
  artifact: Artifact | undefined;
  /** Values of literal secrets; undefined to keep the current ones. */
  secrets: Secrets | undefined;
  /** Digest of the policy used to compile it; undefined if there is no policy or no overlay. */
  policy: string | undefined;
  /** Committing makes it the base of the next write. */
  pending: PendingCompile;
}

export const NONE_PENDING: PendingCompile = { commit: async () => {}, discard: async () => {} };

const NOTHING = {
  report: "",
  diagnostics: [],
  artifact: undefined,
  secrets: undefined,
  policy: undefined,
  pending: NONE_PENDING,
};

/**
 * Compiles the resources of the store, and those of the build that refer to consumers of it.
 * @param compiler null if it is not installed; then the store is read-only
 */
export async function compileOverlay(
  { artifact: built, resources, writable }: Build,
  adopted: readonly ResourceName[],
  stored: readonly StoredResource[],
  compiler: CompilerThread | null,
): Promise<BuildOverlay> {
  const names = builtNames(built);
  const lacking = adopted.find(({ kind, id }) => !names.has(`${kind}/${id}`));
  if (lacking) return { ...NOTHING, reason: `the build does not have ${pathOf(lacking.kind)}/${lacking.id}` };
  const clash = clashOf(
    names,
    stored.filter((resource) => !isAmong(adopted, resource)),
  );
  if (clash !== undefined || !writable || !compiler) return { ...NOTHING, reason: clash };
  const compiled = await compiler.reload([], adopted, resources);
  const { artifact, report, diagnostics, errorMessage, secrets, policy } = compiled;
  if (!artifact) return { ...NOTHING, report, diagnostics, reason: errorMessage };
  return {
    ...{ reason: undefined, report, diagnostics, artifact, secrets: Object.fromEntries(secrets), policy },
    pending: compiler,
  };
}

/** Turns a delta of the overlay into one of build and overlay: its lists replace the current ones. */
export function overlayDelta(built: BuiltLists, delta: Delta): Delta {
  const { globalRules, pluginMetadata, tables } = delta;
  return {
    ...delta,
    ...(globalRules && { globalRules: joinedRows(built.globalRules, globalRules, ({ id }) => id) }),
    ...(pluginMetadata && {
      pluginMetadata: joinedRows(built.pluginMetadata, pluginMetadata, ({ plugin }) => plugin),
    }),
    ...(tables && { tables: joinedTables(ofPlugins(built.tables, tables), tables) }),
  };
}

function ofPlugins(tables: PluginTables = {}, changed: PluginTables): PluginTables {
  return Object.fromEntries(Object.entries(tables).filter(([plugin]) => changed[plugin] !== undefined));
}

export const isAmong = (names: readonly ResourceName[], resource: ResourceName): boolean =>
  names.some(({ kind, id }) => kind === resource.kind && id === resource.id);
