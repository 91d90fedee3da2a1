import { defineLogger, type UnusedSetting } from "../../compiler/logger-api.js";
import type { JsonObject } from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { TcpLogger } from "./schema.gen.js";

/** Send buffer, and maximum record size: the defaults of syslog, whose stream it uses. */
const FLUSH_LIMIT = 4_194_304;
const DROP_LIMIT = 1_073_741_824;
const POOL_SIZE = 5;

export const tcpLogger = {
  moduleUrl: import.meta.url,
  priority: 405,
  ...defineLogger<TcpLogger>({
    name: "tcp-logger",
    defaults: DEFAULTS,
    plan: ({ value, spans }, _, secrets) => ({
      destination: { ...destinationOf(value), ...secrets.clientPair(value, [], spans) },
      idle: idleOn(value),
    }),
    sources: () => ({
      destination: { timeoutMs: ["timeout"], serverName: ["tls_options"] },
      versions: ["key"],
    }),
    label: ({ host }) => `tcp log to ${host}`,
    describe: ({ host, port, tls }) => `${host}:${port} over ${tls ? "TLS" : "tcp"}`,
  }),
};

function destinationOf(value: TcpLogger): JsonObject {
  return {
    host: value.host.replace(/^\[(.*)\]$/, "$1"),
    port: value.port,
    sockType: "tcp",
    tls: value.tls,
    framing: "newline",
    timeoutMs: value.timeout,
    flushLimit: FLUSH_LIMIT,
    dropLimit: DROP_LIMIT,
    poolSize: POOL_SIZE,
    ...(value.ca !== undefined && { ca: value.ca }),
    ...(value.tls_options !== undefined && { serverName: value.tls_options }),
  };
}

function idleOn({ tls }: TcpLogger): UnusedSetting[] {
  const ofTls = tls ? [] : ["tls_options", "ca", "cert", "key"];
  return ofTls.map((field) => ({ field, because: "without tls there is no certificate" }));
}
