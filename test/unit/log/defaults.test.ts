import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { filled, loggerDefaults, withoutDefaults } from "../../../runtime/abi/defaults.js";
import { canonicalHash } from "../../../runtime/abi/hash.js";
import { defaultsFiles } from "../../tools/generate-defaults.js";
import { BROKER, compiled, FILE, HTTP, loggers, SYSLOG, sasl } from "./configurations.js";

const ROOT = join(import.meta.dirname, "../../..");

describe("defaults.gen.ts", () => {
  it.each([...defaultsFiles()])("the generated defaults in %s match the schemas", (path, text) => {
    expect(readFileSync(join(ROOT, path), "utf8")).toBe(text);
  });
});

/** Settings that the module of a route passes to the call of the logger. */
function given(plugins: object): Record<string, unknown> {
  const [module] = compiled([plugins]).modules;
  let settings: Record<string, unknown> | undefined;
  const logger = (stated: Record<string, unknown>) => {
    settings = stated;
    return { resource: {} };
  };
  const surface = {
    syslog: logger,
    brokerLogger: logger,
    httpLogger: logger,
    fileLogger: logger,
    tcpLogger: logger,
    udpLogger: logger,
    defineRoute: (route: object) => route,
  };
  const run = compileFunction(module?.text.code ?? "", ["require", "module"]);
  run(() => surface, { exports: {} });
  if (settings === undefined) throw new Error("the module made no logger");
  return settings;
}

const PLUGINS: readonly [string, object][] = [
  ["syslog", SYSLOG],
  ["syslog", { ...SYSLOG, sock_type: "udp", max_datagram: 480, timeout: 1, name: "audit" }],
  ["syslog", { ...SYSLOG, batch_max_size: 1, retry_delay: 0, include_req_body: true, max_req_body_bytes: 1 }],
  ["syslog", { ...SYSLOG, delivery: "durable", ack: "response", spool: { max_bytes: 16_777_216 } }],
  ["syslog", { ...SYSLOG, delivery: "durable", record_id: false, redact: { credentials: false, query: [] } }],
  ["broker-logger", BROKER],
  ["broker-logger", { ...BROKER, required_acks: -1, compression: "zstd", tls: { verify: false } }],
  ["broker-logger", { ...sasl("${{PASSWORD:=a}}"), delivery: "durable", spool: { on_full: "drop_oldest" } }],
  ["broker-logger", { ...sasl("written out"), producer_type: "sync", record_id: true }],
  ["http-logger", HTTP],
  ["http-logger", { ...HTTP, auth_header: "Bearer ${{T:=a}}", headers: { "X-Key": "written out" } }],
  ["http-logger", { ...HTTP, method: "PUT", ssl_verify: false, delivery: "durable", batch_max_size: 1 }],
  ["tcp-logger", SYSLOG],
  ["tcp-logger", { ...SYSLOG, redact: { body: { json_paths: ["a[*].b"] } } }],
  ["tcp-logger", { ...SYSLOG, sample: { rate: 0.5, always_slower_than_ms: 10 } }],
  ["tcp-logger", { ...SYSLOG, tls: true, tls_options: "logs", delivery: "durable" }],
  ["udp-logger", { ...SYSLOG, max_datagram: 480, timeout: 1 }],
  ["file-logger", FILE],
  ["file-logger", { ...FILE, max_bytes: 1_024, inactive_timeout: 5, delivery: "durable" }],
];

describe("settings in a module", () => {
  it.each(PLUGINS)(
    "the settings of %s %j in a module contain no default, and the logger receives all planned settings",
    async (plugin, settings) => {
      const [planned] = loggers([{ [plugin]: settings }]);
      const { DEFAULTS } = await import(`../../../plugins/${plugin}/runtime/defaults.gen.ts`);
      const defaults = loggerDefaults(DEFAULTS, planned?.settings["delivery"]);
      const stated = given({ [plugin]: settings });
      expect(stated).toEqual(withoutDefaults(planned?.settings ?? {}, defaults));
      expect(filled(stated, defaults)).toEqual(planned?.settings);
    },
  );

  it("the key of a logger hashes kind, destination, batch and delivery", async () => {
    const { syslog } = await import("../../../plugins/syslog/runtime/index.js");
    const [planned] = loggers([{ syslog: SYSLOG }]);
    const { destination, batch, delivery, ack } = planned?.settings ?? {};
    const identity = { kind: "syslog", destination, versions: [], batch, delivery: { delivery, ack } };
    expect(syslog({ destination: SYSLOG }).resource.key).toBe(canonicalHash(identity));
  });
});

describe("a module with two loggers", () => {
  const format = { host: "$host", at: "$time_iso8601", status: "$status", who: "$remote_addr" };
  const redact = { headers: ["x-one-header", "x-another-header"], query: ["a-parameter"] };
  const shared = { log_format: format, redact };

  it("a module with two loggers declares what they share once, under descriptive names", () => {
    const [module] = compiled([
      { syslog: { ...SYSLOG, ...shared, name: "audit" }, "broker-logger": { ...BROKER, ...shared } },
    ]).modules;
    expect(module?.content.match(/x-one-header|recordText\(\{/g)).toHaveLength(2);
    expect(module?.content.match(/^const \w+/gm)).toEqual([
      "const redact",
      "const logFormat",
      "const requestsTopic",
      "const auditLog",
    ]);
  });
});

describe("the name of a logger in a module", () => {
  it.each([
    [{ syslog: { ...SYSLOG, name: "Audit log!" } }, "auditLog"],
    [{ syslog: { ...SYSLOG, name: "sys logger" } }, "syslogTo127_0_0_1"],
    [{ syslog: { ...SYSLOG, name: "日誌" } }, "syslogTo127_0_0_1"],
    [{ syslog: { ...SYSLOG, name: "7 of 9" } }, "_7Of9Log"],
    [{ syslog: { ...SYSLOG, name: "require" } }, "requireLog"],
    [{ "broker-logger": { ...BROKER, broker_topic: "shop.orders_v2" } }, "shopOrdersV2Topic"],
    [{ "http-logger": HTTP }, "httpLogToLogsInternal"],
    [{ "file-logger": FILE }, "logFileOrdersLog"],
  ])("the logger of %j is called %s", (plugins, name) => {
    expect(compiled([plugins]).modules[0]?.content).toContain(`const ${name} = `);
  });
});
