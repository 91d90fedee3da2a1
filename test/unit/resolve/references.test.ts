import { describe, expect, it } from "vitest";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { reported, resolved, resourcesOf } from "./configuration.js";

const UPSTREAM = 'upstreams:\n  - { id: orders, nodes: { "10.0.0.1:80": 1 } }\n';

describe("ids and references", () => {
  it("GW3010 reports a missing upstream and suggests the id that was most likely meant", () => {
    const { diagnostics } = resolved(
      resourcesOf(
        `${UPSTREAM}routes:\n  - { id: r, uri: /a, upstream_id: ordres }\n  - { id: s, uri: /b, upstream_id: orders }\n`,
      ),
    );
    expect(reported({ diagnostics })).toEqual([
      'GW3010 4 "upstream_id" refers to upstream "ordres", which does not exist',
    ]);
    expect(diagnostics[0]?.help).toBe('did you mean "orders"?');
  });

  it("GW3001 reports a duplicate id and notes the first one; the number 1 and the string 1 are equal", () => {
    const { diagnostics } = resolved(
      resourcesOf(
        'routes:\n  - { id: 1, uri: /a, upstream: { nodes: { a: 1 } } }\n  - { id: "1", uri: /b, upstream: { nodes: { a: 1 } } }\n',
      ),
    );
    expect(reported({ diagnostics })).toEqual(['GW3001 3 route "1" is defined twice']);
    expect(diagnostics[0]?.notes[0]?.span?.start.line).toBe(2);
  });

  it("GW3002 reports an id that is in a file and in the store, at the file, in any order of the two", () => {
    const file = resourcesOf(`${UPSTREAM}routes:\n  - { id: r, uri: /, upstream_id: orders }\n`);
    const stored = resourcesOf(
      "upstreams:\n  - { id: orders, nodes: { b: 1 } }\n",
      "store",
      "admin upstreams/orders",
    );
    for (const order of [resolved(file, stored), resolved(stored, file)]) {
      expect(reported(order)).toEqual(['GW3002 2 upstream "orders" is in a file and in the store']);
      expect(order.diagnostics[0]?.span?.file).toBe("gateway.yaml");
      expect(order.diagnostics[0]?.notes[0]?.span?.file).toBe("admin upstreams/orders");
    }
  });

  it("unused resources are reported in files and not in the store", () => {
    const unused = `
upstreams:
  - { id: a, nodes: { b: 1 } }
services:
  - { id: s }
plugin_configs:
  - { id: p, plugins: {} }
consumers:
  - { username: c }
ssls:
  - { id: t, sni: upstream.test, cert: ${JSON.stringify(TEST_CERTIFICATE.cert)}, key: "\${{KEY}}" }
`;
    expect(reported(resolved(resourcesOf(unused))).map((line) => line.slice(0, 6))).toEqual([
      "GW3011",
      "GW3011",
      "GW3011",
      "GW3012",
      "GW3013",
    ]);
    expect(reported(resolved(resourcesOf(unused, "store")))).toEqual([]);
  });

  it("GW3031 rejects a plugin in two global rules, with the reference's message for the admin API", () => {
    const { diagnostics } = resolved(
      resourcesOf(
        "global_rules:\n  - { id: 1, plugins: { a: {} } }\n  - { id: 2, plugins: { a: {}, b: {} } }\n",
      ),
    );
    expect(reported({ diagnostics })).toEqual(['GW3031 3 plugin "a" is already in global_rule "1"']);
    expect(diagnostics[0]?.errorMessage).toBe("plugin 'a' already exists in global rule with id '1'");
  });

  it("GW3031 ignores a disabled plugin in a global rule", () => {
    expect(
      reported(
        resolved(
          resourcesOf(
            "global_rules:\n  - { id: 1, plugins: { a: { _meta: { disable: true } } } }\n  - { id: 2, plugins: { a: {} } }\n",
          ),
        ),
      ),
    ).toEqual([]);
  });

  it("GW3030 reports a route without upstream or plugin that replies, unless disabled or GW3010 is reported", () => {
    const route = (fields: string) =>
      reported(resolved(resourcesOf(`routes:\n  - { id: r, uri: /${fields} }\n`)));
    expect(route(", plugins: { a: {} }")).toEqual([
      'GW3030 2 route "r" has no upstream: every request is rejected with 503',
    ]);
    expect(route(", plugins: { answer-here: {} }")).toEqual([]);
    expect(route(", status: 0")).toEqual([]);
    expect(route(", service_id: gone").map((line) => line.slice(0, 6))).toEqual(["GW3010"]);
  });

  it("a disabled route is not in the configuration, but its references are checked", () => {
    const { routes, disabled, diagnostics } = resolved(
      resourcesOf("routes:\n  - { id: r, uri: /, status: 0, upstream_id: gone }\n"),
    );
    expect(routes).toEqual([]);
    expect(disabled.map(({ id }) => id)).toEqual(["r"]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["GW3010"]);
  });
});
