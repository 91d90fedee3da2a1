import type { PluginDefinition } from "../compiler/plugin/definition.js";
import { registerPlugin } from "../compiler/plugin/registry.js";
import { brokerLogger } from "./broker-logger/index.js";
import { captcha } from "./captcha/index.js";
import { fileLogger } from "./file-logger/index.js";
import { httpLogger } from "./http-logger/index.js";
import { keyAuth } from "./key-auth/index.js";
import { proxyRewrite } from "./proxy-rewrite/index.js";
import { redirect } from "./redirect/index.js";
import { responseRewrite } from "./response-rewrite/index.js";
import { syslog } from "./syslog/index.js";
import { tcpLogger } from "./tcp-logger/index.js";
import { udpLogger } from "./udp-logger/index.js";

/** Besides `runtime.ts`, this is the only place that names the plugins. Importing this file registers them. */
export const BUILT_IN: readonly PluginDefinition[] = [
  brokerLogger,
  captcha,
  fileLogger,
  httpLogger,
  keyAuth,
  proxyRewrite,
  redirect,
  responseRewrite,
  syslog,
  tcpLogger,
  udpLogger,
];

for (const plugin of BUILT_IN) registerPlugin(plugin);
