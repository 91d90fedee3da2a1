import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../compiler/model/plan.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { BROKER, compiled, loggers, SYSLOG, sasl } from "./configurations.js";

// The tables of the specification row by row: default, accepted and rejected values.

interface Row {
  id: string;
  field: string;
  /** Path of the setting in the plan, and its value by default. */
  planned: string;
  fallback: unknown;
  /** Written values and their form in the plan. */
  good: [written: unknown, planned: unknown][];
  bad: unknown[];
}

const KB = 1024;
const OTHER_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  type: "pkcs8",
  format: "pem",
});
const long = { length: 200 };

const row = (
  id: string,
  field: string,
  planned: string,
  fallback: unknown,
  good: Row["good"],
  bad: unknown[],
): Row => ({ id, field, planned, fallback, good, bad });

const bodies = (request: [string, string, string], response: [string, string, string]): Row[] => [
  row(request[0], "include_req_body", "requestBody", undefined, [[true, { maxBytes: 524_288 }]], ["yes", 1]),
  row(response[0], "include_resp_body", "responseBody", undefined, [[true, { maxBytes: 524_288 }]], ["yes"]),
  ...[request, response].map(([, , id], i) =>
    row(
      id,
      i === 0 ? "max_req_body_bytes" : "max_resp_body_bytes",
      "",
      undefined,
      [[1, undefined]],
      [0, "1"],
    ),
  ),
];

const SYSLOG_ROWS: Row[] = [
  row(
    "log.syslog.row1",
    "host",
    "destination.host",
    SYSLOG.host,
    [
      ["logs.internal", "logs.internal"],
      ["::1", "::1"],
      ["[::1]", "::1"],
    ],
    ["", 5, "a b", "http://logs"],
  ),
  row("log.syslog.row2", "port", "destination.port", 514, [[65_535, 65_535]], [0, 65_536, "514", 1.5]),
  row("log.syslog.row3", "name", "batch.name", "sys logger", [["shop", "shop"]], ["", 1]),
  row("log.syslog.row4", "timeout", "destination.timeoutMs", 3000, [[1, 1]], [0, "1"]),
  row("log.syslog.row5", "tls", "destination.tls", false, [[true, true]], ["yes"]),
  row("log.syslog.row6", "flush_limit", "destination.flushLimit", 4096 * KB, [[1, KB]], [0, 1.5]),
  row("log.syslog.row7", "drop_limit", "destination.dropLimit", 1_048_576 * KB, [[5000, 5000 * KB]], ["1"]),
  row("log.syslog.row8", "sock_type", "destination.sockType", "tcp", [["udp", "udp"]], ["sctp", true]),
  row("log.syslog.row9", "pool_size", "destination.poolSize", 5, [[6, 6]], [4, "5"]),
  ...bodies(
    ["log.syslog.row11", "log.syslog.row12", "log.syslog.row13"],
    ["log.syslog.row14", "log.syslog.row15", "log.syslog.row16"],
  ),
];

const b = (name: string) => `log.broker.${name}`;
const BROKER_ROWS: Row[] = [
  row(
    b("brokers"),
    "brokers",
    "destination.brokers",
    BROKER.brokers,
    [
      [
        [
          { host: "a", port: 1 },
          { host: "b", port: 2 },
        ],
        [
          { host: "a", port: 1 },
          { host: "b", port: 2 },
        ],
      ],
    ],
    [[], [BROKER.brokers[0], BROKER.brokers[0]], ["kafka-1:9092"]],
  ),
  row(
    b("brokers[].host"),
    "brokers",
    "destination.brokers",
    BROKER.brokers,
    [[[{ host: "10.0.0.1", port: 9092 }], [{ host: "10.0.0.1", port: 9092 }]]],
    [[{ port: 9092 }], [{ host: "", port: 9092 }]],
  ),
  row(
    b("brokers[].port"),
    "brokers",
    "destination.brokers",
    BROKER.brokers,
    [
      [[{ host: "a", port: 0 }], [{ host: "a", port: 0 }]],
      [[{ host: "a", port: 65_535 }], [{ host: "a", port: 65_535 }]],
    ],
    [[{ host: "a" }], [{ host: "a", port: 65_536 }], [{ host: "a", port: -1 }], [{ host: "a", port: "1" }]],
  ),
  row(
    b("broker_topic"),
    "broker_topic",
    "destination.topic",
    "requests",
    [["a.b_c-1", "a.b_c-1"]],
    ["", "a b", "x".repeat(250), 1],
  ),
  row(b("producer_type"), "producer_type", "destination.producerType", "async", [["sync", "sync"]], ["both"]),
  row(b("required_acks"), "required_acks", "destination.requiredAcks", 1, [[-1, -1]], [0, 2, "1"]),
  row(b("timeout"), "timeout", "destination.timeoutMs", 3000, [[1, 1000]], [0, "3"]),
  row(b("name"), "name", "batch.name", "broker logger", [["shop", "shop"]], ["", 1]),
  row(b("meta_format"), "meta_format", "metaFormat", undefined, [["origin", "origin"]], ["text"]),
  row(b("cluster_name"), "cluster_name", "destination.clusterName", 1, [[0, 0]], [-1, "1"]),
  row(b("producer_batch_num"), "producer_batch_num", "destination.batchNum", 200, [[1, 1]], [0]),
  row(b("producer_batch_size"), "producer_batch_size", "destination.batchSize", 1_048_576, [[0, 0]], [-1]),
  row(
    b("producer_max_buffering"),
    "producer_max_buffering",
    "destination.maxBuffering",
    50_000,
    [[1, 1]],
    [0],
  ),
  row(b("producer_time_linger"), "producer_time_linger", "destination.lingerMs", 1000, [[2, 2000]], [0]),
  row(
    b("meta_refresh_interval"),
    "meta_refresh_interval",
    "destination.metadataRefreshMs",
    30_000,
    [[1, 1000]],
    [0],
  ),
  row(b("batch_max_size"), "batch_max_size", "batch.batchMaxSize", 1000, [[1, 1]], [0, 1.5]),
  row(b("buffer_duration"), "buffer_duration", "batch.bufferDuration", 60, [[1.5, 1.5]], [0.5, "60"]),
  row(
    b("log_format"),
    "log_format",
    "",
    undefined,
    [[{ a: { b: "$host" } }, undefined]],
    ["$host", [], { a: [] }, { a: null }],
  ),
  row(b("key"), "key", "", undefined, [["$remote_addr", undefined]], ["", 5, long]),
  ...bodies(
    [b("include_req_body"), b("include_req_body_expr"), b("max_req_body_bytes")],
    [b("include_resp_body"), b("include_resp_body_expr"), b("max_resp_body_bytes")],
  ),
];

function at(settings: JsonObject | undefined, path: string): unknown {
  return path.split(".").reduce<unknown>((part, name) => (part as JsonObject | undefined)?.[name], settings);
}

const planOf = (plugin: string, settings: object) => loggers([{ [plugin]: settings }])[0]?.settings;
const errorsOf = (plugin: string, settings: object) =>
  compiled([{ [plugin]: settings }])
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

describe.each([
  ["syslog", SYSLOG, SYSLOG_ROWS],
  ["broker-logger", BROKER, BROKER_ROWS],
] as const)("[log.limits.7] the settings of %s", (plugin, least, rows) => {
  it.each(rows.filter(({ planned }) => planned !== ""))(
    "[$id] $field has its default",
    ({ planned, fallback }) => {
      expect(at(planOf(plugin, least), planned)).toEqual(fallback);
    },
  );

  it.each(
    rows.flatMap(({ id, field, planned, good }) =>
      good.map(([written, wanted]) => ({ id, field, planned, written, wanted })),
    ),
  )("[$id] $field may be $written", ({ field, planned, written, wanted }) => {
    expect(errorsOf(plugin, { ...least, [field]: written })).toEqual([]);
    if (planned !== "") expect(at(planOf(plugin, { ...least, [field]: written }), planned)).toEqual(wanted);
  });

  it.each(rows.flatMap(({ id, field, bad }) => bad.map((written) => ({ id, field, written }))))(
    "[$id] $field may not be $written",
    ({ field, written }) => {
      expect(errorsOf(plugin, { ...least, [field]: written })).toHaveLength(1);
    },
  );

  it.each(Object.keys(least))("a logger without the required setting %s is rejected", (field) => {
    const without = Object.fromEntries(Object.entries(least).filter(([name]) => name !== field));
    expect(errorsOf(plugin, without)).toHaveLength(1);
  });
});

describe("the conditions on bodies", () => {
  it.each([
    ["log.syslog.row12", "syslog", SYSLOG, "include_req_body"],
    ["log.syslog.row15", "syslog", SYSLOG, "include_resp_body"],
    ["log.broker.include_req_body_expr", "broker-logger", BROKER, "include_req_body"],
    ["log.broker.include_resp_body_expr", "broker-logger", BROKER, "include_resp_body"],
  ])("[%s] the conditions of a body are checked at compile time for %s", (_, plugin, least, field) => {
    const errors = (rule: unknown) => errorsOf(plugin, { ...least, [field]: true, [`${field}_expr`]: rule });
    expect(errors([["request_method", "==", "POST"]])).toEqual([]);
    expect(errors([])).toEqual(["GW2110"]);
    expect(errors("always")).toEqual(["GW2103"]);
    expect(errors([["request_method", "equals", "POST"]])).toEqual(["GW4011"]);
    expect(errors([["no_such_variable", "==", "1"]])).toEqual(["GW4001"]);
  });
});

describe("broker_list", () => {
  const list = (written: unknown) => ({ broker_list: written, broker_topic: "requests" });
  const found = (written: unknown) => at(planOf("broker-logger", list(written)), "destination.brokers");
  const both = [
    { host: "a", port: 1 },
    { host: "::1", port: 2 },
  ];

  it("[log.broker.broker_list] broker_list is an object of hosts to ports, or a list in either form", () => {
    expect(found({ a: 1, "[::1]": 2 })).toEqual(both);
    expect(found(both)).toEqual(both);
    expect(found(["a:1", "[::1]:2"])).toEqual(both);
    expect(found(["a:0"])).toEqual([{ host: "a", port: 0 }]);
  });

  it.each([{}, [], ["a"], ["a:99999"], { a: "1" }, { a: 65_536 }, 5])(
    "broker_list may not be %j",
    (written) => {
      expect(errorsOf("broker-logger", list(written))).not.toEqual([]);
    },
  );

  it("broker_list replaces brokers and cannot be combined with it", () => {
    expect(errorsOf("broker-logger", { ...BROKER, broker_list: { a: 1 } })).toEqual(["GW2107"]);
  });
});

describe("[log.broker.brokers[].sasl_config] SASL", () => {
  const broker = (config: object) => ({
    ...BROKER,
    brokers: [{ host: "kafka-1", port: 9092, sasl_config: config }],
  });
  const user = { user: "u", password: "${{P}}" };

  it("[log.broker.brokers[].sasl_config.mechanism] the SASL mechanism is PLAIN by default", () => {
    expect(at(planOf("broker-logger", sasl("${{P}}")), "destination.sasl.mechanism")).toBe("PLAIN");
  });

  it.each(["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])(
    "[log.auth.3] the SASL mechanism can be %s",
    (mechanism) => {
      const planned = planOf("broker-logger", broker({ ...user, mechanism }));
      expect(at(planned, "destination.sasl")).toEqual({ ...user, mechanism });
    },
  );

  it("[log.broker.brokers[].sasl_config.user] sasl_config without a user is rejected", () => {
    expect(errorsOf("broker-logger", broker({ password: "p" }))).toEqual(["GW2102"]);
  });

  it("[log.broker.brokers[].sasl_config.password] sasl_config without a password is rejected", () => {
    expect(errorsOf("broker-logger", broker({ user: "u" }))).toEqual(["GW2102"]);
  });

  it("the SASL mechanism cannot be GSSAPI", () => {
    expect(errorsOf("broker-logger", broker({ ...user, mechanism: "GSSAPI" }))).toEqual(["GW2104"]);
  });
});

describe("compression", () => {
  it.each(["none", "gzip", "snappy", "zstd"])("the compression may be %s", (compression) => {
    expect(at(planOf("broker-logger", { ...BROKER, compression }), "destination.compression")).toBe(
      compression,
    );
  });

  it("the compression may not be lz4, for which there is no well-maintained codec", () => {
    expect(errorsOf("broker-logger", { ...BROKER, compression: "lz4" })).toEqual(["GW2104"]);
  });
});

describe("TLS to the brokers", () => {
  const planned = (tls: object) => at(planOf("broker-logger", { ...BROKER, tls }), "destination.tls");

  it("the TLS settings verify certificates by default, against the given authorities", () => {
    const ca = TEST_CERTIFICATE.cert;
    expect(planned({})).toEqual({ verify: true });
    expect(planned({ verify: false })).toEqual({ verify: false });
    expect(planned({ ca })).toEqual({ verify: true, ca });
    expect(errorsOf("broker-logger", { ...BROKER, tls: { ca: "authority.pem" } })).toEqual(["GW2132"]);
  });

  it("the TLS settings accept a client certificate with its key, which becomes a secret", () => {
    const { cert, key } = TEST_CERTIFICATE;
    const reference = "route:r0:broker-logger.tls.key";
    expect(planned({ cert, key })).toEqual({ verify: true, cert, key: reference });
    expect(planned({ cert, key: "${{KEY}}" })).toEqual({ verify: true, cert, key: "${{KEY}}" });
    for (const one of [{ cert }, { key }])
      expect(errorsOf("broker-logger", { ...BROKER, tls: one }), Object.keys(one)[0]).toEqual(["GW2102"]);
    for (const [wrong, code] of [
      [{ cert: "none", key }, "GW2141"],
      [{ cert, key: "none" }, "GW4415"],
      [{ cert, key: OTHER_KEY }, "GW4416"],
    ] as const) {
      expect(errorsOf("broker-logger", { ...BROKER, tls: wrong })).toEqual([code]);
      expect(errorsOf("http-logger", { uri: "https://logs.internal/", tls: wrong })).toEqual([code]);
    }
  });

  it("the TLS settings are absent by default", () => {
    expect(at(planOf("broker-logger", BROKER), "destination.tls")).toBeUndefined();
  });
});

describe("messages of the admin API", () => {
  const text = (plugin: string, settings: object) =>
    compiled([{ [plugin]: settings }]).diagnostics.map(({ errorMessage }) => errorMessage)[0];
  const prefix = "failed to check the configuration of plugin broker-logger err: ";

  it.each([
    [{ broker_topic: "t" }, "value should match only one schema, but matches none"],
    [
      { ...BROKER, broker_list: { a: 1 } },
      "value should match only one schema, but matches both schemas 1 and 2",
    ],
    [
      { ...BROKER, brokers: [{ host: "a" }] },
      'property "brokers" validation failed: failed to validate item 1: property "port" is required',
    ],
    [
      { ...BROKER, brokers: [{ host: "a", port: 65_536 }] },
      'property "brokers" validation failed: failed to validate item 1: property "port" validation failed: expected 65536 to be at most 65535',
    ],
    [
      { ...BROKER, required_acks: 0 },
      'property "required_acks" validation failed: matches none of the enum values',
    ],
    [
      { ...BROKER, timeout: "3" },
      'property "timeout" validation failed: wrong type: expected integer, got string',
    ],
  ])("a message about broker-logger is that of APISIX (reference 9): %j", (settings, wanted) => {
    expect(text("broker-logger", settings)).toBe(prefix + wanted);
  });

  it("a message about syslog is that of APISIX (reference 8.1)", () => {
    const start = "failed to check the configuration of plugin syslog err: ";
    expect(text("syslog", { host: "a" })).toBe(`${start}property "port" is required`);
    expect(text("syslog", { host: "a", port: "514" })).toBe(
      `${start}property "port" validation failed: wrong type: expected integer, got string`,
    );
  });
});
