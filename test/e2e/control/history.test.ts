import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM, VIEWER_KEY } from "./admin.js";

let gateway: AdminGateway;
beforeEach(async () => {
  gateway = await AdminGateway.start();
});
afterEach(() => gateway.stop());

interface Entry {
  number: number;
  method: string;
  key: string | null;
  address: string | null;
  note: string | null;
  kind: string;
  id: string;
  changed: string[];
  reverts?: number;
}
const changes = async (query = ""): Promise<Entry[]> =>
  (await gateway.call("GET", `/history${query}`)).json["list"] as Entry[];
const newest = async (): Promise<number> => (await changes())[0]?.number ?? 0;
const route = (uri: string) => ({ uri, upstream: UPSTREAM });
const revert = (number: number, query = "") => gateway.call("POST", `/history/${number}/revert${query}`);

describe("the history of changes", () => {
  it("the history lists client, key, note and changed fields of each write, newest first", async () => {
    await gateway.call("PUT", "/routes/1?note=made%20for%20%D0%98%D1%80%D0%B8%D0%BD%D0%B0", route("/a"));
    await gateway.call("PATCH", "/routes/1", { uri: "/b" }, { headers: { "X-Gw-Note": "ticket 7" } });
    await gateway.call("POST", "/services", { upstream: UPSTREAM });
    await gateway.call("DELETE", "/routes/1");
    await gateway.call("PUT", "/routes/2", { uri: "no-slash" });
    await gateway.call("PUT", "/routes/3?dry_run=true", route("/c"));
    const list = await changes();
    const who = { key: "admin", address: "127.0.0.1" };
    expect(list).toMatchObject([
      { ...who, method: "DELETE", did: "deleted", kind: "routes", id: "1", note: null },
      { ...who, method: "POST", kind: "services" },
      {
        ...who,
        method: "PATCH",
        did: "changed",
        kind: "routes",
        id: "1",
        note: "ticket 7",
        changed: ["uri"],
      },
      { ...who, method: "PUT", did: "made", kind: "routes", id: "1", note: "made for Ирина" },
    ]);
    expect((await changes("?kind=routes&id=1&limit=2")).map(({ method }) => method)).toEqual([
      "DELETE",
      "PATCH",
    ]);
    const older = await changes(`?kind=routes&before=${list[2]?.number}`);
    expect(older.map(({ method }) => method)).toEqual(["PUT"]);
    const found = async (words: string) => (await changes(`?search=${encodeURIComponent(words)}`)).length;
    expect(await found("TICKET routes/1")).toBe(1);
    expect(await found("ирина")).toBe(1);
    expect(await found("routes/1")).toBe(3);
    expect(await found("nothing of the kind")).toBe(0);
  });

  it("the history has a resource before and after a change, also after a restart", async () => {
    await gateway.call("PUT", "/routes/1", route("/a"));
    await gateway.call("PATCH", "/routes/1", { uri: "/b" });
    const number = await newest();
    await gateway.gateway.close(0);
    await gateway.open();
    const { json } = await gateway.call("GET", `/history/${number}`);
    expect(json).toMatchObject({ before: { uri: "/a" }, after: { uri: "/b" }, current: true });
    const version = (of: string) => gateway.call("GET", `/history/${number}?version=${of}`);
    expect((await version("before")).json).toMatchObject({ key: "/gw/routes/1", value: { uri: "/a" } });
    expect((await version("after")).json).toMatchObject({ value: { uri: "/b" }, modifiedIndex: number });
    expect((await version("both")).status).toBe(400);
    expect((await gateway.call("GET", `/history/${number - 1}?version=before`)).status).toBe(404);
    expect((await gateway.call("GET", "/history/999")).status).toBe(404);
  });

  it("the history has an adopted resource, whose adoption cannot be reverted", async () => {
    await gateway.call("PUT", "/routes/moved", { ...route("/a"), name: "Moved" });
    gateway.write(
      `routes:\n  - { id: moved, uri: /b, name: Moved, upstream: { nodes: { "127.0.0.1:9": 1 } } }\n`,
    );
    expect((await gateway.call("POST", "/adopt/routes/moved?note=to%20git")).status).toBe(200);
    const [adopted] = await changes();
    const who = { key: "admin", address: "127.0.0.1", note: "to git" };
    expect(adopted).toMatchObject({ ...who, method: "ADOPT", kind: "routes", id: "moved", changed: ["uri"] });
    const { json } = await gateway.call("GET", `/history/${adopted?.number}`);
    expect(json).toMatchObject({ before: { uri: "/a" }, after: null, current: true });
    expect((await revert(adopted?.number ?? 0)).status).toBe(400);
  });

  it("the history has the expiry of a resource", async () => {
    await gateway.call("PUT", "/routes/1?ttl=0.1", route("/a"));
    await expect.poll(changes).toMatchObject([{ method: "EXPIRE", key: null }, { method: "PUT" }]);
  });
});

describe("a revert", () => {
  it("a revert restores the earlier version and responds as the write that it makes", async () => {
    await gateway.call("PUT", "/routes/1", route("/a"));
    const made = await newest();
    await gateway.call("PUT", "/routes/1", route("/b"));
    const answer = await revert(await newest(), "?note=a%20mistake");
    expect([answer.status, answer.json]).toEqual([200, expect.objectContaining({ key: "/gw/routes/1" })]);
    expect((await gateway.call("GET", "/routes/1")).json).toMatchObject({ value: { uri: "/a" } });
    expect((await changes())[0]).toMatchObject({ method: "PUT", reverts: made + 1, note: "a mistake" });
    // The first change created the route, so its revert deletes it.
    expect((await revert(made, "?over=true")).json).toMatchObject({ deleted: "1" });
    expect((await gateway.call("GET", "/routes/1")).status).toBe(404);
    expect((await revert(await newest())).status).toBe(201);
    expect((await gateway.call("GET", "/routes/1")).json).toMatchObject({ value: { uri: "/a" } });
  });

  it("a revert of a resource that has changed is rejected with both versions, unless over=true", async () => {
    await gateway.call("PUT", "/routes/1", route("/a"));
    await gateway.call("PATCH", "/routes/1", { uri: "/b" });
    const number = await newest();
    await gateway.call("PATCH", "/routes/1", { uri: "/c" });
    const refused = await revert(number);
    expect(refused.status).toBe(409);
    expect(refused.json).toMatchObject({
      after: { value: { uri: "/b" } },
      current: { value: { uri: "/c" } },
    });
    expect((await revert(number, "?force=true")).status).toBe(409);
    expect((await revert(number, "?over=true&dry_run=true")).status).toBe(200);
    expect((await gateway.call("GET", "/routes/1")).json).toMatchObject({ value: { uri: "/c" } });
    expect((await revert(number, "?over=true")).status).toBe(200);
    expect((await gateway.call("GET", "/routes/1")).json).toMatchObject({ value: { uri: "/a" } });
  });

  it("a revert retains later changes of other fields, also below plugins, and the history previews it", async () => {
    const limited = (count: number, more: object = {}) => ({
      ...route("/a"),
      name: "Shop",
      plugins: { "response-rewrite": { body: "x", status_code: count } },
      ...more,
    });
    await gateway.call("PUT", "/routes/1", limited(200));
    await gateway.call("PUT", "/routes/1", limited(201, { name: "Mistake" }));
    const number = await newest();
    await gateway.call("PATCH", "/routes/1", {
      desc: "of a colleague",
      plugins: { "response-rewrite": { body: "y" } },
    });
    const wanted = {
      ...{ name: "Shop", desc: "of a colleague", uri: "/a" },
      plugins: { "response-rewrite": { body: "y", status_code: 200 } },
    };
    expect((await gateway.call("GET", `/history/${number}`)).json).toMatchObject({
      ...{ current: false, conflicts: [], taken_back: wanted },
      now: { value: { name: "Mistake" }, modifiedIndex: number + 1 },
    });
    expect((await revert(number)).status).toBe(200);
    expect((await gateway.call("GET", "/routes/1")).json).toMatchObject({ value: wanted });
    const again = await revert(number);
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("contains nothing of change")]);
  });

  it("a revert names fields that changed again; with over=true it restores these and retains the rest", async () => {
    await gateway.call("PUT", "/routes/1", { ...route("/a"), name: "one" });
    await gateway.call("PATCH", "/routes/1", { uri: "/b", name: "two" });
    const number = await newest();
    await gateway.call("PATCH", "/routes/1", { uri: "/c", desc: "later" });
    const conflicts = [{ field: "uri", before: "/a", after: "/b", now: "/c" }];
    expect((await gateway.call("GET", `/history/${number}`)).json).toMatchObject({ conflicts });
    const refused = await revert(number);
    expect([refused.status, refused.json]).toEqual([409, expect.objectContaining({ conflicts })]);
    expect(refused.text).toContain("in the same fields (uri)");
    expect((await revert(number, "?over=true")).status).toBe(200);
    const { value } = (await gateway.call("GET", "/routes/1")).json as { value: object };
    expect(value).toMatchObject({ uri: "/a", name: "one", desc: "later" });
  });

  it("a revert is rejected as a whole if another resource took the id", async () => {
    await gateway.call("PUT", "/routes/1", { ...route("/a"), name: "one" });
    await gateway.call("PATCH", "/routes/1", { name: "two" });
    const number = await newest();
    await gateway.call("DELETE", "/routes/1");
    await gateway.call("PUT", "/routes/1", { ...route("/other"), name: "two" });
    const refused = await revert(number);
    expect([refused.status, refused.json["conflicts"]]).toEqual([
      409,
      [
        expect.objectContaining({
          field: "",
          before: expect.objectContaining({ name: "one" }),
          now: expect.objectContaining({ uri: "/other" }),
        }),
      ],
    ]);
  });

  it("a revert is rejected if the resource was created and deleted again, though it is as absent as before", async () => {
    await gateway.call("PUT", "/routes/1", route("/v1"));
    await gateway.call("DELETE", "/routes/1");
    const number = await newest();
    expect((await gateway.call("GET", `/history/${number}`)).json).toMatchObject({ current: true });
    await gateway.call("PUT", "/routes/1", route("/v2"));
    await gateway.call("DELETE", "/routes/1");
    expect((await gateway.call("GET", `/history/${number}`)).json).toMatchObject({ current: false });
    const refused = await revert(number);
    expect([refused.status, refused.json["current"]]).toEqual([409, null]);
    expect((await gateway.call("GET", "/routes/1")).status).toBe(404);
    expect((await revert(number, "?over=true")).status).toBe(201);
  });

  it("a revert respects If-Match and If-None-Match", async () => {
    await gateway.call("PUT", "/routes/1", route("/a"));
    await gateway.call("PUT", "/routes/1", route("/b"));
    const number = await newest();
    const matching = (headers: Record<string, string>) =>
      gateway.call("POST", `/history/${number}/revert`, undefined, { headers });
    expect((await matching({ "If-Match": '"99"' })).status).toBe(412);
    expect((await matching({ "If-None-Match": "*" })).status).toBe(412);
    expect((await matching({ "If-Match": `"${number}"` })).status).toBe(200);
  });

  it("a revert deletes a resource in use only with force=true", async () => {
    await gateway.call("PUT", "/services/s", { upstream: UPSTREAM });
    const made = await newest();
    await gateway.call("PUT", "/services/s", { upstream: UPSTREAM, name: "newer" });
    await gateway.call("PUT", "/routes/1", { uri: "/a", service_id: "s" });
    expect((await revert(made, "?force=true")).status).toBe(409);
    expect((await revert(made, "?over=true")).status).toBe(400);
    expect((await revert(made, "?over=true&force=true")).json).toMatchObject({ deleted: "1" });
    expect((await gateway.call("GET", `/history/${await newest()}`)).json).toMatchObject({ current: true });
  });

  it.each(["?over=yes", "?force=1"])("a revert with %s is rejected", async (query) => {
    await gateway.call("PUT", "/routes/1", route("/a"));
    expect((await revert(await newest(), query)).status).toBe(400);
  });

  it("a revert that deletes a used service is rejected, and a viewer may not revert", async () => {
    await gateway.call("PUT", "/services/s", { upstream: UPSTREAM });
    const made = await newest();
    await gateway.call("PUT", "/routes/1", { uri: "/a", service_id: "s" });
    const refused = await revert(made);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("still using it now")]);
    expect(
      (await gateway.call("POST", `/history/${made}/revert`, undefined, { key: VIEWER_KEY })).status,
    ).toBe(401);
    expect((await gateway.call("GET", "/history", undefined, { key: VIEWER_KEY })).status).toBe(200);
  });
});

describe("secrets in the history", () => {
  const ada = (key: string) => ({ username: "ada", plugins: { "key-auth": { key } } });
  /** 401, or 502 since nothing listens at the upstream. */
  const served = async (key: string) => {
    await gateway.call("PUT", "/routes/k", { ...route("/k"), plugins: { "key-auth": {} } });
    return (await exchange(gateway.port("data"), "GET", "/k", undefined, { apikey: key })).status;
  };

  it("secrets of the history are masked in responses, sealed in the store, and exact after a revert", async () => {
    await gateway.call("PUT", "/consumers/ada", ada("first-secret-of-ada"));
    await gateway.call("PUT", "/consumers/ada", ada("second-secret-of-ada"));
    const number = await newest();
    const answer = await gateway.call("GET", `/history/${number}`);
    expect(answer.json).toMatchObject({
      changed: ["plugins.key-auth.key"],
      before: { plugins: { "key-auth": { key: expect.stringMatching(/^\*\*\*[0-9a-f]{8}$/) } } },
    });
    expect((await revert(number)).status).toBe(200);
    const nothingLeft = await revert(number);
    expect(nothingLeft.status).toBe(409);
    await gateway.call("PUT", "/consumers/ada", ada("third-secret-of-ada"));
    const conflict = await revert(number);
    expect(conflict.json).toMatchObject({ conflicts: [{ field: "plugins.key-auth.key" }] });
    await gateway.call("PUT", "/consumers/ada", ada("first-secret-of-ada"));
    const seen = [answer, nothingLeft, conflict, await gateway.call("GET", "/history")];
    for (const { text } of [...seen, await gateway.call("GET", `/history/${number}`)])
      expect(text).not.toMatch(/(?:first|second|third)-secret-of-ada/);
    const file = join(gateway.gateway.storeDirectory, "store.lmdb");
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, "latin1")).not.toMatch(/(?:first|second)-secret-of-ada/);
    expect([await served("first-secret-of-ada"), await served("second-secret-of-ada")]).toEqual([502, 401]);
  });
});

describe("limits of the history", () => {
  it("the history drops the oldest changes above max_entries, and with 0 it is empty", async () => {
    await gateway.stop();
    gateway = await AdminGateway.start("", { history: { max_entries: 3 } });
    for (let i = 0; i < 6; i += 1) await gateway.call("PUT", "/routes/1", route(`/${i}`));
    const { json } = await gateway.call("GET", "/history");
    expect(json).toMatchObject({ more: false, kept: { entries: 3 } });
    const last = await newest();
    expect((await gateway.call("GET", `/history/${last - 3}`)).status).toBe(404);
    expect((await gateway.call("GET", `/history/${last - 2}`)).json).toMatchObject({ before: { uri: "/2" } });
    await gateway.stop();
    gateway = await AdminGateway.start("", { history: { max_entries: 0 } });
    await gateway.call("PUT", "/routes/1", route("/a"));
    expect(await changes()).toEqual([]);
  });

  it("the history drops changes above max_bytes", async () => {
    await gateway.stop();
    gateway = await AdminGateway.start("", { history: { max_bytes: 65_536 } });
    for (let i = 0; i < 6; i += 1)
      await gateway.call("PUT", `/routes/${i}`, {
        ...route("/a"),
        desc: "",
        labels: { long: "x".repeat(250) },
        plugins: { "response-rewrite": { body: `${i}${"y".repeat(20_000)}` } },
      });
    const { bytes, entries } = (await gateway.call("GET", "/history")).json["kept"] as {
      bytes: number;
      entries: number;
    };
    expect(bytes).toBeLessThanOrEqual(65_536);
    expect(entries).toBe(3);
  });

  it("the history limits the length of field names", async () => {
    const labels = (value: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}${"n".repeat(20_000)}`, value]));
    await gateway.call("PUT", "/routes/1", { ...route("/a"), labels: labels("a") });
    expect((await gateway.call("PUT", "/routes/1", { ...route("/a"), labels: labels("b") })).status).toBe(
      200,
    );
    const [{ changed } = { changed: [] }] = await changes();
    expect(changed[0]).toMatch(/^labels\.0n+…$/);
    expect(changed.join("").length).toBeLessThan(5_000);
  });

  it.each([
    ["a long note", `?note=${"x".repeat(1_001)}`, "longer than 1000"],
    ["control characters", "?note=a%00b", "control characters"],
    ["characters that turn the direction of writing", "?note=a%E2%80%AEb", "control"],
    ["characters of no width", "?note=a%E2%80%8Bb", "control"],
    ["separators of lines", "?note=a%E2%80%A8b", "control"],
  ])("a note with %s is rejected", async (_, query, said) => {
    const { status, text } = await gateway.call("PUT", `/routes/1${query}`, route("/a"));
    expect([status, text]).toEqual([400, expect.stringContaining(said)]);
  });

  it.each(["?limit=0", "?limit=501", "?limit=x", "?before=-1", "?kind=nothing", "?kind=routes/x"])(
    "a history list with %s is rejected",
    async (query) => {
      expect((await gateway.call("GET", `/history${query}`)).status).toBe(400);
    },
  );
});
