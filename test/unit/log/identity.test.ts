import { describe, expect, it } from "vitest";
import { brokerSettings } from "../../../plugins/broker-logger/runtime/index.js";
import { DEFAULTS } from "../../../plugins/syslog/runtime/defaults.gen.js";
import { loggerSettings } from "../../../runtime/logging/given-settings.js";
import type { BrokerDestination, LoggerSettings } from "../../../runtime/logging/logger-settings.js";
import { BROKER, loggers, SYSLOG, sasl } from "./configurations.js";

/** The settings in full, as the plugin's call makes them. */
const settled = (routes: readonly object[], secretKey?: string): { key: string; destinationId: string }[] =>
  loggers(routes, secretKey).map(({ settings }) => {
    const given = settings as unknown as LoggerSettings<BrokerDestination>;
    return "brokers" in given.destination ? brokerSettings(given) : loggerSettings("syslog", given, DEFAULTS);
  });

const keys = (routes: readonly object[], secretKey?: string) =>
  settled(routes, secretKey).map(({ key }) => key);

/** Whether two settings of a plugin make one resource. */
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
  ])("%s", (_, other) => {
    expect(share("syslog", SYSLOG, other)).toBe(true);
  });

  it("whatever key their messages have", () => {
    expect(share("broker-logger", BROKER, { ...BROKER, key: "$remote_addr" })).toBe(true);
  });
});

describe("two loggers are kept apart", () => {
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
  ])("by their %s", (_, change) => {
    expect(share("syslog", SYSLOG, { ...SYSLOG, ...change })).toBe(false);
  });

  it("by their brokers, although the number of the cluster is the same", () => {
    const other = { ...BROKER, brokers: [{ host: "kafka-9", port: 9092 }] };
    expect(share("broker-logger", BROKER, other)).toBe(false);
  });

  it("[log.broker.cluster_name] by the number of the cluster", () => {
    expect(share("broker-logger", { ...BROKER, cluster_name: 0 }, BROKER)).toBe(false);
  });

  it("by the variable that holds the password", () => {
    expect(share("broker-logger", sasl("${{A}}"), sasl("${{B}}"))).toBe(false);
  });

  it("by a password that was written out and changed, when there is a key to tell", () => {
    const routes = ["one", "two", "one"].map((password) => ({ "broker-logger": sasl(password) }));
    const [a, b, c] = keys(routes, "key of the installation");
    expect(a).toBe(c);
    expect(a).not.toBe(b);
  });
});

describe("the spool of a destination", () => {
  it("stays its own when credentials rotate, batches change or delivery is switched", () => {
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
