import type { PluginDefinition } from "../compiler/plugin/definition.js";
import { brokerLogger } from "./broker-logger/index.js";
import { captcha } from "./captcha/index.js";
import { keyAuth } from "./key-auth/index.js";
import { proxyRewrite } from "./proxy-rewrite/index.js";
import { responseRewrite } from "./response-rewrite/index.js";
import { syslog } from "./syslog/index.js";

/** The plugins that gwc brings along. Beside `runtime.ts`, which lists what they do at run time, the only place that names them. */
export const BUILT_IN: readonly PluginDefinition[] = [
  brokerLogger,
  captcha,
  keyAuth,
  proxyRewrite,
  responseRewrite,
  syslog,
];
