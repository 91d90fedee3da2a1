import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { sourceMap } from "../../../compiler/5-emit/source-map.js";
import { compile } from "../../../compiler/index.js";
import { configPath, readOrigin } from "../../../compiler/model/config-path.js";
import { locationsOf } from "../../../compiler/model/source-locations.js";
import { pluginNames } from "../../../compiler/plugin/registry.js";
import { decodeMappings } from "../../../runtime/abi/source-map.js";
import { pluginSchemaFile, schemaFile } from "../../../schema/schemas.js";
import { EVERY_SETTING } from "./every-setting.js";

/** Statements that come from a plugin as a whole, with the reason. */
const OF_THE_PLUGIN: readonly [RegExp, string][] = [
  [/^\S+ const \w+ = \w+\(\{?$/, "opens what the plugin keeps; its settings stand in the lines below"],
  [/^\S+ const \w+ = (?:\w+\(\)|\w+\(\{\}\));$/, "keeps something without a setting"],
  [
    /^\S+ (?:destination|batch|requestBody|responseBody|bodyMasks|sample|headers|brokers): [{[]$/,
    "gathers several settings",
  ],
  [/^\S+ [\])}]+[;,]?$/, "the end of what begins above"],
  [/-logger \w+\.log\(x\);$|^syslog \w+\.log\(x\);$/, "the plugin is there"],
  [/^captcha (?:if \(await )?\w+\.(?:clean|rejects)\(x\)/, "the plugin is there"],
  [/^key-auth const (?:missingKey|wrongKey) = /, "the answer that _meta.error_response replaces"],
  [
    /^key-auth const consumer = |^key-auth (?:if|x\.respond|x\.response|return|x\.consumerName)/,
    "the plugin is there",
  ],
  [/^key-auth const key = /, "header and query are the defaults"],
  [/^captcha url: "http:\/\/127/, "the service that this configuration runs"],
  [/^\S+ \{$/, "the beginning of a block"],
  [/^response-rewrite x\.upstream\.requestFullBody\(\);$/, "the body is changed, whatever changes it"],
  [/^\S+ const \{ headers \} = /, "several header actions share it"],
  [
    /^(?:redirect|proxy-rewrite) (?:if \(found|return|x\.captures = found|\} else)/,
    "several settings go there",
  ],
];

/** Settings that produce no statement, with the reason. */
const WITHOUT_STATEMENT: readonly [RegExp, string][] = [
  [/_meta\.priority$/, "decides where the steps stand"],
  [/broker-logger\.(?:api_version|producer_type)$|redirect\.encode_uri$/, "no effect, or the default"],
  [/udp-logger\.(?:delivery|ack|spool|record_id)/, "the default: a datagram keeps no promise"],
  [/body_base64$/, "decodes the body when it is compiled"],
];

const BASE = {
  upstreams: [{ id: "u", nodes: { "a.test:80": 1 } }],
  consumers: [
    { username: "app", plugins: { "key-auth": { key: "${{ONE:=one}}" } } },
    { username: "partner", plugins: { "key-auth": { key: "${{TWO:=two}}" } } },
  ],
};

/** A statement of a module, with the config paths that its source map names. */
interface Statement {
  plugin: string | undefined;
  code: string;
  addresses: string[];
}

function statementsOf(configuration: object): Statement[] {
  // Indented JSON has each setting on a line of its own.
  const text = JSON.stringify(configuration, null, 1);
  const { modules, resources } = compile({
    sources: [{ name: "a.json", text, format: "json" }],
    environment: {},
  });
  const places = locationsOf(resources);
  return modules.flatMap((module) => {
    const { mappings, names } = sourceMap(module.path, module, places, String);
    const byLine = new Map<number, string[]>();
    for (const { line, name } of decodeMappings(mappings))
      byLine.set(line, [...(byLine.get(line) ?? []), names[name] ?? ""]);
    const lines = module.content.split("\n");
    return [...byLine].map(([line, addresses]) => {
      const [owner, plugin] = readOrigin(addresses[0] ?? "")?.path ?? [];
      const code = lines[line]?.trim() ?? "";
      return { plugin: owner === "plugins" ? String(plugin) : undefined, code, addresses };
    });
  });
}

const isOfPlugin = (address: string) => readOrigin(address)?.path.length === 2;

/** Returns statements mapped to the name of their plugin only, without a known reason. */
const leftToPlugin = (statements: readonly Statement[]): string[] =>
  statements
    .filter(({ plugin, addresses }) => plugin !== undefined && addresses.every(isOfPlugin))
    .map(({ plugin, code }) => `${plugin} ${code}`)
    .filter((text) => !OF_THE_PLUGIN.some(([pattern]) => pattern.test(text)));

const configurationOf = (plugin: string) => ({
  ...BASE,
  routes: (EVERY_SETTING[plugin] ?? []).map((settings, i) => ({
    ...{ id: `r${i}`, uri: `/${i}/*`, upstream_id: "u" },
    plugins: { [plugin]: settings },
  })),
});

/** Returns config paths of the innermost settings; a list counts as one. */
function leaves(origin: { kind: string; id: string }, value: unknown, path: (string | number)[]): string[] {
  const isWhole = typeof value !== "object" || value === null || Array.isArray(value);
  if (isWhole || path.at(-1) === "error_response") return [configPath(origin, path)];
  return Object.entries(value).flatMap(([name, member]) => leaves(origin, member, [...path, name]));
}

describe.each(pluginNames())("source maps of modules with %s", (plugin) => {
  const configuration = configurationOf(plugin);
  const statements = statementsOf(configuration);

  it("the configuration of this test contains every setting of the plugin's schema", () => {
    const { properties = {} } = schemaFile(pluginSchemaFile(plugin, "route") ?? "").node;
    const written = new Set((EVERY_SETTING[plugin] ?? []).flatMap((settings) => Object.keys(settings)));
    expect([...Object.keys(properties)].filter((name) => name !== "_meta" && !written.has(name))).toEqual([]);
    expect(statements.length).toBeGreaterThan(0);
  });

  it("source maps lead from every statement to its setting, unless it comes from the plugin as a whole", () => {
    expect(leftToPlugin(statements)).toEqual([]);
  });

  it("source maps lead from some statement to each setting of the plugin that produces code", () => {
    const led = statements.flatMap(({ addresses }) => addresses);
    const settings = configuration.routes.flatMap(({ id, plugins }) =>
      leaves({ kind: "routes", id }, plugins[plugin], ["plugins", plugin]),
    );
    const missed = settings.filter((address) => !led.some((one) => one.startsWith(address)));
    expect(missed.filter((address) => !WITHOUT_STATEMENT.some(([pattern]) => pattern.test(address)))).toEqual(
      [],
    );
  });
});

describe("source maps of code that combines several settings", () => {
  const led = (configuration: object, member: string) =>
    statementsOf(configuration).find(({ code }) => code.startsWith(member))?.addresses;

  it("source maps lead from headers, query and copies to the settings that name their fields", () => {
    const configuration = {
      ...BASE,
      services: [{ id: "s", upstream_id: "u", plugins: { "key-auth": { header: "X-Key", query: "k" } } }],
      routes: [
        {
          ...{ id: "r", uri: "/r", service_id: "s" },
          plugins: {
            captcha: { site_key: "shop-front", api_key: "${{CAPTCHA:=secret}}", header: "A-Token" },
            "proxy-rewrite": { headers: { set: { "X-B": "$arg_b", "X-A": "$host $http_a" } } },
          },
        },
      ],
    };
    expect(led(configuration, "headers: ")).toEqual([
      "routes/r plugins.captcha.header",
      "services/s plugins.key-auth.header",
    ]);
    expect(led(configuration, "query: ")).toEqual([
      "routes/r plugins.captcha",
      "services/s plugins.key-auth.query",
    ]);
    expect(led(configuration, "copies: ")).toEqual([
      "routes/r plugins.proxy-rewrite.headers.set.X-B",
      "routes/r plugins.proxy-rewrite.headers.set.X-A",
    ]);
  });

  it("source maps lead from each withheld header to the first action that removes or sets it", () => {
    const headers = { add: ["X-A: 1"], remove: ["X-C", "X-B"], set: { "X-A": "2", "X-B": "" } };
    const configuration = {
      ...BASE,
      routes: [{ id: "r", uri: "/r", upstream_id: "u", plugins: { "response-rewrite": { headers } } }],
    };
    expect(led(configuration, "withheld: ")).toEqual([
      "routes/r plugins.response-rewrite.headers.set.X-A",
      "routes/r plugins.response-rewrite.headers.remove[1]",
      "routes/r plugins.response-rewrite.headers.remove[0]",
    ]);
  });

  it("source maps lead from each test of the path to its condition or pattern", () => {
    const onPath = (operand: string) => [["uri", "~~", operand]];
    const configuration = {
      ...BASE,
      routes: [
        {
          ...{ id: "r", uri: "/r/:id", upstream_id: "u" },
          plugins: {
            "proxy-rewrite": { regex_uri: ["^/r/(a.*)", "/$1"], _meta: { filter: onPath("^/r/a") } },
            "response-rewrite": {
              status_code: 201,
              vars: [
                ["uri_param_id", "==", "a"],
                ["status", "==", 200],
              ],
            },
          },
        },
      ],
    };
    const addresses = statementsOf(configuration)
      .filter(({ code }) => /^return .*uriPattern\d\.test|^\w.*\.test\(x\.uri\),$|^x\.uriParam/.test(code))
      .flatMap((statement) => statement.addresses);
    expect(addresses).toEqual([
      "routes/r plugins.proxy-rewrite._meta.filter[0]",
      "routes/r plugins.proxy-rewrite.regex_uri[0]",
      "routes/r plugins.response-rewrite.vars[0]",
    ]);
  });
});
