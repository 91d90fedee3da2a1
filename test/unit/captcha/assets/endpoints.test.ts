import { createHash } from "node:crypto";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import type { CaptchaSiteKey } from "../../../../plugins/captcha/captcha-table.js";
import { assetEndpoints } from "../../../../plugins/captcha/service/assets/endpoints.js";
import { ancestorsOf } from "../../../../plugins/captcha/service/assets/frames.js";
import { widgetManifest } from "../../../../plugins/captcha/service/assets/manifest.js";
import type {
  CaptchaRequest,
  CaptchaResponse,
  LiveConfiguration,
  StateStore,
} from "../../../../plugins/captcha/service/contract.js";
import { StorageError } from "../../../../plugins/captcha/service/contract.js";
import { perKind } from "../../../../plugins/captcha/service/store/states.js";
import { addressBinding } from "../../../../plugins/captcha/service/verify/binding.js";
import { testSiteKey } from "../../../../plugins/captcha/service/verify/test-keys.js";
import { HeaderList } from "../../../../runtime/http/header-list.js";

const { files, version } = widgetManifest();
const KEY = {
  ...testSiteKey("sp-test-pass"),
  id: "site-key-1",
  customer: "shop",
  hostnames: ["example.com"],
} as CaptchaSiteKey;

const SECRET = Buffer.alloc(32, 5);
const CLIENT = { text: "203.0.113.1", family: 4, prefix: "203.0.113.0/24" } as const;

/** States in a map: the part of the contract that the endpoints use. */
class States implements StateStore {
  readonly entries = new Map<string, unknown>();
  broken = false;
  async put(key: string, value: unknown): Promise<void> {
    this.entries.set(key, value);
  }
  async get(key: string): Promise<unknown> {
    if (this.broken) throw new StorageError("down");
    return this.entries.get(key);
  }
  async take(key: string): Promise<unknown> {
    const value = this.entries.get(key);
    this.entries.delete(key);
    return value;
  }
  usage = () => perKind(() => ({ evicted: 0 }));
  async close(): Promise<void> {}
}

let states: States;
let testing: boolean;
beforeEach(() => {
  states = new States();
  testing = false;
});

function ask(path: string, fields: Record<string, string> = {}, method = "GET"): Promise<CaptchaResponse> {
  const keys = [
    KEY,
    { ...KEY, id: "site-key-off", enabled: false },
    { ...KEY, id: "site-key-ru", languages: ["ru"] as const },
  ];
  const configuration = () =>
    ({
      settings: { testing },
      customers: new Map([["shop", { id: "shop", enabled: true }]]),
      secrets: { "ip-binding": SECRET },
      siteKeys: new Map(keys.map((key) => [key.id, key])),
    }) as unknown as LiveConfiguration;
  const [bare = "", query = ""] = path.split("?");
  const handler = assetEndpoints({ configuration, states })(bare);
  if (handler === null) return Promise.resolve({ status: 404, headers: {}, body: "" });
  const headers = new HeaderList("", []);
  for (const [name, value] of Object.entries(fields)) headers.set(name, value);
  const request: CaptchaRequest = {
    method,
    path: bare,
    query,
    headers,
    body: Buffer.alloc(0),
    client: CLIENT,
  };
  return Promise.resolve(handler(request));
}

const page = (answer: CaptchaResponse) => String(answer.body);
const written = (answer: CaptchaResponse) =>
  JSON.parse(/id="configuration">(.*?)<\/script>/.exec(page(answer))?.[1] ?? "") as Record<string, unknown>;
const sources = (answer: CaptchaResponse, directive: string) =>
  new RegExp(`${directive} ([^;]*)`).exec(answer.headers["Content-Security-Policy"] ?? "")?.[1]?.split(" ");

describe("the script", () => {
  it("[C1] [A78] every page may load the evergreen script without a key", async () => {
    const answer = await ask("/captcha.js");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
      "Access-Control-Allow-Origin": "*",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "X-Content-Type-Options": "nosniff",
      Vary: "Accept-Encoding",
    });
  });

  it("[A80] the script has a name with its hash, is immutable there and matches the integrity of the manifest", async () => {
    const { file, integrity } = files["captcha.js"];
    const answer = await ask(`/${file}`);
    expect(file).toMatch(new RegExp(`^captcha-${version.replaceAll(".", "\\.")}\\.[0-9a-f]{16}\\.js$`));
    expect(answer.headers["Cache-Control"]).toBe("public, max-age=31536000, immutable");
    expect(answer.headers["Access-Control-Allow-Origin"]).toBe("*");
    expect(`sha384-${createHash("sha384").update(answer.body).digest("base64")}`).toBe(integrity);
    expect((await ask("/captcha.js")).body).toEqual(answer.body);
    expect((await ask("/captcha-0.0.1.0000000000000000.js")).status).toBe(404);
  });

  it("the script is sent in the smallest encoding that the browser accepts, with an ETag for each encoding", async () => {
    const plain = await ask("/captcha.js");
    const gzip = await ask("/captcha.js", { "Accept-Encoding": "gzip, deflate" });
    const brotli = await ask("/captcha.js", { "Accept-Encoding": "gzip, deflate, br" });
    expect(plain.headers["Content-Encoding"]).toBeUndefined();
    expect(gzip.headers["Content-Encoding"]).toBe("gzip");
    expect(brotli.headers["Content-Encoding"]).toBe("br");
    expect(gunzipSync(gzip.body as Buffer)).toEqual(plain.body);
    expect(brotliDecompressSync(brotli.body as Buffer)).toEqual(plain.body);
    expect(new Set([plain, gzip, brotli].map(({ headers }) => headers["ETag"])).size).toBe(3);
    expect(
      (await ask("/captcha.js", { "Accept-Encoding": "br;q=0, gzip;q=0.0" })).headers["Content-Encoding"],
    ).toBeUndefined();
  });

  it("a script that the browser already has is not sent again, and POST gets 405", async () => {
    const etag = (await ask("/captcha.js", { "Accept-Encoding": "br" })).headers["ETag"] ?? "";
    for (const field of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await ask("/captcha.js", { "If-None-Match": field, "Accept-Encoding": "br" });
      expect(answer).toMatchObject({ status: 304, body: "" });
      expect(answer.headers["Cache-Control"]).toContain("max-age=300");
    }
    expect((await ask("/captcha.js", { "If-None-Match": '"other"' })).status).toBe(200);
    expect(await ask("/captcha.js", {}, "POST")).toMatchObject({
      status: 405,
      headers: { Allow: "GET, HEAD" },
    });
  });
});

describe("assets of the frames", () => {
  it("[A78] assets are for the frames alone and immutable, and unknown asset paths get 404", async () => {
    for (const name of ["box.js", "task.js", "pow.js", "memory.js", "box.css", "task.css"] as const) {
      const answer = await ask(`/assets/${files[name].file}`);
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        "Content-Type": name.endsWith("css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
        "Cache-Control": "public, max-age=31536000, immutable",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "X-Content-Type-Options": "nosniff",
      });
      expect(answer.headers["Access-Control-Allow-Origin"]).toBeUndefined();
    }
    for (const path of ["/assets/manifest.json", "/assets/../captcha.js", "/assets/", "/assets/box.js"])
      expect((await ask(path)).status).toBe(404);
  });
});

describe("the worker for memory-hard work", () => {
  it("[H43] only the worker for memory-hard work may compile WebAssembly, by its own policy", async () => {
    for (const name of ["box.js", "task.js", "pow.js", "memory.js"] as const) {
      const { headers } = await ask(`/assets/${files[name].file}`);
      expect([name, headers["Content-Security-Policy"]]).toEqual([
        name,
        name === "memory.js" ? "default-src 'none'; script-src 'wasm-unsafe-eval'" : undefined,
      ]);
    }
    const frame = await ask("/f/v1/box?k=site-key-1");
    expect(frame.headers["Content-Security-Policy"]).not.toContain("wasm");
  });
});

describe("the checkbox frame", () => {
  it("[A78] only pages of its key's hosts may embed the checkbox frame, which loads only its own files", async () => {
    const answer = await ask("/f/v1/box?k=site-key-1&hl=en&th=dark&id=w1");
    expect(answer.headers).toMatchObject({
      "Content-Type": "text/html; charset=utf-8",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    });
    expect(answer.headers["Referrer-Policy"]).toMatch(/^(?:same-origin|no-referrer)$/);
    expect(answer.headers["Permissions-Policy"]).toMatch(/camera=\(\).*microphone=\(\)/);
    expect(answer.headers["X-Frame-Options"]).toBeUndefined();
    expect(answer.headers["Content-Security-Policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; " +
        "worker-src 'self'; frame-ancestors http://example.com:* https://example.com:* http://*.example.com:* https://*.example.com:*; " +
        "base-uri 'none'; form-action 'none'",
    );
  });

  it("the checkbox frame contains its key, language, theme and hosts", async () => {
    const answer = await ask("/f/v1/box?k=site-key-1&hl=en&th=dark&id=w1");
    expect(page(answer)).toContain('<html lang="en" data-theme="dark">');
    expect(written(answer)).toMatchObject({
      siteKey: "site-key-1",
      language: "en",
      theme: "dark",
      hosts: ["example.com"],
      id: "w1",
      test: false,
    });
    expect(written(await ask("/f/v1/box?k=site-key-1"))).toMatchObject({ language: "ru", theme: "auto" });
    expect(written(await ask("/f/v1/box?k=site-key-ru&hl=en"))).toMatchObject({ language: "ru" });
  });

  it.each([
    ["k=no-such-key", "invalid_sitekey"],
    ["k=site-key-off", "invalid_sitekey"],
    ["", "invalid_sitekey"],
    ["k=constructor", "invalid_sitekey"],
    ["k=sp-test-pass", "invalid_sitekey"],
  ])("the checkbox frame shows its own error for %j", async (query, fault) => {
    const answer = await ask(`/f/v1/box?${query}`, { Referer: "https://shop.example.org/" });
    expect(answer.status).toBe(200);
    expect(written(answer)).toMatchObject({ fault, hosts: null });
    expect(sources(answer, "frame-ancestors")).toEqual(["https://shop.example.org"]);
  });

  it("the checkbox frame reports hostname_not_allowed to a page of another host, but not for a malformed referrer", async () => {
    const other = await ask("/f/v1/box?k=site-key-1", { Referer: "https://example.com.evil.org/" });
    expect(written(other)).toMatchObject({ fault: "hostname_not_allowed" });
    expect(sources(other, "frame-ancestors")).toEqual(["https://example.com.evil.org"]);
    for (const Referer of ["https://example.com/", "http://a.example.com:8080/x", "garbage; script-src *"]) {
      const answer = await ask("/f/v1/box?k=site-key-1", { Referer });
      expect(written(answer)).not.toHaveProperty("fault");
      expect(sources(answer, "frame-ancestors")?.[0]).toBe("http://example.com:*");
    }
  });

  it("the checkbox frame ignores unknown values of its query", async () => {
    const answer = await ask(`/f/v1/box?k=site-key-1&id=%3C/script%3E&hl=%3Cb%3E&th=%22%3E`);
    expect(page(answer)).not.toMatch(/<b>|">"|<\/script><\/script>/);
    expect(written(answer)).toMatchObject({ id: "", language: "ru", theme: "auto" });
  });

  it("a frame policy allows all ancestors when it cannot name one of the hosts", () => {
    const alone = (...hostnames: string[]) => ancestorsOf({ hostnames, embedHosts: [] });
    expect(alone("127.0.0.1")).toEqual(["http://127.0.0.1:*", "https://127.0.0.1:*"]);
    expect(alone("example.com", "::1")).toEqual(["*"]);
  });

  it("the checkbox frame reports that its key is for tests, if testing is on", async () => {
    testing = true;
    const answer = await ask("/f/v1/box?k=sp-test-pass", { Referer: "https://anything.org/" });
    expect(written(answer)).toMatchObject({ test: true, hosts: null });
    expect(sources(answer, "frame-ancestors")).toEqual(["*"]);
  });
});

describe("the task frame", () => {
  const REF = "reference-reference-00";
  const begun = async (): Promise<void> => {
    await states.put(`task-ref/${REF}`, { session: "the-session" });
    const network = addressBinding(CLIENT, "prefix", SECRET);
    await states.put("session/the-session", { site_key: "site-key-1", network, family: "other" });
  };

  it("the task frame is served once for a reference, to pages of its session's key", async () => {
    await begun();
    const answer = await ask(`/f/v1/task?s=${REF}&hl=en`, { Referer: "https://example.com/" });
    expect(written(answer)).toMatchObject({ session: "the-session", language: "en", hosts: ["example.com"] });
    expect(sources(answer, "frame-ancestors")?.[0]).toBe("http://example.com:*");
    expect(answer.headers["Cache-Control"]).toBe("no-store");
    const again = await ask(`/f/v1/task?s=${REF}&hl=en`);
    expect(written(again)).toMatchObject({ fault: "session_expired" });
    expect(written(again)).not.toHaveProperty("session");
  });

  it("a page of another host gets a task frame without the session", async () => {
    await begun();
    const answer = await ask(`/f/v1/task?s=${REF}&k=site-key-1`, { Referer: "https://evil.org/" });
    expect(written(answer)).not.toHaveProperty("session");
  });

  it.each(["", "s=short", "s=../../x", `s=${"a".repeat(200)}`])(
    "a task frame has no session for %j",
    async (query) => {
      expect(written(await ask(`/f/v1/task?${query}`))).toMatchObject({ fault: "session_expired" });
    },
  );

  it("[A46] a browser of another family gets no task frame and does not use the reference up", async () => {
    await begun();
    const foreign = await ask(`/f/v1/task?s=${REF}`, { "User-Agent": "Mozilla/5.0 Firefox/140.0" });
    expect(written(foreign)).toMatchObject({ fault: "session_expired" });
    expect(written(foreign)).not.toHaveProperty("session");
    expect(written(await ask(`/f/v1/task?s=${REF}`))).toMatchObject({ session: "the-session" });
  });

  it("a HEAD request does not use a task reference up", async () => {
    await begun();
    expect((await ask(`/f/v1/task?s=${REF}`, {}, "HEAD")).status).toBe(405);
    expect(states.entries.has(`task-ref/${REF}`)).toBe(true);
  });
});

describe("probes", () => {
  it("/healthz reports that the process lives, and /readyz that its store responds", async () => {
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(200);
    states.broken = true;
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/readyz")).status).toBe(503);
  });
});
