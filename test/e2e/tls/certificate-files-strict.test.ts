import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { at, filesGateway, NEW, OLD, ssl, useCertificateFolder, write } from "./certificate-files-harness.js";
import { atLevel, handshake } from "./harness.js";

// Certificates of files that OpenSSL rejects for `gw.ssl` or for the other certificates of their resource.

let first: Issued;
let second: Issued;
let short: Issued;
let sha1: Issued;
let rsa: Issued;
beforeAll(() => {
  first = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second.example"] });
  rsa = issue({ names: ["a.example"], kind: "rsa" });
  const authority = issue({ names: ["authority.test"], authority: true });
  short = issue({ names: ["a.example"], kind: "short rsa", by: authority });
  sha1 = issue({ names: ["a.example"], digest: "sha1", by: authority });
});
useCertificateFolder();

describe("a renewed pair that ssl_ciphers reject", () => {
  it.each<[string, () => Issued, RegExp]>([
    ["a key that is too short", () => short, /ee key too small/],
    ["a signature of SHA-1", () => sha1, /md too weak/],
  ])(
    "the last valid pair is presented with a warning while the renewed one has %s",
    async (_what, weak, reason) => {
      write(first);
      const { names, warnings, rewrite, resources } = await filesGateway([ssl()], atLevel(2));
      write(weak());
      const [warning] = await until(async () => {
        const all = await warnings();
        return all.length > 0 && all;
      });
      expect(warning?.message).toMatch(reason);
      expect(warning?.message).toMatch(/cert_file \S+cert\.pem: .*; the last valid pair is presented$/);
      expect(await names()).toBe(OLD);
      expect(await rewrite(resources([ssl()]), atLevel(2))).toBe(true);
      expect(await warnings()).toHaveLength(1);
      write(second);
      await until(async () => (await names()) === NEW);
      expect(await warnings()).toEqual([]);
    },
  );

  it("a rejected renewed pair is presented after a reload with other ssl_ciphers", async () => {
    write(second);
    const { names, warnings, rewrite, resources } = await filesGateway([ssl()], atLevel(2));
    write(sha1);
    await until(async () => (await warnings()).length === 1);
    expect(await names()).toBe(NEW);
    expect(await rewrite(resources([ssl()]), atLevel(0))).toBe(true);
    expect(await names()).toBe(OLD);
    expect(await warnings()).toEqual([]);
  });

  it("a rejected renewed pair is presented after an adoption with other ssl_ciphers", async () => {
    write(second);
    const { gateway, names, warnings, rewriteFiles, resources } = await filesGateway([ssl()], atLevel(2));
    const admin = gateway.addresses.admin[0]?.port ?? 0;
    const call = (method: string, path: string, body?: object) =>
      exchange(admin, method, path, body && JSON.stringify(body), { "X-API-KEY": gateway.adminKey ?? "" });
    const adopted = { id: "adopted", nodes: { "127.0.0.1:9": 1 } };
    expect((await call("PUT", "/gw/admin/upstreams/adopted", adopted)).status).toBe(201);
    write(sha1);
    await until(async () => (await warnings()).length === 1);
    rewriteFiles({ ...resources([ssl()]), upstreams: [adopted] }, atLevel(0));
    expect((await call("POST", "/gw/admin/adopt/upstreams/adopted")).status).toBe(200);
    expect(await names()).toBe(OLD);
    expect(await warnings()).toEqual([]);
  });
});

describe("ssl_ciphers with a level of security that a key is too short for", () => {
  it("stricter ssl_ciphers of a reload refuse clients of a certificate with a warning until they are relaxed", async () => {
    write(first);
    const { names, warnings, rewrite, resources } = await filesGateway();
    await rewrite(resources([ssl()]), atLevel(4));
    for (let time = 0; time < 3; time++) await expect(names()).rejects.toThrow(/unrecognized name/i);
    const [warning] = await warnings();
    expect(warning).toMatchObject({ code: "certificate_file", ssl: "shop" });
    expect(warning?.message).toMatch(/ee key too small; clients of its names are rejected$/);
    writeFileSync(at("key.pem"), "");
    await until(async () =>
      /no private key.*; clients of its names/.test((await warnings())[0]?.message ?? ""),
    );
    writeFileSync(at("key.pem"), first.key);
    expect(await rewrite(resources([ssl()]))).toBe(true);
    expect(await names()).toBe(OLD);
    expect(await warnings()).toEqual([]);
  });
});

describe("ssl_ciphers of which none is known", () => {
  it("a reload with unknown ssl_ciphers is refused, and the running configuration stays", async () => {
    write(first);
    const { names, warnings, rewrite, resources } = await filesGateway();
    expect(await rewrite(resources([ssl()]), { ssl_ciphers: "NO-SUCH-CIPHER:@SECLEVEL=2" })).toBe(false);
    expect((await warnings()).map(({ code }) => code)).toEqual(["reload_refused"]);
    expect(await names()).toBe(OLD);
    expect(await rewrite(resources([ssl()]))).toBe(true);
    expect(await warnings()).toEqual([]);
  });
});

describe("an inline certificate with a key too short for ssl_ciphers at the start", () => {
  it("an inline certificate is presented or refused by the ssl_ciphers of each reload", async () => {
    const written = { id: "shop", sni: "a.example", ...short };
    const { names, rewrite, resources } = await filesGateway([written], atLevel(2));
    await expect(names()).rejects.toThrow(/unrecognized name/i);
    expect(await rewrite(resources([written]), atLevel(1))).toBe(true);
    expect(await names()).toBe(OLD);
    expect(await rewrite(resources([written]), atLevel(2))).toBe(true);
    await expect(names()).rejects.toThrow(/unrecognized name/i);
  });
});

describe("a renewed pair whose kind of key another certificate of its resource has", () => {
  const both = () => ssl({ certs: [rsa.cert], keys: [rsa.key] });
  const REASON = /cert_file \S+: another certificate of the resource has a key of the same kind \(rsa\)/;

  it("the last valid pair is presented with a warning while the renewed one duplicates a kind of key", async () => {
    write(first);
    const { names, warnings } = await filesGateway([both()]);
    write(issue({ names: ["a.example"], kind: "rsa" }));
    const [warning] = await until(async () => {
      const all = await warnings();
      return all.length > 0 && all;
    });
    expect(warning?.message).toMatch(REASON);
    expect(warning?.message).toMatch(/; the last valid pair is presented$/);
    expect(await names()).toBe(OLD);
    write(second);
    await until(async () => (await names()) === NEW);
    expect(await warnings()).toEqual([]);
  });

  it("a gateway does not start with two certificates of the same kind of key in a resource", async () => {
    write(issue({ names: ["a.example"], kind: "rsa" }));
    await expect(filesGateway([both()])).rejects.toThrow(REASON);
  });

  it("a reload that adds a certificate of the same kind of key is refused, and the old configuration stays", async () => {
    write(issue({ names: ["a.example"], kind: "rsa" }));
    const { names, rewrite, resources, warnings } = await filesGateway();
    expect(await rewrite(resources([both()]))).toBe(false);
    expect((await warnings()).map(({ code }) => code)).toEqual(["reload_refused"]);
    expect(await names()).toBe(OLD);
    expect(await rewrite(resources([ssl()]))).toBe(true);
    write(first);
    expect(await rewrite(resources([both()]))).toBe(true);
    expect(await warnings()).toEqual([]);
  });
});

describe("a swap of the kinds of cert_file and certs", () => {
  const TLS12 = { servername: "a.example", maxVersion: "TLSv1.2" } as const;
  const both = ({ cert, key }: Issued, more: object[] = []) => [ssl({ certs: [cert], keys: [key] }), ...more];
  /** Fingerprint that a client of one kind of key sees. */
  const seen = async (port: number, kind: "ECDSA" | "RSA") => {
    const socket = await handshake(port, { ...TLS12, ciphers: `ECDHE-${kind}-AES128-GCM-SHA256` });
    socket.end();
    return socket.getPeerCertificate().fingerprint256;
  };
  const printOf = ({ cert }: Issued) => new X509Certificate(cert).fingerprint256;
  let renewed: Issued;
  beforeAll(() => {
    renewed = issue({ names: ["a.example"], kind: "rsa" });
  });

  it("a reload swaps the kinds of key of cert_file and certs", async () => {
    write(first);
    const { port, rewrite, resources, warnings } = await filesGateway(both(rsa));
    write(renewed);
    await until(async () => (await warnings()).length === 1);
    expect(await rewrite(resources(both(second)))).toBe(true);
    expect([await seen(port, "ECDSA"), await seen(port, "RSA")]).toEqual([printOf(second), printOf(renewed)]);
    expect(await warnings()).toEqual([]);
    write(first);
    expect(await rewrite(resources(both(rsa)))).toBe(true);
    expect([await seen(port, "ECDSA"), await seen(port, "RSA")]).toEqual([printOf(first), printOf(rsa)]);
    expect(await warnings()).toEqual([]);
  });

  it("a reload refused for another certificate keeps the presented pairs, and the next one swaps their kinds", async () => {
    write(first);
    const { port, rewrite, resources, warnings } = await filesGateway(both(rsa), atLevel(2));
    write(renewed);
    const weak = { id: "weak", sni: "b.example", ...short };
    expect(await rewrite(resources(both(second, [weak])), atLevel(2))).toBe(false);
    expect([await seen(port, "ECDSA"), await seen(port, "RSA")]).toEqual([printOf(first), printOf(rsa)]);
    expect((await warnings()).map(({ code }) => code).sort()).toEqual(["certificate_file", "reload_refused"]);
    expect(await rewrite(resources(both(second)), atLevel(2))).toBe(true);
    expect([await seen(port, "ECDSA"), await seen(port, "RSA")]).toEqual([printOf(second), printOf(renewed)]);
    expect(await warnings()).toEqual([]);
  });
});
