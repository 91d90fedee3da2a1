// Effect of a write on traffic, reported by its dry run: `?dry_run=effect`.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM, VIEWER_KEY } from "./admin.js";

interface Effect {
  routes: { total: number; all: boolean; list: { id: string; name: string | null }[]; left: number };
  severity: string;
  changes: {
    kind: string;
    severity: string;
    subject: string;
    to: string | null;
    removed: string[];
    added: string[];
    example: { request: string; before: { status: number }; after: { status: number } } | null;
    others: string[];
  }[];
  fault: string | null;
}

/** Long enough not to occur in a text by chance. */
const SECRET = "the-key-that-nobody-may-see";
const MANY = 120;

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  const put = async (path: string, body: unknown) =>
    expect((await admin.call("PUT", path, body)).status).toBeOneOf([200, 201]);
  await put("/upstreams/u", UPSTREAM);
  await put("/services/shared", { upstream_id: "u" });
  await put("/plugin_configs/p", { plugins: { "response-rewrite": { headers: { set: { "X-A": "1" } } } } });
  await put("/routes/orders", { uri: "/orders/*", upstream_id: "u", name: "Orders" });
  await put("/routes/a", { uri: "/a", service_id: "shared" });
  await put("/routes/b", { uri: "/b", service_id: "shared" });
  await put("/routes/c", { uri: "/c", upstream_id: "u", plugin_config_id: "p" });
  await put("/routes/keyed", { uri: "/keyed", upstream_id: "u", plugins: { "key-auth": {} } });
  await put("/consumers", { username: "jack", plugins: { "key-auth": { key: SECRET } } });
});
afterAll(() => admin.stop());

async function effectOf(method: string, path: string, body?: unknown): Promise<Effect> {
  const at = `${path}${path.includes("?") ? "&" : "?"}dry_run=effect`;
  const { status, json, text } = await admin.call(method, at, body);
  expect([status, json["error_msg"]]).toEqual([expect.toBeOneOf([200, 201]), undefined]);
  expect(text).not.toContain(SECRET);
  const effect = json["effect"] as Effect;
  expect(effect.fault).toBeNull();
  return effect;
}
const ids = ({ routes }: Effect) => routes.list.map(({ id }) => id);

describe("?dry_run=effect", () => {
  it("an effect names the routes that take requests of others, with a sample request", async () => {
    const effect = await effectOf("PUT", "/routes/exports", {
      uri: "/orders/exports/*",
      upstream: { nodes: { "127.0.0.1:10": 1 } },
    });
    expect(effect.severity).toBe("changed");
    expect(effect.changes.map(({ kind, subject, to }) => [kind, subject, to])).toEqual([
      ["new", "exports", null],
      ["precedence", "orders", "exports"],
    ]);
    expect(effect.changes[0]?.added).toContain(
      "It takes requests of any method for /orders/exports/* on any host.",
    );
    expect(effect.changes[1]?.example?.request).toContain("/orders/exports/");
    expect(effect.routes).toMatchObject({ total: 2, all: false, left: 0 });
    expect(effect.routes.list[1]).toEqual({ id: "orders", name: "Orders" });
    expect((await admin.call("GET", "/routes/exports")).status).toBe(404);
  });

  it("an effect on a shared service names every route once, with those that change in the same way", async () => {
    const effect = await effectOf("PATCH", "/services/shared", {
      plugins: { "response-rewrite": { headers: { set: { "X-B": "2" } } } },
    });
    expect(effect.changes).toHaveLength(1);
    expect(effect.changes[0]).toMatchObject({ kind: "actions", subject: "a", others: ["b"] });
    expect(effect.changes[0]?.added.join()).toContain("X-B");
    expect(ids(effect)).toEqual(["a", "b"]);
  });

  it.each([
    ["PATCH", "/upstreams/u", { nodes: { "127.0.0.1:11": 1 } }, ["a", "b", "c", "keyed", "orders"]],
    [
      "PATCH",
      "/plugin_configs/p",
      { plugins: { "response-rewrite": { headers: { set: { "X-A": "2" } } } } },
      ["c"],
    ],
    ["PATCH", "/routes/orders", { uri: "/orders/:id" }, ["orders"]],
    ["DELETE", "/routes/orders", undefined, ["orders"]],
    ["PATCH", "/routes/orders", { desc: "nothing that a request could see" }, []],
  ] as const)("the effect of %s %s %j names the routes that change", async (method, path, body, routes) => {
    const effect = await effectOf(method, path, body);
    expect(ids(effect)).toEqual(routes);
    expect([effect.routes.total, effect.severity === "none"]).toEqual([routes.length, routes.length === 0]);
  });

  it("the effect of a global rule is one change that concerns all routes", async () => {
    const effect = await effectOf("PUT", "/global_rules/g", {
      plugins: { "response-rewrite": { headers: { set: { "X-G": "1" } } } },
    });
    expect(effect.routes.all).toBe(true);
    expect(effect.changes).toMatchObject([{ kind: "shared", subject: "global_rules/g" }]);
    expect(effect.changes[0]?.example).not.toBeNull();
  });

  it("an effect contains no secret, neither for a changed consumer nor for a route with authentication", async () => {
    const other = "another-key-that-nobody-may-see";
    const consumer = await effectOf("PUT", "/consumers/jack", {
      username: "jack",
      plugins: { "key-auth": { key: other } },
    });
    expect(ids(consumer)).toEqual(["keyed"]);
    expect(JSON.stringify(consumer)).not.toContain(other);
    const behind = await effectOf("PATCH", "/routes/keyed", {
      plugins: { "response-rewrite": { headers: { set: { "X-K": "1" } } } },
    });
    expect(behind.changes[0]).toMatchObject({ kind: "actions", subject: "keyed" });
  });

  it("a dry run with effect is rejected for invalid writes, for viewers and for adopt", async () => {
    const wrong = await admin.call("PUT", "/routes/new?dry_run=effect", { uri: "/n", upstream_id: "9" });
    expect([wrong.status, wrong.json["effect"]]).toEqual([400, undefined]);
    const viewer = await admin.call("PUT", "/routes/orders?dry_run=effect", {}, { key: VIEWER_KEY });
    expect(viewer.status).toBe(401);
    const adopted = await admin.call("POST", "/adopt/routes/orders?dry_run=effect");
    expect([adopted.status, adopted.json["error_msg"]]).toEqual([
      400,
      "invalid argument dry_run: should be true or false",
    ]);
  });

  it("a dry run with effect leaves the running configuration unchanged, and the next write succeeds", async () => {
    const before = (await admin.call("GET", "/routes")).text;
    await effectOf("PATCH", "/services/shared", { upstream: { nodes: { "127.0.0.1:12": 1 } } });
    expect((await admin.call("GET", "/routes")).text).toBe(before);
    expect((await admin.call("PATCH", "/routes/a", { desc: "d" })).status).toBe(200);
  });

  it("an effect names the first hundred of 122 routes and counts all", async () => {
    for (let i = 0; i < MANY; i++)
      expect(
        (
          await admin.call("PUT", `/routes/many-${String(i).padStart(3, "0")}`, {
            uri: `/many/${i}`,
            service_id: "shared",
          })
        ).status,
      ).toBe(201);
    const effect = await effectOf("PATCH", "/services/shared", {
      plugins: { "response-rewrite": { headers: { set: { "X-B": "2" } } } },
    });
    expect(effect.routes).toMatchObject({ total: MANY + 2, left: MANY + 2 - 100 });
    expect(effect.routes.list).toHaveLength(100);
    expect(effect.changes).toHaveLength(1);
    expect(effect.changes[0]?.others).toHaveLength(99);
  });
});

describe("?dry_run=module", () => {
  const modulesOf = async (method: string, path: string, body: unknown, of = "") =>
    (await admin.call(method, `${path}?dry_run=module${of}`, body)).json["modules"];
  const CHANGE = { plugins: { "response-rewrite": { headers: { set: { "X-C": "1" } } } } };

  it("a dry run with module returns the current and the new module of a route", async () => {
    expect(await modulesOf("PATCH", "/routes/c", CHANGE)).toEqual({
      ...{ list: ["routes/c"], total: 1 },
      module: {
        address: "routes/c",
        before: expect.stringContaining("X-A") as string,
        after: expect.stringContaining("X-C") as string,
        cut: false,
      },
    });
    expect((await admin.call("GET", "/module/routes/c")).text).not.toContain("X-C");
  });

  it("a dry run with module returns the requested one of all modules that a service is part of", async () => {
    expect(await modulesOf("PATCH", "/services/shared", CHANGE, "&of=routes/b")).toMatchObject({
      ...{ total: MANY + 2, module: { address: "routes/b", before: null } },
      list: expect.toSatisfy((list: string[]) => list.length === 100 && list[0] === "routes/a") as string[],
    });
  });

  it("a dry run with module returns no module for a change of an upstream, and no secret", async () => {
    expect(await modulesOf("PATCH", "/upstreams/u", { nodes: { "127.0.0.1:11": 1 } })).toEqual({
      ...{ list: [], total: 0, module: null },
    });
    const keyed = await modulesOf("PATCH", "/routes/keyed", CHANGE);
    expect(keyed).toMatchObject({ module: { address: "routes/keyed" } });
    expect(JSON.stringify(keyed)).not.toContain(SECRET);
  });
});
