import "../../../plugins/index.js";
import { beforeEach, describe, expect, it } from "vitest";
import type { Compilation, Pending } from "../../../compiler/compilation/compilation.js";
import type { Change } from "../../../compiler/model/input.js";
import type { Kind } from "../../../compiler/model/resource.js";
import type { SourceText } from "../../../compiler/model/source.js";
import { newCompilation } from "../../support/compilation.js";

const file = (text: string, name = "gateway.yaml"): SourceText => ({ name, text, format: "yaml" });
const FILE = file(`upstreams:
  - { id: fixed, nodes: { "10.0.0.1:80": 1 } }
routes:
  - { id: fixed, uri: /fixed, upstream_id: fixed }
`);
const put = (kind: Kind, id: string, value: object): Change => ({
  put: { kind, id, text: JSON.stringify(value) },
});
const remove = (kind: Kind, id: string, force = false): Change => ({ remove: { kind, id, force } });
const nodes = { "10.0.0.2:80": 1 };
const headers = (value: string) => ({ "proxy-rewrite": { headers: { set: { "X-A": value } } } });

let compilation: Compilation;
beforeEach(() => {
  compilation = newCompilation();
  expect(compilation.load({ sources: [FILE], environment: {} }).diagnostics).toEqual([]);
});

function accepted(...changes: Change[]): Pending {
  const pending = compilation.write(changes);
  expect(pending.errorMessage).toBe("");
  pending.commit();
  return pending;
}

function refused(...changes: Change[]): [text: string, ...codes: string[]] {
  const { delta, errorMessage, diagnostics } = compilation.write(changes);
  expect(delta).toBeUndefined();
  return [errorMessage, ...diagnostics.map(({ code }) => code)];
}

/** "route 1, module route:1, -upstream 2" */
function touched({ delta }: Pending): string[] {
  if (!delta) return [];
  const { routes, upstreams, modules, globalRules, pluginMetadata } = delta;
  return [
    ...routes.put.map(({ id }) => `route ${id}`),
    ...routes.remove.map((id) => `-route ${id}`),
    ...upstreams.put.map(({ key }) => `upstream ${key}`),
    ...upstreams.remove.map((key) => `-upstream ${key}`),
    ...modules.put.map(({ moduleId }) => `module ${moduleId}`),
    ...modules.remove.map((moduleId) => `-module ${moduleId}`),
    ...(pluginMetadata ? [`metadata ${pluginMetadata.map(({ plugin }) => plugin).join(" ")}`] : []),
    ...(globalRules ? [`rules ${globalRules.map(({ id }) => id).join(" ")}`] : []),
  ];
}

describe("the delta of a write", () => {
  it("a write of a route changes its row, and its module if it has one", () => {
    expect(touched(accepted(put("routes", "1", { uri: "/1", upstream_id: "fixed" })))).toEqual(["route 1"]);
    const withPlugin = { uri: "/1", upstream_id: "fixed", plugins: headers("a") };
    expect(touched(accepted(put("routes", "1", withPlugin)))).toEqual(["route 1", "module route:1"]);
    expect(touched(accepted(put("routes", "1", { ...withPlugin, plugins: headers("b") })))).toEqual([
      "module route:1",
    ]);
    expect(touched(accepted(put("routes", "1", { ...withPlugin, plugins: headers("b") })))).toEqual([]);
    expect(touched(accepted(remove("routes", "1")))).toEqual(["-route 1", "-module route:1"]);
  });

  it("a write of an upstream that routes use changes one table", () => {
    accepted(put("upstreams", "u", { nodes }), put("routes", "1", { uri: "/1", upstream_id: "u" }));
    const more = { nodes: { ...nodes, "10.0.0.3:80": 1 } };
    expect(touched(accepted(put("upstreams", "u", more)))).toEqual(["upstream u"]);
  });

  it("a write of a global rule changes one module", () => {
    expect(touched(accepted(put("global_rules", "1", { plugins: headers("a") })))).toEqual([
      "module global_rule:1",
      "rules 1",
    ]);
    expect(touched(accepted(put("global_rules", "1", { plugins: headers("b") })))).toEqual([
      "module global_rule:1",
    ]);
    expect(touched(accepted(remove("global_rules", "1")))).toEqual(["-module global_rule:1", "rules "]);
  });

  it("a write of plugin metadata changes one module, whatever routes use the plugin", () => {
    const syslog = { syslog: { host: "127.0.0.1", port: 514 } };
    accepted(
      put("routes", "1", { uri: "/1", upstream_id: "fixed", plugins: syslog }),
      put("global_rules", "1", { plugins: syslog }),
    );
    const metadata = (host: string) => put("plugin_metadata", "syslog", { log_format: { host } });
    expect(touched(accepted(metadata("$host")))).toEqual([
      "module plugin_metadata:syslog",
      "metadata syslog",
    ]);
    expect(touched(accepted(metadata("$remote_addr")))).toEqual(["module plugin_metadata:syslog"]);
    expect(touched(accepted(metadata("$remote_addr")))).toEqual([]);
    expect(touched(accepted(remove("plugin_metadata", "syslog")))).toEqual([
      "-module plugin_metadata:syslog",
      "metadata ",
    ]);
  });

  it("a write of a service or plugin_config changes the routes that name it, and no other", () => {
    accepted(
      put("plugin_configs", "p", { plugins: headers("a") }),
      put("services", "s", { upstream: { nodes }, plugin_config_id: "p" }),
      put("routes", "1", { uri: "/1", service_id: "s" }),
      put("routes", "2", { uri: "/2", upstream_id: "fixed", plugin_config_id: "p" }),
      put("routes", "3", { uri: "/3", upstream_id: "fixed" }),
    );
    expect(touched(accepted(put("plugin_configs", "p", { plugins: headers("b") }))).sort()).toEqual([
      "module route:1",
      "module route:2",
    ]);
    expect(touched(accepted(put("services", "s", { upstream: { nodes }, hosts: ["a.com"] }))).sort()).toEqual(
      ["-module route:1", "route 1"],
    );
  });

  it("a write of a consumer changes every route that authenticates clients", () => {
    const consumer = (key: string) => ({ username: "app", plugins: { "key-auth": { key } } });
    const authenticated = { uri: "/1", upstream_id: "fixed", plugins: { "key-auth": {} } };
    accepted(
      put("consumers", "app", consumer("k1")),
      put("routes", "1", authenticated),
      put("routes", "2", { uri: "/2", upstream_id: "fixed" }),
    );
    expect(touched(accepted(put("consumers", "app", consumer("k2"))))).toEqual(["module route:1"]);
  });

  it("a rollback leaves nothing of a write", () => {
    const change = put("routes", "1", { uri: "/1", upstream_id: "fixed", plugins: headers("a") });
    const first = compilation.write([change]);
    first.rollback();
    const second = compilation.write([change]);
    expect(second.delta).toEqual(first.delta);
    second.rollback();
    expect(refused(put("routes", "2", { uri: "/2", service_id: "none" }))).toContain("GW3010");
  });
});

describe("writes that are rejected", () => {
  it("a write to a resource of a file is rejected with its file and line", () => {
    const [text, code] = refused(put("routes", "fixed", { uri: "/", upstream_id: "fixed" }));
    expect(code).toBe("GW3003");
    expect(text).toBe(
      'route "fixed" is defined in gateway.yaml:4 and cannot be changed through the admin API',
    );
    expect(refused(remove("upstreams", "fixed", true))[1]).toBe("GW3003");
  });

  it.each([
    ["upstream_id", "upstream"],
    ["service_id", "service"],
    ["plugin_config_id", "plugin config"],
  ])("name the %s that does not exist in the words of the reference", (field, shown) => {
    const value = { uri: "/", upstream: { nodes }, [field]: "9" };
    const [text] = refused(put("routes", "1", value));
    expect(text).toBe(`failed to fetch ${shown} info by ${shown} id [9], response code: 404`);
  });

  it("a delete of a resource in use is rejected in the words of the reference", () => {
    accepted(
      put("upstreams", "u", { nodes }),
      put("services", "s", { upstream_id: "u" }),
      put("plugin_configs", "p", { plugins: {} }),
      put("routes", "1", { uri: "/", service_id: "s", plugin_config_id: "p" }),
    );
    expect(refused(remove("upstreams", "u"))).toEqual([
      "can not delete this upstream, service [s] is still using it now",
      "GW3004",
    ]);
    expect(refused(remove("services", "s"))[0]).toBe(
      "can not delete this service directly, route [1] is still using it now",
    );
    expect(refused(remove("plugin_configs", "p"))[0]).toBe(
      "can not delete this plugin config, route [1] is still using it now",
    );
  });

  it("a resource can be deleted in the transaction that removes its last use", () => {
    accepted(put("upstreams", "u", { nodes }), put("routes", "1", { uri: "/", upstream_id: "u" }));
    expect(touched(accepted(remove("upstreams", "u"), remove("routes", "1")))).toEqual([
      "-route 1",
      "-upstream u",
    ]);
  });

  it("a service with invalid plugins is rejected even if no route uses it", () => {
    const plugins = { "response-rewrite": { filters: [{ regex: "(", replace: "" }] } };
    expect(refused(put("services", "s", { plugins, upstream: { nodes } }))[1]).toBe("GW4501");
  });

  it("a rejected write changes nothing", () => {
    const planHash = () => {
      const nothing = compilation.write([]);
      nothing.rollback();
      return nothing.delta?.planHash;
    };
    const before = planHash();
    refused(put("upstreams", "u", { nodes }), put("routes", "1", { uri: "/", upstream_id: "gone" }));
    expect(planHash()).toBe(before);
    expect(refused(put("routes", "2", { uri: "/2", upstream_id: "u" }))[1]).toBe("GW3010");
  });
});

describe("a forced delete", () => {
  it("a forced delete leaves routes without an upstream and reports the absent resource for the store", () => {
    accepted(put("upstreams", "u", { nodes }), put("routes", "1", { uri: "/", upstream_id: "u" }));
    const pending = accepted(remove("upstreams", "u", true));
    expect(touched(pending)).toEqual(["route 1", "-upstream u"]);
    expect(pending.delta?.routes.put[0]?.upstream).toBeNull();
    expect(pending.absent).toEqual([{ kind: "upstreams", id: "u" }]);
  });

  it("a write of the resource undoes its forced delete", () => {
    accepted(put("upstreams", "u", { nodes }), put("routes", "1", { uri: "/", upstream_id: "u" }));
    accepted(remove("upstreams", "u", true));
    expect(touched(accepted(put("upstreams", "u", { nodes })))).toEqual(["route 1", "upstream u"]);
  });
});

describe("warnings of a write", () => {
  const warnings = (...changes: Change[]) => {
    const pending = compilation.write(changes);
    pending.commit();
    return pending.diagnostics.map(({ code, span }) => `${code} ${span?.file}`);
  };

  it("a write reports warnings that it takes part in, also at a route that it shadows", () => {
    accepted(put("routes", "old", { uri: "/a", methods: ["GET"], upstream_id: "fixed" }));
    expect(warnings(put("routes", "new", { uri: "/a", priority: 1, upstream_id: "fixed" }))).toEqual([
      "GW3040 admin routes/old",
    ]);
    expect(warnings(put("upstreams", "u", { nodes: {} }))).toEqual(["GW3020 PUT /gw/admin/upstreams/u"]);
    expect(warnings(put("routes", "other", { uri: "/b", upstream_id: "fixed" }))).toEqual([]);
  });
});

describe("a reload of the files", () => {
  const reload = (...sources: SourceText[]) => compilation.reload({ sources });

  it("a reload returns the delta and keeps stored resources", () => {
    accepted(put("routes", "1", { uri: "/1", upstream_id: "fixed" }));
    const next = file(FILE.text.replace("uri: /fixed", "uri: /moved"));
    expect(touched(reload(next))).toEqual(["route fixed"]);
  });

  it("a reload with an id that is stored is rejected with both locations", () => {
    accepted(put("routes", "1", { uri: "/1", upstream_id: "fixed" }));
    const { delta, diagnostics } = reload(file(`${FILE.text}  - { id: 1, uri: /x, upstream_id: fixed }\n`));
    expect(delta).toBeUndefined();
    expect(diagnostics.map(({ code, span }) => [code, span?.file])).toEqual([["GW3002", "gateway.yaml"]]);
    expect(diagnostics[0]?.notes[0]?.span?.file).toBe("admin routes/1");
  });

  it("a reload that breaks a reference of a stored route is rejected with both locations", () => {
    accepted(put("routes", "1", { uri: "/1", upstream_id: "fixed" }));
    const { diagnostics } = reload(file("routes: []\n"));
    expect(diagnostics.map(({ code, span }) => [code, span?.file])).toEqual([["GW3010", "admin routes/1"]]);
    expect(diagnostics[0]?.notes).toEqual([
      { message: "it was here before", span: expect.objectContaining({ file: "gateway.yaml" }) },
    ]);
    expect(touched(accepted(put("routes", "2", { uri: "/2", upstream_id: "fixed" })))).toEqual(["route 2"]);
  });

  it("a valid reload mends a rejected start", () => {
    const broken = newCompilation();
    expect(broken.load({ sources: [file("routes: [")], environment: {} }).artifact).toBeUndefined();
    expect(broken.write([put("upstreams", "u", { nodes })]).delta).toBeUndefined();
    const pending = broken.reload({ sources: [FILE] });
    expect(touched(pending)).toEqual(["route fixed", "upstream fixed"]);
    pending.commit();
    expect(broken.write([put("upstreams", "u", { nodes })]).delta).toBeDefined();
  });
});

it("a reload after a rejected start compares with all that the start had compiled", () => {
  const good = { uri: "/good", upstream: { nodes }, plugins: headers("a") };
  const sources = (uri: string) => [
    { name: "a.json", text: JSON.stringify({ routes: [{ id: "good", ...good }] }), format: "json" as const },
    {
      name: "b.json",
      text: JSON.stringify({ routes: [{ id: "bad", ...good, uri }] }),
      format: "json" as const,
    },
  ];
  const broken = newCompilation();
  expect(broken.load({ sources: sources("no-path"), environment: {} }).artifact).toBeUndefined();
  expect([...broken.running.state.modules.keys()]).toEqual(["route:good"]);
  expect(touched(broken.reload({ sources: sources("/bad") }))).toEqual([
    "route bad",
    "upstream route:bad",
    "module route:bad",
  ]);
});

describe("consumers with one key", () => {
  const consumer = (key: string, username: string) => ({ username, plugins: { "key-auth": { key } } });
  const write = (username: string, key: string) => put("consumers", username, consumer(key, username));
  const route = { uri: "/1", upstream_id: "fixed", plugins: { "key-auth": {} } };

  it("a consumer with the key of another is rejected even if no route authenticates", () => {
    accepted(write("first", "k1"));
    const [message, ...codes] = refused(write("second", "k1"));
    expect([message, codes]).toEqual(['consumers "second" and "first" have the same key', ["GW4302"]]);
    accepted(write("second", "k2"));
    accepted(put("routes", "1", route));
  });

  it("two consumers cannot get one key by a later write or in one transaction", () => {
    accepted(write("first", "k1"), write("second", "k2"));
    expect(refused(write("first", "k2")).slice(1)).toEqual(["GW4302"]);
    const both = [write("third", "k3"), write("fourth", "k3")];
    expect(refused(...both).slice(1)).toEqual(["GW4302"]);
    accepted(put("routes", "1", route));
  });

  it("two consumers can swap their keys in one transaction", () => {
    accepted(write("first", "k1"), write("second", "k2"));
    accepted(write("first", "k2"), write("second", "k1"));
  });

  it("equal keys in an older store do not reject writes of other consumers", () => {
    const entry = (id: string) => ({
      kind: "consumers" as const,
      id,
      value: consumer("k1", id),
    });
    compilation = newCompilation();
    const stored = [entry("first"), entry("second")];
    expect(
      compilation.load({ sources: [FILE], stored, environment: {} }).diagnostics.map(({ code }) => code),
    ).not.toContain("GW4302");
    accepted(write("third", "k3"));
    accepted(put("upstreams", "more", { nodes }));
    expect(refused(write("third", "k1")).slice(1)).toContain("GW4302");
  });

  it("consumers of files with one key are rejected, whether used or not", () => {
    const text = `consumers:
  - { username: a, plugins: { key-auth: { key: k1 } } }
  - { username: b, plugins: { key-auth: { key: k1 } } }
`;
    const found = newCompilation().load({ sources: [FILE, file(text, "consumers.yaml")], environment: {} });
    expect(found.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code)).toEqual([
      "GW4302",
    ]);
  });
});
