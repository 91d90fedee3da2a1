import { describe, expect, it } from "vitest";
import { brokerSettings } from "../../../plugins/broker-logger/runtime/index.js";
import type { HttpDestination } from "../../../plugins/http-logger/runtime/destination.js";
import { httpSettings } from "../../../plugins/http-logger/runtime/index.js";
import { DEFAULTS } from "../../../plugins/syslog/runtime/defaults.gen.js";
import type { BrokerDestination, LoggerSettings } from "../../../runtime/logging/logger-settings.js";
import { loggerSettings } from "../../../runtime/logging/sparse-settings.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { BROKER, HTTP, loggers, SYSLOG, sasl } from "./configurations.js";

/** Complete settings, as the call of the plugin makes them. */
const settled = (routes: readonly object[], secretKey?: string): { key: string; destinationId: string }[] =>
  loggers(routes, secretKey).map(({ settings }) => {
    const given = settings as unknown as LoggerSettings<BrokerDestination>;
    if ("uri" in given.destination)
      return httpSettings(settings as unknown as LoggerSettings<HttpDestination>);
    return "brokers" in given.destination ? brokerSettings(given) : loggerSettings("syslog", given, DEFAULTS);
  });

const keys = (routes: readonly object[], secretKey?: string) =>
  settled(routes, secretKey).map(({ key }) => key);

/** Reports whether two settings of a plugin make one shared resource. */
function share(plugin: string, one: object, other: object): boolean {
  const [a, b] = keys([{ [plugin]: one }, { [plugin]: other }]);
  return a === b;
}

describe("two loggers share one batch and one connection", () => {
  it.each([
    ["with the same settings", SYSLOG],
    ["with another log_format", { ...SYSLOG, log_format: { a: "$host" } }],
    ["with another log_format_extra", { ...SYSLOG, log_format_extra: { a: "$host" } }],
    ["with other redaction", { ...SYSLOG, redact: { headers: ["x-a"] } }],
    ["with bodies", { ...SYSLOG, include_req_body: true, include_resp_body: true }],
    ["with defaults written out", { ...SYSLOG, timeout: 3000, sock_type: "tcp", batch_max_size: 1000 }],
  ])("two loggers share a batch and a connection %s", (_, other) => {
    expect(share("syslog", SYSLOG, other)).toBe(true);
  });

  it("two broker loggers share a batch and a connection even if the keys of their messages differ", () => {
    expect(share("broker-logger", BROKER, { ...BROKER, key: "$remote_addr" })).toBe(true);
  });
});

describe("two loggers with separate connections", () => {
  it.each([
    ["host", { host: "127.0.0.2" }],
    ["port", { port: 515 }],
    ["transport", { sock_type: "udp" }],
    ["TLS", { tls: true }],
    ["framing", { framing: "octet_counting" }],
    ["timeout", { timeout: 1 }],
    ["batch size", { batch_max_size: 1 }],
    ["name", { name: "other" }],
    ["delivery", { delivery: "durable" }],
  ])("two loggers are separate if their %s differs", (_, change) => {
    expect(share("syslog", SYSLOG, { ...SYSLOG, ...change })).toBe(false);
  });

  it("two broker loggers are separate if their brokers differ, even if cluster_name is the same", () => {
    const other = { ...BROKER, brokers: [{ host: "kafka-9", port: 9092 }] };
    expect(share("broker-logger", BROKER, other)).toBe(false);
  });

  it("[log.broker.cluster_name] two broker loggers are separate if their cluster_name differs", () => {
    expect(share("broker-logger", { ...BROKER, cluster_name: 0 }, BROKER)).toBe(false);
  });

  it("two broker loggers are separate if different variables hold their passwords", () => {
    expect(share("broker-logger", sasl("${{A}}"), sasl("${{B}}"))).toBe(false);
  });

  it("two broker loggers are separate if their client differs, but share the spool", () => {
    const [a, b] = settled([
      { "broker-logger": BROKER },
      { "broker-logger": { ...BROKER, client: "platformatic" } },
    ]);
    expect(a?.key).not.toBe(b?.key);
    expect(a?.destinationId).toBe(b?.destinationId);
  });

  it("two broker loggers are separate if certificate or key differ, but share the spool", () => {
    const { cert } = TEST_CERTIFICATE;
    const all = settled(
      [{ cert, key: "${{A}}" }, { cert, key: "${{B}}" }, { cert: `${cert}\n`, key: "${{A}}" }, {}].map(
        (tls) => ({
          "broker-logger": { ...sasl("written"), tls },
        }),
      ),
      "k",
    );
    expect(new Set(all.map((one) => one.key)).size).toBe(4);
    expect(new Set(all.map(({ destinationId }) => destinationId)).size).toBe(1);
  });

  it("two broker loggers are separate if their plain-text passwords differ, given a secret key", () => {
    const routes = ["one", "two", "one"].map((password) => ({ "broker-logger": sasl(password) }));
    const [a, b, c] = keys(routes, "key of the installation");
    expect(a).toBe(c);
    expect(a).not.toBe(b);
  });
});

const http = (more: object) => ({ "http-logger": { ...HTTP, delivery: "durable", ...more } });

describe("the spool of an HTTP destination", () => {
  const ids = (...all: object[]) => settled(all.map(http), "k").map(({ destinationId }) => destinationId);

  it("an HTTP destination keeps its spool when a plain-text token or the size of batches changes", () => {
    const all = ids({ auth_header: "a" }, { auth_header: "b" }, { auth_header: "b", batch_max_size: 7 });
    expect(new Set(all).size).toBe(1);
    expect(
      new Set(
        keys(
          all.map((_, i) => http({ auth_header: String(i) })),
          "k",
        ),
      ).size,
    ).toBe(3);
  });

  it("an HTTP destination has another spool for another address, format, tenant or token variable", () => {
    const all = ids(
      {},
      { uri: "https://logs.internal/other" },
      { format: "ndjson" },
      { headers: { "X-Scope-OrgID": "one" } },
      { headers: { "X-Scope-OrgID": "two" } },
      { auth_header: "Bearer ${{A}}" },
      { auth_header: "Bearer ${{B}}" },
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("the spool of a destination", () => {
  it("a broker destination keeps its spool when credentials, the size of batches or delivery change", () => {
    const all = [
      sasl("one"),
      sasl("two"),
      { ...sasl("two"), batch_max_size: 7 },
      { ...sasl("two"), delivery: "durable" },
    ].map((settings) => ({ "broker-logger": settings }));
    const ids = settled(all, "k").map(({ destinationId }) => destinationId);
    expect(new Set(ids).size).toBe(1);
  });
});

describe("the spool of a logger that names no identity", () => {
  const DESTINATION = { host: "a", servers: [{ name: "b", token: `literal:${"1".repeat(64)}` }] };
  const id = (destination: object) =>
    loggerSettings("own", { destination } as never, { batch: { name: "own" } }).destinationId;

  it("a logger keeps its spool when a plain-text secret changes, at any depth of its destination", () => {
    const all = [
      DESTINATION,
      { ...DESTINATION, servers: [{ name: "b", token: `literal:${"2".repeat(64)}` }] },
      { ...DESTINATION, password: `literal:${"3".repeat(64)}` },
    ];
    expect(new Set(all.map(id)).size).toBe(1);
  });

  it("a logger has another spool for another destination or variable", () => {
    const all = [
      DESTINATION,
      { ...DESTINATION, host: "literal:b" },
      { ...DESTINATION, password: "${{A}}" },
      { ...DESTINATION, password: "${{B}}" },
    ];
    expect(new Set(all.map(id)).size).toBe(all.length);
  });
});
