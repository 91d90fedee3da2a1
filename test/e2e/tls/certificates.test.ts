import { once } from "node:events";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { fetchOver, handshake, mirror, plainTo, secureGateway, subjectOf } from "./harness.js";

// Choice of a certificate, and properties of requests over TLS.

let exact: Issued;
let rsa: Issued;
let wide: Issued;
let deep: Issued;
beforeAll(() => {
  exact = issue({ names: ["a.example"] });
  rsa = issue({ names: ["a.example"], kind: "rsa" });
  wide = issue({ names: ["*.example"] });
  deep = issue({ names: ["*.shop.example"] });
});

const routes = (port: number) => ({
  routes: [{ id: "r", uri: "/*", upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } }],
});
const ssls = () => [
  { id: "exact", sni: "a.example", cert: exact.cert, key: exact.key },
  { id: "wide", snis: ["*.example"], cert: wide.cert, key: wide.key },
  { id: "deep", snis: ["*.Shop.example"], cert: deep.cert, key: deep.key },
];
const harness = async (ssl: object = {}, more: object[] = ssls()) =>
  secureGateway({ ...routes((await mirror()).port), ssls: more }, ssl);

describe("the certificate", () => {
  it.each([
    ["a.example", "a.example"],
    ["A.EXAMPLE", "a.example"],
    ["b.example", "*.example"],
    ["x.shop.example", "*.shop.example"],
    ["y.x.shop.example", "*.shop.example"],
    ["shop.example", "*.example"],
  ])(
    "the certificate for %s is that of %s: the exact name, then the longest wildcard",
    async (servername, subject) => {
      const { port } = await harness();
      expect(subjectOf(await handshake(port, { servername }))).toBe(subject);
    },
  );

  it.each([["other.test"], ["example"], [""]])(
    "a client with the server name %j is refused if no certificate matches",
    async (servername) => {
      const { port } = await harness();
      await expect(handshake(port, { servername })).rejects.toMatchObject({
        code: "ERR_SSL_TLSV1_UNRECOGNIZED_NAME",
      });
    },
  );

  it.each([["other.test"], [""]])(
    "the certificate of fallback_sni is presented to a client with the server name %j",
    async (servername) => {
      const { port } = await harness({ fallback_sni: "B.example" });
      expect(subjectOf(await handshake(port, { servername }))).toBe("*.example");
    },
  );

  it("a certificate with status 0 is not presented", async () => {
    const { port } = await harness({}, [{ ...ssls()[0], status: 0 }, ...ssls().slice(1)]);
    expect(subjectOf(await handshake(port, { servername: "a.example" }))).toBe("*.example");
  });

  it.each([
    ["ECDHE-ECDSA-AES128-GCM-SHA256", "ec"],
    ["ECDHE-RSA-AES128-GCM-SHA256", "rsa"],
  ])("the certificate of a name is chosen by the cipher suites of the client: %s", async (ciphers, kind) => {
    const both = { ...ssls()[0], certs: [rsa.cert], keys: [rsa.key] };
    const { port } = await harness({}, [both]);
    const socket = await handshake(port, { servername: "a.example", ciphers, maxVersion: "TLSv1.2" });
    expect(socket.getCipher().name).toBe(ciphers);
    const { asn1Curve } = socket.getPeerCertificate() as { asn1Curve?: string };
    expect(asn1Curve === undefined ? "rsa" : "ec").toBe(kind);
  });
});

describe("a key in an environment variable", () => {
  const asked = { id: "exact", sni: "a.example", key: "${{GWC_TLS_KEY}}" };
  afterEach(() => {
    delete process.env["GWC_TLS_KEY"];
  });

  it("a key in an environment variable is read when the gateway starts", async () => {
    process.env["GWC_TLS_KEY"] = exact.key;
    const { port } = await harness({}, [{ ...asked, cert: exact.cert }]);
    expect(subjectOf(await handshake(port, { servername: "a.example" }))).toBe("a.example");
  });

  it("a variable with a wrong key leaves its certificate out at a start, and a reload with it is refused", async () => {
    process.env["GWC_TLS_KEY"] = rsa.key;
    const resources = (ssls: object[]) => ({ ...routes(9), ssls });
    const other = { id: "wide", snis: ["*.example"], cert: wide.cert, key: wide.key };
    const wrong = { ...asked, cert: exact.cert };
    const { port, rewrite } = await secureGateway(resources([wrong, other]));
    expect(subjectOf(await handshake(port, { servername: "a.example" }))).toBe("*.example");
    expect(await rewrite(resources([{ ...wrong, sni: "b.example" }, other]))).toBe(false);
    expect(subjectOf(await handshake(port, { servername: "b.example" }))).toBe("*.example");
  });
});

describe("the protocol", () => {
  it.each([
    ["TLSv1.2", "TLSv1.2"],
    ["TLSv1.3", "TLSv1.3"],
  ] as const)("the protocol is %s if the client's newest is %s", async (maxVersion, spoken) => {
    const { port } = await harness();
    const socket = await handshake(port, { servername: "a.example", maxVersion });
    expect(socket.getProtocol()).toBe(spoken);
  });

  it("a client of TLS 1.1 is refused", async () => {
    const { port } = await harness();
    const old = { servername: "a.example", minVersion: "TLSv1", maxVersion: "TLSv1.1" } as const;
    await expect(handshake(port, { ...old, ciphers: "DEFAULT:@SECLEVEL=0" })).rejects.toThrow(
      /alert|version/,
    );
  });

  it("a client of TLS 1.2 is refused with ssl_protocols TLSv1.3", async () => {
    const { port } = await harness({ ssl_protocols: "TLSv1.3" });
    await expect(handshake(port, { servername: "a.example", maxVersion: "TLSv1.2" })).rejects.toThrow(
      /alert|version/,
    );
  });

  it("the cipher suites of TLS 1.2 are those of ssl_ciphers", async () => {
    const { port } = await harness({ ssl_ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384" });
    const twelve = { servername: "a.example", maxVersion: "TLSv1.2" } as const;
    expect((await handshake(port, twelve)).getCipher().name).toBe("ECDHE-ECDSA-AES256-GCM-SHA384");
    await expect(handshake(port, { ...twelve, ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256" })).rejects.toThrow(
      /alert/,
    );
  });

  it("a client whose only cipher suite lacks forward secrecy is refused", async () => {
    const { port } = await harness({}, [{ id: "r", sni: "a.example", cert: rsa.cert, key: rsa.key }]);
    const weak = { servername: "a.example", maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" } as const;
    await expect(handshake(port, weak)).rejects.toThrow(/alert/);
  });

  it("ALPN selects http/1.1 and refuses a client that offers only h2", async () => {
    const { port } = await harness();
    const socket = await handshake(port, { servername: "a.example", ALPNProtocols: ["h2", "http/1.1"] });
    expect(socket.alpnProtocol).toBe("http/1.1");
    await expect(handshake(port, { servername: "a.example", ALPNProtocols: ["h2"] })).rejects.toThrow(
      /alert/,
    );
  });

  it("a gateway does not start if ssl_ciphers has no known cipher suite", async () => {
    await expect(harness({ ssl_ciphers: "NO-SUCH-CIPHER" })).rejects.toThrow(/GW2137: gw\.ssl\.ssl_ciphers/);
  });
});

describe("a request over TLS", () => {
  it("X-Forwarded-Proto is https over TLS and http without", async () => {
    const { port, gateway } = await harness();
    const secure = await handshake(port, { servername: "a.example" });
    const fields = JSON.parse((await fetchOver(secure)).split("\r\n\r\n")[1] ?? "") as Record<string, string>;
    expect(fields).toMatchObject({
      host: "a.example",
      "x-forwarded-proto": "https",
      "x-forwarded-port": String(port),
      "x-forwarded-for": "127.0.0.1",
    });
    const plain = await plainTo(gateway.addresses.data[0]?.port ?? 0);
    expect(await fetchOver(plain)).toContain('"x-forwarded-proto":"http"');
  });

  it("a request over TLS has the variables of its connection", async () => {
    const { port: upstream } = await mirror();
    const names = ["scheme", "https", "server_port", "ssl_protocol", "ssl_cipher", "ssl_server_name"];
    const others = ["ssl_session_reused", "ssl_client_verify"];
    const headers = Object.fromEntries([...names, ...others].map((name) => [`x-${name}`, `$${name}`]));
    const plugins = { "proxy-rewrite": { headers: { set: headers } } };
    const nodes = { [`127.0.0.1:${upstream}`]: 1 };
    const { port } = await secureGateway({
      routes: [{ id: "r", uri: "/*", plugins, upstream: { nodes } }],
      ssls: ssls(),
    });
    const socket = await handshake(port, { servername: "B.example", maxVersion: "TLSv1.2" });
    const cipher = socket.getCipher().name;
    const fields = JSON.parse((await fetchOver(socket)).split("\r\n\r\n")[1] ?? "") as object;
    expect(fields).toMatchObject({
      "x-scheme": "https",
      "x-https": "on",
      "x-server_port": String(port),
      "x-ssl_protocol": "TLSv1.2",
      "x-ssl_cipher": cipher,
      "x-ssl_server_name": "b.example",
      "x-ssl_session_reused": ".",
      "x-ssl_client_verify": "NONE",
    });
  });

  it("a TLS connection serves several requests and a request body of 3 MB", async () => {
    const { port: upstream } = await mirror();
    const { port } = await secureGateway({ ...routes(upstream), ssls: ssls() });
    const socket = await handshake(port, { servername: "a.example" });
    for (let count = 0; count < 3; count++) {
      socket.write("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
    }
    socket.write("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3000000\r\n\r\n");
    socket.write(Buffer.alloc(3_000_000, 0x61));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
  });
});
