/**
 * Writes what generated modules leave out and plugins' calls fill in: settings that are planned from the schemas' defaults alone.
 * `node .build/test/tools/generate-defaults.js`, after the build.
 */
import "../../plugins/index.js";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { dataCode } from "../../compiler/5-emit/object.js";
import { compile } from "../../compiler/index.js";
import type { Json, JsonObject } from "../../compiler/model/plan.js";
import { withoutDefaults } from "../../runtime/abi/defaults.js";

/** Two settings of a plugin that say no more than they must, and that differently. */
const MINIMAL: Readonly<Record<string, readonly [object, object]>> = {
  syslog: [
    { host: "a", port: 1 },
    { host: "b", port: 2 },
  ],
  "broker-logger": [
    { brokers: [{ host: "a", port: 1 }], broker_topic: "a" },
    { brokers: [{ host: "b", port: 2 }], broker_topic: "b" },
  ],
  "http-logger": [{ uri: "http://a/" }, { uri: "http://b/" }],
  "tcp-logger": [
    { host: "a", port: 1 },
    { host: "b", port: 2 },
  ],
  "udp-logger": [
    { host: "a", port: 1 },
    { host: "b", port: 2 },
  ],
  "file-logger": [{ path: "/a" }, { path: "/b" }],
  captcha: [
    { captcha_url: "http://localhost:1", site_key: "sk_shop_a", api_key: "${{A:=a}}" },
    { captcha_url: "http://localhost:2", site_key: "sk_shop_b", api_key: "${{B:=b}}" },
  ],
};
/** As above, with the parts of the destination that may be left out whole and have defaults inside. */
const WITH_OPTIONAL = ["a", "b"].map((name) => ({
  brokers: [{ host: name, port: 1, sasl_config: { user: name, password: name } }],
  broker_topic: name,
  tls: {},
}));
const LOGGERS = ["syslog", "broker-logger", "http-logger", "file-logger", "tcp-logger", "udp-logger"];
const DURABLE = { delivery: "durable" };
const COMMON = "runtime/abi/logger-defaults.gen.ts";
const AUDIT = "plugins/captcha/service/audit/defaults.gen.ts";
const fileOf = (plugin: string) => `plugins/${plugin}/runtime/defaults.gen.ts`;
const BANNER = "// Generated from the schemas by `npm run types`. Change the schemas, not this file.\n";

/** Text of each generated file by its path. */
export function defaultsFiles(): Map<string, string> {
  const { destination: _, ...common } = same(settled("syslog"), settled("broker-logger"));
  const durable = same(settled("syslog", DURABLE), settled("broker-logger", DURABLE));
  const { spool = null, recordId = null } = durable;
  const files = new Map([
    [COMMON, `${declared("LOGGER_DEFAULTS", common)}\n${declared("DURABLE_DEFAULTS", { spool, recordId })}`],
  ]);
  for (const plugin of Object.keys(MINIMAL)) {
    const own = LOGGERS.includes(plugin) ? withoutDefaults(settled(plugin), common) : settled(plugin);
    files.set(fileOf(plugin), declared("DEFAULTS", own));
  }
  files.set(AUDIT, auditDefaults());
  return new Map([...files].map(([path, text]) => [path, `${BANNER}\n${text}`]));
}

function declared(name: string, value: JsonObject): string {
  return `export const ${name} = ${dataCode(value).text} as const;\n`;
}

/** Plugins import nothing of each other, and the audit of the captcha writes to destinations of both. */
function auditDefaults(): string {
  const { destination: syslog = null } = settled("syslog");
  const { destination: broker = null } = settled("broker-logger");
  const texts = Object.entries({ SYSLOG: syslog, BROKER: broker, OPTIONAL: optionalParts() });
  return texts.map(([name, value]) => declared(`${name}_DEFAULTS`, value as JsonObject)).join("\n");
}

function optionalParts(): JsonObject {
  const [one = {}, other = {}] = WITH_OPTIONAL.map(
    (settings) => planned("broker-logger", settings)["destination"],
  );
  const { sasl, tls = null } = same(one as JsonObject, other as JsonObject) as Record<string, JsonObject>;
  // Its name is that of a secret, and no default.
  const { password: _, ...others } = sasl ?? {};
  return { sasl: others, tls };
}

/** What the minimal settings of a plugin have in common once they are planned. */
function settled(plugin: string, more: object = {}): JsonObject {
  const [one = {}, other = {}] = MINIMAL[plugin] ?? [];
  return same(planned(plugin, { ...one, ...more }), planned(plugin, { ...other, ...more }));
}

function planned(plugin: string, settings: object): JsonObject {
  const routes = [
    { id: "a", uri: "/*", upstream: { nodes: { "a:80": 1 } }, plugins: { [plugin]: settings } },
  ];
  const sources = [{ name: "a.json", text: JSON.stringify({ routes }), format: "json" as const }];
  const { plan, diagnostics } = compile({ sources, environment: {} });
  const data = plan?.routes[0]?.pipeline?.resources?.[0]?.data as JsonObject | undefined;
  if (data === undefined) throw new Error(JSON.stringify(diagnostics));
  return LOGGERS.includes(plugin) ? (data.settings as JsonObject) : data;
}

function same(one: JsonObject, other: JsonObject): JsonObject {
  const fields = Object.entries(one).flatMap(([name, value]): [string, Json][] => {
    const twin = other[name];
    if (isDeepStrictEqual(value, twin)) return [[name, value]];
    return isObject(value) && isObject(twin) ? [[name, same(value, twin)]] : [];
  });
  return Object.fromEntries(fields);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

if (resolve(process.argv[1] ?? "") === fileURLToPath(import.meta.url)) {
  for (const [path, text] of defaultsFiles()) writeFileSync(join(process.cwd(), path), text);
}
