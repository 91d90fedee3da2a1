import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, AdminGateway, UPSTREAM } from "./admin.js";

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start(
    "routes:\n  - { id: fixed, uri: /fixed, upstream: { nodes: { '127.0.0.1:9': 1 } } }\n",
  );
});
afterAll(() => admin.stop());

const ROUTE = { uri: "/r", upstream: UPSTREAM };
const put = (id: string, headers: Record<string, string>) =>
  admin.call("PUT", `/routes/${id}`, ROUTE, { headers });

describe("If-Match and If-None-Match (RFC 9110 section 13.1)", () => {
  it("If-Match: * permits changes of an existing resource and prevents its creation", async () => {
    const absent = await put("a", { "If-Match": "*" });
    expect([absent.status, absent.json["error_msg"]]).toEqual([412, "there is no resource to change"]);
    expect((await admin.call("GET", "/routes/a")).status).toBe(404);
    await put("a", {});
    expect((await put("a", { "If-Match": "*" })).status).toBe(200);
    expect(
      (await admin.call("DELETE", "/routes/a", undefined, { headers: { "If-Match": "*" } })).status,
    ).toBe(200);
    expect(
      (await admin.call("DELETE", "/routes/a", undefined, { headers: { "If-Match": "*" } })).status,
    ).toBe(412);
  });

  it("If-None-Match: * permits the creation and prevents changes of stored and file resources", async () => {
    expect((await put("n", { "If-None-Match": "*" })).status).toBe(201);
    for (const id of ["n", "fixed"]) {
      const { status, json } = await put(id, { "If-None-Match": "*" });
      expect([status, json["error_msg"]]).toEqual([412, "the resource already exists"]);
    }
    await admin.call("DELETE", "/routes/n");
  });

  it("If-Match and If-None-Match compare entity tags, also in a list of several", async () => {
    await put("t", {});
    const tag = String((await admin.call("GET", "/routes/t")).headers["etag"]);
    expect(tag).toMatch(/^"\d+"$/);
    expect((await put("t", { "If-None-Match": tag })).status).toBe(412);
    expect((await put("t", { "If-Match": `"1", ${tag}` })).status).toBe(200);
    expect((await put("t", { "If-Match": tag })).status).toBe(412);
    const now = String((await admin.call("GET", "/routes/t")).headers["etag"]);
    expect((await put("t", { "If-Match": `"1", ${now}` })).status).toBe(200);
    await admin.call("DELETE", "/routes/t");
  });

  it("a weak tag matches for If-None-Match, never for If-Match (section 8.8.3.2)", async () => {
    await put("w", {});
    const tag = String((await admin.call("GET", "/routes/w")).headers["etag"]);
    for (const weak of [`W/${tag}`, `"1", W/${tag}`]) {
      const { status, json } = await put("w", { "If-Match": weak });
      expect([status, json["error_msg"]]).toEqual([412, "value changed before overwritten"]);
      expect((await put("w", { "If-None-Match": weak })).status).toBe(412);
    }
    expect((await put("w", { "If-Match": `W/"1", ${tag}` })).status).toBe(200);
    await admin.call("DELETE", "/routes/w");
  });

  it("If-Match: * applies to PATCH and to a dry run", async () => {
    const headers = { "If-Match": "*" };
    expect((await admin.call("PATCH", "/routes/absent", {}, { headers })).status).toBe(412);
    expect((await admin.call("PUT", "/routes/absent?dry_run=true", ROUTE, { headers })).status).toBe(412);
  });
});

describe("a body that is not UTF-8", () => {
  /** Sends the body as bytes, since `fetch` and strings would repair it. */
  const send = (body: Buffer) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(admin.port("admin"), "127.0.0.1");
      let answer = "";
      socket.on("data", (data) => (answer += data.toString()));
      socket.on("end", () => resolve(answer)).on("error", reject);
      socket.write(
        `PUT /gw/admin/routes/u HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${ADMIN_KEY}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
    });
  const body = (desc: Buffer) =>
    Buffer.concat([Buffer.from('{"uri":"/u","upstream":{"nodes":{}},"desc":"'), desc, Buffer.from('"}')]);

  it.each(["ff", "c3", "eda080", "f8888080", "c0af"])(
    "a body with the invalid UTF-8 bytes %s is rejected with 400, and nothing is stored",
    async (bytes) => {
      const answer = await send(body(Buffer.from(bytes, "hex")));
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('{"error_msg":"invalid request body: it is not valid UTF-8"}');
      expect((await admin.call("GET", "/routes/u")).status).toBe(404);
    },
  );

  it("text beyond ASCII is stored unchanged", async () => {
    expect(await send(body(Buffer.from("Ünïcode 🙂")))).toMatch(/^HTTP\/1\.1 201 /);
    expect((await admin.call("GET", "/routes/u")).json).toMatchObject({ value: { desc: "Ünïcode 🙂" } });
  });
});

describe("the type of an id", () => {
  it.each([
    ["/routes/7", { desc: "d" }],
    ["/routes/7", { id: "7" }],
    ["/routes/7", { id: null }],
    ["/routes/7/id", "7"],
  ])("PATCH %s %j retains an id that was created as a number", async (path, patch) => {
    await admin.call("DELETE", "/routes/7");
    await admin.call("PUT", "/routes", { id: 7, ...ROUTE });
    const { status, json } = await admin.call("PATCH", path, JSON.stringify(patch));
    expect([status, json["value"]]).toMatchObject([200, { id: 7 }]);
  });

  it("PATCH retains an id that was created as a string, and rejects a different id", async () => {
    await admin.call("PUT", "/routes/8", ROUTE);
    const kept = await admin.call("PATCH", "/routes/8", { id: 8 });
    expect([kept.status, kept.json["value"]]).toMatchObject([200, { id: "8" }]);
    const other = await admin.call("PATCH", "/routes/8", { id: 9 });
    expect([other.status, other.json["error_msg"]]).toEqual([400, "wrong route id"]);
  });
});

describe("an unknown schema", () => {
  it.each([
    ["GET", "/schema/teapots"],
    ["GET", "/schema/plugins"],
    ["POST", "/schema/validate/teapots"],
  ])("%s %s responds with 404", async (method, path) => {
    const { status, json } = await admin.call(method, path, method === "POST" ? {} : undefined);
    expect([status, json["error_msg"]]).toEqual([404, expect.stringMatching(/^not found schema: /)]);
  });
});
