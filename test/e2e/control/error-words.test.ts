import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";
import {
  INVALID,
  logged,
  of,
  plugin,
  proxied,
  type Row,
  rewritten,
  route,
  upstream,
  VARS,
} from "./writes.js";

// Texts of `error_msg`, row by row: reference 1.5, 1.7, 1.9, 1.10, 2.1, 2.5, 3.1, 4.1, 5.1, 6.1, 13.8.

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
});
afterAll(() => admin.stop());

/** Section 1.10, in the order of its table. */
const SCHEMA: Row[] = [
  [
    "property nesting",
    upstream({ keepalive_pool: { size: 0 } }),
    `${INVALID}property "upstream" validation failed: property "keepalive_pool" validation failed: property "size" validation failed: expected 0 to be at least 1`,
  ],
  [
    "required",
    route({ timeout: { connect: 1, read: 1 } }),
    `${INVALID}property "timeout" validation failed: property "send" is required`,
  ],
  [
    "type",
    route({ priority: "1" }),
    `${INVALID}property "priority" validation failed: wrong type: expected integer, got string`,
  ],
  [
    "type: table",
    route({ uri: {} }),
    `${INVALID}property "uri" validation failed: wrong type: expected string, got table`,
  ],
  [
    "type: nil",
    route({ uri: null }),
    `${INVALID}property "uri" validation failed: wrong type: expected string, got nil`,
  ],
  [
    "type: boolean",
    route({ name: true }),
    `${INVALID}property "name" validation failed: wrong type: expected string, got boolean`,
  ],
  ["type of the whole", 5, `${INVALID}wrong type: expected object, got number`],
  [
    "several types",
    plugin("broker-logger", { broker_topic: "t", broker_list: "x" }),
    of(
      "broker-logger",
      'property "broker_list" validation failed: wrong type: expected one of object, array, got string',
    ),
  ],
  [
    "enum",
    route({ status: 2 }),
    `${INVALID}property "status" validation failed: matches none of the enum values`,
  ],
  [
    "minimum",
    upstream({ retries: -1 }),
    `${INVALID}property "upstream" validation failed: property "retries" validation failed: expected -1 to be at least 0`,
  ],
  [
    "maximum",
    logged({ port: 70000 }),
    of("syslog", 'property "port" validation failed: expected 70000 to be at most 65535'),
  ],
  [
    "exclusiveMinimum",
    route({ timeout: { connect: 0, send: 1, read: 1 } }),
    `${INVALID}property "timeout" validation failed: property "connect" validation failed: expected 0 to be greater than 0`,
  ],
  [
    "minLength",
    route({ name: "" }),
    `${INVALID}property "name" validation failed: string too short, expected at least 1, got 0`,
  ],
  [
    "maxLength",
    route({ desc: "d".repeat(300) }),
    `${INVALID}property "desc" validation failed: string too long, expected at most 256, got 300`,
  ],
  [
    "pattern",
    proxied({ uri: "home" }),
    of("proxy-rewrite", 'property "uri" validation failed: failed to match pattern "^\\\\/.*" with "home"'),
  ],
  [
    "pattern of a host",
    route({ host: "a/b" }),
    `${INVALID}property "host" validation failed: failed to match pattern "^\\\\*?[0-9a-zA-Z-._\\\\[\\\\]:]+$" with "a/b"`,
  ],
  [
    "pattern of the host of proxy-rewrite",
    proxied({ host: "a/b" }),
    of(
      "proxy-rewrite",
      'property "host" validation failed: failed to match pattern "^[0-9a-zA-Z-.]+(:\\\\d{1,5})?$" with "a/b"',
    ),
  ],
  [
    "array items",
    route({ methods: ["GET", "FOO"] }),
    `${INVALID}property "methods" validation failed: failed to validate item 2: matches none of the enum values`,
  ],
  [
    "minItems",
    route({ hosts: [] }),
    `${INVALID}property "hosts" validation failed: expect array to have at least 1 items`,
  ],
  [
    "uniqueItems",
    route({ hosts: ["a", "b", "a"] }),
    `${INVALID}property "hosts" validation failed: expected unique items but items 1 and 3 are equal`,
  ],
  ["minProperties", proxied({}), of("proxy-rewrite", "expect object to have at least 1 properties")],
  [
    "patternProperties",
    route({ labels: { a: "b c" } }),
    `${INVALID}property "labels" validation failed: failed to validate a (matching ".*"): failed to match pattern "^\\\\S+$" with "b c"`,
  ],
  ["additionalProperties", route({ colour: 1 }), `${INVALID}additional properties forbidden, found colour`],
  [
    "anyOf of fields",
    { uri: "/a" },
    `${INVALID}allOf 4 failed: object matches none of the required: ["plugins"] or ["upstream"] or ["upstream_id"] or ["service_id"]`,
  ],
  [
    "oneOf: none",
    { upstream: UPSTREAM },
    `${INVALID}allOf 1 failed: value should match only one schema, but matches none`,
  ],
  [
    "oneOf: both",
    route({ uris: ["/b"] }),
    `${INVALID}allOf 1 failed: value should match only one schema, but matches both schemas 1 and 2`,
  ],
  [
    "not, by a dependency",
    rewritten({ body: "b", filters: [{ regex: "a", replace: "b" }] }),
    of(
      "response-rewrite",
      `failed to validate dependent schema for "body": value wasn't supposed to match schema`,
    ),
  ],
];

/** Alternatives: the error names the whole, and `diagnostics` name the faults. */
const NODES = `${INVALID}property "upstream" validation failed: property "nodes" validation failed: object matches none of the required`;
const HEADERS = of(
  "response-rewrite",
  'property "headers" validation failed: object matches none of the required',
);
const ALTERNATIVES: Row[] = [
  ["nodes of no type", upstream({ nodes: 5 }), NODES],
  ["a weight below 0", upstream({ nodes: { "127.0.0.1:80": -1 } }), NODES],
  ["a node without a weight", upstream({ nodes: [{ host: "a" }] }), NODES],
  ["headers of no type", rewritten({ headers: "x" }), HEADERS],
  ["an empty action", rewritten({ headers: { remove: [] } }), HEADERS],
  ["an empty map", rewritten({ headers: { set: {} } }), HEADERS],
  ["a value of a map that is none", rewritten({ headers: { set: { A: {} } } }), HEADERS],
  ["a name of a map with a colon", rewritten({ headers: { set: { "a:b": 1 } } }), HEADERS],
  ["a name to be removed with a colon", rewritten({ headers: { remove: ["a:b"] } }), HEADERS],
  ["a line without a colon", rewritten({ headers: { add: ["x"] } }), HEADERS],
  ["a line without a name", rewritten({ headers: { add: [":x"] } }), HEADERS],
  [
    "a client address",
    route({ remote_addr: "x" }),
    `${INVALID}property "remote_addr" validation failed: object matches none of the required`,
  ],
  [
    "one of several client addresses",
    route({ remote_addrs: ["10.0.0.1", "10.0.0.0/33"] }),
    `${INVALID}property "remote_addrs" validation failed: failed to validate item 2: object matches none of the required`,
  ],
  [
    "an id",
    { uri: "/a", service_id: "a b" },
    `${INVALID}property "service_id" validation failed: object matches none of the required`,
  ],
];

/** Rules that the reference checks apart from the schema of a resource: without "invalid configuration". */
const RULES: Row[] = [
  ["host and hosts", route({ host: "a", hosts: ["b"] }), "only one of host or hosts is allowed"],
  [
    "remote_addr and remote_addrs",
    route({ remote_addr: "10.0.0.1", remote_addrs: ["10.0.0.2"] }),
    "only one of remote_addr or remote_addrs is allowed",
  ],
  [
    "pass_host rewrite",
    upstream({ pass_host: "rewrite" }),
    "`upstream_host` can't be empty when `pass_host` is `rewrite`",
  ],
  ["chash without a key", upstream({ type: "chash" }), "missing key"],
  ["chash by header without a key", upstream({ type: "chash", hash_on: "header" }), "missing key"],
  [
    "chash by a variable that is none",
    upstream({ type: "chash", key: "nope" }),
    `${INVALID}failed to match pattern "^((uri|server_name|server_addr|request_uri|remote_port|remote_addr|query_string|host|hostname|mqtt_client_id)|arg_[0-9a-zA-z_-]+)$" with "nope"`,
  ],
  ...["header", "cookie"].map(
    (hash_on): Row => [
      `chash by a ${hash_on} that is none`,
      upstream({ type: "chash", hash_on, key: "a b" }),
      `${INVALID}failed to match pattern "^[a-zA-Z0-9-_]+$" with "a b"`,
    ],
  ),
  [
    "IPv6 without brackets",
    upstream({ nodes: [{ host: "fe80::1", port: 80, weight: 1 }] }),
    `${INVALID}IPv6 address must be enclosed with '[' and ']'`,
  ],
  ["a port that is none", upstream({ nodes: { "127.0.0.1:70000": 1 } }), "invalid port 70000"],
  [
    "a reference to nothing",
    { uri: "/a", upstream_id: 9 },
    "failed to fetch upstream info by upstream id [9], response code: 404",
  ],
];

/** Section 4.1, in `vars` of a route. */
const EXPRESSIONS: [rule: string, expression: unknown, words: string][] = [
  ["not wrapped", ["arg_a", "==", "1"], "rule should be wrapped inside brackets"],
  ["an empty item", [[]], "rule too short"],
  ["one item after a logic word", ["OR", ["arg_a", "==", "1"]], "rule too short"],
  ["a logic word alone", [["AND"]], "rule too short"],
  ["a logic word with one text", [["or", "arg_a"]], "rule too short"],
  ["an object", [{}], "rule too short"],
  ["an empty item after others", [["arg_a", "==", "1"], []], "rule too short"],
  ["one element", [["arg_a"]], "invalid expression"],
  ["five elements with !", [["arg_a", "!", "==", "1", "2"]], "invalid operator '!'"],
  ["unknown operator", [["arg_a", "LIKE", "1"]], "invalid operator 'like'"],
  ["four elements", [["arg_a", "not", "==", "1"]], "bad 'not' expression"],
  ["ipmatch without an address", [["remote_addr", "ipmatch", []]], "invalid ip address"],
  ["ipmatch with an empty text", [["remote_addr", "ipmatch", ""]], "invalid ip address"],
  ["ipmatch with a bad address", [["remote_addr", "ipmatch", ["10.0.0.1", "x"]]], "invalid ip address: x"],
];
const inPlaces = ([rule, expression, words]: (typeof EXPRESSIONS)[number]): Row[] => [
  [`${rule}: vars of a route`, route({ vars: expression }), VARS + words],
  [
    `${rule}: vars of response-rewrite`,
    rewritten({ vars: expression }),
    of("response-rewrite", VARS + words),
  ],
  [`${rule}: _meta.filter`, proxied({ method: "GET", _meta: { filter: expression } }), VARS + words],
  [
    `${rule}: include_req_body_expr, also of a body that is not kept`,
    logged({ include_req_body_expr: expression }),
    of("syslog", `failed to validate the 'include_req_body_expr' expression: ${words}`),
  ],
];

/** Checks of plugins beyond their schemas. */
const PLUGINS: Row[] = [
  ["unknown plugin", plugin("teapot", {}), "unknown plugin [teapot]"],
  [
    "settings that are no object",
    plugin("proxy-rewrite", 5),
    'invalid plugin conf "5" for plugin [proxy-rewrite]',
  ],
  ["settings that are text", plugin("teapot", "x"), 'invalid plugin conf "x" for plugin [teapot]'],
  [
    "settings that are null",
    plugin("proxy-rewrite", null),
    'invalid plugin conf "null" for plugin [proxy-rewrite]',
  ],
  [
    "base64 without a body",
    rewritten({ body_base64: true }),
    of("response-rewrite", "invalid base64 content"),
  ],
  [
    "bad base64",
    rewritten({ body_base64: true, body: "%" }),
    of("response-rewrite", "invalid base64 content"),
  ],
  [
    "a bad option of a filter",
    rewritten({ filters: [{ regex: "hello", replace: "x", options: "h" }] }),
    of("response-rewrite", 'regex "hello" validation failed: unknown flag "h" (flags "h")'),
  ],
  [
    "a bad pattern of a filter",
    rewritten({ filters: [{ regex: "(", replace: "x" }] }),
    of(
      "response-rewrite",
      'regex "(" validation failed: missing closing parenthesis, at character 2 of the pattern',
    ),
  ],
  [
    "a pair without its half",
    proxied({ regex_uri: ["a", "/b", "c"] }),
    of("proxy-rewrite", "The length of regex_uri should be an even number"),
  ],
  [
    "a bad pattern of a pair",
    proxied({ regex_uri: ["(", "/b"] }),
    of(
      "proxy-rewrite",
      "invalid regex_uri((, /b): missing closing parenthesis, at character 2 of the pattern",
    ),
  ],
  [
    "headers in no form",
    proxied({ headers: {} }),
    of(
      "proxy-rewrite",
      'property "headers" validation failed: value should match only one schema, but matches none',
    ),
  ],
  ["an unknown variable", proxied({ uri: "/$nope" }), of("proxy-rewrite", 'unknown variable "$nope"')],
  [
    "tls over udp",
    logged({ tls: true, sock_type: "udp" }),
    of("syslog", "tls needs sock_type tcp: there is no TLS over udp"),
  ],
  [
    "an unknown key of _meta",
    rewritten({ _meta: { colour: 1 } }),
    of(
      "response-rewrite",
      'property "_meta" validation failed: additional properties forbidden, found colour',
    ),
  ],
  [
    "required_acks 0",
    plugin("broker-logger", { broker_topic: "t", brokers: [{ host: "a", port: 1 }], required_acks: 0 }),
    of("broker-logger", 'property "required_acks" validation failed: matches none of the enum values'),
  ],
];

describe.each([
  ["the schema layer", SCHEMA],
  ["alternatives", ALTERNATIVES],
  ["rules of resources", RULES],
  ["expressions", EXPRESSIONS.flatMap(inPlaces)],
  ["checks of plugins", PLUGINS],
])("error_msg: %s", (_, rows) => {
  it.each(rows)("error_msg is that of the reference: %s", async (_rule, body, errorMessage) => {
    const { status, json } = await admin.call("PUT", "/routes/r", JSON.stringify(body));
    expect([status, json["error_msg"]]).toEqual([400, errorMessage]);
  });
});

describe("error_msg of other kinds", () => {
  it.each([
    [
      "/services/s",
      { plugins: { "proxy-rewrite": { uri: "/$nope" } } },
      of("proxy-rewrite", 'unknown variable "$nope"'),
    ],
    ["/plugin_configs/c", {}, `${INVALID}property "plugins" is required`],
    ["/global_rules/g", { plugins: { teapot: {} } }, "unknown plugin [teapot]"],
    ["/upstreams/u", { type: "chash", ...UPSTREAM }, "missing key"],
    [
      "/consumers/a",
      { username: "a", plugins: { "key-auth": {} } },
      of("key-auth", 'property "key" is required'),
    ],
    [
      "/consumers",
      { username: "a b" },
      `${INVALID}property "username" validation failed: failed to match pattern "^[a-zA-Z0-9_\\\\-]+$" with "a b"`,
    ],
    [
      "/plugin_metadata/syslog",
      { log_format: 5 },
      `${INVALID}property "log_format" validation failed: wrong type: expected object, got number`,
    ],
    ["/plugin_metadata/syslog", { log_format: { a: "$nope" } }, `${INVALID}unknown variable "$nope"`],
  ])("PUT %s %j is rejected with the error_msg of the reference", async (path, body, errorMessage) => {
    const { status, json } = await admin.call("PUT", path, body);
    expect([status, json["error_msg"]]).toEqual([400, errorMessage]);
  });
});
