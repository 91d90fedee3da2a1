import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { annotationsAt, secretNames, secretPaths } from "../../../compiler/2-validate/annotations.js";

describe("annotations of the schemas", () => {
  it("schema annotations mark keys of admin, consumers, certificates and captcha as secret", () => {
    const document = {
      deployment: {
        admin: {
          admin_key: [
            { name: "a", key: "1" },
            { name: "b", key: "2" },
          ],
        },
      },
      consumers: [{ username: "a", plugins: { "key-auth": { key: "3" }, other: { key: "no" } } }],
      upstreams: [{ id: "u", type: "chash", key: "arg_no" }],
      routes: [{ id: "r", plugins: { "key-auth": { header: "no" } }, vars: [["arg_key", "==", "no"]] }],
      ssls: [{ id: "s", key: "4" }],
      captcha: { url: "https://no.example", secret: "5", store: { type: "redis", url: "redis://:6@no" } },
      captcha_api_keys: [{ id: "aaaaaaa1", key: "7", digest: "8" }],
    };
    expect(secretPaths(document)).toEqual([
      ["deployment", "admin", "admin_key", 0, "key"],
      ["deployment", "admin", "admin_key", 1, "key"],
      ["consumers", 0, "plugins", "key-auth", "key"],
      ["ssls", 0, "key"],
      ["captcha", "secret"],
      ["captcha", "store", "url"],
      ["captcha_api_keys", 0, "key"],
      ["captcha_api_keys", 0, "digest"],
    ]);
    expect(secretNames()).toEqual([
      "api_key",
      "auth_header",
      "digest",
      "key",
      "keyring",
      "keys",
      "password",
      "secret",
      "url",
    ]);
  });

  it("schema annotations mark the key or the host of a node as resolved at run time", () => {
    expect(annotationsAt(["upstreams", 0, "nodes", "a:80"], true)).toEqual({ runtime: true, secret: false });
    expect(annotationsAt(["upstreams", 0, "nodes", "a:80"])).toEqual({ runtime: false, secret: false });
    expect(annotationsAt(["routes", 0, "upstream", "nodes", 3, "host"]).runtime).toBe(true);
    expect(annotationsAt(["routes", 0, "upstream", "nodes", 3, "port"]).runtime).toBe(false);
    expect(annotationsAt(["ssls", 0, "key"]).secret).toBe(true);
  });

  it("a path that the schemas do not have has no annotation", () => {
    expect(annotationsAt(["nowhere", 0, "key"])).toEqual({ runtime: false, secret: false });
  });
});
