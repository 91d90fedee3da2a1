import type { Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import type { ResourceName } from "../../compiler/resolve/resource.js";
import type { Artifact, Delta } from "../abi/generation.js";
import { joinedRows, joinedTables, type PluginTables } from "../abi/plugin-tables.js";
import type { Secrets } from "../process/messages.js";
import { pathOf } from "./admin/kinds.js";
import type { ControlCompiler } from "./compiler.js";
import type { Build } from "./launch-settings.js";
import { builtNames, clashOf } from "./resource-catalog.js";
import type { StoredResource } from "./store/store.js";

/** Those parts of a generation that a delta holds whole. */
export type BuiltLists = Pick<Artifact, "globalRules" | "pluginMetadata" | "tables">;

/** What is to run beside a build, compiled and not yet decided about. */
export interface BuildOverlay {
  /** Why the build and the store do not fit; undefined when they do. */
  reason: string | undefined;
  /** Findings as `gwc check` prints them; "" when there are none. */
  report: string;
  diagnostics: Diagnostic[];
  /** Undefined where only the build runs. */
  artifact: Artifact | undefined;
  /** Values of literal secrets; undefined: those that are known already. */
  secrets: Secrets | undefined;
  /** Digest of the policy that it was compiled with; undefined: there is none, or only the build runs. */
  policy: string | undefined;
  /** Makes it the base of the next write, or forgets it. */
  settle(accepted: boolean): Promise<void>;
}

const NOTHING = {
  report: "",
  diagnostics: [],
  artifact: undefined,
  secrets: undefined,
  policy: undefined,
  settle: async () => {},
};

/**
 * Compiles what the store holds beside a build, and what of the build knows consumers of the store.
 * @param adopted what the build takes over
 * @param compiler null where it is not installed, and nothing is written
 */
export async function compileOverlay(
  { artifact: built, resources, writable }: Build,
  adopted: readonly ResourceName[],
  stored: readonly StoredResource[],
  compiler: ControlCompiler | null,
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
    settle: (accepted) => compiler.settle(accepted),
  };
}

/** A delta of what is compiled beside a build, made to one of both: its lists are whole. */
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

/** The tables of those plugins that `changed` has. */
function ofPlugins(tables: PluginTables = {}, changed: PluginTables): PluginTables {
  return Object.fromEntries(Object.entries(tables).filter(([plugin]) => changed[plugin] !== undefined));
}

export const isAmong = (names: readonly ResourceName[], resource: ResourceName): boolean =>
  names.some(({ kind, id }) => kind === resource.kind && id === resource.id);
