import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { consumerKeys } from "../../../plugins/key-auth/runtime/index.js";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import { loaded } from "../plan/planned.js";

const CONSUMERS = [
  { username: "app", plugins: { "key-auth": { key: "open-sesame" } } },
  { username: "partner", plugins: { "key-auth": { key: "${{KEY_AUTH_TEST_PARTNER}}" } } },
];

function compiled(settings: object, consumers: object[] = CONSUMERS) {
  const route = {
    id: "r",
    uri: "/*",
    upstream: { nodes: { "127.0.0.1:80": 1 } },
    plugins: { "key-auth": settings },
  };
  const text = JSON.stringify({ consumers, routes: [route] });
  return compile({ sources: [{ name: "r.json", text, format: "json" }], environment: {} });
}

/** What the module does with a request that carries these. */
function request(settings: object, headers: Record<string, string>, args: Record<string, string> = {}) {
  const pipeline = compiled(settings).plan?.routes[0]?.pipeline;
  if (!pipeline) throw new Error("no pipeline");
  const seen: { answer?: unknown[]; deleted: string[]; added: string[][] } = { deleted: [], added: [] };
  const x = {
    request: { headers: { get: (name: string) => headers[name] } },
    upstream: { target: "/a?apikey=k&b=1", headers: { delete: (name: string) => seen.deleted.push(name) } },
    arg: (name: string) => args[name],
    consumerName: undefined,
    response: { headers: { set: (...field: string[]) => seen.added.push(field) } },
    respond: (...answer: unknown[]) => {
      seen.answer = answer;
    },
  };
  loaded(pipeline).access?.(x as unknown as Exchange);
  return { ...seen, consumer: x.consumerName, target: x.upstream.target };
}

describe("key-auth", () => {
  it("lets a known key pass, from the header or from the query", () => {
    expect(request({}, { apikey: "open-sesame" })).toMatchObject({ consumer: "app" });
    expect(request({ query: "token" }, {}, { token: "open-sesame" })).toMatchObject({ consumer: "app" });
    expect(request({}, { apikey: "open-sesame" }).answer).toBeUndefined();
  });

  it("answers 401 and says whether the key was missing or wrong", () => {
    expect(request({}, {}).answer).toEqual([
      401,
      '{"message":"Missing API key in request"}\n',
      "application/json",
    ]);
    expect(request({}, { apikey: "wrong" }).answer).toEqual([
      401,
      '{"message":"Invalid API key in request"}\n',
      "application/json",
    ]);
  });

  it("says by which scheme the key is asked for", () => {
    expect(request({}, {}).added).toEqual([["WWW-Authenticate", expect.stringMatching(/^ApiKey realm="/)]]);
    expect(request({}, { apikey: "open-sesame" }).added).toEqual([]);
  });

  it("answers with _meta.error_response in its place", () => {
    const settings = { _meta: { error_response: "no entry" } };
    expect(request(settings, {}).answer).toEqual([401, "no entry", "text/plain"]);
  });

  it("takes the key out of the request when it is to be hidden", () => {
    const seen = request({ hide_credentials: true }, { apikey: "open-sesame" });
    expect(seen).toMatchObject({ deleted: ["apikey"], target: "/a?b=1" });
  });

  it("keeps keys out of plan and module text", () => {
    const { plan, modules } = compiled({});
    expect(JSON.stringify(plan) + modules.map(({ text }) => text.code).join()).not.toContain("open-sesame");
  });

  it("finds routes that nobody could use and keys that two consumers share", () => {
    expect(compiled({}, []).diagnostics.map(({ code }) => code)).toEqual(["GW4301"]);
    const same = ["a", "b"].map((username) => ({ username, plugins: { "key-auth": { key: "k" } } }));
    expect(compiled({}, same).diagnostics.map(({ code }) => code)).toEqual(["GW4302"]);
  });
});

describe("keys from the environment", () => {
  it("are resolved at the first request, and match nothing when they are not set", () => {
    const keys = consumerKeys(
      ["partner", "${{KEY_AUTH_TEST_UNSET}}"],
      ["other", "${{KEY_AUTH_TEST_UNSET:=given}}"],
    );
    expect(keys.find("${{KEY_AUTH_TEST_UNSET}}")).toBeUndefined();
    expect(keys.find("")).toBeUndefined();
    expect(keys.find("given")).toBe("other");
  });
});
