/**
 * What plugins made of resources of their own kinds: part of the artifact, so that it is committed and swapped with everything else
 * of a generation. Plain JSON, without secrets; told to the service of the plugin and to nobody else.
 */

/** Rows by the names of their lists. */
export type PluginTable = Readonly<Record<string, readonly { id: string }[]>>;

/** By the names of the plugins. */
export type PluginTables = Readonly<Record<string, PluginTable>>;

export const isEmptyTable = (table: PluginTable | undefined): boolean =>
  Object.values(table ?? {}).every((rows) => rows.length === 0);

/** Tables without those that are empty; undefined when none is left. */
export function filledTables(tables: PluginTables): PluginTables | undefined {
  const filled = Object.entries(tables).filter(([, table]) => !isEmptyTable(table));
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/** Those of `after` that differ from `before`, one that has gone as an empty table; undefined when none differs. */
export function changedTables(before: PluginTables = {}, after: PluginTables = {}): PluginTables | undefined {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    // Rows come from one printer, so equal rows print equally.
    .filter((plugin) => JSON.stringify(before[plugin]) !== JSON.stringify(after[plugin]))
    .map((plugin): [string, PluginTable] => [plugin, after[plugin] ?? {}]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** The tables of a build with what the store adds to them, or has in place of it; those of `stored` alone when nothing was built. */
export function joinedTables(built: PluginTables = {}, stored: PluginTables = {}): PluginTables {
  const plugins = new Set([...Object.keys(built), ...Object.keys(stored)]);
  return Object.fromEntries(
    [...plugins].map((plugin) => [plugin, joinedTable(built[plugin] ?? {}, stored[plugin] ?? {})]),
  );
}

function joinedTable(built: PluginTable, stored: PluginTable): PluginTable {
  const lists = new Set([...Object.keys(built), ...Object.keys(stored)]);
  const rows = (list: string) => joinedRows(built[list] ?? [], stored[list] ?? [], ({ id }) => id);
  return Object.fromEntries([...lists].map((list) => [list, rows(list)]));
}

/** What was built, and what runs beside it or, under the same key, in its place. */
export function joinedRows<Row>(
  built: readonly Row[],
  beside: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  if (beside.length === 0) return [...built];
  const replaced = new Set(beside.map(keyOf));
  return [...built.filter((row) => !replaced.has(keyOf(row))), ...beside];
}
