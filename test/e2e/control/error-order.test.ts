import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";
import { INVALID, of, plugin, proxied, type Row, rewritten, route, upstream, VARS } from "./writes.js";

// Headers, types, choices, order of checks, accepted writes: reference 1.10, 2.1, 3.1, 4.1, 5.1, 6.1, 17.

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
});
afterAll(() => admin.stop());

const flat = (headers: unknown) => rewritten({ headers });
const sent = (headers: unknown) => proxied({ headers });
const ofResponse = (words: string) => of("response-rewrite", words);
const ofRequest = (words: string) => of("proxy-rewrite", words);
const NEITHER = ofRequest(
  'property "headers" validation failed: value should match only one schema, but matches none',
);

/** Section 5.1 and 6.1: the flat map is checked after the schema, so that no property is named. */
const HEADERS: Row[] = [
  ["a list as value", flat({ "X-Name": [] }), ofResponse("invalid type as header value")],
  ["an object as value", flat({ "X-Name": {} }), ofResponse("invalid type as header value")],
  ["a boolean as value", flat({ "X-Name": true }), ofResponse("invalid type as header value")],
  ["null as value", flat({ "X-Name": null }), ofResponse("invalid type as header value")],
  ["a good value and a bad one", flat({ A: "b", B: [] }), ofResponse("invalid type as header value")],
  ["an empty name", flat({ "": 2 }), ofResponse("invalid field length in header")],
  ["an empty name among others", flat({ A: "b", "": 2 }), ofResponse("invalid field length in header")],
  ["a blank in a name", flat({ "X A": 1 }), ofResponse("invalid field character in header")],
  ["a colon in a name", flat({ "X:A": 1 }), ofResponse("invalid field character in header")],
  ["a line break in a value", flat({ A: "b\nc" }), ofResponse("invalid value character in header")],
  [
    "a line break in a value of set",
    flat({ set: { A: "b\nc" } }),
    ofResponse("invalid value character in header"),
  ],
  ["a blank in a name of set", flat({ set: { "X A": 1 } }), ofResponse("invalid field character in header")],
  ["an empty name, to the upstream", sent({ "": 2 }), ofRequest("invalid field length in header")],
  ["a blank in a name, to the upstream", sent({ "X A": 1 }), ofRequest("invalid field character in header")],
  ["a colon in a name, to the upstream", sent({ "X:A": 1 }), ofRequest("invalid field character in header")],
  [
    "a letter beyond ASCII in a name, to the upstream",
    sent({ "X-ä": 1 }),
    ofRequest("invalid field character in header"),
  ],
  [
    "a line break in a value, to the upstream",
    sent({ A: "b\r\nc" }),
    ofRequest("invalid value character in header"),
  ],
  ["a list as value, to the upstream", sent({ A: [] }), NEITHER],
  ["an empty map, to the upstream", sent({}), NEITHER],
  ["no map, to the upstream", sent("x"), NEITHER],
  ["an empty action, to the upstream", sent({ add: {} }), NEITHER],
  ["an action beside a name, to the upstream", sent({ add: { A: "b" }, C: "d" }), NEITHER],
  ["a name of add with a colon, to the upstream", sent({ add: { "a:b": 1 } }), NEITHER],
];

const inside = (path: string, words: string) =>
  path
    .split(".")
    .map((name) => `property "${name}" validation failed: `)
    .join("") + words;

/** The type of a choice of strings or numbers is checked before the choice. */
const TYPES: Row[] = [
  ["status", route({ status: "1" }), INVALID + inside("status", "wrong type: expected integer, got string")],
  [
    "an item of methods",
    route({ methods: ["GET", 5] }),
    INVALID + inside("methods", "failed to validate item 2: wrong type: expected string, got number"),
  ],
  [
    "an item of methods that is null",
    route({ methods: [null] }),
    INVALID + inside("methods", "failed to validate item 1: wrong type: expected string, got nil"),
  ],
  [
    "methods, equal items",
    route({ methods: ["GET", "POST", "POST", "GET"] }),
    INVALID + inside("methods", "expected unique items but items 2 and 3 are equal"),
  ],
  [
    "methods, several that are none",
    route({ methods: ["GET", "FOO", "BAR"] }),
    INVALID + inside("methods", "failed to validate item 2: matches none of the enum values"),
  ],
  [
    "methods, a text",
    route({ methods: "GET" }),
    INVALID + inside("methods", "wrong type: expected array, got string"),
  ],
  ...["type", "scheme", "pass_host", "hash_on"].map(
    (field): Row => [
      `${field} of an upstream`,
      upstream({ [field]: 5 }),
      INVALID + inside(`upstream.${field}`, "wrong type: expected string, got number"),
    ],
  ),
  [
    "pass_host, a choice that is none",
    upstream({ pass_host: "x" }),
    INVALID + inside("upstream.pass_host", "matches none of the enum values"),
  ],
  ["method", proxied({ method: 5 }), ofRequest(inside("method", "wrong type: expected string, got number"))],
  [
    "method in lower case",
    proxied({ method: "get" }),
    ofRequest(inside("method", "matches none of the enum values")),
  ],
  [
    "scope of a filter",
    rewritten({ filters: [{ regex: "a", replace: "b", scope: true }] }),
    ofResponse(
      inside(
        "filters",
        `failed to validate item 1: ${inside("scope", "wrong type: expected string, got boolean")}`,
      ),
    ),
  ],
  [
    "required_acks",
    plugin("broker-logger", { broker_topic: "t", brokers: [{ host: "a", port: 1 }], required_acks: "1" }),
    of("broker-logger", inside("required_acks", "wrong type: expected integer, got string")),
  ],
];

const IPV6 = { nodes: [{ host: "::1", port: 80, weight: 1 }] };
const TEAPOT = { teapot: {} };
const BAD_VARS = [["arg_a"]];
const HASHED = { type: "chash", ...UPSTREAM };

/** Two faults in one write; the fault of the later check comes first in the body. */
const ORDER: Row[] = [
  [
    "fields that exclude each other before the schema",
    { foo: 1, priority: "x", host: "a", hosts: ["b"], ...route({}) },
    "only one of host or hosts is allowed",
  ],
  [
    "client addresses that exclude each other before the schema",
    { foo: 1, remote_addr: "10.0.0.1", remote_addrs: ["10.0.0.2"], ...route({}) },
    "only one of remote_addr or remote_addrs is allowed",
  ],
  [
    "the schema in its own order",
    { priority: "x", name: "", ...route({}) },
    INVALID + inside("name", "string too short, expected at least 1, got 0"),
  ],
  [
    "fields before unknown ones",
    { foo: 1, ...route({ priority: "x" }) },
    INVALID + inside("priority", "wrong type: expected integer, got string"),
  ],
  [
    "the schema before rules of the upstream",
    { upstream: HASHED, uri: "/a", foo: 1 },
    `${INVALID}additional properties forbidden, found foo`,
  ],
  [
    "the schema before addresses of nodes",
    { upstream: IPV6, uri: "/a", foo: 1 },
    `${INVALID}additional properties forbidden, found foo`,
  ],
  [
    "the schema before plugins",
    { plugins: TEAPOT, ...route({ priority: "x" }) },
    INVALID + inside("priority", "wrong type: expected integer, got string"),
  ],
  ["rules of the upstream before plugins", { plugins: TEAPOT, uri: "/a", upstream: HASHED }, "missing key"],
  [
    "addresses of nodes before plugins",
    { plugins: TEAPOT, uri: "/a", upstream: IPV6 },
    `${INVALID}IPv6 address must be enclosed with '[' and ']'`,
  ],
  [
    "addresses of nodes before the key",
    { uri: "/a", upstream: { type: "chash", ...IPV6 } },
    `${INVALID}IPv6 address must be enclosed with '[' and ']'`,
  ],
  [
    "references before plugins",
    { plugins: TEAPOT, uri: "/a", upstream_id: 9 },
    "failed to fetch upstream info by upstream id [9], response code: 404",
  ],
  [
    "references before conditions",
    { vars: BAD_VARS, uri: "/a", service_id: 9 },
    "failed to fetch service info by service id [9], response code: 404",
  ],
  [
    "the upstream before the service",
    { plugin_config_id: 7, service_id: 8, upstream_id: 9, uri: "/a" },
    "failed to fetch upstream info by upstream id [9], response code: 404",
  ],
  [
    "the service before the plugin config",
    { plugin_config_id: 7, service_id: 8, uri: "/a" },
    "failed to fetch service info by service id [8], response code: 404",
  ],
  ["plugins before conditions", { vars: BAD_VARS, plugins: TEAPOT, ...route({}) }, "unknown plugin [teapot]"],
  [
    "patterns of plugins before conditions",
    { vars: BAD_VARS, ...proxied({ regex_uri: ["a", "/b", "c"] }) },
    ofRequest("The length of regex_uri should be an even number"),
  ],
  ["conditions at last", { vars: BAD_VARS, ...route({}) }, `${VARS}invalid expression`],
  [
    "a plugin's schema before its headers",
    rewritten({ headers: { "": 1 }, status_code: 599 }),
    ofResponse(inside("status_code", "expected 599 to be at most 598")),
  ],
  [
    "a plugin's headers before its base64",
    rewritten({ body: "%", body_base64: true, headers: { "": 1 } }),
    ofResponse("invalid field length in header"),
  ],
  [
    "a plugin's conditions before its patterns",
    rewritten({ filters: [{ regex: "(", replace: "" }], vars: BAD_VARS }),
    ofResponse(`${VARS}invalid expression`),
  ],
  [
    "a plugin's own check before its filter",
    rewritten({ _meta: { filter: [["arg_b", "LIKE", "x"]] }, vars: BAD_VARS }),
    ofResponse(`${VARS}invalid expression`),
  ],
];

describe.each([
  ["headers", HEADERS],
  ["types before choices", TYPES],
  ["the order of checks", ORDER],
])("error_msg: %s", (_, rows) => {
  it.each(rows)("error_msg is that of the reference: %s", async (_rule, body, errorMessage) => {
    const { status, json } = await admin.call("PUT", "/routes/r", JSON.stringify(body));
    expect([status, json["error_msg"]]).toEqual([400, errorMessage]);
  });
});

describe("error_msg of other methods and endpoints", () => {
  const TWO = { priority: "x", ...route({ name: "" }) };
  const WORDS = inside("name", "string too short, expected at least 1, got 0");

  it("a PATCH is rejected with the error_msg of PUT", async () => {
    await admin.call("PUT", "/routes/p", route({}));
    const { status, json } = await admin.call("PATCH", "/routes/p", { vars: BAD_VARS, plugins: TEAPOT });
    expect([status, json["error_msg"]]).toEqual([400, "unknown plugin [teapot]"]);
    const item = await admin.call("PATCH", "/routes/p/methods", ["GET", 5]);
    expect(item.json["error_msg"]).toBe(
      INVALID + inside("methods", "failed to validate item 2: wrong type: expected string, got number"),
    );
  });

  it("error_msg has no prefix in a validation against the schema", async () => {
    const { status, json } = await admin.call("POST", "/schema/validate/routes", TWO);
    expect([status, json["error_msg"]]).toEqual([400, WORDS]);
  });

  it("the validation of a document returns the error_msg of each resource", async () => {
    const routes = [
      { id: "a", ...TWO },
      { id: "b", ...route({ plugins: TEAPOT, vars: BAD_VARS }) },
    ];
    const { json } = await admin.call("POST", "/configs/validate", { routes });
    const errors = json["errors"] as { error: string }[];
    expect(errors.map(({ error }) => error)).toEqual([INVALID + WORDS, "unknown plugin [teapot]"]);
  });

  it("the diagnostics of a rejected write contain every fault, in the order of the body", async () => {
    const body = { vars: BAD_VARS, plugins: TEAPOT, uri: "/a", upstream_id: 9 };
    const { json } = await admin.call("PUT", "/routes/r", body);
    const found = json["diagnostics"] as Record<string, unknown>[];
    expect(found.map(({ code }) => code)).toEqual(["GW2114", "GW3010"]);
    for (const one of found) expect(one).not.toHaveProperty("errorRank");
  });
});

/** Writes that the reference accepts and that have a meaning. */
describe("accepted writes", () => {
  it.each<[string, object, string[]]>([
    ["one text after in", route({ vars: [["arg_k", "in", "v"]] }), ["GW4017"]],
    ["one number after ! in", route({ vars: [["arg_k", "!", "in", 7]] }), ["GW4017"]],
    ["five elements", route({ vars: [["arg_k", "==", "v", "x", "y"]] }), ["GW4017"]],
    ["two elements", route({ vars: [["arg_k", "v"]] }), []],
    ["no conditions", route({ vars: [] }), []],
    [
      "logic words in any case",
      route({ vars: ["or", ["arg_k", "v"], ["!And", ["arg_a", "1"], ["arg_b", "2"]]] }),
      [],
    ],
    ["empty headers of a response", flat({}), []],
    ["a header called add", flat({ add: "x" }), []],
    ["a number as value", flat({ A: 3, B: "" }), []],
    ["a header called set, to the upstream", sent({ set: "x" }), []],
    ["a list of values, to the upstream", sent({ add: { A: ["b", 1] } }), []],
    ["a response that is not changed", rewritten({}), []],
    ["a plugin that is disabled and invalid", rewritten({ status_code: "x", _meta: { disable: true } }), []],
    ["no nodes", upstream({ nodes: [] }), []],
  ])("a write is accepted: %s", async (_rule, body, codes) => {
    const { status, json } = await admin.call("PUT", "/routes/ok", body);
    expect([200, 201]).toContain(status);
    const warnings = (json["warnings"] ?? []) as { code: string }[];
    expect(warnings.flatMap(({ code }) => (code.startsWith("GW4") ? [code] : []))).toEqual(codes);
  });
});
