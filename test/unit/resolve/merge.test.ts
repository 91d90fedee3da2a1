import { describe, expect, it } from "vitest";
import { configPath } from "../../../compiler/model/config-path.js";
import { resolved, resourcesOf } from "./configuration.js";

const layered = (route: string) =>
  resolved(
    resourcesOf(`
plugin_configs:
  - { id: low, plugins: { a: { from: low }, b: { from: low }, c: { from: low }, d: { from: low } } }
  - { id: high, plugins: { a: { from: high }, b: { from: high } } }
services:
  - { id: s, plugin_config_id: low, plugins: { a: { from: s }, b: { from: s }, c: { from: s } }, upstream: { nodes: { "10.0.0.1": 1 } } }
routes:
  - ${route}
`),
  );
const origins = (route: string) =>
  Object.fromEntries(
    (layered(route).routes[0]?.plugins ?? []).map((plugin) => [plugin.name, configPath(plugin.owner)]),
  );

describe("merging of plugins", () => {
  it("a plugin is taken whole from the route, its plugin_config, the service or the service's plugin_config", () => {
    expect(
      origins("{ id: r, uri: /, service_id: s, plugin_config_id: high, plugins: { a: { from: r } } }"),
    ).toEqual({ a: "routes/r", b: "plugin_configs/high", c: "services/s", d: "plugin_configs/low" });
  });

  it("the settings of two instances of a plugin are not merged", () => {
    const { routes } = layered("{ id: r, uri: /, service_id: s, plugins: { a: { own: 1 } } }");
    expect(routes[0]?.plugins[0]?.config.value).toEqual({ own: 1 });
  });

  it("a disabled plugin instance is left out and still overrides those below it", () => {
    const names = Object.keys(
      origins("{ id: r, uri: /, service_id: s, plugins: { a: { _meta: { disable: true } } } }"),
    );
    expect(names).toEqual(["b", "c", "d"]);
  });

  it("a merged plugin has the span of the instance that overrides the others", () => {
    const { routes } = layered("{ id: r, uri: /, service_id: s, plugins: { z: {} } }");
    const spans = routes[0]?.plugins.map(({ name, span }) => `${name} ${span.start.line}`);
    expect(spans).toEqual(["a 6", "b 6", "c 6", "d 3", "z 8"]);
  });
});

describe("merging of a service into a route", () => {
  const table = (route: string) => {
    const { routes, diagnostics } = resolved(
      resourcesOf(`
upstreams:
  - { id: shared, nodes: { "10.0.0.9:80": 1 } }
  - { id: other, nodes: { "10.0.0.8:80": 1 } }
services:
  - { id: s, name: shop, hosts: [Shop.Example.com], enable_websocket: true, upstream_id: shared }
  - { id: inline, upstream: { nodes: { "10.0.0.7:80": 1 } } }
routes:
  - ${route}
`),
    );
    return { route: routes[0], errors: diagnostics.filter((d) => d.severity === "error") };
  };

  it("a route inherits hosts, upstream, name and enable_websocket of its service", () => {
    expect(table("{ id: r, uri: /, service_id: s }").route).toMatchObject({
      hosts: ["shop.example.com"],
      upstream: "shared",
      serviceId: "s",
      serviceName: "shop",
      enableWebsocket: true,
    });
  });

  it("a route's own host, upstream and enable_websocket override those of its service", () => {
    const route =
      "{ id: r, uri: /, service_id: s, host: A.example.com, upstream_id: other, enable_websocket: false }";
    expect(table(route).route).toMatchObject({
      hosts: ["a.example.com"],
      upstream: "other",
      enableWebsocket: false,
    });
  });

  it("a route's inline upstream overrides that of its service", () => {
    const route = '{ id: r, uri: /, service_id: s, upstream: { nodes: { "10.1.1.1:80": 1 } } }';
    expect(table(route).route?.upstream).toBe("route:r");
    expect(table("{ id: r, uri: /, service_id: inline }").route?.upstream).toBe("service:inline");
  });

  it("a route whose own upstream does not exist has none and does not fall back to that of its service", () => {
    const { route, errors } = table("{ id: r, uri: /, service_id: s, upstream_id: 9 }");
    expect(route?.upstream).toBeNull();
    expect(errors.map((e) => e.errorMessage)).toEqual([
      "failed to fetch upstream info by upstream id [9], response code: 404",
    ]);
  });
});
