import { describe, expect, it } from "vitest";
import { checkModules } from "../../../compiler/6-check/index.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { BROKER, compiled, FILE, HTTP, SYSLOG, sasl } from "./configurations.js";

const secure = { user: "logs", password: "${{P}}" };
const ca = TEST_CERTIFICATE.cert;

/** One route for each value that a field can have and that is a type of its own in the runtime. */
const ROUTES: object[] = [
  ...["tcp", "udp"].map((sock_type) => ({ syslog: { ...SYSLOG, sock_type } })),
  { syslog: { ...SYSLOG, framing: "octet_counting", tls: true, ca } },
  { syslog: { ...SYSLOG, sock_type: "udp", max_datagram: 1_472 } },
  ...["refuse", "drop_oldest"].map((on_full) => ({
    syslog: { ...SYSLOG, delivery: "durable", ack: "response", spool: { on_full } },
  })),
  ...[1, -1].map((required_acks) => ({ "broker-logger": { ...BROKER, required_acks } })),
  ...["async", "sync"].map((producer_type) => ({ "broker-logger": { ...BROKER, producer_type } })),
  ...["none", "gzip", "snappy", "zstd"].map((compression) => ({
    "broker-logger": { ...BROKER, compression },
  })),
  ...["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"].map((mechanism) => ({
    "broker-logger": {
      ...BROKER,
      brokers: [{ host: "kafka-1", port: 9092, sasl_config: { ...secure, mechanism } }],
    },
  })),
  {
    "broker-logger": { ...BROKER, tls: { verify: false, ca }, meta_format: "origin", include_req_body: true },
  },
  { "broker-logger": { ...sasl("written out"), key: "$bytes_sent" } },
  { "http-logger": { ...HTTP, headers: { "X-Odd'!#": "a" }, tls: { ca, cert: ca, key: "${{K:=k}}" } } },
  ...["loki", "elasticsearch", "clickhouse", "otlp"].map((format) => ({
    "http-logger": { ...HTTP, format, loki: { labels: { job: "größer", route: "$route_id-$status" } } },
  })),
  {
    "http-logger": {
      ...HTTP,
      auth_header: "Bearer a",
      compression: "zstd",
      concat_method: "new_line",
      delivery: "durable",
    },
  },
  { "tcp-logger": { ...SYSLOG, tls: true, tls_options: "logs", ca, cert: ca, key: "${{K:=k}}" } },
  { "udp-logger": SYSLOG },
  {
    "http-logger": {
      ...HTTP,
      format: "elasticsearch",
      elasticsearch: { index: "l-$host-%Y", max_indexes: 7 },
    },
  },
  { "http-logger": { ...HTTP, format: "elasticsearch", elasticsearch: { index: "l-%Y.%m.%d" } } },
  {
    syslog: {
      ...SYSLOG,
      include_req_body: true,
      redact: {
        body: {
          json_paths: ["$..größe['a b'][0][*]"],
          patterns: ["(?i)a{1,9}b", "(a|a){0,9}c", "(?i)[\\w.+-]{1,64}@[\\w.-]{1,255}", '"`\\$\\{x'],
        },
      },
    },
    "udp-logger": { ...SYSLOG, include_resp_body: true, redact: { body: { patterns: ["(?i)a{1,9}b"] } } },
  },
  {
    syslog: { ...SYSLOG, sample: 0.01 },
    "udp-logger": { ...SYSLOG, sample: { rate: 0.5, key: "$remote_addr $uri" } },
  },
  {
    "broker-logger": {
      ...BROKER,
      key: "$uri",
      sample: { rate: 0, key: "$bytes_sent", always_slower_than_ms: 9 },
    },
  },
  { syslog: { ...SYSLOG, tls: true, cert: ca, key: "${{K:=k}}" } },
  { "file-logger": { ...FILE, path: "/tmp/größer 'a\"`${1}.log", max_bytes: 1_024, keep: 1 } },
  { "broker-logger": { ...BROKER, key: "constant", log_format: { constant: "only" } } },
  { "broker-logger": { ...BROKER, key: "${is_args ?? none}", log_format_extra: { constant: { only: 1 } } } },
  {
    syslog: {
      ...SYSLOG,
      include_req_body: true,
      log_format: {
        a: "$request_body",
        b: "$post_arg_b",
        c: "$graphql_name",
        delivery: "any",
        'odd "name"': "$arg_a",
      },
    },
    "broker-logger": { ...BROKER, log_format_extra: { body: "got $resp_body" }, include_resp_body: true },
  },
];

describe("modules with loggers", () => {
  it("a module with loggers passes the type check, the formatter and the name check for any settings", () => {
    const { diagnostics, modules } = compiled(ROUTES);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const files = modules.map(({ text, content }) => ({
      file: text.file,
      typescript: content,
      loadable: text.code,
    }));
    expect(files).toHaveLength(ROUTES.length);
    expect(checkModules(files)).toEqual([]);
  });

  it("a module with loggers lists every shared resource that it opens", () => {
    const { artifact } = compiled([{ syslog: SYSLOG, "broker-logger": BROKER }]);
    expect(artifact?.modules[0]?.code).toContain(
      "resources: [requestsTopic.resource, syslogTo127_0_0_1.resource]",
    );
  });

  it("a module with loggers passes the type check if conditions exclude or do not use a variable", () => {
    const filtered = (filter: unknown[], expr: unknown[]) => ({
      syslog: { ...SYSLOG, include_resp_body: true, include_resp_body_expr: expr, _meta: { filter } },
    });
    const { modules } = compiled([
      filtered([["arg_v", "in", ["1", "2"]]], [["status", "==", 404]]),
      filtered([["status", "==", 200]], [["status", "~=", 304]]),
      filtered([["arg_v", "in", ["a", "b", "c", "d"]]], [["arg_v", "in", [1, 2, 3, 4, 5]]]),
    ]);
    const files = modules.map(({ text, content }) => ({
      file: text.file,
      typescript: content,
      loadable: text.code,
    }));
    expect(files).toHaveLength(3);
    expect(checkModules(files)).toEqual([]);
  });
});
