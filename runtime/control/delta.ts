import type { Artifact, Delta } from "../abi/generation.js";
import { joinedRows, joinedTables } from "../abi/plugin-tables.js";

export function isEmpty(delta: Delta): boolean {
  return (
    delta.globalRules === undefined &&
    delta.pluginMetadata === undefined &&
    delta.tables === undefined &&
    [delta.routes, delta.upstreams, delta.modules].every(
      ({ put, remove }) => put.length === 0 && remove.length === 0,
    )
  );
}

/** Merges a build with its overlay, whose rows replace those that depend on consumers of the store. */
export function mergeArtifacts(built: Artifact, stored: Artifact | undefined): Artifact {
  if (!stored) return built;
  return {
    ...built,
    planHash: `${built.planHash}+${stored.planHash}`,
    routes: joinedRows(built.routes, stored.routes, ({ id }) => id),
    upstreams: joinedRows(built.upstreams, stored.upstreams, ({ key }) => key),
    globalRules: joinedRows(built.globalRules, stored.globalRules, ({ id }) => id),
    pluginMetadata: joinedRows(built.pluginMetadata, stored.pluginMetadata, ({ plugin }) => plugin),
    ...((built.tables || stored.tables) && { tables: joinedTables(built.tables, stored.tables) }),
    modules: joinedRows(built.modules, stored.modules, ({ moduleId }) => moduleId),
  };
}
