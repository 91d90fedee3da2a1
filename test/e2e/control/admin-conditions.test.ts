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
  it("If-Match: * changes what exists and makes nothing", async () => {
    const absent = await put("a", { "If-Match": "*" });
    expect([absent.status, absent.json["error_msg"]]).toEqual([412, "there is nothing to change"]);
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

  it("If-None-Match: * makes and changes nothing that exists, in a file neither", async () => {
    expect((await put("n", { "If-None-Match": "*" })).status).toBe(201);
    for (const id of ["n", "fixed"]) {
      const { status, json } = await put(id, { "If-None-Match": "*" });
      expect([status, json["error_msg"]]).toEqual([412, "it exists already"]);
    }
    await admin.call("DELETE", "/routes/n");
  });

  it("entity tags name a version, one of a list too", async () => {
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

  it("a weak tag names a version for If-None-Match, never for If-Match (section 8.8.3.2)", async () => {
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

  it("holds for PATCH, and for a trial", async () => {
    const headers = { "If-Match": "*" };
    expect((await admin.call("PATCH", "/routes/absent", {}, { headers })).status).toBe(412);
    expect((await admin.call("PUT", "/routes/absent?dry_run=true", ROUTE, { headers })).status).toBe(412);
  });
});

describe("a body that is not UTF-8", () => {
  /** As bytes, which `fetch` and strings would mend. */
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

  it.each(["ff", "c3", "eda080", "f8888080", "c0af"])("%s is 400, and nothing is stored", async (bytes) => {
    const answer = await send(body(Buffer.from(bytes, "hex")));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"error_msg":"invalid request body: it is not valid UTF-8"}');
    expect((await admin.call("GET", "/routes/u")).status).toBe(404);
  });

  it("text beyond ASCII is kept", async () => {
    expect(await send(body(Buffer.from("Ünïcode 🙂")))).toMatch(/^HTTP\/1\.1 201 /);
    expect((await admin.call("GET", "/routes/u")).json).toMatchObject({ value: { desc: "Ünïcode 🙂" } });
  });
});

describe("an id keeps its type", () => {
  it.each([
    ["/routes/7", { desc: "d" }],
    ["/routes/7", { id: "7" }],
    ["/routes/7", { id: null }],
    ["/routes/7/id", "7"],
  ])("PATCH %s %j of one that was given as a number", async (path, patch) => {
    await admin.call("DELETE", "/routes/7");
    await admin.call("PUT", "/routes", { id: 7, ...ROUTE });
    const { status, json } = await admin.call("PATCH", path, JSON.stringify(patch));
    expect([status, json["value"]]).toMatchObject([200, { id: 7 }]);
  });

  it("PATCH of one that was given as a text, and another id is refused", async () => {
    await admin.call("PUT", "/routes/8", ROUTE);
    const kept = await admin.call("PATCH", "/routes/8", { id: 8 });
    expect([kept.status, kept.json["value"]]).toMatchObject([200, { id: "8" }]);
    const other = await admin.call("PATCH", "/routes/8", { id: 9 });
    expect([other.status, other.json["error_msg"]]).toEqual([400, "wrong route id"]);
  });
});

describe("a schema that is none", () => {
  it.each([
    ["GET", "/schema/teapots"],
    ["GET", "/schema/plugins"],
    ["POST", "/schema/validate/teapots"],
  ])("%s %s is 404", async (method, path) => {
    const { status, json } = await admin.call(method, path, method === "POST" ? {} : undefined);
    expect([status, json["error_msg"]]).toEqual([404, expect.stringMatching(/^not found schema: /)]);
  });
});
