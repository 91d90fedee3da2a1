import type { Artifact } from "../abi/generation.js";
import { joinedTables } from "../abi/plugin-tables.js";

/** A build with what the store adds to it. */
export function mergeArtifacts(built: Artifact, stored: Artifact | undefined): Artifact {
  if (!stored) return built;
  return {
    ...built,
    planHash: `${built.planHash}+${stored.planHash}`,
    routes: [...built.routes, ...stored.routes],
    upstreams: [...built.upstreams, ...stored.upstreams],
    globalRules: [...built.globalRules, ...stored.globalRules],
    pluginMetadata: [...built.pluginMetadata, ...stored.pluginMetadata],
    ...((built.tables || stored.tables) && { tables: joinedTables(built.tables, stored.tables) }),
    modules: [...built.modules, ...stored.modules],
  };
}
