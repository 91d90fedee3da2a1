import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM, VIEWER_KEY } from "./admin.js";

// Reference 1.1 (dispatch), 1.2 (keys), 1.5 (ids), 1.6 (timestamps).

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  await admin.call("PUT", "/routes/known", { uri: "/known", upstream: UPSTREAM });
});
afterAll(() => admin.stop());

const ROUTE = { uri: "/x", upstream: UPSTREAM };

describe("dispatch (reference 1.1, 16.11)", () => {
  it.each<[string, string, number, RegExp]>([
    ["GET", "", 404, /404 Not Found/],
    ["GET", "/", 404, /404 Not Found/],
    ["TRACE", "/routes", 405, /405 Not Allowed/],
    ["GET", "/nonsense", 404, /^\{"error_msg":"Unsupported resource type: nonsense"\}\n$/],
    ["DELETE", "/schema/route", 404, /^\{"error_msg":"not found"\}\n$/],
    ["POST", "/plugin_configs", 405, /not supported `POST` method for plugin config/],
    ["POST", "/global_rules", 405, /not supported `POST` method for global rule/],
    ["POST", "/consumers", 405, /not supported `POST` method for consumer/],
    ["PATCH", "/consumers/x", 405, /not supported `PATCH` method for consumer/],
    ["PATCH", "/plugin_metadata/x", 405, /not supported `PATCH` method for plugin_metadata/],
    ["PUT", "/routes/1?ttl=soon", 400, /"invalid argument ttl: should be a number"/],
    ["GET", "/routes/%zz", 400, /400 Bad Request/],
    ["GET", "/routes/known/upstream", 404, /"not found"/],
    ["DELETE", "/routes/known/upstream", 404, /"not found"/],
  ])("%s %s responds with %i", async (method, path, status, text) => {
    const answer = await admin.call(method, path, method === "PUT" || method === "POST" ? {} : undefined);
    expect(answer.status).toBe(status);
    expect(answer.text).toMatch(text);
  });

  it("a path outside of the admin API's prefix responds with 404", async () => {
    expect((await exchange(admin.port("admin"), "GET", "/other")).status).toBe(404);
    expect((await exchange(admin.port("admin"), "GET", "/gw/administration")).status).toBe(404);
  });

  it("HEAD of the bare prefix needs no key, HEAD of a list does", async () => {
    expect((await admin.call("HEAD", "", undefined, { key: null })).status).toBe(200);
    expect((await admin.call("HEAD", "/routes", undefined, { key: null })).status).toBe(401);
    expect((await admin.call("HEAD", "/routes")).status).toBe(200);
  });

  it("responses name the API version, the server and JSON, and their bodies end with a newline", async () => {
    const { headers, text } = await admin.call("GET", "/routes/known");
    expect(headers["x-api-version"]).toBe("v3");
    expect(headers["server"]).toMatch(/^GW\/\d/);
    expect(headers["content-type"]).toBe("application/json");
    expect(text.endsWith("}\n")).toBe(true);
  });

  it("a body above 1.5 MiB is rejected for its size, one of exactly 1.5 MiB is not", async () => {
    const padded = (size: number) => {
      const start = `{"uri":"/x","upstream":${JSON.stringify(UPSTREAM)},"plugins":{},"nonsense":"`;
      return `${start}${"x".repeat(size - start.length - 2)}"}`;
    };
    const refused = await admin.call("PUT", "/routes/1", padded(1_572_865));
    expect(refused.status).toBe(400);
    expect(refused.json["error_msg"]).toBe(
      "invalid request body: request size 1572865 is greater than the maximum size 1572864 allowed",
    );
    const taken = await admin.call("PUT", "/routes/1", padded(1_572_864));
    expect(taken.json["error_msg"]).not.toMatch(/request size/);
  });

  it("a body that is not JSON is rejected and repeated in the response", async () => {
    const { status, json } = await admin.call("PUT", "/routes/1", "{uri");
    expect(status).toBe(400);
    expect(json["error_msg"]).toMatch(/^invalid request body: /);
    expect(json["req_body"]).toBe("{uri");
  });
});

describe("the key (reference 1.2, 13.33, 13.34)", () => {
  const denied = (description: string) => ({ error_msg: "failed to check token", description });
  it.each([
    ["no key", "GET", null, "missing apikey"],
    ["an empty key", "GET", "", "missing apikey"],
    ["a wrong key", "GET", "wrong", "wrong apikey"],
    ["a viewer that writes", "PUT", VIEWER_KEY, "invalid method for role viewer"],
  ])("a request with %s is rejected with 401", async (_name, method, key, description) => {
    const answer = await admin.call(method, "/routes/1", method === "PUT" ? ROUTE : undefined, { key });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(denied(description));
    expect(answer.headers["x-api-version"]).toBeUndefined();
    expect(answer.headers["www-authenticate"]).toBe('ApiKey realm="admin"');
  });

  it("a key in the query or in a cookie is ignored", async () => {
    const path = `/gw/admin/routes?api_key=${VIEWER_KEY}`;
    const answer = await exchange(admin.port("admin"), "GET", path, undefined, {
      Cookie: `x_api_key=${VIEWER_KEY}`,
    });
    expect(answer.json).toEqual(denied("missing apikey"));
  });

  it("a viewer key permits reads", async () => {
    expect((await admin.call("GET", "/routes/known", undefined, { key: VIEWER_KEY })).status).toBe(200);
  });

  it("the key is checked before the kind of resource", async () => {
    expect((await admin.call("GET", "/nonsense", undefined, { key: null })).status).toBe(401);
  });
});

describe("ids (reference 1.5, 16.10)", () => {
  it.each<[string, string, unknown, string]>([
    ["PUT", "/routes", ROUTE, "missing route id"],
    ["PUT", "/plugin_configs", { plugins: {} }, "missing plugin config id"],
    ["PUT", "/routes/1", { ...ROUTE, id: "2" }, "wrong route id"],
    ["POST", "/routes", { ...ROUTE, id: "2" }, "wrong route id, do not need it"],
    ["POST", "/routes/2", ROUTE, "wrong route id, do not need it"],
    ["PUT", "/routes/1", undefined, "missing configurations"],
    ["POST", "/routes", undefined, "missing configurations"],
    ["DELETE", "/routes", undefined, "missing route id"],
    ["PATCH", "/upstreams", {}, "missing upstream id"],
    ["PUT", "/plugin_metadata", {}, "missing plugin name"],
    ["PUT", "/plugin_metadata/nonsense", {}, "invalid plugin name"],
    ["PUT", "/consumers/jim", { username: "joe" }, "wrong username"],
    [
      "PUT",
      "/routes/a%20b",
      ROUTE,
      'invalid configuration: property "id" validation failed: object matches none of the required',
    ],
    [
      "PUT",
      "/routes",
      { ...ROUTE, id: 0 },
      'invalid configuration: property "id" validation failed: object matches none of the required',
    ],
    [
      "PUT",
      `/routes/${"x".repeat(65)}`,
      ROUTE,
      'invalid configuration: property "id" validation failed: object matches none of the required',
    ],
    ["PUT", "/routes/1", "5", "invalid configuration: wrong type: expected object, got number"],
    ["PUT", "/routes/1", '"x"', "invalid configuration: wrong type: expected object, got string"],
    ["PUT", "/routes/1", "null", "invalid configuration: wrong type: expected object, got nil"],
    ["PUT", "/routes/1", "[]", "invalid configuration: wrong type: expected object, got table"],
    ["PUT", "/routes/1", { ...ROUTE, create_time: 1 }, "the property is forbidden:  create_time"],
    ["POST", "/routes", { ...ROUTE, update_time: 1 }, "the property is forbidden:  update_time"],
    [
      "PUT",
      "/routes/1",
      { uri: "/x", upstream: { ...UPSTREAM, create_time: 1 } },
      "the property is forbidden:  upstream.create_time",
    ],
    [
      "PUT",
      "/routes/1",
      { ...ROUTE, plugins: { update_time: 1 } },
      "the property is forbidden:  plugins.update_time",
    ],
  ])("%s %s rejects %j", async (method, path, body, message) => {
    const answer = await admin.call(method, path, body);
    expect(answer.status).toBe(400);
    expect(answer.json["error_msg"]).toBe(message);
  });

  it("an id that only the body has retains its type, an id of the path is stored as a string", async () => {
    await admin.call("PUT", "/routes", { ...ROUTE, uri: "/seven", id: 7 });
    expect((await admin.call("GET", "/routes/7")).json).toMatchObject({
      key: "/gw/routes/7",
      value: { id: 7 },
    });
    await admin.call("PUT", "/routes/8", { ...ROUTE, uri: "/eight", id: 8 });
    expect((await admin.call("GET", "/routes/8")).json).toMatchObject({ value: { id: "8" } });
  });
});
