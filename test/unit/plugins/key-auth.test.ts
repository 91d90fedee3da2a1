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

/** Effects of the module on a request with these headers and query arguments. */
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
  it("key-auth accepts a known key from the header or the query", () => {
    expect(request({}, { apikey: "open-sesame" })).toMatchObject({ consumer: "app" });
    expect(request({ query: "token" }, {}, { token: "open-sesame" })).toMatchObject({ consumer: "app" });
    expect(request({}, { apikey: "open-sesame" }).answer).toBeUndefined();
  });

  it("key-auth rejects a missing and a wrong key with 401 and different messages", () => {
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

  it("a 401 of key-auth names the scheme ApiKey", () => {
    expect(request({}, {}).added).toEqual([["WWW-Authenticate", expect.stringMatching(/^ApiKey realm="/)]]);
    expect(request({}, { apikey: "open-sesame" }).added).toEqual([]);
  });

  it("_meta.error_response replaces the body of key-auth", () => {
    const settings = { _meta: { error_response: "no entry" } };
    expect(request(settings, {}).answer).toEqual([401, "no entry", "text/plain"]);
  });

  it("hide_credentials removes the key from the request", () => {
    const seen = request({ hide_credentials: true }, { apikey: "open-sesame" });
    expect(seen).toMatchObject({ deleted: ["apikey"], target: "/a?b=1" });
  });

  it("plan and module code do not contain keys", () => {
    const { plan, modules } = compiled({});
    expect(JSON.stringify(plan) + modules.map(({ text }) => text.code).join()).not.toContain("open-sesame");
  });

  it("the compiler warns about key-auth without consumers and about keys that two consumers share", () => {
    expect(compiled({}, []).diagnostics.map(({ code }) => code)).toEqual(["GW4301"]);
    const same = ["a", "b"].map((username) => ({ username, plugins: { "key-auth": { key: "k" } } }));
    expect(compiled({}, same).diagnostics.map(({ code }) => code)).toEqual(["GW4302"]);
  });
});

describe("keys from the environment", () => {
  it("an unset variable matches no key, and its default does", () => {
    const keys = consumerKeys(
      ["partner", "${{KEY_AUTH_TEST_UNSET}}"],
      ["other", "${{KEY_AUTH_TEST_UNSET:=given}}"],
    );
    expect(keys.find("${{KEY_AUTH_TEST_UNSET}}")).toBeUndefined();
    expect(keys.find("")).toBeUndefined();
    expect(keys.find("given")).toBe("other");
  });
});
