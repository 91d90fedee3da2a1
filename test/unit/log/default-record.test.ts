import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { VERSION } from "../../../runtime/abi/version.js";
import { type DefaultRecordParts, defaultRecordOf } from "../../../runtime/logging/default-record.js";
import { type Finished, finishedExchange, GET } from "../../support/finished-exchange.js";

type Members = Record<string, unknown>;
type Read = Members & { request: Members & { headers: Members }; response: Members & { headers: Members } };

const read = (text: string) => JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as Read;

const REDACT = { headers: ["authorization", "cookie", "set-cookie"], query: ["jwt", "apikey"] };

function record(given: Finished = {}, parts: DefaultRecordParts = {}): Read {
  return read(defaultRecordOf(REDACT)(finishedExchange(given), parts));
}

const request = (target: string, fields = "") =>
  `GET ${target} HTTP/1.1\r\nHost: example.com\r\n${fields}\r\n`;

describe("the default record", () => {
  it("[log.record.request] [log.record.response] [log.record.server] the default record has every field of the specification", () => {
    expect(
      record({ route: { id: "r1", serviceId: "s1" }, responseFields: [["Content-Type", "text/plain"]] }),
    ).toEqual({
      upstream: "127.0.0.1:1980",
      start_time: 1_577_836_800_250,
      client_ip: "192.0.2.7",
      service_id: "s1",
      route_id: "r1",
      request: {
        querystring: { a: "1" },
        size: GET.length,
        uri: "/hello?a=1",
        url: "http://example.com:9080/hello?a=1",
        headers: { host: "example.com", "user-agent": "test", accept: "*/*" },
        method: "GET",
      },
      response: { headers: { "content-type": "text/plain" }, size: 321, status: 200 },
      server: { hostname: hostname(), version: VERSION },
      latency: 12,
      upstream_latency: 8,
      gw_latency: 4,
    });
  });

  it("[log.record.upstream] the default record names every attempted node, and none for a local reply", () => {
    expect(record({ attempts: [3, 4] }).upstream).toBe("127.0.0.1:1980, 127.0.0.1:1980");
    const own = record({ attempts: [] });
    expect(own).not.toHaveProperty("upstream");
    expect(own).not.toHaveProperty("upstream_latency");
    expect(own).toMatchObject({ latency: 12, gw_latency: 12 });
  });

  it("a repeated header is one member of the default record whatever names lie between, and however many", () => {
    const write = defaultRecordOf(REDACT);
    for (let round = 0; round < 4; round++) {
      const names = Array.from({ length: 90 }, (_, i) => `X-${round}-${i}: v\r\n`);
      const fields = `A: 1\r\n${names.join("")}A: 2\r\n`;
      const text = write(finishedExchange({ request: request("/", fields) }), {});
      expect(text.match(/"a":/g)).toEqual(['"a":']);
      expect(read(text).request.headers["a"]).toEqual(["1", "2"]);
    }
  });

  it("[log.record.latency] [log.record.gw_latency+upstream_latency] gw_latency of the default record is never negative", () => {
    expect(record({ attempts: [12.5] })).toMatchObject({
      latency: 12,
      upstream_latency: 12.5,
      gw_latency: 0,
    });
    expect(record({ attempts: [0.30000000000000004] })).toMatchObject({ upstream_latency: 0.3 });
  });

  it("[log.record.service_id] service_id is empty without a service, and the host without a route", () => {
    expect(record().service_id).toBe("");
    const lost = record({ route: null });
    expect(lost.service_id).toBe("example.com");
    expect(lost).not.toHaveProperty("route_id");
  });

  it("the default record names the consumer only if there is one", () => {
    expect(record()).not.toHaveProperty("consumer");
    expect(record({ consumer: "jack" }).consumer).toEqual({ username: "jack" });
  });

  it("the default record lists repeated headers, in any spelling, under lower-case names", () => {
    const { headers } = record({ request: request("/", "X-A: 1\r\nx-a: 2\r\nX-B: 3\r\n") }).request;
    expect(headers).toEqual({ host: "example.com", "x-a": ["1", "2"], "x-b": "3" });
    const again = record({
      responseFields: [
        ["Vary", "a"],
        ["VARY", "b"],
      ],
    }).response.headers;
    expect(again).toEqual({ vary: ["a", "b"] });
  });

  it("the default record has the sent method and headers, with forwarding headers, and the client's uri", () => {
    const x = finishedExchange({
      request: request("/old?q=1", "X-Forwarded-For: 203.0.113.9\r\nForwarded: for=x\r\nX-Own: 1\r\n"),
      forwarded: "X-Real-IP: 192.0.2.7\r\nX-Forwarded-For: 203.0.113.9, 192.0.2.7\r\n",
    });
    x.outgoing.method = "POST";
    x.outgoing.target = "/new";
    x.outgoing.headers.set("X-Added", "2");
    const { method, uri, headers } = read(defaultRecordOf(REDACT)(x)).request;
    expect({ method, uri }).toEqual({ method: "POST", uri: "/old?q=1" });
    expect(headers).toEqual({
      host: "example.com",
      "x-real-ip": "192.0.2.7",
      "x-forwarded-for": "203.0.113.9, 192.0.2.7",
      "x-own": "1",
      "x-added": "2",
    });
  });

  it("the default record has the decoded query: repeated arguments as a list, one without a value as true", () => {
    const { querystring, uri } = record({
      request: request("/a%20b?x=1&y=%C3%A9+z&x=2&flag&=0&&e="),
    }).request;
    expect(querystring).toEqual({ x: ["1", "2"], y: "\u00e9 z", flag: true, e: "" });
    expect(uri).toBe("/a%20b?x=1&y=%C3%A9+z&x=2&flag&=0&&e=");
  });

  it("the default record includes the Content-Length header of the request", () => {
    const post = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n";
    expect(record({ request: post }).request.headers["content-length"]).toBe("5");
  });

  it("the default record keeps argument names that objects have anyway", () => {
    const text = defaultRecordOf(REDACT)(finishedExchange({ request: request("/?__proto__=1&toString=2") }));
    expect(text).toContain('"querystring":{"__proto__":"1","toString":"2"}');
  });

  it("the default record is valid UTF-8 for any bytes of the request", () => {
    const text = defaultRecordOf(REDACT)(
      finishedExchange({
        request: request("/%FF?%E9=%80", "X-A: \xe9\r\n"),
      }),
    );
    const utf8 = Buffer.from(text, "latin1").toString("utf8");
    expect(Buffer.from(utf8, "utf8").toString("latin1")).toBe(text);
    expect(JSON.parse(utf8).request.headers["x-a"]).toBe("\ufffd");
  });

  it("the default record redacts listed headers and query parameters in every field", () => {
    const text = defaultRecordOf(REDACT)(
      finishedExchange({
        request: request(
          "/?JWT=secret1&a=1&%61pikey=secret2",
          "Authorization: secret3\r\ncookie: secret4\r\n",
        ),
        responseFields: [
          ["Set-Cookie", "secret5"],
          ["Set-Cookie", "secret6"],
        ],
      }),
    );
    expect(text).not.toMatch(/secret/);
    const shown = read(text);
    expect(shown.request.uri).toBe("/?JWT=***&a=1&%61pikey=***");
    expect(shown.request.querystring).toEqual({ JWT: "***", a: "1", apikey: "***" });
    expect(shown.request.headers).toMatchObject({ authorization: "***", cookie: "***" });
    expect(shown.response.headers["set-cookie"]).toEqual(["***", "***"]);
  });

  it("the default record redacts parameters, user and password in Referer, Location and Content-Location", () => {
    const text = defaultRecordOf(REDACT)(
      finishedExchange({
        request: request(
          "/",
          "Referer: https://ada:secret0@a.example/b?q=1&jwt=secret1#apikey=secret2&x=2\r\n",
        ),
        responseFields: [
          ["Location", "//secret5:se@cret6@b.example/@next?apikey=secret3"],
          ["Content-Location", "/c#jwt=secret4"],
        ],
      }),
    );
    expect(text).not.toMatch(/secret/);
    const { request: asked, response } = read(text);
    expect(asked.headers["referer"]).toBe("https://***@a.example/b?q=1&jwt=***#apikey=***&x=2");
    expect(response.headers).toMatchObject({
      location: "//***@b.example/@next?apikey=***",
      "content-location": "/c#jwt=***",
    });
  });

  it("the default record has extra fields, which replace its own fields of the same name", () => {
    const extra = { env: "test", latency: 1, route_id: undefined, nested: { a: [1, null] } };
    expect(record({}, { extra })).toMatchObject({
      env: "test",
      latency: 1,
      nested: { a: [1, null] },
      route_id: "r1",
    });
    expect(record({}, { extra: {} })).toEqual(record());
  });
});

describe("bodies in the default record", () => {
  const body = (text: string, more = {}) => ({
    text,
    coding: "",
    truncated: false,
    size: text.length,
    ...more,
  });

  it("the default record shows a text body as text", () => {
    const shown = record({}, { request: body('{"a":"\xc3\xa9"}'), response: body("ok") });
    expect(shown.request["body"]).toBe('{"a":"é"}');
    expect(shown.response["body"]).toBe("ok");
    expect(shown.request).not.toHaveProperty("body_truncated");
  });

  it("[log.broker.max_req_body_bytes] [log.broker.max_resp_body_bytes] the default record marks a truncated body and its full size", () => {
    const { request: own } = record({}, { request: body("abc", { truncated: true, size: 1_000 }) });
    expect(own).toMatchObject({ body: "abc", body_truncated: true, body_size: 1_000 });
  });

  it("the default record drops an incomplete character at the end of a truncated body, and only that", () => {
    for (const [cut, whole] of [
      ["a\xc3", "a"],
      ["a\xe2\x82", "a"],
      ["a\xf0\x9f\x98", "a"],
    ] as const)
      expect(record({}, { request: body(cut, { truncated: true, size: 9 }) }).request.body).toBe(whole);
    const complete = record({}, { request: body("a\xc3\xa9", { truncated: true, size: 9 }) });
    expect(complete.request.body).toBe("a\u00e9");
  });

  it("the default record encodes a body that is not UTF-8 as base64 and marks it", () => {
    const { response } = record({}, { response: body("\xff\x00\xfe") });
    expect(response).toMatchObject({ body: "/wD+", body_encoding: "base64" });
  });

  it("the default record names the coding of a body that could not be decoded", () => {
    const { response } = record({}, { response: body("\xff", { coding: "lzma" }) });
    expect(response).toMatchObject({ body: "/w==", body_encoding: "base64", body_coding: "lzma" });
  });
});
