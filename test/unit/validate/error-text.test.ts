import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { schemaErrorText } from "../../../compiler/2-validate/reported-fault.js";
import { validateResource } from "../../../compiler/2-validate/resource.js";
import type { Kind } from "../../../compiler/model/resource.js";

const plugins = ["proxy-rewrite", "response-rewrite", "key-auth"];
const route = { uri: "/a", upstream: { nodes: { "a:80": 1 } } };

function firstText(kind: Kind, value: unknown): string | undefined {
  const { document } = parseSource({ name: "PUT", text: JSON.stringify(value), format: "json" });
  if (document === undefined) throw new Error("not JSON");
  return validateResource(kind, document, { plugins, id: "1", from: "store" }).diagnostics[0]?.errorMessage;
}

describe("schemaErrorText (reference 1.10)", () => {
  it.each<[string, Kind, unknown, string]>([
    [
      "id",
      "routes",
      { ...route, id: "a b" },
      'property "id" validation failed: object matches none of the required',
    ],
    [
      "no path",
      "routes",
      { plugins: {} },
      "allOf 1 failed: value should match only one schema, but matches none",
    ],
    [
      "two paths",
      "routes",
      { ...route, uris: ["/b"] },
      "allOf 1 failed: value should match only one schema, but matches both schemas 1 and 2",
    ],
    ["hosts", "routes", { ...route, host: "a", hosts: ["a"] }, "only one of host or hosts is allowed"],
    [
      "nothing to do",
      "routes",
      { uri: "/a" },
      'allOf 4 failed: object matches none of the required: ["plugins"] or ["upstream"] or ["upstream_id"] or ["service_id"]',
    ],
    ["unknown", "routes", { ...route, foo: 1 }, "additional properties forbidden, found foo"],
    [
      "type",
      "routes",
      { ...route, priority: "1" },
      'property "priority" validation failed: wrong type: expected integer, got string',
    ],
    [
      "null",
      "routes",
      { ...route, desc: null },
      'property "desc" validation failed: wrong type: expected string, got nil',
    ],
    [
      "items",
      "routes",
      { ...route, methods: ["GET", "FOO"] },
      'property "methods" validation failed: failed to validate item 2: matches none of the enum values',
    ],
    [
      "unique",
      "routes",
      { ...route, methods: ["GET", "GET"] },
      'property "methods" validation failed: expected unique items but items 1 and 2 are equal',
    ],
    [
      "length",
      "routes",
      { ...route, name: "" },
      'property "name" validation failed: string too short, expected at least 1, got 0',
    ],
    ["required", "global_rules", { id: 1 }, 'property "plugins" is required'],
    [
      "pass_host",
      "upstreams",
      { nodes: {}, pass_host: "rewrite" },
      "`upstream_host` can't be empty when `pass_host` is `rewrite`",
    ],
    ["chash", "upstreams", { nodes: {}, type: "chash" }, "missing key"],
  ])("schemaErrorText returns the text of the reference for: %s", (_, kind, value, text) => {
    expect(schemaErrorText(kind, value)).toBe(text);
  });

  it("schemaErrorText returns undefined for a valid value", () => {
    expect(schemaErrorText("routes", route)).toBeUndefined();
  });
});

describe("diagnostics of an admin write", () => {
  const rewriting = (settings: unknown, plugin = "response-rewrite") => ({
    ...route,
    plugins: { [plugin]: settings },
  });
  const failed = "failed to check the configuration of plugin response-rewrite err: ";

  it.each<[string, unknown, string]>([
    ["a resource", { ...route, foo: 1 }, "invalid configuration: additional properties forbidden, found foo"],
    ["an unknown plugin", rewriting({}, "nope"), "unknown plugin [nope]"],
    [
      "body and filters",
      rewriting({ body: "", filters: [{ regex: "a", replace: "" }] }),
      `${failed}failed to validate dependent schema for "body": value wasn't supposed to match schema`,
    ],
    ["base64", rewriting({ body: "?", body_base64: true }), `${failed}invalid base64 content`],
    [
      "headers",
      rewriting({ headers: { add: ["x"] } }),
      `${failed}property "headers" validation failed: object matches none of the required`,
    ],
    [
      "status",
      rewriting({ status_code: 599 }),
      `${failed}property "status_code" validation failed: expected 599 to be at most 598`,
    ],
    [
      "_meta",
      rewriting({ _meta: { disabled: true } }),
      `${failed}property "_meta" validation failed: additional properties forbidden, found disabled`,
    ],
    [
      "uri of proxy-rewrite",
      rewriting({ uri: "home" }, "proxy-rewrite"),
      'failed to check the configuration of plugin proxy-rewrite err: property "uri" validation failed: failed to match pattern "^\\\\/.*" with "home"',
    ],
    [
      "header forms of proxy-rewrite",
      rewriting({ headers: { add: { A: {} }, B: "c" } }, "proxy-rewrite"),
      'failed to check the configuration of plugin proxy-rewrite err: property "headers" validation failed: value should match only one schema, but matches none',
    ],
  ])("the errorMessage of a rejected route is the text of the reference for %s", (_, value, text) => {
    expect(firstText("routes", value)).toBe(text);
  });

  it.each(["5", "null", '"x"', "[]"])("the body %s, which is no object, is rejected", (body) => {
    expect(firstText("routes", JSON.parse(body))).toMatch(
      /^invalid configuration: wrong type: expected object, got /,
    );
  });

  it("a disabled plugin with invalid settings is accepted, unlike an unknown plugin", () => {
    expect(firstText("routes", rewriting({ status_code: "?", _meta: { disable: true } }))).toBeUndefined();
    expect(firstText("routes", rewriting({ _meta: { disable: true } }, "nope"))).toBe(
      "unknown plugin [nope]",
    );
  });

  it("a diagnostic never contains a secret", () => {
    const { document } = parseSource({
      name: "PUT",
      text: JSON.stringify({ username: "a", plugins: { "key-auth": { key: ["hush-hush"] } } }),
      format: "json",
    });
    if (document === undefined) throw new Error("not JSON");
    const found = validateResource("consumers", document, { plugins, from: "store" });
    expect(found.diagnostics).toHaveLength(1);
    expect(JSON.stringify(found.diagnostics)).not.toContain("hush");
  });
});

describe("both forms of header actions", () => {
  it.each<[string, unknown]>([
    ["response-rewrite", { A: "b", C: 3 }],
    ["response-rewrite", { add: "a header called add" }],
    ["proxy-rewrite", { A: "b", add: "c" }],
    ["proxy-rewrite", { add: { A: ["b", 1] }, remove: ["C"] }],
  ])("the plugin %s accepts the header actions %j", (plugin, headers) => {
    expect(firstText("routes", { ...route, plugins: { [plugin]: { headers } } })).toBeUndefined();
  });
});
