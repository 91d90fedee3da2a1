import { type PluginRuntime, registerRuntime } from "../runtime/abi/plugin-runtime.js";
import { runtime as brokerLogger } from "./broker-logger/runtime/index.js";
import { runtime as captcha } from "./captcha/runtime/index.js";
import { runtime as fileLogger } from "./file-logger/runtime/index.js";
import { runtime as httpLogger } from "./http-logger/runtime/index.js";
import { runtime as keyAuth } from "./key-auth/runtime/index.js";
import { runtime as redirect } from "./redirect/runtime/index.js";
import { runtime as syslog } from "./syslog/runtime/index.js";
import { runtime as tcpLogger } from "./tcp-logger/runtime/index.js";
import { runtime as udpLogger } from "./udp-logger/runtime/index.js";

/** Plugins of `index.ts` that only print code are not listed. Importing this file registers them. */
export const PLUGIN_RUNTIMES: Readonly<Record<string, PluginRuntime>> = {
  "broker-logger": brokerLogger,
  captcha,
  "file-logger": fileLogger,
  "http-logger": httpLogger,
  "key-auth": keyAuth,
  redirect,
  syslog,
  "tcp-logger": tcpLogger,
  "udp-logger": udpLogger,
};

for (const [name, runtime] of Object.entries(PLUGIN_RUNTIMES)) registerRuntime(name, runtime);
