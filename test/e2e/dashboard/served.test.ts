import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, AdminGateway, exchange, VIEWER_KEY } from "../control/admin.js";

describe("dashboard files at /gw/ui", () => {
  let admin: AdminGateway;
  beforeAll(async () => {
    admin = await AdminGateway.start();
  });
  afterAll(() => admin.stop());
  const raw = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${admin.port("admin")}${path}`, init);

  async function assets(): Promise<string[]> {
    const html = await (await raw("/gw/ui")).text();
    return [...html.matchAll(/(?:src|href)="(\/gw\/ui\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
  }

  it.each(["/gw/ui", "/gw/ui/", "/gw/ui/routes/shop", "/gw/ui/no/such/page"])(
    "%s is the page, without a key, uncached, with a strict content security policy",
    async (path) => {
      const response = await raw(path);
      expect([response.status, response.headers.get("content-type")]).toEqual([
        200,
        "text/html; charset=utf-8",
      ]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(await response.text()).toContain(`nonce="${nonce}"`);
    },
  );

  it("two responses have different nonces", async () => {
    const [one, two] = await Promise.all([raw("/gw/ui"), raw("/gw/ui")]);
    expect(one.headers.get("content-security-policy")).not.toBe(two.headers.get("content-security-policy"));
  });

  it("the page has no inline script and no style attribute", async () => {
    const html = await (await raw("/gw/ui")).text();
    expect(html).not.toMatch(/<script(?![^>]* src=)|\sstyle=|\son[a-z]+=/);
  });

  it("an asset has a hash in its name, is cacheable forever, and is compressed by Accept-Encoding", async () => {
    const paths = await assets();
    expect(paths.length).toBeGreaterThan(1);
    const host = { Host: `127.0.0.1:${admin.port("admin")}` };
    for (const path of paths) {
      expect(path).toMatch(/-[\w-]{8}\.(?:js|css)$/);
      const plain = await exchange(admin.port("admin"), "GET", path, undefined, host);
      expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(plain.headers["x-content-type-options"]).toBe("nosniff");
    }
    const script = paths.find((path) => path.endsWith(".js")) ?? "";
    const encoded = async (accepted: string) => {
      const answer = await raw(script, { headers: { "Accept-Encoding": accepted } });
      return [answer.headers.get("content-encoding"), (await answer.text()).length] as const;
    };
    const whole = (await encoded("identity"))[1];
    expect(await encoded("gzip, br")).toEqual(["br", whole]);
    expect(await encoded("gzip, br;q=0")).toEqual(["gzip", whole]);
  });

  it("the first page and its assets are below 400 kB with gzip", async () => {
    const sizes = await Promise.all(
      (await assets()).map(async (path) => {
        const answer = await raw(path, { headers: { "Accept-Encoding": "gzip" } });
        const length = Number(answer.headers.get("content-length"));
        await answer.arrayBuffer();
        return length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(400_000);
  });

  it.each([
    ["GET", "/gw/ui/assets/no-such.js", 404],
    ["GET", "/gw/ui/assets/..%2findex.html", 404],
    ["GET", "/gw/ui/assets/__proto__", 404],
    ["GET", "/gw/uix", 404],
    ["POST", "/gw/ui", 405],
  ])("%s %s responds with %i", async (method, path, status) => {
    expect((await raw(path, { method })).status).toBe(status);
  });

  it.each([
    [ADMIN_KEY, "admin"],
    [VIEWER_KEY, "viewer"],
  ])("the session has the name and the role of a key, never the key", async (key, role) => {
    const { status, json, text } = await admin.call("GET", "/session", undefined, { key });
    expect([status, json["name"], json["role"], json["read_only"]]).toEqual([200, role, role, null]);
    expect(text).not.toContain(key);
  });

  it("the session is rejected without a right key", async () => {
    expect((await admin.call("GET", "/session", undefined, { key: null })).status).toBe(401);
    expect((await admin.call("GET", "/session", undefined, { key: "wrong" })).status).toBe(401);
  });
});

describe("a dashboard that is disabled by enable_admin_ui", () => {
  it("enable_admin_ui: false responds with 404 at /gw/ui", async () => {
    const admin = await AdminGateway.start("", { enable_admin_ui: false });
    try {
      const { status } = await exchange(admin.port("admin"), "GET", "/gw/ui", undefined, {});
      expect(status).toBe(404);
    } finally {
      await admin.stop();
    }
  });
});
