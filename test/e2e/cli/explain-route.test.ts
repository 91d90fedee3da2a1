import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

const CONFIGURATION = `upstreams:
  - id: orders
    nodes: { "127.0.0.1:8080": 1 }
consumers:
  - { username: ann, plugins: { key-auth: { key: the-key-of-ann } } }
global_rules:
  - { id: records, plugins: { syslog: { host: logs.example.com, port: 6514, tls: true } } }
routes:
  - id: shop
    uri: /shop/*
    methods: [GET, POST]
    host: shop.example.com
    vars: [[http_x_version, "~~", "^v[12]$"], [arg_debug, "!", "==", "1"]]
    upstream_id: orders
    plugins:
      key-auth: { hide_credentials: true, _meta: { error_response: "no key, no parcel" } }
      proxy-rewrite:
        regex_uri: ["^/shop/(.*)", "/v2/$1"]
        headers: { set: { X-Client: "\${remote_addr}" }, remove: [X-Debug] }
      response-rewrite:
        vars: [[status, "==", 200]]
        headers: { add: ["X-Served-By: gwc"] }
        filters: [{ regex: "secret=[0-9]{1,20}", replace: "secret=…", scope: global }]
  - { id: plain, uri: /plain, upstream_id: orders }
`;

let directory: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  directory = temporaryDirectory();
  writeFileSync(join(directory.path, "gateway.yaml"), CONFIGURATION);
});
afterEach(() => directory.remove());

describe("gwc explain-route", () => {
  it("gwc explain-route describes a route with its global rules, phase by phase", () => {
    const { status, stdout, stderr } = gwc(directory.path, ["explain-route", "shop"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`Route "shop" (gateway.yaml:9:5)
It takes GET, POST for /shop/* on shop.example.com, if all of ($http_x_version matches /^v[12]$/; not ($arg_debug is "1")).
They go to upstream orders.

When a request comes:
  - proxy-rewrite replaces what /^/shop/(.*)/ matches in the path by "/v2/$1".
  - proxy-rewrite removes the request header X-Debug.
  - proxy-rewrite sets the request header X-Client to "$remote_addr".

Before it goes upstream:
  - key-auth answers 401 with the body "no key, no parcel" unless the header apikey or the query parameter apikey has the key of a consumer (1 known).
  - key-auth takes the key out of the request.

When the response comes back:
  - response-rewrite replaces every match of /secret=[0-9]{1,20}/ in the body by "secret=…", as the body passes, if $status is 200.
  - response-rewrite adds "gwc" to the response header X-Served-By, if $status is 200.

Afterwards:
  - syslog of global rule records sends a record to logs.example.com:6514 over tcp.
`);
    expect(stdout).not.toContain("the-key-of-ann");
  });

  it("gwc explain-route prints the same as JSON, and reports a route without plugins", () => {
    const { stdout } = gwc(directory.path, ["explain-route", "shop", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      id: "shop",
      phases: [{ when: "When a request comes" }, {}, {}, {}],
    });
    writeFileSync(
      join(directory.path, "gateway.yaml"),
      'routes:\n  - { id: plain, uri: /p, upstream: { nodes: { "a:80": 1 } } }\n',
    );
    expect(gwc(directory.path, ["explain-route", "plain"]).stdout).toContain(
      "No plugin changes what passes.",
    );
  });

  it("gwc explain-route suggests the nearest id for one that does not exist", () => {
    const { status, stderr } = gwc(directory.path, ["explain-route", "shp"]);
    expect(status).toBe(1);
    expect(stderr).toBe('gwc: there is no route "shp"; did you mean "shop"?\n');
  });

  it("gwc explain-route describes the local reply of a route without upstream", () => {
    const closed = `routes:
  - id: closed
    uri: /closed
    plugins: { response-rewrite: { status_code: 503, body: closed, headers: { set: { Retry-After: "60" } } } }
`;
    writeFileSync(join(directory.path, "gateway.yaml"), closed);
    const { status, stdout } = gwc(directory.path, ["explain-route", "closed"]);
    expect(status).toBe(0);
    expect(stdout).toBe(`Route "closed" (gateway.yaml:2:5)
It takes requests of any method for /closed on any host.
They go to no upstream.

When it is answered:
  - response-rewrite sets the status to 503.
  - response-rewrite replaces the body by "closed".
  - response-rewrite sets the response header Retry-After to "60".
`);
  });
});
