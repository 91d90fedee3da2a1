import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";

interface Entry {
  number: number;
  origin: string;
  id: string;
  reload?: { kept: number; made: number };
}

const NODES = `upstream: { nodes: { "127.0.0.1:9": 1 } }`;
const SHOP = `- { id: shop, uri: /shop, name: Shop, ${NODES} }`;
const ORDERS = `- { id: orders, uri: /orders, ${NODES} }`;
const FIRST = `routes:\n  ${SHOP}\n  ${ORDERS}\n`;

describe("the history of configuration files", () => {
  let gateway: AdminGateway;
  beforeEach(async () => {
    gateway = await AdminGateway.start(FIRST);
  });
  afterEach(() => gateway.stop());

  const changes = async (query = "") =>
    (await gateway.call("GET", `/history${query}`)).json["list"] as Entry[];
  const reload = async (configuration: string) => {
    gateway.write(configuration);
    expect(await gateway.gateway.reload()).toBe(true);
  };

  it("the history has each resource that a reload created, changed or deleted, with location and versions", async () => {
    expect(await changes()).toEqual([]);
    await reload(
      `# moved down by a line\nroutes:\n  - { id: shop, uri: /shop, name: Store, ${NODES} }\n  - { id: new, uri: /new, ${NODES} }\n`,
    );
    const of = { origin: "files", method: "RELOAD", key: null, address: null, kind: "routes" };
    const sum = { made: 1, changed: 1, deleted: 1, kept: 3 };
    const list = await changes();
    const place = (line: number) => expect.stringMatching(`^gateway\\.yaml:${line}:`);
    expect(list).toHaveLength(3);
    expect(list).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ ...of, id: "shop", did: "changed", changed: ["name"], reload: sum }),
        expect.objectContaining({ ...of, id: "new", did: "made", place: place(4) }),
        expect.objectContaining({ ...of, id: "orders", did: "deleted", place: place(3) }),
      ]),
    );
    const { number = 0 } = list.find(({ id }) => id === "shop") ?? {};
    const one = await gateway.call("GET", `/history/${number}`);
    expect(one.json).toMatchObject({ before: { name: "Shop" }, after: { name: "Store" }, current: true });
    const refused = await gateway.call("POST", `/history/${number}/revert`);
    expect(refused.status).toBe(400);
    expect(refused.json["error_msg"]).toMatch(
      /^routes\/shop is defined in gateway\.yaml:3:\d+, .*edit the file$/,
    );
    await gateway.gateway.close(0);
    await gateway.open();
    expect(await changes()).toEqual(list);
  });

  it("the history has no entry for a resource on another line or for a rejected reload", async () => {
    await reload(`\n\n${FIRST}`);
    gateway.write("routes: [ { id: shop, uri: no-slash } ]");
    expect(await gateway.gateway.reload()).toBe(false);
    expect(await changes()).toEqual([]);
  });

  it("the history separates files and store, and a stored change can be reverted after a reload", async () => {
    await gateway.call("PUT", "/routes/own", { uri: "/own", upstream: UPSTREAM });
    await reload(FIRST.replace("/shop", "/store"));
    await gateway.call("PATCH", "/routes/own", { uri: "/other" });
    expect((await changes()).map(({ origin }) => origin)).toEqual(["store", "files", "store"]);
    expect((await changes("?origin=files")).map(({ id }) => id)).toEqual(["shop"]);
    const [newest] = await changes("?origin=store");
    expect(newest?.id).toBe("own");
    expect((await gateway.call("GET", "/history?origin=git")).status).toBe(400);
    expect((await gateway.call("POST", `/history/${newest?.number}/revert`)).status).toBe(200);
    expect((await gateway.call("GET", "/routes/own")).json).toMatchObject({ value: { uri: "/own" } });
  });

  it("the history masks secrets of files and contains variables instead of their values", async () => {
    process.env["GWC_HISTORY_SECRET"] = "value-of-the-variable";
    const consumer = (key: string, user: string) =>
      `consumers:\n  - { username: ada, desc: "${user}", plugins: { key-auth: { key: ${key} } } }\n`;
    await reload(consumer("first-secret-of-ada", "a"));
    await reload(consumer("second-secret-of-ada", "${{GWC_HISTORY_SECRET}}"));
    const [newest] = await changes("?kind=consumers&id=ada");
    const { text, json } = await gateway.call("GET", `/history/${newest?.number}`);
    expect(json["changed"]).toEqual(["desc", "plugins.key-auth.key"]);
    expect(text).not.toMatch(/secret-of-ada|value-of-the-variable/);
    expect(json["after"]).toMatchObject({ desc: "${{GWC_HISTORY_SECRET}}" });
  });

  it("the history has at most a hundred entries of one reload, and their total", async () => {
    const many = Array.from({ length: 150 }, (_, i) => `  - { id: r${i}, uri: /r${i}, ${NODES} }\n`).join("");
    await reload(FIRST + many);
    const list = await changes("?limit=500");
    expect(list).toHaveLength(100);
    expect(list[0]?.reload).toMatchObject({ made: 150, kept: 100 });
  });

  it("an adopt adds the adopted resource and other changes of the files to the history", async () => {
    await gateway.call("PUT", "/routes/moved", { uri: "/a", upstream: UPSTREAM });
    gateway.write(`${FIRST.replace("/orders", "/bills")}  - { id: moved, uri: /a, ${NODES} }\n`);
    expect((await gateway.call("POST", "/adopt/routes/moved")).status).toBe(200);
    const list = await changes("?limit=2");
    expect(list.map(({ id, origin }) => [id, origin])).toEqual([
      ["orders", "files"],
      ["moved", "store"],
    ]);
    const put = await gateway.call("PUT", "/routes/after", { uri: "/after", upstream: UPSTREAM });
    expect(put.json["modifiedIndex"] ?? (await changes())[0]?.number).toBeGreaterThan(list[0]?.number ?? 0);
  });
});
