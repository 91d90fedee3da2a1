import { TEST_CERTIFICATE } from "../../support/certificate.js";

type Settings = Record<string, unknown>;

const PAIR = { cert: TEST_CERTIFICATE.cert, key: TEST_CERTIFICATE.key };

/** Settings that every logger has, none with its default. */
const LOGGER: Settings = {
  name: "audit",
  log_format: { client: "$remote_addr", request: { method: "$request_method", größe: "$bytes_sent" } },
  include_req_body: true,
  include_req_body_expr: [["request_method", "==", "POST"]],
  max_req_body_bytes: 1000,
  include_resp_body: true,
  include_resp_body_expr: [["status", ">", 499]],
  max_resp_body_bytes: 2000,
  batch_max_size: 10,
  inactive_timeout: 2,
  buffer_duration: 30,
  max_retry_count: 3,
  retry_delay: 4,
  max_pending_bytes: 1_000_000,
  delivery: "durable",
  ack: "response",
  spool: { max_bytes: 134_217_728, on_full: "drop_oldest" },
  sample: { rate: 0.5, key: "$remote_addr", always_errors: false, always_slower_than_ms: 200 },
  record_id: false,
  redact: {
    credentials: false,
    headers: ["X-Token"],
    query: ["token"],
    body: { json_paths: ["$.password"], patterns: ["\\d{16}"] },
  },
  _meta: { filter: [["request_method", "~=", "PUT"]], priority: 7 },
};

/** Other forms of the settings of a logger. */
const EXTRA: Settings = { log_format_extra: { user: "$http_x_user" }, sample: 0.25, record_id: true };

const BROKER: Settings = {
  broker_topic: "requests",
  key: "$remote_addr",
  timeout: 4,
  tls: { verify: false, ca: PAIR.cert, ...PAIR },
};
const SASL = { mechanism: "SCRAM-SHA-512", user: "gateway", password: "${{KAFKA:=secret}}" };
const HTTP: Settings = { uri: "https://logs.test/in" };
const PARTNER = "^/captcha/(.*)$";

/** Settings by plugin, one element per route; together they contain every setting. */
export const EVERY_SETTING: Readonly<Record<string, readonly Settings[]>> = {
  "broker-logger": [
    {
      ...LOGGER,
      ...BROKER,
      brokers: [
        { host: "kafka-1", port: 9092 },
        { host: "kafka-2", port: 9093, sasl_config: SASL },
      ],
      client: "platformatic",
      producer_type: "async",
      required_acks: -1,
      cluster_name: 2,
      producer_batch_num: 100,
      producer_batch_size: 2048,
      producer_max_buffering: 1000,
      producer_time_linger: 2,
      meta_refresh_interval: 20,
      compression: "gzip",
    },
    {
      ...BROKER,
      broker_list: ["kafka-1:9092", { host: "kafka-2", port: 9093 }],
      api_version: 1,
      meta_format: "origin",
      producer_type: "sync",
    },
    { ...EXTRA, broker_topic: "requests", broker_list: { "kafka-1": 9092 } },
  ],
  captcha: [
    {
      captcha_url: "https://captcha.test",
      site_key: "shop-front",
      api_key: "${{CAPTCHA:=secret}}",
      ca: PAIR.cert,
      methods: ["POST", "PUT"],
      token_from: ["header", "json", "multipart"],
      field: "token",
      json_pointer: "/captcha/token",
      header: "X-Token",
      strip_field: false,
      max_body_bytes: 2048,
      max_multipart_bytes: 4096,
      send_ip: false,
      timeout: 1000,
      retries: 2,
      policy: "fail-open",
      reject_status: 422,
      _meta: { error_response: { error: "solve it" } },
    },
    { site_key: "shop-front", api_key: "${{CAPTCHA:=secret}}", field: "token", token_from: ["form"] },
  ],
  "file-logger": [
    { ...LOGGER, path: "/tmp/a.log", max_bytes: 4096, keep: 3 },
    { ...EXTRA, path: "/tmp/b.log" },
  ],
  "http-logger": [
    {
      ...LOGGER,
      ...HTTP,
      method: "PUT",
      headers: { "X-A": "${{A:=one}}" },
      auth_header: "${{B:=two}}",
      timeout: 4,
      format: "ndjson",
      compression: "gzip",
      tls: { ca: PAIR.cert, ...PAIR },
    },
    { ...EXTRA, ...HTTP, auth_header: "${{B:=two}}", concat_method: "new_line", ssl_verify: false },
    { ...HTTP, format: "loki", loki: { labels: { job: "shop", route: "$route_id" }, max_streams: 9 } },
    { ...HTTP, format: "elasticsearch", elasticsearch: { index: "logs-$host", max_indexes: 9 } },
    { ...HTTP, format: "clickhouse", clickhouse: { database: "logs", table: "requests" } },
    { ...HTTP, format: "otlp", otlp: { resource: { "service.name": "shop" } } },
  ],
  "key-auth": [
    { header: "X-Key", query: "key", hide_credentials: true },
    { header: "X-Key", query: "key", _meta: { error_response: "no key" } },
  ],
  "proxy-rewrite": [
    {
      uri: "/a/$arg_id",
      method: "PUT",
      host: "a.test",
      headers: { add: { "X-A": "1" }, remove: ["X-B"], set: { "X-C": "$host", "X-D": "größe" } },
    },
    { regex_uri: ["^/a/(.*)", "/$1", PARTNER, "/c/$1"], headers: { "X-E": "1", "X-F": "2" } },
    { uri: "/a", use_real_request_uri_unsafe: true },
  ],
  redirect: [
    { http_to_https: true },
    { uri: "https://a.test/größe$uri#top", ret_code: 301, append_query_string: true },
    { regex_uri: ["^/a/(.*)", "/b/$1"], ret_code: 308, encode_uri: true },
  ],
  "response-rewrite": [
    {
      status_code: 404,
      body: "Z3LDvMOf",
      body_base64: true,
      headers: { add: ["Vary: X-A"], remove: ["X-B"], set: { "X-C": "$status" } },
      vars: [["status", "==", 200]],
    },
    {
      filters: [
        { regex: "pass(\\w+)", replace: "*", scope: "global", options: "i" },
        { regex: "a.*b", replace: "$0!", options: "s" },
      ],
      max_resp_body_size: 4096,
      on_oversize: "pass",
    },
  ],
  syslog: [
    {
      ...LOGGER,
      ...PAIR,
      host: "10.0.0.9",
      port: 514,
      timeout: 4000,
      tls: true,
      flush_limit: 8192,
      drop_limit: 2_097_152,
      pool_size: 6,
      framing: "octet_counting",
      ca: PAIR.cert,
      hostname: "$host",
    },
    {
      ...EXTRA,
      host: "10.0.0.9",
      port: 514,
      sock_type: "udp",
      max_datagram: 1000,
    },
  ],
  "tcp-logger": [
    {
      ...LOGGER,
      ...PAIR,
      host: "10.0.0.9",
      port: 514,
      timeout: 4000,
      tls: true,
      tls_options: "logs.test",
      ca: PAIR.cert,
    },
    { ...EXTRA, host: "10.0.0.9", port: 514 },
  ],
  "udp-logger": [
    {
      ...LOGGER,
      host: "10.0.0.9",
      port: 514,
      timeout: 4,
      max_datagram: 1000,
      delivery: "memory",
      ack: "log",
    },
    { ...EXTRA, host: "10.0.0.9", port: 514 },
  ],
};
