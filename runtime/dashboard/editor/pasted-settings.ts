import { parse as parseYaml } from "yaml";
import { isObject } from "../api/merge-patch";
import type { Value } from "../api/resources";

/**
 * Finds settings below the plugin's name, as in configuration files and copies of the sandbox. Undefined for
 * another text.
 */
export function pastedSettings(text: string, name: string): Value | undefined {
  try {
    const read: unknown = parseYaml(text);
    const plugins = isObject(read) && isObject(read["plugins"]) ? read["plugins"] : read;
    const settings = isObject(plugins) && Object.keys(plugins).length === 1 ? plugins[name] : undefined;
    // An alias of YAML can make a recursive value, which JSON cannot express.
    return isObject(settings) && JSON.stringify(settings) !== "" ? settings : undefined;
  } catch {
    return undefined;
  }
}

/** Merges settings into others: lists are appended, other fields replaced. */
export function withSettings(before: Value, added: Value): Value {
  const fields = Object.entries(added).map(([field, value]) => {
    const old = before[field];
    return [field, Array.isArray(old) && Array.isArray(value) ? [...old, ...value] : value] as const;
  });
  return { ...before, ...Object.fromEntries(fields) };
}
