import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report, ReportedChange } from "../../../compiler/diff/report.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const UPSTREAMS = `upstreams:
  - { id: shop, nodes: { "10.0.0.1:80": 1 } }
  - { id: other, nodes: { "10.0.0.2:80": 1 } }
`;

const directory = useTemporaryDirectory();

interface Written {
  /** Fields of the route. */
  route: string;
  /** Sections in front of the routes. */
  settings?: string;
}

function write(side: string, { route, settings = "" }: Written): void {
  mkdirSync(join(directory.path, side), { recursive: true });
  const text = `${settings}${UPSTREAMS}routes:\n  - { id: r, uri: /r, ${route} }\n`;
  writeFileSync(join(directory.path, side, "gateway.yaml"), text);
}

/** Example of the only change of this kind. */
function example(before: Written, after: Written, kind: ReportedChange["kind"] = "actions") {
  write("a", before);
  write("b", after);
  const { stdout, stderr } = gwc(directory.path, ["diff", "-q", "--format", "json", "a", "b"]);
  if (stdout === "") throw new Error(stderr);
  const [change, ...more] = (JSON.parse(stdout) as Report).changes.filter((one) => one.kind === kind);
  if (change === undefined || more.length > 0) throw new Error(stdout);
  return change.example;
}

const HEADER = (value: string) =>
  `upstream_id: shop, plugins: { response-rewrite: { headers: { set: { X-A: "${value}" } } } }`;

describe("gwc diff over TLS", () => {
  it("gwc diff finds a change for requests that http_to_https lets pass", () => {
    const redirected = (value: string) => ({
      route: `upstream_id: shop, plugins: { redirect: { http_to_https: true }, proxy-rewrite: { headers: { set: { X-A: "${value}" } } } }`,
    });
    expect(example(redirected("1"), redirected("2"))).toMatchObject({
      request: "GET https://host.example/r",
      tls: {},
      before: { status: 200 },
      differs: [{ name: "upstream request header x-a", before: "1", after: "2" }],
    });
  });

  it.each([
    ['[[scheme, "==", https]]', {}],
    ['[[scheme, "~=", http]]', {}],
    ['[[scheme, "!", "==", http]]', {}],
    ["[[scheme, in, [https, wss]]]", {}],
    ['[[scheme, "~~", "^https$"]]', {}],
    ['["!OR", [scheme, "==", http], [arg_a, "==", "1"]]', {}],
    ['[[https, "==", "on"]]', {}],
    ['[[ssl_protocol, "==", "TLSv1.3"]]', { ssl_protocol: "TLSv1.3" }],
    ['[[ssl_client_verify, "==", SUCCESS]]', { ssl_client_verify: "SUCCESS" }],
    ['[[ssl_client_verify, "~~", "^FAILED"]]', { ssl_client_verify: expect.stringMatching(/^FAILED:/) }],
    [
      '[[ssl_client_s_dn, "~~", "CN=billing"]]',
      { ssl_client_verify: "SUCCESS", ssl_client_s_dn: "CN=billing" },
    ],
    ['[[ssl_server_name, "==", shop.example.com]]', { ssl_server_name: "shop.example.com" }],
  ])("gwc diff sends a sample request over TLS to a condition that requires it: %s", (vars, tls) => {
    const conditional = (value: string) => ({ route: `vars: ${vars}, ${HEADER(value)}` });
    expect(example(conditional("1"), conditional("2"))).toMatchObject({
      request: expect.stringMatching(/^GET https:/),
      tls,
      before: { status: 200, route: "r" },
      differs: [{ name: "response header x-a", before: "1", after: "2" }],
    });
  });

  it.each(['[[scheme, "==", http]]', '[[scheme, "~=", https]]', '[[https, "~=", "on"]]'])(
    "gwc diff sends a sample request without TLS to a condition that requires it: %s",
    (vars) => {
      const conditional = (value: string) => ({ route: `vars: ${vars}, ${HEADER(value)}` });
      expect(example(conditional("1"), conditional("2"))).toMatchObject({
        request: "GET http://host.example/r",
        tls: null,
        differs: [{ name: "response header x-a", before: "1", after: "2" }],
      });
    },
  );

  it("gwc diff finds requests that a route loses by their scheme alone", () => {
    const found = example(
      { route: "upstream_id: shop" },
      { route: 'upstream_id: shop, vars: [[scheme, "==", http]]' },
      "matching",
    );
    expect(found).toMatchObject({
      request: "GET https://host.example/r",
      before: { status: 200 },
      after: { status: 404, route: null },
    });
  });

  it("gwc diff finds requests over TLS that a new route takes from the route before it", () => {
    write("a", { route: "upstream_id: shop" });
    write("b", {
      route:
        'upstream_id: shop }\n  - { id: s, uri: /r, priority: 1, upstream_id: other, vars: [[scheme, "==", https]]',
    });
    const { stdout } = gwc(directory.path, ["diff", "-q", "a", "b"]);
    expect(stdout).toContain('route "r": requests go to route "s" now');
    expect(stdout).toContain("example: GET https://host.example/r");
  });

  it("gwc diff finds a change that depends on a client certificate and prints its fields", () => {
    const sent = (variable: string) => ({
      route: `upstream_id: shop, plugins: { proxy-rewrite: { headers: { set: { X-Client: ${variable} } } } }`,
    });
    const found = example(sent("$ssl_client_s_dn"), sent("$ssl_client_serial"));
    expect(found).toMatchObject({
      tls: {
        ssl_client_verify: "SUCCESS",
        ssl_client_s_dn: "CN=client.example",
        ssl_client_serial: "1001",
      },
      differs: [{ name: "upstream request header x-client", before: "CN=client.example", after: "1001" }],
    });
    const { stdout } = gwc(directory.path, ["diff", "-q", "a", "b"]);
    expect(stdout).toContain('with $ssl_client_s_dn "CN=client.example"');
  });

  it("gwc diff finds a change of a global rule for requests over TLS", () => {
    const rule = (value: string) => ({
      settings: `global_rules:\n  - { id: all, plugins: { response-rewrite: { vars: [[scheme, "==", https]], headers: { set: { X-A: "${value}" } } } } }\n`,
      route: "upstream_id: shop",
    });
    expect(example(rule("1"), rule("2"), "shared")).toMatchObject({
      request: expect.stringMatching(/^GET https:/),
      differs: [{ name: "response header x-a", before: "1", after: "2" }],
    });
  });

  it("gwc diff sends a sample request to the port of a condition, over TLS if the settings require it", () => {
    const settings = "gw: { node_listen: [9080, 9081], ssl: { listen: [{ port: 9443 }] } }\n";
    const at = (port: number, value: string) => ({
      settings,
      route: `vars: [[server_port, "==", ${port}]], ${HEADER(value)}`,
    });
    expect(example(at(9081, "1"), at(9081, "2"))).toMatchObject({ tls: null, port: 9081 });
    expect(example(at(9443, "1"), at(9443, "2"))).toMatchObject({ tls: {}, port: 9443 });
  });

  it("gwc diff sends a sample request from the address of a condition, also for $realip_remote_addr", () => {
    const from = (variable: string, value: string) => ({
      route: `vars: [[${variable}, ipmatch, ["10.1.0.0/16"]]], ${HEADER(value)}`,
    });
    for (const variable of ["remote_addr", "realip_remote_addr"])
      expect(example(from(variable, "1"), from(variable, "2"))).toMatchObject({ client: "10.1.0.0" });
  });
});
