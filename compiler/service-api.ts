/**
 * Interface for definitions of plugins with a service, besides `gwc/plugin`: sections of the deployment, kinds
 * of resources and their table. Packages bring none of these (docs/decisions/0014).
 */

/** Hash of plain data, which is equal for equal data. */
export { canonicalHash } from "../runtime/abi/hash.js";
export { isObject } from "../runtime/abi/json-object.js";
export type { PluginKind, Resource } from "./model/resource.js";
export type { KeepSecret, PluginSection, ResourceCheck, ResourceTable } from "./plugin/contributions.js";
