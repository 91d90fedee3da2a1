import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { adopt } from "../../../cli/resources.js";
import { callAdmin } from "../../../plugins/captcha/cli/admin.js";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-credentials": "true",
};
const corsOf = (headers: object) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));
const ROUTE = JSON.stringify({ uri: "/r", upstream: UPSTREAM });
const JSON_TYPE = { "Content-Type": "application/json" };

describe("an admin API without an admin key", () => {
  let admin: AdminGateway;
  beforeAll(async () => {
    admin = await AdminGateway.start("", { admin_key_required: false, enable_admin_cors: true });
  });
  afterAll(() => admin.stop());
  const call = (method: string, body: string | undefined, headers: Record<string, string>) =>
    exchange(admin.port("admin"), method, "/gw/admin/routes/r", body, headers);

  it("an admin API without a key sends no CORS headers, even with enable_admin_cors", async () => {
    for (const method of ["GET", "OPTIONS", "PUT"]) {
      const { headers } = await call(method, undefined, { Origin: "http://evil.test", ...JSON_TYPE });
      expect(corsOf(headers)).toEqual([]);
    }
    expect((await call("OPTIONS", undefined, {})).status).toBe(405);
  });

  it.each([
    ["POST", "text/plain"],
    ["PUT", "application/x-www-form-urlencoded"],
    ["PATCH", "multipart/form-data; boundary=x"],
    ["POST", "text/plain; x=application/json"],
    ["PUT", undefined],
  ])("a %s with the content type %s is rejected with 415 and the required type", async (method, type) => {
    const { status, json } = await call(method, ROUTE, type === undefined ? {} : { "Content-Type": type });
    expect([status, json["error_msg"]]).toEqual([
      415,
      `without an admin key, writes need "Content-Type: application/json", ${type === undefined ? "and it is absent" : `not ${JSON.stringify(type)}`}`,
    ]);
    expect((await call("GET", undefined, {})).status).toBe(404);
  });

  it.each(["application/json", "Application/JSON; charset=utf-8"])(
    "a write with the content type %s is accepted",
    async (type) => {
      expect((await call("PUT", ROUTE, { "Content-Type": type })).status).toBe(201);
      expect((await call("DELETE", undefined, {})).status).toBe(200);
    },
  );

  it.each([
    "evil.test",
    "evil.test:9180",
    "127.0.0.1.evil.test",
    "10.0.0.1",
    "localhost.evil.test",
    "[::2]",
    "a b",
  ])("a request for the host %s is rejected with 403 against DNS rebinding", async (host) => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, json } = await call(method, undefined, { Host: host, ...JSON_TYPE });
      expect([status, json["error_msg"]]).toEqual([
        403,
        `without an admin key, Host must be an address or name of the admin listener, not ${JSON.stringify(host)}`,
      ]);
    }
  });

  it.each(["127.0.0.1", "localhost", "LocalHost:1", "localhost.:9180", "[::1]:9180"])(
    "a request for the host %s passes the host check",
    async (host) => {
      expect((await call("GET", undefined, { Host: host })).status).toBe(404);
    },
  );

  it.each<[string, Record<string, string>]>([
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["another port of the same site", { "Sec-Fetch-Site": "same-site" }],
    ["another origin", { Origin: "http://evil.test" }],
    ["no origin of its own", { Origin: "null" }],
  ])("every call from a page of %s is rejected with 403, event streams included", async (_, headers) => {
    const asked: [string, string][] = [
      ["GET", "/gw/admin/routes"],
      ["GET", "/gw/admin/overview/events"],
      ["POST", "/gw/admin/which_route"],
      ["PUT", "/gw/admin/routes/r"],
      ["DELETE", "/gw/admin/routes/r"],
      ["GET", "/gw/admin/export"],
      ["GET", "/v1/healthcheck"],
    ];
    for (const [method, path] of asked) {
      const { status, json } = await exchange(admin.port("admin"), method, path, undefined, {
        ...{ ...JSON_TYPE, ...headers },
      });
      expect([path, status, json["error_msg"]]).toEqual([
        ...[path, 403],
        "without an admin key, only programs and pages of this origin may call the admin API",
      ]);
    }
    expect((await call("GET", undefined, {})).status).toBe(404);
  });

  it("the gateway's own pages may call its admin API, and a link on another site opens the dashboard", async () => {
    const own = { Origin: `http://127.0.0.1:${admin.port("admin")}`, "Sec-Fetch-Site": "same-origin" };
    expect((await call("PUT", ROUTE, { ...own, ...JSON_TYPE })).status).toBe(201);
    expect((await call("DELETE", undefined, own)).status).toBe(200);
    const linked = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
    const page = await exchange(admin.port("admin"), "GET", "/gw/ui", undefined, linked);
    expect(page.status).toBe(200);
  });

  it("gwc can write and adopt through an admin API without a key", async () => {
    const at = `http://127.0.0.1:${admin.port("admin")}`;
    const route = { uri: "/adopted", upstream: UPSTREAM };
    await callAdmin({ admin: at, key: undefined }, "PUT", "routes/adopted", route);
    admin.write(`routes: [${JSON.stringify({ id: "adopted", ...route })}]`);
    expect(await adopt("routes/adopted", { admin: at, key: "" })).toBe(0);
  });
});

describe("an admin API with an admin key", () => {
  let admin: AdminGateway | undefined;
  afterEach(() => admin?.stop());

  it("an admin API sends no CORS headers unless they are configured", async () => {
    admin = await AdminGateway.start();
    expect(corsOf((await admin.call("GET", "/routes")).headers)).toEqual([]);
    expect((await admin.call("OPTIONS", "/routes", undefined, { key: null })).status).toBe(405);
  });

  it("enable_admin_cors permits OPTIONS without a key and adds CORS headers to other responses", async () => {
    admin = await AdminGateway.start("", { enable_admin_cors: true });
    const preflight = await admin.call("OPTIONS", "/routes", undefined, { key: null });
    expect([preflight.status, preflight.text]).toEqual([200, ""]);
    expect(preflight.headers).toMatchObject({
      ...CORS,
      "access-control-allow-methods": "POST, GET, PUT, OPTIONS, DELETE, PATCH",
      "access-control-allow-headers": "*",
      "access-control-max-age": "3600",
    });
    expect((await admin.call("GET", "/routes")).headers).toMatchObject(CORS);
  });

  it("an admin API with a key accepts any Host and any content type", async () => {
    admin = await AdminGateway.start();
    const headers = { Host: "gateway.internal:9180", "Content-Type": "text/plain" };
    expect((await admin.call("PUT", "/routes/r", ROUTE, { headers })).status).toBe(201);
  });
});
