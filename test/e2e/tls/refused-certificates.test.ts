import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { AdminGateway, exchange } from "../control/admin.js";
import { at, useCertificateFolder, write } from "./certificate-files-harness.js";
import { atLevel, fetchOver, handshake, mirror, secureGateway, wholeOf } from "./harness.js";

// Certificates that cannot be presented, and their effect on other certificates and writes.

let rsa: Issued;
let ecdsa: Issued;
let short: Issued;
let wild: Issued;
let authority: Issued;
beforeAll(() => {
  rsa = issue({ names: ["a.example"], kind: "rsa" });
  ecdsa = issue({ names: ["a.example", "second.example"] });
  short = issue({ names: ["a.example"], kind: "short rsa" });
  wild = issue({ names: ["*.example"] });
  authority = issue({ names: ["authority.test"], authority: true });
});

/** A gateway with a store whose `ssls` are written before it starts again with other files. */
async function startedAgain(ssls: Record<string, object>, files: object): Promise<AdminGateway> {
  const gateway = await AdminGateway.start();
  onTestFinished(() => gateway.stop());
  for (const [id, value] of Object.entries(ssls))
    expect((await gateway.call("PUT", `/ssls/${id}`, value)).status).toBe(201);
  await gateway.gateway.close(0);
  gateway.write(JSON.stringify(files));
  await gateway.open();
  return gateway;
}

const level3 = (more: object = {}) => ({ gw: { ssl: atLevel(3) }, ...more });

describe("stored certificates that ssl_ciphers of a start reject", () => {
  const both = () => ({ a: { sni: "a.example", ...rsa }, b: { sni: "b.example", ...rsa } });

  it("a rejected stored certificate can be replaced or deleted, and others can be written", async () => {
    const gateway = await startedAgain(both(), level3());
    const put = async (id: string, value: object) => (await gateway.call("PUT", `/ssls/${id}`, value)).status;
    expect(await put("other", { sni: "other.example", ...ecdsa })).toBe(201);
    expect(await put("a", { sni: "a.example", ...ecdsa })).toBe(200);
    expect((await gateway.call("DELETE", "/ssls/other")).status).toBe(200);
    expect((await gateway.call("DELETE", "/ssls/b")).status).toBe(200);
  });

  it("a write that moves a rejected certificate, or adds one, is rejected with the name of its ssl", async () => {
    const gateway = await startedAgain(both(), level3());
    for (const [id, sni] of [
      ["a", "moved.example"],
      ["c", "c.example"],
    ]) {
      const { status, text } = await gateway.call("PUT", `/ssls/${id}`, { sni, ...rsa });
      expect([status, text]).toEqual([400, expect.stringContaining(`ssl \\"${id}\\" cannot be presented`)]);
    }
  });

  it("a rejected stored certificate does not prevent a reload that changes certificates of files", async () => {
    const gateway = await startedAgain(both(), level3());
    gateway.write(JSON.stringify(level3({ ssls: [{ id: "f", sni: "f.example", ...ecdsa }] })));
    expect(await gateway.gateway.reload()).toBe(true);
  });
});

/** A certificate whose key comes from the environment. */
function withVariable(name: string, { cert, key }: Issued): Issued {
  process.env[name] = key;
  onTestFinished(() => {
    delete process.env[name];
  });
  return { cert, key: `\${{${name}}}` };
}

describe("a stored certificate whose key has changed at a start", () => {
  it("a stored certificate with a wrong key does not prevent writes of others, and can be deleted", async () => {
    const written = withVariable("GW_TEST_TLS_KEY", ecdsa);
    const gateway = await AdminGateway.start();
    onTestFinished(() => gateway.stop());
    expect((await gateway.call("PUT", "/ssls/a", { sni: "a.example", ...written })).status).toBe(201);
    await gateway.gateway.close(0);
    withVariable("GW_TEST_TLS_KEY", wild);
    await gateway.open();
    expect((await gateway.call("PUT", "/ssls/b", { sni: "b.example", ...rsa })).status).toBe(201);
    const moved = await gateway.call("PUT", "/ssls/a", { sni: "moved.example", ...written });
    expect([moved.status, moved.text]).toEqual([400, expect.stringContaining("GW6008")]);
    expect((await gateway.call("DELETE", "/ssls/a")).status).toBe(200);
  });
});

describe.each(["start", "reload"])("a certificate that ssl_ciphers of a %s reject", (when) => {
  /** Reads the alternative names of the certificate that clients of a.example receive. */
  async function harness(ssls: object[], ssl: object = {}) {
    const { port: upstream } = await mirror();
    const routes = [{ id: "r", uri: "/*", upstream: { nodes: { [`127.0.0.1:${upstream}`]: 1 } } }];
    const settings = (level: number) => ({ ...ssl, ...atLevel(level) });
    const gateway = await secureGateway({ routes, ssls }, settings(when === "start" ? 2 : 1));
    if (when === "reload") expect(await gateway.rewrite({ routes, ssls }, settings(2))).toBe(true);
    return async () => {
      const socket = await handshake(gateway.port, { servername: "a.example" });
      return String(socket.getPeerCertificate().subjectaltname);
    };
  }
  const refused = (more: object = {}) => ({ id: "short", sni: "a.example", ...short, ...more });

  it("a wildcard is presented for the names of a rejected certificate", async () => {
    const names = await harness([refused(), { id: "wild", sni: "*.example", ...wild }]);
    expect(await names()).toBe("DNS:*.example");
  });

  it("a shorter wildcard is presented for the names of a rejected wildcard", async () => {
    const wide = { id: "wide", sni: "*example", ...ecdsa };
    const names = await harness([refused({ sni: "*.example" }), wide]);
    expect(await names()).toBe("DNS:a.example, DNS:second.example");
  });

  it("the certificate of fallback_sni is presented for the names of a rejected certificate", async () => {
    const other = { id: "other", sni: "b.test", ...wild };
    expect(await (await harness([refused(), other], { fallback_sni: "b.test" }))()).toBe("DNS:*.example");
  });

  it("a client of a rejected certificate is refused if no other certificate matches", async () => {
    await expect((await harness([refused()]))()).rejects.toThrow(/unrecognized name/i);
  });

  it("no other certificate is presented for the names of a rejected one with client authentication", async () => {
    const closed = refused({ client: { ca: authority.cert } });
    const names = await harness([closed, { id: "wild", sni: "*.example", ...wild }], {
      fallback_sni: "b.example",
    });
    await expect(names()).rejects.toThrow(/unrecognized name/i);
  });
});

describe("an idle connection to a certificate that ssl_ciphers of a reload reject", () => {
  const routes = [{ id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:1": 1 } } }];
  const refused = () => ({ id: "short", sni: "a.example", ...short });

  it("an idle connection ends when its certificate is rejected and no other matches", async () => {
    const gateway = await secureGateway({ routes, ssls: [refused()] }, atLevel(1));
    const rest = wholeOf(await handshake(gateway.port, { servername: "a.example" }));
    expect(await gateway.rewrite({ routes, ssls: [refused()] }, atLevel(2))).toBe(true);
    expect(await rest).toBe("");
  });

  it("an idle connection stays open when another certificate matches its name", async () => {
    const ssls = [refused(), { id: "wild", sni: "*.example", ...wild }];
    const gateway = await secureGateway({ routes, ssls }, atLevel(1));
    const socket = await handshake(gateway.port, { servername: "a.example" });
    expect(await gateway.rewrite({ routes, ssls }, atLevel(2))).toBe(true);
    expect(await fetchOver(socket)).toMatch(/^HTTP\/1\.1 502 /);
  });
});

describe("a reload that changes ssl_ciphers and certificates together", () => {
  const routes = [{ id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:1": 1 } } }];
  const row = (id: string, more: object) => ({ id, sni: `${id}.example`, ...more });
  const files = (id: string, issued: Issued) => {
    mkdirSync(at(id));
    write(issued, id);
    return row(id, { cert_file: at(join(id, "cert.pem")), key_file: at(join(id, "key.pem")) });
  };
  const kinds: [string, (id: string, issued: Issued) => object][] = [
    ["written out", row],
    ["of files", files],
  ];
  useCertificateFolder();

  it.each(kinds)("a reload accepts certificates %s that its own ssl_ciphers accept", async (_what, made) => {
    const first = row("first", ecdsa);
    const gateway = await secureGateway({ routes, ssls: [first] }, atLevel(2));
    const next = { routes, ssls: [first, made("a", short)] };
    expect(await gateway.rewrite(next, atLevel(2))).toBe(false);
    expect(await gateway.rewrite(next, atLevel(0))).toBe(true);
    const socket = await handshake(gateway.port, { servername: "a.example" });
    expect(socket.getPeerCertificate().subjectaltname).toBe("DNS:a.example");
  });

  it.each(kinds)(
    "a reload is refused for certificates %s that its own ssl_ciphers reject",
    async (_what, made) => {
      const first = row("first", ecdsa);
      const gateway = await secureGateway({ routes, ssls: [first] }, atLevel(0));
      const next = { routes, ssls: [first, made("a", short)] };
      expect(await gateway.rewrite(next, atLevel(2))).toBe(false);
      expect(await gateway.rewrite(next, atLevel(0))).toBe(true);
    },
  );

  it("a reload with relaxed ssl_ciphers ends the last known good generation of a start", async () => {
    const gateway = await AdminGateway.start();
    onTestFinished(() => gateway.stop());
    const all = (level: number) => JSON.stringify({ gw: { ssl: atLevel(level) }, ssls: [first] });
    const first = files("a", short);
    gateway.write(all(2));
    expect(await gateway.gateway.reload()).toBe(false);
    await gateway.gateway.close(0);
    await gateway.open();
    const codes = async () => {
      const { json } = await exchange(gateway.port("status"), "GET", "/status/ready");
      return (json["warnings"] as { code: string }[]).map(({ code }) => code);
    };
    expect(await codes()).toContain("last_known_good");
    gateway.write(all(0));
    expect(await gateway.gateway.reload()).toBe(true);
    expect(await codes()).toEqual([]);
  });

  it("a reload to another build uses its own ssl_ciphers", async () => {
    const first = row("first", withVariable("GW_TEST_TLS_KEY", ecdsa));
    const weak = withVariable("GW_TEST_WEAK_TLS_KEY", short);
    const next = { routes, ssls: [first, row("a", weak)] };
    const gateway = await secureGateway({ routes, ssls: [first] }, atLevel(2), {}, ["dist"]);
    expect(await gateway.rewrite(next, atLevel(2))).toBe(false);
    expect(await gateway.rewrite(next, atLevel(0))).toBe(true);
    const moved = { routes, ssls: [first, row("b", weak)] };
    expect(await gateway.rewrite(moved, atLevel(2))).toBe(false);
    const socket = await handshake(gateway.port, { servername: "a.example" });
    expect(socket.getPeerCertificate().subjectaltname).toBe("DNS:a.example");
  });

  it.each<[string, object, object]>([
    ["name no cipher suite", { ssl_ciphers: "ECDHE-RSA-AES128-GCM-SHA265" }, {}],
    ["contradict each other", {}, { captcha: { limits: { sessions_soft: 2, sessions_hard: 1 } } }],
  ])("a reload is refused before it changes a certificate if its settings %s", async (_what, ssl, more) => {
    const gateway = await secureGateway({ routes, ssls: [row("a", ecdsa)] });
    expect(await gateway.rewrite({ routes, ssls: [row("b", ecdsa)], ...more }, ssl)).toBe(false);
    const socket = await handshake(gateway.port, { servername: "a.example" });
    expect(socket.getPeerCertificate().subjectaltname).toContain("DNS:a.example");
  });
});
