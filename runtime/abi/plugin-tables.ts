/**
 * Compiled resources of the plugins' own kinds, committed and replaced with the rest of a generation. Plain
 * JSON, without secrets; only the service of the plugin receives it.
 */

/** Rows by the names of their lists. */
export type PluginTable = Readonly<Record<string, readonly { id: string }[]>>;

export type PluginTables = Readonly<Record<string, PluginTable>>;

export const isEmptyTable = (table: PluginTable | undefined): boolean =>
  Object.values(table ?? {}).every((rows) => rows.length === 0);

/** Drops empty tables. @returns undefined if none is left */
export function filledTables(tables: PluginTables): PluginTables | undefined {
  const filled = Object.entries(tables).filter(([, table]) => !isEmptyTable(table));
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

/** Returns tables of `after` that differ, a removed one as an empty table; undefined if none differs. */
export function changedTables(before: PluginTables = {}, after: PluginTables = {}): PluginTables | undefined {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    // Rows come from one printer, so equal rows print equally.
    .filter((plugin) => JSON.stringify(before[plugin]) !== JSON.stringify(after[plugin]))
    .map((plugin): [string, PluginTable] => [plugin, after[plugin] ?? {}]);
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

/** Lets store rows replace built rows of equal ids; only `stored` without a build. */
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

export function joinedRows<Row>(
  built: readonly Row[],
  beside: readonly Row[],
  keyOf: (row: Row) => string,
): Row[] {
  if (beside.length === 0) return [...built];
  const replaced = new Set(beside.map(keyOf));
  return [...built.filter((row) => !replaced.has(keyOf(row))), ...beside];
}
