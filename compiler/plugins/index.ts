import { brokerLogger } from "./broker-logger.js";
import { captcha } from "./captcha.js";
import { keyAuth } from "./key-auth.js";
import type { PluginDefinition } from "./plugin.js";
import { proxyRewrite } from "./proxy-rewrite.js";
import { responseRewrite } from "./response-rewrite.js";
import { syslog } from "./syslog.js";

export interface ListedPlugin extends PluginDefinition {
  /** Steps of a phase run by `_meta.priority ?? priority`, descending, ties in the order of the list. */
  priority: number;
}

/** Every plugin with its nominal priority. */
export const PLUGINS: readonly ListedPlugin[] = [
  { ...keyAuth, priority: 2500 },
  { ...captcha, priority: 2450 },
  { ...proxyRewrite, priority: 1008 },
  { ...responseRewrite, priority: 899 },
  { ...brokerLogger, priority: 403 },
  { ...syslog, priority: 401 },
];

const BY_NAME = new Map(PLUGINS.map((plugin, order) => [plugin.name, { plugin, order }]));

/** The plugin of that name with its place in the list; undefined when there is none. */
export function findPlugin(name: string): { plugin: ListedPlugin; order: number } | undefined {
  return BY_NAME.get(name);
}
