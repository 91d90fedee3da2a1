import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";

// Every method rejects a body with a repeated key and reports the positions of both occurrences.

let admin: AdminGateway;
const ROUTE = { uri: "/a", upstream: UPSTREAM };
const CONSUMER = { username: "ada", plugins: { "key-auth": { key: "a-key-of-ada-with-enough-letters" } } };
const twice = (key: string, rest: object) =>
  `{${JSON.stringify(key)}: "/first", ${JSON.stringify({ [key]: "/second", ...rest }).slice(1)}`;

beforeAll(async () => {
  admin = await AdminGateway.start();
  await admin.call("PUT", "/routes/known", ROUTE);
  await admin.call("PUT", "/consumers/ada", CONSUMER);
});
afterAll(() => admin.stop());

describe("a repeated key", () => {
  it.each<[string, string, string]>([
    ["PUT", "/routes/1", twice("uri", ROUTE)],
    ["PUT", "/routes", twice("uri", { ...ROUTE, id: "1" })],
    ["PUT", "/routes/1?dry_run=true", twice("uri", ROUTE)],
    ["PUT", "/routes/1?dry_run=effect", twice("uri", ROUTE)],
    ["PUT", "/routes/known", twice("uri", ROUTE)],
    ["POST", "/routes", twice("uri", ROUTE)],
    ["PATCH", "/routes/known", twice("uri", {})],
    ["PATCH", "/routes/known", '{"upstream": {"retries": 1, "retries": 2}}'],
    ["PATCH", "/routes/known", '{"uri": "/b", "uri": null}'],
    ["PATCH", "/routes/known?dry_run=true", twice("uri", {})],
    ["PATCH", "/routes/known/upstream", '{"nodes": {"127.0.0.1:9": 1}, "nodes": {}}'],
    ["PATCH", "/routes/known/upstream/nodes", '{"127.0.0.1:9": 1, "127.0.0.1:9": 0}'],
    ["PATCH", "/routes/known/vars", '[["arg_a", "==", "1"], {"a": 1, "a": 2}]'],
    ["PUT", "/consumers/ada", '{"username": "ada", "plugins": {"key-auth": {"key": "***", "key": "***"}}}'],
    ["PUT", "/plugin_metadata/syslog", '{"max_pending_entries": 1, "max_pending_entries": 2}'],
    ["POST", "/schema/validate/routes", twice("uri", ROUTE)],
    ["POST", "/schema/validate/plugin_metadata", '{"id": "syslog", "log_format": {}, "log_format": {}}'],
    ["POST", "/configs/validate", '{"routes": [], "routes": []}'],
  ])("a repeated key is rejected with GW1003 and changes nothing: %s %s %s", async (method, path, body) => {
    const before = (await admin.call("GET", "/routes/known")).text;
    const { status, json } = await admin.call(method, path, body);
    expect([status, json["error_msg"]]).toEqual([400, expect.stringMatching(/"[^"]+" is given twice/)]);
    const [first] = json["diagnostics"] as { code: string; span: { file: string }; notes: unknown[] }[];
    expect(first).toMatchObject({ code: "GW1003", span: { start: { line: 1 } }, notes: [{ span: {} }] });
    expect((await admin.call("GET", "/routes/known")).text).toBe(before);
  });

  it("a repeated key is rejected with the same response by PUT and PATCH", async () => {
    const body = twice("uri", ROUTE);
    const [put, patch] = [
      await admin.call("PUT", "/routes/known", body),
      await admin.call("PATCH", "/routes/known", body),
    ];
    const text = ({ text }: { text: string }) => text.replaceAll("PATCH /gw", "PUT /gw");
    expect(text(patch)).toBe(text(put));
  });
});

describe("a body without repeated keys", () => {
  it("PATCH accepts a key that occurs in different objects", async () => {
    const { status } = await admin.call("PATCH", "/routes/known", '{"name": "a", "upstream": {"name": "a"}}');
    expect(status).toBe(200);
  });

  it("PATCH of a sub-path accepts a string, a number and null", async () => {
    expect((await admin.call("PATCH", "/routes/known/desc", '"a text"')).status).toBe(200);
    expect((await admin.call("PATCH", "/routes/known/priority", "7")).status).toBe(200);
    expect((await admin.call("PATCH", "/routes/known/upstream/name", "null")).status).toBe(200);
  });

  it("PUT accepts the mask of a secret", async () => {
    const masked = { username: "ada", plugins: { "key-auth": { key: "***" } } };
    expect((await admin.call("PUT", "/consumers/ada", masked)).status).toBe(200);
  });
});
