import { describe, expect, it } from "vitest";
import type { Fields } from "../../../runtime/control/in-process/wire-message.js";
import { OVER_TLS } from "../../support/secure-peer.js";
import { type GatewaySettings, GET, OK, proxyTo } from "./gateway.js";

/** The request that the upstream receives. */
async function forwarded(request: string, settings: GatewaySettings = {}) {
  const gateway = await proxyTo(() => ({ writes: [OK] }), settings);
  const client = await gateway.client();
  await client.send(request);
  const method = request.split(" ")[0] as string;
  expect((await client.response(method)).status).toBe(200);
  const received = gateway.upstream.requests[0];
  if (received === undefined) throw new Error("nothing was forwarded");
  return { ...received, port: gateway.port, upstreamPort: gateway.upstream.port };
}

const request = (...lines: string[]) =>
  `GET /a?b HTTP/1.1\r\nHost: Shop.Example:8080\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const values = (fields: Fields, name: string) =>
  fields.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);

describe("requests to the upstream", () => {
  it("the upstream receives the request with the observed addresses in its forwarding headers", async () => {
    const got = await forwarded(request("Accept: */*", "X-Mine: 1"));
    expect(got.startLine).toBe("GET /a?b HTTP/1.1");
    expect(got.headers).toEqual([
      ["Host", "shop.example:8080"],
      ["Accept", "*/*"],
      ["X-Mine", "1"],
      ["X-Real-IP", "127.0.0.1"],
      ["X-Forwarded-For", "127.0.0.1"],
      ["X-Forwarded-Proto", OVER_TLS ? "https" : "http"],
      ["X-Forwarded-Host", "Shop.Example:8080"],
      ["X-Forwarded-Port", "8080"],
    ]);
  });

  it("the upstream receives no forwarding header of an untrusted client", async () => {
    const { headers } = await forwarded(
      request(
        "X-Forwarded-For: 1.1.1.1",
        "X-Real-IP: 6.6.6.6",
        "X-Forwarded-For: 2.2.2.2",
        "X-Forwarded-Proto: ws",
        "x-forwarded-host: evil",
        "X-Forwarded-Port: 1",
        "Forwarded: for=1.1.1.1",
      ),
    );
    expect(values(headers, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(values(headers, "x-real-ip")).toEqual(["127.0.0.1"]);
    expect(values(headers, "x-forwarded-proto")).toEqual([OVER_TLS ? "https" : "http"]);
    expect(values(headers, "x-forwarded-host")).toEqual(["Shop.Example:8080"]);
    expect(values(headers, "x-forwarded-port")).toEqual(["8080"]);
    expect(values(headers, "forwarded")).toEqual([]);
  });

  it("the upstream receives the forwarding headers of a trusted proxy", async () => {
    const { headers } = await forwarded(
      request("X-Forwarded-Proto: https", "X-Forwarded-Host: real.example", "X-Forwarded-For: 1.1.1.1"),
      { options: { admission: () => ({ trusts: (address) => address === "127.0.0.1" }) } },
    );
    expect(values(headers, "x-forwarded-proto")).toEqual(["https"]);
    expect(values(headers, "x-forwarded-host")).toEqual(["real.example"]);
    expect(values(headers, "x-forwarded-port")).toEqual(["8080"]);
    expect(values(headers, "x-forwarded-for")).toEqual(["1.1.1.1, 127.0.0.1"]);
    expect(values(headers, "x-real-ip")).toEqual(["1.1.1.1"]);
  });

  it("X-Forwarded-Port is the port of the listener if Host has none", async () => {
    const { headers, port } = await forwarded("GET / HTTP/1.1\r\nHost: A.test\r\n\r\n");
    expect(values(headers, "x-forwarded-host")).toEqual(["A.test"]);
    expect(values(headers, "x-forwarded-port")).toEqual([String(port)]);
  });

  it("the upstream receives forwarding headers that a plugin wrote", async () => {
    const { headers } = await forwarded(request("X-Forwarded-Proto: ftp"), {
      module: {
        rewrite(x) {
          x.upstream.headers.set("X-Forwarded-Proto", "https");
          x.upstream.headers.set("X-Real-IP", "9.9.9.9");
        },
      },
    });
    expect(values(headers, "x-forwarded-proto")).toEqual(["https"]);
    expect(values(headers, "x-real-ip")).toEqual(["9.9.9.9"]);
  });

  it("the upstream receives no hop-by-hop header and no header that Connection names", async () => {
    const { headers } = await forwarded(
      request(
        "Connection: keep-alive, X-Hop",
        "Keep-Alive: 5",
        "TE: trailers",
        "X-Hop: 1",
        "Proxy-Connection: x",
        "Upgrade: h2c",
      ),
    );
    const names = headers.map(([name]) => name.toLowerCase());
    for (const name of ["connection", "keep-alive", "te", "x-hop", "proxy-connection", "upgrade"])
      expect(names).not.toContain(name);
  });

  it("Connection cannot remove Host and forwarding headers from the request to the upstream", async () => {
    const { headers } = await forwarded(
      request("Connection: Host, X-Forwarded-For, X-Real-IP, Content-Length"),
    );
    expect(values(headers, "host")).toEqual(["shop.example:8080"]);
    expect(values(headers, "x-forwarded-for")).toEqual(["127.0.0.1"]);
  });

  it("the upstream receives the method, target, Host and headers that plugins changed", async () => {
    const got = await forwarded(request("X-Old: 1"), {
      module: {
        rewrite(x) {
          x.upstream.method = "PUT";
          x.upstream.target = "/new?c";
          x.upstream.host = "inner.example";
          x.upstream.headers.delete("X-Old");
          x.upstream.headers.set("X-New", "2");
        },
      },
    });
    expect(got.startLine).toBe("PUT /new?c HTTP/1.1");
    expect(values(got.headers, "host")).toEqual(["inner.example"]);
    expect(values(got.headers, "x-old")).toEqual([]);
    expect(values(got.headers, "x-new")).toEqual(["2"]);
    // X-Forwarded-Host holds the host of the client's request.
    expect(values(got.headers, "x-forwarded-host")).toEqual(["Shop.Example:8080"]);
  });

  it("bytes that would end the start line or Host are escaped if a plugin writes them", async () => {
    const got = await forwarded(request(), {
      module: {
        rewrite(x) {
          x.upstream.target = "/a b\r\nEvil: 1\xe9?q= c";
          x.upstream.host = "a b\r\nEvil: 1";
        },
      },
    });
    expect(got.target).toBe("/a%20b%0D%0AEvil:%201%E9?q=%20c");
    expect(values(got.headers, "host")).toEqual(["a%20b%0D%0AEvil:%201"]);
    expect(values(got.headers, "evil")).toEqual([]);
  });

  it("the upstream receives an unchanged target byte for byte", async () => {
    const got = await forwarded("GET /a%2Fb/c/d?x=%zz&y=/../ HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(got.target).toBe("/a%2Fb/c/d?x=%zz&y=/../");
  });

  it("the upstream receives Content-Length 0 for a POST of that length", async () => {
    const got = await forwarded("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    expect(values(got.headers, "content-length")).toEqual(["0"]);
  });

  it("the upstream receives the trailers of the client", async () => {
    const got = await forwarded(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n",
    );
    expect(got).toMatchObject({ body: "a", trailers: [["X-Sum", "1"]] });
  });
});

describe("Host for the upstream", () => {
  it("pass_host node sends the node's address with its port as Host", async () => {
    const got = await forwarded(GET, { table: { passHost: "node" } });
    expect(values(got.headers, "host")).toEqual([`127.0.0.1:${got.upstreamPort}`]);
  });

  it("pass_host rewrite sends upstream_host as Host", async () => {
    const { headers } = await forwarded(GET, { table: { passHost: "rewrite", upstreamHost: "u.example" } });
    expect(values(headers, "host")).toEqual(["u.example"]);
  });

  it("a Host that a plugin sets wins over every pass_host", async () => {
    for (const passHost of ["pass", "node", "rewrite"] as const) {
      const { headers } = await forwarded(GET, {
        table: { passHost, upstreamHost: "u.example" },
        module: {
          rewrite(x) {
            x.upstream.host = "plugin.example";
          },
        },
      });
      expect(values(headers, "host")).toEqual(["plugin.example"]);
    }
  });

  it("a request of HTTP/1.0 without Host is sent with the node's address as Host", async () => {
    const got = await forwarded("GET / HTTP/1.0\r\n\r\n");
    expect(values(got.headers, "host")).toEqual([`127.0.0.1:${got.upstreamPort}`]);
  });
});

describe("responses to the client", () => {
  it("the client receives the upstream's response without hop-by-hop headers, with the gateway's Server", async () => {
    const gateway = await proxyTo(() => ({
      writes: [
        "HTTP/1.1 299 Fine\r\nServer: up\r\nDate: D\r\nA: 1\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\na: 2\r\nContent-Length: 0\r\n\r\n",
      ],
    }));
    const client = await gateway.client();
    await client.send(GET);
    const got = await client.response("GET");
    expect(got.startLine).toBe("HTTP/1.1 299 Fine");
    expect(got.headers).toEqual([
      ["Date", "D"],
      ["A", "1"],
      ["a", "2"],
      ["Server", expect.stringMatching(/^GW\//)],
      ["Content-Length", "0"],
    ]);
  });

  it("the client receives the trailers of the upstream, but not in HTTP/1.0", async () => {
    const response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n";
    const gateway = await proxyTo(() => ({ writes: [response] }));
    const client = await gateway.client();
    await client.send(GET);
    expect(await client.response("GET")).toMatchObject({ body: "a", trailers: [["X-Sum", "1"]] });
    const old = await gateway.client();
    await old.send("GET / HTTP/1.0\r\n\r\n");
    expect(await old.response("GET")).toMatchObject({ body: "a", framing: "close" });
  });

  it("a status that a plugin sets is sent with its standard reason phrase", async () => {
    const gateway = await proxyTo(() => ({ writes: ["HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n"] }), {
      module: {
        headerFilter(x) {
          x.response.status = 418;
        },
      },
    });
    const client = await gateway.client();
    await client.send(GET);
    expect((await client.response("GET")).startLine).toBe("HTTP/1.1 418 I'm a Teapot");
  });
});

describe("targets that are rejected with 400", () => {
  it.each(["/..", "/a/../../b", "/%2e%2e", "/%zz", "/a%", "/a%4", "/a%00b"])(
    "the target %s is rejected with 400",
    async (target) => {
      const gateway = await proxyTo(() => ({ writes: [OK] }));
      const client = await gateway.client();
      await client.send(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
      expect((await client.response("GET")).status).toBe(400);
      expect(gateway.upstream.requests).toHaveLength(0);
    },
  );
});
