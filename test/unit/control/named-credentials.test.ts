import { describe, expect, it } from "vitest";
import { credentialsAmong } from "../../../compiler/thread/credentials-client.js";
import { unmasked } from "../../../runtime/control/change.js";
import { NamedCredentials } from "../../../runtime/control/named-credentials.js";
import { ResourceCatalog } from "../../../runtime/control/resource-catalog.js";
import { SecretMasking } from "../../../runtime/control/secret-masking.js";
import { Keyring } from "../../../runtime/control/store/keyring.js";
import type { JsonObject } from "../../../runtime/control/store/store.js";
import "../../../plugins/index.js";

const set = (headers: object) => ({ uri: "/", plugins: { "proxy-rewrite": { headers: { set: headers } } } });
const route = (id: string, value: object) => ({
  kind: "routes" as const,
  id,
  value: { id, ...value },
  place: "",
});
const TOKEN = ["plugins", "proxy-rewrite", "headers", "set", "X-Token"];

const placesIn = (running: object[], asked: object) =>
  credentialsAmong(
    running.map((value) => ({ kind: "services", value })),
    [{ kind: "routes", value: asked }],
  ).places.flatMap((places) => places.map(({ path }) => path.join(".")));

describe("a write", () => {
  it("a write searches the previous resource for credentials only if it contains a mask", async () => {
    const keys = new Keyring(["the key of this test"]);
    const searched: number[] = [];
    const find = async (asked: readonly { kind: "routes"; value: unknown }[]) => {
      searched.push(asked.length);
      return credentialsAmong([], asked);
    };
    const credentials = new NamedCredentials(find as never, new ResourceCatalog([]));
    const redaction = new SecretMasking(keys, (item) => credentials.of(item));
    const compiler = { secretPaths: async () => [[]] };
    const before = { ...route("a", set({ "X-Token": "s3cret" })), createdIndex: 1, modifiedIndex: 1 };
    const write = (value: JsonObject) =>
      unmasked({ kind: "routes", id: "a", value, method: "PUT" }, before, {
        compiler,
        credentials,
        redaction,
      });
    expect(await write(set({ "X-Token": "other" }))).toHaveProperty("put");
    expect(searched).toEqual([1]);
    const masked = keys.mask("s3cret", JSON.stringify(["routes", "a", TOKEN, "x-token"]));
    expect(await write(set({ "X-Token": masked }))).toMatchObject({
      put: { value: set({ "X-Token": "s3cret" }) },
    });
    expect(searched.slice(1)).toEqual([2, 1]);
  });
});

describe("credentials by name", () => {
  it("the credentials are searched in resources of a concurrent reload before anyone reads them", async () => {
    const resources = new ResourceCatalog([]);
    resources.setStatic(() => [route("a", set({ "X-Token": "s3cret" }))]);
    const late = route("b", set({ "X-Token": "s3cret" }));
    const credentials = new NamedCredentials(async (asked) => {
      if (resources.fromFile("routes", "b") === undefined)
        resources.changeStatic({ names: ["routes/a", "routes/b"], put: [late] });
      return credentialsAmong(resources.all(), asked);
    }, resources);
    await credentials.ready();
    expect(credentials.of(late)).toEqual([expect.objectContaining({ path: TOKEN })]);
  });

  it("the credentials of a resource that could not be searched cannot be read", async () => {
    const resources = new ResourceCatalog([]);
    const one = route("a", set({ "X-Token": "s3cret" }));
    resources.setStatic(() => [one]);
    const credentials = new NamedCredentials(() => Promise.reject(new Error("no schemas")), resources);
    await expect(credentials.ready()).rejects.toThrow("no schemas");
    expect(() => credentials.of(one)).toThrow("not searched");
  });

  it("the credentials include headers that a package plugin without a known schema may name", () => {
    const running = [{ plugins: { "our-auth": { header: "X-Door", mode: "two words" } } }];
    const asked = set({ "X-Door": "s3cret", "two words": "x", "X-Other": "y" });
    expect(placesIn(running, asked)).toEqual(["plugins.proxy-rewrite.headers.set.X-Door"]);
  });

  it("the credentials include unknown fields of a disabled plugin", () => {
    const plugins = {
      "file-logger": { _meta: { disable: true }, path: "a.log", pasword: "s3cret", token: "s3cret" },
    };
    const found = ["pasword", "token"].map((field) => `plugins.file-logger.${field}`);
    expect(placesIn([], { uri: "/", plugins })).toEqual(found);
  });
});
