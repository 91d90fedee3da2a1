import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CaptchaRequest, Endpoint } from "../../../../plugins/captcha/service/contract.js";
import { StorageError } from "../../../../plugins/captcha/service/contract.js";
import { json } from "../../../../plugins/captcha/service/http/answer.js";
import { CaptchaServer } from "../../../../plugins/captcha/service/server.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { RawClient } from "../../../support/raw-client.js";
import { ask, SETTINGS } from "../../../support/verify-harness.js";

const seen: CaptchaRequest[] = [];
const reports: object[] = [];
let trustedAddresses: string[] = [];
let server: CaptchaServer;
let port: number;
let started: () => void = () => {};
let release: () => void = () => {};

const endpoint: Endpoint = (path) => {
  if (path === "/throw" || path === "/key-1234/verify" || path === "/api/v1/throw")
    return () => {
      throw new Error("secret detail");
    };
  if (path === "/reject") return async () => Promise.reject(new TypeError("secret detail"));
  if (path === "/store" || path === "/api/v1/store")
    return () => Promise.reject(new StorageError("redis://:pw@host"));
  if (path === "/slow")
    return () => {
      started();
      return new Promise((resolve) => (release = () => resolve(json(200, { slow: true }))));
    };
  if (path === "/text")
    return () => ({ status: 200, headers: { "Content-Type": "text/plain" }, body: "Проверка" });
  if (path === "/bytes") return () => ({ status: 200, headers: {}, body: Buffer.alloc(100_000, 7) });
  if (path === "/empty") return () => ({ status: 204, headers: {}, body: "" });
  if (!path.startsWith("/echo")) return null;
  return (request) => {
    seen.push(request);
    return json(200, {
      client: request.client,
      path: request.path,
      query: request.query,
      bytes: request.body.length,
    });
  };
};

beforeAll(async () => {
  server = new CaptchaServer({
    endpoints: [() => null, endpoint],
    configuration: () => ({ settings: { ...SETTINGS, trustedAddresses } }),
    clock: new ManualClock(),
    report: (event, fields) => void reports.push({ event, ...fields }),
  });
  port = (await server.accept({ port: 0 })).port;
});
afterAll(() => server.close(100));

describe("requests", () => {
  it("a request has its path and query as received", async () => {
    const { body } = await ask(port, "/echo/%2e%2E/a//b?x=%41&y=+");
    expect(body).toMatchObject({ path: "/echo/%2e%2E/a//b", query: "x=%41&y=+" });
  });

  it("a request may have a body of 16 kB, by length or in chunks", async () => {
    for (const size of [0, 1, 16_384]) {
      const headers = { "Content-Length": String(size) };
      const sized = await ask(port, "/echo", { method: "POST", body: "b".repeat(size), headers });
      expect(sized.body.bytes).toBe(size);
    }
    const client = await RawClient.open(port);
    await client.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
      "5\r\nhello\r\n",
      "5\r\nworld\r\n0\r\n\r\n",
    );
    expect((await client.response("GET")).body).toContain(`"bytes":10`);
    client.close();
  });

  it("a larger body gets 413: by its length before it is sent, in chunks as soon as it is too long", async () => {
    const declared = await RawClient.open(port);
    await declared.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 16385\r\n\r\n");
    expect((await declared.response("GET")).status).toBe(413);
    declared.close();
    const chunked = await RawClient.open(port);
    await chunked.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    await chunked.send(`4001\r\n${"b".repeat(0x4001)}\r\n`);
    expect((await chunked.response("GET")).status).toBe(413);
    chunked.close();
    expect(seen.every(({ body }) => body.length <= 16_384)).toBe(true);
  });

  it("[H4] a long URL gets 414 or 431, a long head 431 and a malformed request 400, all in JSON", async () => {
    expect((await ask(port, `/echo?${"x".repeat(5_000)}`)).status).toBe(414);
    const long = await ask(port, `/echo?${"x".repeat(9_000)}`);
    const head = await ask(port, "/echo", { headers: { "X-Long": "x".repeat(17_000) } });
    expect([long.status, head.status]).toEqual([414, 431]);
    for (const { body, headers } of [long, head]) {
      expect(body).toMatchObject({ success: false, error: "invalid_request", retryable: false });
      expect(headers["cache-control"]).toBe("no-store");
    }
    const client = await RawClient.open(port);
    await client.send("GET echo\r\n\r\n");
    const { status, body } = await client.response("GET");
    expect([status, JSON.parse(body).success]).toEqual([400, false]);
    client.close();
  });

  it("requests on one connection get their responses in order", async () => {
    const client = await RawClient.open(port);
    await client.send("GET /echo?1 HTTP/1.1\r\nHost: x\r\n\r\nGET /echo?2 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await client.response("GET")).body).toContain(`"query":"1"`);
    expect((await client.response("GET")).body).toContain(`"query":"2"`);
    client.close();
  });
});

describe("responses", () => {
  it("a response has the length of its bytes, also beyond ASCII", async () => {
    const text = await ask(port, "/text");
    expect([text.text, text.headers["content-length"]]).toEqual(["Проверка", "16"]);
    expect((await ask(port, "/bytes")).headers["content-length"]).toBe("100000");
    expect((await ask(port, "/empty")).headers).not.toHaveProperty("content-length");
  });

  it("a response to HEAD has the headers and no body", async () => {
    const { status, text, headers } = await ask(port, "/text", { method: "HEAD" });
    expect([status, text, headers["content-type"]]).toEqual([200, "", "text/plain"]);
  });

  it("a response has a Date header", async () => {
    expect((await ask(port, "/text")).headers.date).toBe("Mon, 01 Jun 2026 12:00:00 GMT");
  });

  it("[H4] an error in a handler becomes 500 without details and is reported without its message", async () => {
    for (const target of ["/throw", "/reject"]) {
      const { status, body, text } = await ask(port, target);
      expect([status, body.error]).toEqual([500, "internal_error"]);
      expect(text).not.toContain("detail");
    }
    expect((await ask(port, "/api/v1/throw")).body).toEqual({ error: "internal_error", retryable: true });
    expect(reports.length).toBeGreaterThan(0);
    expect(JSON.stringify(reports)).not.toContain("detail");
    expect(reports[0]).toMatchObject({ event: "captcha_handler_failed", kind: "Error" });
  });

  it("[C48] an error in a verification becomes 500 with success false and storage_error", async () => {
    const { status, body } = await ask(port, "/key-1234/verify");
    expect(status).toBe(500);
    expect(body).toEqual({ success: false, error: "storage_error", reason: "internal_error" });
  });

  it("a store that is down becomes 503 with Retry-After, without its address", async () => {
    const { status, text, headers } = await ask(port, "/store");
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(text).not.toContain("redis");
    expect((await ask(port, "/api/v1/store")).body).toEqual({
      error: "service_unavailable",
      retryable: true,
    });
  });

  it("a response to a client that has closed its connection is dropped and not reported as a failure", async () => {
    const before = reports.length;
    const running = new Promise<void>((resolve) => (started = resolve));
    const socket = connect(port, "127.0.0.1");
    socket.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await running;
    socket.resetAndDestroy();
    // The server learns of the reset while it handles another request.
    expect((await ask(port, "/text")).status).toBe(200);
    release();
    expect((await ask(port, "/text")).status).toBe(200);
    expect(reports.slice(before)).toEqual([]);
  });
});

describe("the client of a request", () => {
  const clientOf = async (forwarded: string | string[] | undefined) => {
    const headers: Record<string, string | string[]> =
      forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
    const { body } = await ask(port, "/echo", { headers });
    return (body.client as { text: string }).text;
  };

  it("[A42] [W4] the client address is the peer's, whatever it sends, when its proxy is not trusted", async () => {
    trustedAddresses = [];
    expect(await clientOf(undefined)).toBe("127.0.0.1");
    expect(await clientOf("203.0.113.1")).toBe("127.0.0.1");
    trustedAddresses = ["10.0.0.0/8"];
    expect(await clientOf("203.0.113.1")).toBe("127.0.0.1");
  });

  it.each([
    ["what the proxy saw", "203.0.113.1", "203.0.113.1"],
    ["not what the client made up", "198.51.100.1, 203.0.113.1", "203.0.113.1"],
    ["behind two proxies", "198.51.100.1, 203.0.113.1, 10.0.0.9", "203.0.113.1"],
    ["the leftmost where all are trusted", "10.0.0.8, 10.0.0.9", "10.0.0.8"],
    ["without blanks", "198.51.100.1,203.0.113.1", "203.0.113.1"],
    ["mapped IPv6 as IPv4", "::ffff:203.0.113.1", "203.0.113.1"],
    ["IPv6 in its one spelling", "2001:0DB8:0:0::1", "2001:db8::1"],
    ["the proxy where it wrote no address", "unknown", "127.0.0.1"],
    ["without the port that a proxy wrote", "203.0.113.1:4711", "203.0.113.1"],
    ["IPv6 without brackets and port", "[2001:db8::1]:4711", "2001:db8::1"],
    ["the proxy where it wrote a zone", "fe80::1%eth0", "127.0.0.1"],
    ["the proxy where it wrote leading zeros", "203.0.113.01", "127.0.0.1"],
    ["the last good hop before nonsense", "nonsense, 10.0.0.9", "10.0.0.9"],
    ["the proxy where it wrote nothing", "", "127.0.0.1"],
  ])(
    "[A42] [W4] the client address by X-Forwarded-For of a trusted proxy: %s",
    async (_name, forwarded, client) => {
      trustedAddresses = ["127.0.0.1", "10.0.0.0/8"];
      expect(await clientOf(forwarded)).toBe(client);
    },
  );

  it("[A42] several X-Forwarded-For headers are read in their order", async () => {
    trustedAddresses = ["127.0.0.1", "10.0.0.0/8"];
    expect(await clientOf(["198.51.100.1", "203.0.113.1, 10.0.0.9"])).toBe("203.0.113.1");
  });

  it("[A42] the prefix of a client is its network: /24 of IPv4, /56 of IPv6", async () => {
    trustedAddresses = ["127.0.0.1"];
    const prefixOf = async (forwarded: string) =>
      (await ask(port, "/echo", { headers: { "X-Forwarded-For": forwarded } })).body.client;
    expect(await prefixOf("203.0.113.77")).toEqual({
      text: "203.0.113.77",
      family: 4,
      prefix: "203.0.113.0/24",
    });
    expect(await prefixOf("2001:db8:1:12ff::9")).toEqual({
      text: "2001:db8:1:12ff::9",
      family: 6,
      prefix: "2001:db8:1:1200::/56",
    });
  });
});

describe("the limit of connections", () => {
  it("a request whose body never ends gives way to the next client at the limit of connections", async () => {
    const own = new CaptchaServer({
      endpoints: [endpoint],
      configuration: () => ({ settings: SETTINGS }),
      clock: new ManualClock(),
      report: () => {},
      limits: { connections: 4 },
    });
    const address = await own.accept({ port: 0 });
    const answered = "PUT /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    const unanswered = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    const clients: RawClient[] = [];
    try {
      for (const sent of [answered, unanswered, unanswered, answered]) {
        const client = await RawClient.open(address.port);
        clients.push(client);
        await client.send(sent);
        if (sent === answered) expect((await client.response("PUT")).status).toBe(404);
      }
      for (let n = 0; n < 5; n += 1) expect((await ask(address.port, "/text")).status).toBe(200);
    } finally {
      for (const client of clients) client.close();
      await own.close(0);
    }
  });

  it("a request in flight keeps its connection at the limit, and the next client is refused", async () => {
    const own = new CaptchaServer({
      endpoints: [endpoint],
      configuration: () => ({ settings: SETTINGS }),
      clock: new ManualClock(),
      report: () => {},
      limits: { connections: 1 },
    });
    const address = await own.accept({ port: 0 });
    release = () => {};
    const before = release;
    const asked = ask(address.port, "/slow");
    while (release === before) await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(ask(address.port, "/text")).rejects.toThrow();
    release();
    expect((await asked).body).toEqual({ slow: true });
    await own.close(0);
  });
});

describe("closing the server", () => {
  it("a closing server finishes the request in flight and accepts no new connection", async () => {
    const own = new CaptchaServer({
      endpoints: [endpoint],
      configuration: () => ({ settings: SETTINGS }),
      clock: new ManualClock(),
      report: () => {},
    });
    const address = await own.accept({ port: 0 });
    const asked = ask(address.port, "/slow");
    while (own.connections === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const closed = own.close(5_000);
    await expect(ask(address.port, "/text")).rejects.toThrow();
    release();
    expect((await asked).body).toEqual({ slow: true });
    await closed;
    expect(own.connections).toBe(0);
  });

  it("a closing server aborts remaining requests at its deadline", async () => {
    const own = new CaptchaServer({
      endpoints: [endpoint],
      configuration: () => ({ settings: SETTINGS }),
      clock: new ManualClock(),
      report: () => {},
    });
    const address = await own.accept({ port: 0 });
    const asked = ask(address.port, "/slow");
    const cut = expect(asked).rejects.toThrow();
    while (own.connections === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await own.close(50);
    await cut;
  });
});
