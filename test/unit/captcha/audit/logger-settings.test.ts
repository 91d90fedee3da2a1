import { describe, expect, it } from "vitest";
import {
  batchSettings,
  brokerDestination,
  syslogDestination,
} from "../../../../plugins/captcha/service/audit/logger-settings.js";
import { TEST_CERTIFICATE } from "../../../support/certificate.js";
import { loggers, sasl } from "../../log/configurations.js";

/** Compiles the same settings on a route. */
function compiledOf(plugin: "syslog" | "broker-logger", settings: object) {
  const [logger] = loggers([{ [plugin]: settings }]);
  if (logger === undefined) throw new Error("no logger was compiled");
  return logger.settings as { destination: Record<string, unknown>; batch: Record<string, unknown> };
}

const SYSLOG = [
  { host: "logs.example.com", port: 514 },
  {
    host: "[::1]",
    port: 6514,
    tls: true,
    ca: TEST_CERTIFICATE.cert,
    framing: "octet_counting",
    pool_size: 9,
    timeout: 700,
  },
  { host: "10.0.0.1", port: 514, sock_type: "udp", max_datagram: 1_400, flush_limit: 64, drop_limit: 128 },
  {
    host: "10.0.0.1",
    port: 514,
    batch_max_size: 7,
    inactive_timeout: 2,
    buffer_duration: 9,
    max_retry_count: 3,
  },
];
const BROKER = [
  { brokers: [{ host: "kafka-1", port: 9092 }], broker_topic: "captcha" },
  { broker_list: { "kafka-1": 9092, "kafka-2": 9093 }, broker_topic: "captcha" },
  { broker_list: ["kafka-1:9092", { host: "[::1]", port: 9093 }], broker_topic: "captcha" },
  {
    brokers: [{ host: "kafka-1", port: 9092 }],
    broker_topic: "captcha",
    required_acks: -1,
    producer_type: "sync",
    timeout: 9,
    cluster_name: 4,
    producer_batch_num: 5,
    producer_batch_size: 6,
    producer_max_buffering: 7,
    producer_time_linger: 8,
    meta_refresh_interval: 10,
    compression: "gzip",
    tls: { ca: TEST_CERTIFICATE.cert },
    max_pending_bytes: 2_097_152,
    retry_delay: 4,
  },
];

describe("settings of the audit's loggers", () => {
  it.each(SYSLOG)("syslog settings %j mean the same for the audit as on a route", (settings) => {
    const { destination, batch } = compiledOf("syslog", settings);
    expect(syslogDestination(settings)).toEqual(destination);
    expect(batchSettings(settings, "sys logger")).toEqual(batch);
  });

  it.each(BROKER)("broker-logger settings %j mean the same for the audit as on a route", (settings) => {
    const { destination, batch } = compiledOf("broker-logger", settings);
    expect(brokerDestination(settings)).toEqual(destination);
    expect(batchSettings(settings, "broker logger")).toEqual(batch);
  });

  it("the broker settings of the audit hold the SASL password itself, which control has resolved", () => {
    const settings = sasl("hunter2");
    expect(brokerDestination(settings).sasl).toMatchObject({ password: "hunter2" });
  });
});
