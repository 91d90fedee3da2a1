import { canonicalHash } from "../../runtime/abi/hash.js";
import { isEmptyTable, type PluginTable } from "../../runtime/abi/plugin-tables.js";
import { tableOwner } from "../3-resolve/table-owners.js";
import type { ResourceLists } from "../plugin/resource-table.js";
import type { SecretKeeper } from "./secret.js";

/**
 * Plans the table that a plugin's service receives; texts of secrets stay with `secrets`.
 * @returns undefined if the table is empty
 */
export function planTable(
  plugin: string,
  resources: ResourceLists,
  secrets: SecretKeeper,
): PluginTable | undefined {
  const table = tableOwner(plugin)?.table?.plan(
    resources,
    (text, place, span) => secrets.reference(text, place, span, `${plugin}:`).reference,
  );
  return isEmptyTable(table) ? undefined : table;
}

export function tableHash(plugin: string, table: PluginTable): string {
  return tableOwner(plugin)?.table?.hash?.(table) ?? canonicalHash(table);
}
