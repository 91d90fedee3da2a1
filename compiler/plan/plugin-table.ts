import { canonicalHash } from "../../runtime/abi/hash.js";
import { isEmptyTable, type PluginTable } from "../../runtime/abi/plugin-tables.js";
import type { ResourceLists } from "../plugin/resource-table.js";
import type { SecretKeeper } from "./secret.js";
import { tableOwner } from "./table-owners.js";

/** What a plugin's service is told of its resources; undefined when there is nothing. Texts of secrets stay with `secrets`. */
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

/** Hash of a plugin's table, hex. */
export function tableHash(plugin: string, table: PluginTable): string {
  return tableOwner(plugin)?.table?.hash?.(table) ?? canonicalHash(table);
}
