import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { CredentialLocation } from "../../../compiler/2-validate/named-credentials.js";
import { SecretMasking } from "../../../runtime/control/secret-masking.js";
import { encryptedStore } from "../../../runtime/control/store/encrypted.js";
import { Keyring, storeKeys } from "../../../runtime/control/store/keyring.js";
import {
  type JsonObject,
  memoryStore,
  type SecretPath,
  type StoredResource,
  StoreError,
} from "../../../runtime/control/store/store.js";
import { SecretTable } from "../../../runtime/process/secret-table.js";

const keys = new Keyring(["the first key of this test"]);
const SECRET = "größe of a secret";

function logger(password: string, more: Partial<StoredResource> = {}): StoredResource {
  return {
    kind: "routes",
    id: "1",
    value: { uri: "/", plugins: { x: { brokers: [{ password }] } } },
    createdIndex: 1,
    modifiedIndex: 1,
    secrets: [["plugins", "x", "brokers", 0, "password"]],
    ...more,
  };
}

describe("an encrypted store", () => {
  const commit = (put: StoredResource[]) => ({ put, remove: [], generation: 1, revision: 1 });

  it("an encrypted store contains no plain-text secret and returns it on load", () => {
    const inner = memoryStore();
    const store = encryptedStore(inner, keys);
    store.commit(commit([logger(SECRET), logger("other", { id: "2", secrets: [] })]));
    expect(JSON.stringify(inner.load())).not.toContain(SECRET);
    expect(JSON.stringify(inner.load())).toContain('"uri":"/"');
    expect(store.load().resources[0]?.value).toEqual(logger(SECRET).value);
  });

  it("an encrypted store encrypts the same secret differently each time", () => {
    expect(keys.seal(SECRET, "a")).not.toBe(keys.seal(SECRET, "a"));
  });

  it("an encrypted store reads plain-text secrets of an earlier version", () => {
    const inner = memoryStore();
    inner.commit(commit([logger(SECRET), { ...logger(SECRET, { id: "2" }), secrets: [] }]));
    const [one, two] = encryptedStore(inner, keys).load().resources;
    expect([one?.value, two?.value]).toEqual([logger(SECRET).value, logger(SECRET).value]);
  });

  it.each([
    ["with another key", (text: string) => new Keyring(["quite another key"]).open(text, "a")],
    ["in another place", (text: string) => keys.open(text, "b")],
    ["altered", (text: string) => keys.open(`${text.slice(0, -6)}AAAA==`, "a")],
    ["cut off", (text: string) => keys.open(text.slice(0, 20), "a")],
  ])("an encrypted secret cannot be read %s", (_, open) => {
    expect(() => open(keys.seal(SECRET, "a"))).toThrow(StoreError);
  });

  it("an encrypted secret can be read with any key of the keyring and is encrypted with the first", () => {
    const rotated = new Keyring(["the key after it", "the first key of this test"]);
    expect(rotated.open(keys.seal(SECRET, "a"), "a")).toBe(SECRET);
    expect(() => keys.open(rotated.seal(SECRET, "a"), "a")).toThrow("it was encrypted with another key");
  });

  it("an encrypted store rejects a secret if the key would be lost with the process", () => {
    const store = encryptedStore(memoryStore(), Keyring.ofThisProcess());
    expect(() => store.commit(commit([logger(SECRET)]))).toThrow(StoreError);
    store.commit(commit([logger(SECRET, { value: null })]));
  });
});

describe("the key file of a store", () => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-keys-"));
  const file = join(directory, "encryption.key");
  afterEach(() => rmSync(file, { force: true }));

  it("the key file of a store is created once, readable by its owner only", () => {
    const first = storeKeys(directory, []);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(file, "utf8"), "base64").length).toBe(32);
    expect(storeKeys(directory, []).open(first.seal(SECRET, "a"), "a")).toBe(SECRET);
    expect(storeKeys(directory, []).secretKey).toBe(first.secretKey);
  });

  it("the key file of a store still decrypts its secrets once a keyring is configured", () => {
    const sealed = storeKeys(directory, []).seal(SECRET, "a");
    const ring = storeKeys(directory, ["a key from the environment"]);
    expect(ring.open(sealed, "a")).toBe(SECRET);
    expect(new Keyring(["a key from the environment"]).open(ring.seal(SECRET, "a"), "a")).toBe(SECRET);
  });

  it("the key file of a store is not created if a keyring is configured or there is no directory", () => {
    storeKeys(directory, ["a key from the environment"]);
    expect(storeKeys(null, []).isKept).toBe(false);
    expect(() => statSync(file)).toThrow("ENOENT");
  });

  it("an empty key file of a store is neither used nor replaced", () => {
    writeFileSync(file, "");
    expect(storeKeys(directory, []).isKept).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("");
  });

  it("a keyring whose file cannot be created is not kept, and differs each time", () => {
    const notADirectory = join(directory, "file");
    writeFileSync(notADirectory, "");
    const [first, second] = [storeKeys(notADirectory, []), storeKeys(notADirectory, [])];
    expect([first.isKept, second.isKept]).toEqual([false, false]);
    expect(first.secretKey).not.toBe(second.secretKey);
    expect(() => first.seal(SECRET, "a")).toThrow(StoreError);
  });
});

describe("masks in responses", () => {
  const masks = new SecretMasking(keys);
  const paths = [
    ["list", 0, "password"],
    ["list", 1, "password"],
  ];
  const named = { kind: "routes", id: "1" } as const;
  type Listed = { list: { password: string }[] };
  const value = (...passwords: string[]): Listed => ({ list: passwords.map((password) => ({ password })) });
  const before = { ...named, value: value("one", "two"), secrets: paths };
  const masked = masks.masked(before) as Listed;
  const back = (
    sent: JsonObject,
    secrets: readonly SecretPath[] = paths,
    known: typeof before | null = before,
  ) => masks.unmasked({ ...named, value: sent, secrets, credentials: [] }, known ?? undefined);

  it("a mask replaces each secret and is equal for equal secrets of one field in a resource", () => {
    expect(JSON.stringify(masked)).toMatch(/^\{"list":\[\{"password":"\*\*\*[0-9a-f]{8}"\},.*\]\}$/);
    const [one, two] = masked.list;
    expect(one).not.toEqual(two);
    expect(before.value).toEqual(value("one", "two"));
    const same = masks.masked({ ...before, value: value("one", "one") }) as Listed;
    expect(same.list).toEqual([one, one]);
  });

  it("a mask differs between resources and between fields with the same secret", () => {
    const [one] = masked.list;
    const other = masks.masked({ ...before, id: "2" }) as Listed;
    expect(other.list[0]).not.toEqual(one);
    const fields = { a: "one", b: "one" };
    const { a, b } = masks.masked({ ...named, value: fields, secrets: [["a"], ["b"]] }) as typeof fields;
    expect(a).not.toBe(b);
  });

  it("a mask that is sent back means its secret, in any order of a list", () => {
    expect(back({ ...masked })).toEqual({ value: before.value });
    const swapped = { list: [...masked.list].reverse() };
    expect(back(swapped)).toEqual({ value: value("two", "one") });
  });

  it("a new secret next to a mask remains as it is", () => {
    const list = [masked.list[0], { password: "new" }];
    expect(back({ list })).toEqual({ value: value("one", "new") });
  });

  it("a mask is rejected if the resource has no such secret", () => {
    expect(back({ ...masked }, paths, null)).toEqual({ unknown: paths[1] });
    const other = { ...before, value: value("one", "three") };
    expect(back({ ...masked }, paths, other)).toEqual({ unknown: paths[1] });
  });

  it.each<[string, JsonObject, SecretPath[], SecretPath]>([
    ["another secret", { other: masked.list[0]?.password }, [["other"]], ["other"]],
    ["no secret", { desc: `is ${masked.list[0]?.password}` }, [], ["desc"]],
    ["a name", { [masked.list[0]?.password ?? ""]: 1 }, [], [masked.list[0]?.password ?? ""]],
  ])("a mask is rejected in the place of %s", (_, sent, secrets, unknown) => {
    expect(back(sent, secrets)).toEqual({ unknown });
  });

  it("a mask of another resource is plain text in a field without a secret", () => {
    expect(back({ desc: "***0123abcd" }, [])).toEqual({ value: { desc: "***0123abcd" } });
  });
});

describe("masks of credentials that are found by name", () => {
  const named = { kind: "routes", id: "1" } as const;
  const set = (headers: JsonObject): JsonObject => ({ set: headers });
  const place = (name: string, ...stretches: [number, number][]): CredentialLocation => ({
    ...{ path: ["set", name], name, stretches },
  });
  const value = set({ "X-Api-Key": 4711, Link: "https://ann:pw@a.test/?token=abc", "X-Token": "abc" });
  const places = [place("X-Api-Key", [0, 4]), place("Link", [8, 14], [29, 32]), place("X-Token", [0, 3])];
  const masks = new SecretMasking(keys, () => places);
  const before = { ...named, value };
  type Masked = { set: Record<string, string> };
  const shown = (masks.masked(before) as Masked).set;

  it("a mask of a credential covers the credential only, also in a number", () => {
    const mask = "\\*\\*\\*[0-9a-f]{8}";
    expect(shown).toEqual({
      "X-Api-Key": expect.stringMatching(new RegExp(`^${mask}$`)),
      Link: expect.stringMatching(new RegExp(`^https://${mask}@a\\.test/\\?token=${mask}$`)),
      "X-Token": expect.stringMatching(new RegExp(`^${mask}$`)),
    });
  });

  it("a mask of a credential means its value in the same place, also a number", () => {
    const credentials = [
      place("X-Api-Key", [0, 11]),
      place("Link", [8, 19], [34, 45]),
      place("X-Token", [0, 11]),
    ];
    const sent = { ...named, value: set({ ...shown }), secrets: [], credentials };
    expect(masks.unmasked(sent, before)).toEqual({ value });
  });

  it("a mask of a credential is rejected under another name", () => {
    const moved = { ...named, value: set({ "X-Token": shown["X-Api-Key"] }), secrets: [] };
    const credentials = [place("X-Token", [0, 11])];
    expect(masks.unmasked({ ...moved, credentials }, before)).toEqual({ unknown: ["set", "X-Token"] });
    const renamed = { ...named, value: set({ "X-Shown": shown["X-Token"] }), secrets: [], credentials: [] };
    expect(masks.unmasked(renamed, before)).toEqual({ unknown: ["set", "X-Shown"] });
  });
});

describe("the secrets of a worker", () => {
  it("the secrets of a worker include those of the prepared, the live and earlier generations", () => {
    const table = new SecretTable({});
    table.start({ a: "1" });
    table.prepare({ b: "2" });
    expect([table.resolve("a"), table.resolve("b")]).toEqual(["1", "2"]);
    table.activate();
    expect([table.resolve("a"), table.resolve("b")]).toEqual(["1", "2"]);
    table.prepare({ c: "3" });
    table.activate();
    expect([table.resolve("a"), table.resolve("b"), table.resolve("c")]).toEqual(["1", "2", "3"]);
  });

  it("the secrets of a worker remain when a generation brings none, and those of a discarded one disappear", () => {
    const table = new SecretTable({});
    table.start({ a: "1" });
    table.prepare(undefined);
    table.activate();
    expect(table.resolve("a")).toBe("1");
    table.prepare({ b: "2" });
    table.discard();
    expect(table.resolve("b")).toBeUndefined();
    expect(table.resolve("toString")).toBeUndefined();
  });

  it("a secret of a worker can be a reference to the environment", () => {
    const table = new SecretTable({ KEY: "from outside" });
    expect(table.resolve("${{KEY}}")).toBe("from outside");
    expect(table.resolve("${{OTHER:=default}}")).toBe("default");
    expect(table.resolve("${{OTHER}}")).toBeUndefined();
  });
});
