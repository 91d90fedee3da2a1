import "../../../plugins/index.js";
import { expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { registerVariables } from "../../../compiler/plugin/contributions.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { parseRequestHead, type RequestHead } from "../../../runtime/http/request-head.js";
import { GatewayExchange } from "../../../runtime/proxy/exchange/exchange.js";
import { beginExchange } from "../../../runtime/proxy/exchange/target.js";
import type { LiveRoute } from "../../../runtime/proxy/host/contract.js";
import { matchRoute } from "../../../runtime/proxy/host/readings.js";

const GENERATION = { number: 1, globalRules: [], pluginMetadata: new Map(), match: () => undefined };

function exchangeFor(target: string, generation: GatewayExchange["generation"] = GENERATION) {
  const text = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS) as RequestHead;
  const connection = { remoteAddr: "::1", remotePort: 1, serverAddr: "::1", serverPort: 80, startedAt: 0 };
  const x = beginExchange({ head, bytesSent: 0, connection }, generation);
  if (!(x instanceof GatewayExchange)) throw new Error(x.reason);
  return x;
}

it("a path has other readings only if it contains another spelling of a slash", () => {
  for (const target of ["/a/b?c=%2f", "/a%20b", "//a/../b", "/a%252fb"])
    expect(exchangeFor(target).readings ?? [], target).toEqual([]);
  expect(exchangeFor("/a%2fb").readings).toEqual(["/a/b"]);
});

it.each([
  ["/a", ["/a"]],
  ["/a%2Fb", ["/a%2Fb", "/a/b"]],
])("the route of %s is searched once for each reading of the path", (target, expected) => {
  const row = { id: "r", moduleId: null, hasMatch: false, upstream: null } as LiveRoute["row"];
  const route: LiveRoute = { row, number: 0, module: null, upstream: null };
  const asked: string[] = [];
  const match: (typeof x)["generation"]["match"] = ({ path }) => {
    asked.push(path);
    return route;
  };
  const x = exchangeFor(target, { ...GENERATION, match });
  expect(matchRoute(x)).toBeUndefined();
  expect(x.route).toBe(route);
  expect(asked).toEqual(expected);
});

it("another reading of an exchange has the same request id, so that conditions on it agree", () => {
  const x = exchangeFor("/a%2fb");
  expect(x.readAs("/a/b")).toMatchObject({ uri: "/a/b", path: "/a/b", requestId: x.requestId });
});

it("a module lists conditions on a package's request variable, but not those on its response variable", () => {
  const variable = { type: "text", description: "Made of the path." } as const;
  registerVariables("area", [
    { ...variable, name: "area_name", from: "request" },
    { ...variable, name: "area_late", from: "response" },
  ]);
  const plugins = {
    "response-rewrite": {
      _meta: {
        filter: [
          ["area_name", "==", "shop"],
          ["area_late", "==", "shop"],
        ],
      },
      headers: { set: { "X-A": "1" } },
    },
  };
  const route = { id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:1": 1 } }, plugins };
  const sources = [{ name: "a.json", text: JSON.stringify({ routes: [route] }), format: "json" as const }];
  const { artifact, diagnostics } = compile({ sources, environment: {} });
  expect(diagnostics).toEqual([]);
  expect(artifact?.modules[0]?.code).toContain('return [x.variable("area_name") === "shop"];');
});
