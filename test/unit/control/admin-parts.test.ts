import { describe, expect, it } from "vitest";
import { addressList } from "../../../runtime/abi/text/addresses.js";
import { Authentication } from "../../../runtime/control/admin/authentication.js";
import { settingsOf } from "../../../runtime/control/settings.js";
import { restartDelay } from "../../../runtime/process/child.js";
import { SettingsError } from "../../../runtime/process/contribution.js";

describe("the admin key", () => {
  const keys = new Authentication(
    [
      { name: "one", key: "first-key", role: "admin" },
      { name: "two", key: "second-key", role: "viewer" },
    ],
    true,
  );
  it.each([
    [undefined, "GET", "missing apikey"],
    ["", "GET", "missing apikey"],
    ["first-ke", "GET", "wrong apikey"],
    ["first-key ", "GET", "wrong apikey"],
    ["first-key", "DELETE", undefined],
    ["second-key", "GET", undefined],
    ["second-key", "HEAD", undefined],
    ["second-key", "PUT", "invalid method for role viewer"],
  ])("the admin key %j is checked for the method %s: %j", (key, method, denial) => {
    expect(keys.denial(key, method)).toBe(denial);
  });

  it("a request needs no admin key when none is required", () => {
    expect(new Authentication([], false).denial(undefined, "PUT")).toBeUndefined();
  });
});

describe("deployment settings", () => {
  it("the deployment settings have the defaults of the reference", () => {
    const settings = settingsOf(null, "/srv/gw", {});
    expect(settings.data).toEqual([{ host: "0.0.0.0", port: 9080, setting: "gw.node_listen" }]);
    expect(settings.admin).toMatchObject({ host: "127.0.0.1", port: 9180 });
    expect(settings.status).toMatchObject({ host: "127.0.0.1", port: 7085 });
    expect(settings.store).toBe("/srv/gw/.gwc/store");
    expect(settings.adminKeys).toEqual([]);
  });

  it("node_listen accepts a number, a list of numbers or addresses", () => {
    const listen = (node_listen: unknown) =>
      settingsOf({ gw: { node_listen } }, "/", {}).data.map(({ host, port }) => `${host}:${port}`);
    expect(listen(80)).toEqual(["0.0.0.0:80"]);
    expect(listen([80, 81])).toEqual(["0.0.0.0:80", "0.0.0.0:81"]);
    expect(listen([{ ip: "::1", port: 82 }])).toEqual(["::1:82"]);
  });

  it("an admin key resolves environment variables and remains a string", () => {
    const keys = { deployment: { admin: { admin_key: [{ name: "a", key: "${{KEY}}" }] } } };
    expect(settingsOf(keys, "/", { KEY: "12345" }).adminKeys[0]?.key).toBe("12345");
    expect(() => settingsOf(keys, "/", {})).toThrow(SettingsError);
  });
});

describe("allow_admin", () => {
  const allowed = addressList(["127.0.0.0/24", "10.1.2.3", "fd00::/8"]);
  it.each([
    ["127.0.0.9", true],
    ["127.0.1.9", false],
    ["10.1.2.3", true],
    ["::ffff:10.1.2.3", true],
    ["fd12::1", true],
    ["::1", false],
    ["", false],
  ])("allow_admin accepts the address %s: %s", (address, is) => {
    expect(allowed(address)).toBe(is);
  });

  it("an empty allow_admin accepts any address", () => {
    expect(addressList([])("192.0.2.1")).toBe(true);
  });
});

describe("a child that fails to start", () => {
  it("a child that fails to start restarts at once, then after growing delays of at most 10 s", () => {
    expect([1, 2, 3, 4, 8, 9, 50].map(restartDelay)).toEqual([0, 100, 200, 400, 6400, 10_000, 10_000]);
  });
});
