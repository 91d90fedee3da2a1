import { defineLogger } from "gwc/logger";
import { definePlugin } from "gwc/plugin";
import { DEFAULTS } from "./runtime/defaults.js";

export default definePlugin({
  abi: [3, 3],
  priority: 398,
  runtime: "runtime/index.js",
  ...defineLogger({
    name: "gelf-logger",
    defaults: DEFAULTS,
    plan({ value: { host, port, timeout, source } }) {
      return { destination: { host, port, timeoutMs: timeout, ...(source !== undefined && { source }) } };
    },
    // Settings with another name in the module, for source maps.
    sources: () => ({ destination: { timeoutMs: ["timeout"] } }),
    label: ({ host }) => `gelf log to ${host}`,
    describe: ({ host, port }) => `Graylog at ${host}:${port}`,
  }),
});
