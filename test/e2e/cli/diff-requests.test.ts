import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../../compiler/diff/report.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

const CONSUMERS = `consumers:
  - { username: ann, plugins: { key-auth: { key: the-key-of-ann } } }
  - { username: bob, plugins: { key-auth: { key: the-key-of-bob } } }
  - { username: eve, plugins: { key-auth: { key: the-key-of-eve } } }
`;

/** Writes a route whose step has this condition and sets a header to this value. */
function write(side: string, vars: string, value: string, more = ""): void {
  const step = `response-rewrite: { vars: ${vars}, headers: { set: { X-A: "${value}" } } }`;
  const text = `upstreams:\n  - { id: shop, nodes: { "10.0.0.1:80": 1 } }\n${CONSUMERS}routes:\n  - { id: r, uri: /r, upstream_id: shop, plugins: { ${more}${step} } }\n`;
  writeFileSync(join(directory.path, `${side}.yaml`), text);
}

function example(vars: string, more = "") {
  write("a", vars, "1", more);
  write("b", vars, "2", more);
  const { stdout, stderr } = gwc(directory.path, ["diff", "-q", "--format", "json", "a.yaml", "b.yaml"]);
  if (stdout === "") throw new Error(stderr);
  return (JSON.parse(stdout) as Report).changes[0]?.example ?? null;
}

describe("requests of gwc diff", () => {
  it.each([
    ['[[args, "==", "q=5&b"]]', "GET http://host.example/r?q=5&b"],
    ['[[query_string, "~~", "^page="]]', "GET http://host.example/r?page="],
    ['[[is_args, "==", "?"]]', "GET http://host.example/r?a=1"],
    ['[[is_args, "~=", "?"]]', "GET http://host.example/r"],
    ['[[request_uri, "~~", "[?]debug=1"]]', "GET http://host.example/r?debug=1"],
    ['[[request_uri, "==", "/r?debug=1"]]', "GET http://host.example/r?debug=1"],
    ['[[args, "~~", "a=1"], [arg_b, "==", "2"]]', "GET http://host.example/r?a=1&b=2"],
  ])("a sample request has the query that a condition requires: %s", (vars, request) => {
    expect(example(vars)).toMatchObject({
      request,
      differs: [{ name: "response header x-a", before: "1", after: "2" }],
    });
  });

  it.each([
    ['[[content_length, ">", 1000]]', 1001],
    ['[[request_length, ">=", 5000]]', 5000],
  ])("a sample request has a body of the length that a condition requires: %s", (vars, length) => {
    const found = example(vars);
    expect(found).toMatchObject({ method: "POST", differs: [{ before: "1", after: "2" }] });
    expect(found?.body).toHaveLength(length);
    const { stdout } = gwc(directory.path, ["diff", "-q", "a.yaml", "b.yaml"]);
    expect(stdout).toContain(`with a body of ${length} bytes`);
  });

  it.each([
    ['[[remote_port, "==", 51000]]', { client_port: 51_000 }, "from port 51000"],
    ['[[remote_port, "<", 1024]]', { client_port: 1_023 }, "from port 1023"],
    ['[[server_protocol, "==", "HTTP/1.0"]]', { protocol: "HTTP/1.0" }, "as HTTP/1.0"],
    ['[[server_protocol, "~=", "HTTP/1.1"]]', { protocol: "HTTP/1.0" }, "as HTTP/1.0"],
    ['[[server_addr, "==", "10.0.0.5"]]', { server_address: "10.0.0.5" }, "to address 10.0.0.5"],
    ['[[server_addr, ipmatch, ["10.1.0.0/16"]]]', { server_address: "10.1.0.0" }, "to address 10.1.0.0"],
    ['[[server_addr, "~~", "^192[.]168[.]"]]', { server_address: "192.168.0.1" }, "to address 192.168.0.1"],
    ['[[remote_addr, "~~", "^10[.]"]]', { client: "10.0.0.1" }, "from 10.0.0.1"],
    ['[[remote_addr, "~~", "^192.168."]]', { client: "192.168.0.1" }, "from 192.168.0.1"],
    ['[[remote_addr, "~~", "^2001:db8:"]]', { client: "2001:db8::1" }, "from 2001:db8::1"],
    ['[[remote_addr, "~~", "^fe80"]]', { client: "fe80::1" }, "from fe80::1"],
    ['[[remote_addr, "~~", "[.]7$"]]', { client: "192.0.2.7" }, "from 192.0.2.7"],
    ['[[remote_addr, "~~", ":7$"]]', { client: "2001:db8::7" }, "from 2001:db8::7"],
    ['[[remote_addr, "~=", "192.0.2.1"]]', { client: "203.0.113.9" }, "from 203.0.113.9"],
    [
      '[[remote_addr, "!", in, ["192.0.2.1", "203.0.113.9"]]]',
      { client: "198.51.100.8" },
      "from 198.51.100.8",
    ],
    ['[[remote_addr, "!", "~~", "^192[.]"]]', { client: "203.0.113.9" }, "from 203.0.113.9"],
    ['[[remote_addr, "!", ipmatch, ["0.0.0.0/0"]]]', { client: "2001:db8::9" }, "from 2001:db8::9"],
    ['[[server_addr, "~=", "127.0.0.1"]]', { server_address: "203.0.113.9" }, "to address 203.0.113.9"],
    ['[[remote_port, "~=", 40000]]', { client_port: 50_001 }, "from port 50001"],
    ['[[server_port, "~=", 9080]]', { port: 50_001 }, "to port 50001"],
    ['[[server_port, "!", in, [9080, 50001]]]', { port: 50_002 }, "to port 50002"],
    ['[[request_method, "~=", GET]]', { method: "POST" }, "POST "],
    ['[[request_method, "!", "~~", "^GET"]]', { method: "POST" }, "POST "],
    ['[[request, "!", "~~", "^GET "]]', { method: "POST" }, "POST "],
    ['[[scheme, "~=", http]]', {}, "https://"],
    ['[[content_length, "~=", null]]', { method: "POST" }, 'with the body "xxxxxxxxxxxxxxxxxxx"'],
    ['[[status, "~=", 200]]', {}, "when the upstream responds with 404"],
    ['[[status, "~~", "^5"]]', {}, "when the upstream responds with 500"],
    ['[[status, "~~", "^4.."]]', {}, "when the upstream responds with 400"],
    ['[[status, "!", "~~", "^2"]]', {}, "when the upstream responds with 404"],
  ])("a sample request has the connection that a condition requires: %s", (vars, connection, words) => {
    expect(example(vars)).toMatchObject({
      ...connection,
      differs: [{ name: "response header x-a", before: "1", after: "2" }],
    });
    expect(gwc(directory.path, ["diff", "-q", "a.yaml", "b.yaml"]).stdout).toContain(words);
  });

  it.each([
    ['[[content_type, "~~", "^application/json"]]', ["content-type: application/json"]],
    ['[[remote_user, "==", ann]]', ["authorization: (not shown)"]],
  ])("a sample request has the header that a condition's variable reads: %s", (vars, headers) => {
    expect(example(vars)).toMatchObject({ headers, differs: [{ before: "1", after: "2" }] });
  });

  it.each([
    ['[[request, "==", "POST /r?a=1 HTTP/1.0"]]', { method: "POST", target: "/r?a=1", protocol: "HTTP/1.0" }],
    [
      '[[request_line, "~~", "^GET /r[?]a HTTP/1.1$"]]',
      { method: "GET", target: "/r?a", protocol: "HTTP/1.1" },
    ],
  ])("a sample request has the request line that a condition requires: %s", (vars, line) => {
    expect(example(vars)).toMatchObject({ ...line, differs: [{ before: "1", after: "2" }] });
  });

  it("a sample request has the part of the path that a condition requires", () => {
    const route = (value: string) =>
      `upstreams:\n  - { id: shop, nodes: { "10.0.0.1:80": 1 } }\nroutes:\n  - { id: r, uri: "/r/:id/*rest", upstream_id: shop, vars: [[uri_param_id, "==", special], [uri_param_rest, "~~", "[.]json$"]], plugins: { response-rewrite: { headers: { set: { X-A: "${value}" } } } } }\n`;
    for (const [side, value] of [
      ["a", "1"],
      ["b", "2"],
    ] as const)
      writeFileSync(join(directory.path, `${side}.yaml`), route(value));
    const { stdout } = gwc(directory.path, ["diff", "-q", "--format", "json", "a.yaml", "b.yaml"]);
    expect((JSON.parse(stdout) as Report).changes[0]?.example).toMatchObject({ target: "/r/special/.json" });
  });

  it.each([
    '[[consumer_name, "==", eve]]',
    "[[consumer_name, in, [bob]]]",
    '[[consumer_name, "==", bob], [arg_a, "==", "1"]]',
    '[[consumer_name, "==", bob], [route_id, "==", r], [arg_a, "==", "1"]]',
  ])("a sample request comes from the consumer that a condition names: %s", (vars) => {
    const found = example(vars, "key-auth: {}, ");
    expect(found).toMatchObject({
      headers: ["apikey: (not shown)"],
      before: { status: 200 },
      differs: [{ name: "response header x-a", before: "1", after: "2" }],
    });
    expect(JSON.stringify(found)).not.toContain("the-key-of");
  });
});
