import { beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { filesGateway, NEW, OLD, ssl, useCertificateFolder, write } from "./certificate-files-harness.js";

// Renewals to certificates that OpenSSL presents and no client can use.

let first: Issued;
let second: Issued;
let expired: Issued;
let other: Issued;
let coming: Issued;
beforeAll(() => {
  first = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second.example"] });
  expired = issue({ names: ["a.example", "second.example"], expired: true });
  other = issue({ names: ["b.example"] });
  coming = issue({ names: ["a.example"], dates: ["20900101000000Z", "20910101000000Z"] });
});
useCertificateFolder();

describe("a renewal to a certificate", () => {
  it.each<[string, () => Issued, RegExp]>([
    ["that has expired", () => expired, /cert_file \S+: the certificate expired on Jan {2}1 /],
    ["that is not valid yet", () => coming, /cert_file \S+: the certificate is not valid before Jan {2}1 /],
    ["of other names", () => other, /cert_file \S+: the certificate matches none of the server names/],
  ])(
    "the last valid pair is presented with a warning after a renewal to a certificate %s",
    async (_what, useless, reason) => {
      write(first);
      const { names, warnings, gateway } = await filesGateway();
      write(useless());
      const [warning] = await until(async () => {
        const all = await warnings();
        return all.length > 0 && all;
      });
      expect(warning).toMatchObject({ code: "certificate_file", ssl: "shop" });
      expect(warning?.message).toMatch(reason);
      expect(warning?.message).toMatch(/; the last valid pair is presented$/);
      expect(await gateway.reload()).toBe(true);
      expect(await names()).toBe(OLD);
      write(second);
      await until(async () => (await names()) === NEW);
      expect(await warnings()).toEqual([]);
    },
  );

  it("a renewed certificate of other names is presented after a reload that adds these names", async () => {
    write(first);
    const { names, warnings, rewrite, resources } = await filesGateway();
    write(other);
    await until(async () => (await warnings()).length === 1);
    expect(await rewrite(resources([ssl({ snis: ["a.example", "b.example"] })]))).toBe(true);
    expect(await names()).toBe("DNS:b.example");
    expect(await warnings()).toEqual([]);
  });

  it("a renewal to a certificate with one name less is accepted", async () => {
    write(second);
    const { names, warnings } = await filesGateway();
    expect(await names()).toBe(NEW);
    write(first);
    await until(async () => (await names()) === OLD);
    expect(await warnings()).toEqual([]);
  });

  it("a renewal to an expired certificate is accepted if the presented one has expired too", async () => {
    const also = issue({ names: ["a.example"], expired: true });
    write(also);
    const { names } = await filesGateway();
    expect(await names()).toBe(OLD);
    write(expired);
    await until(async () => (await names()) === NEW);
    write(first);
    await until(async () => (await names()) === OLD);
  });
});

describe("a renewal to a chain that holds only its first certificate", () => {
  let root: Issued;
  let issuer: Issued;
  beforeAll(() => {
    root = issue({ names: ["root.test"], authority: true });
    issuer = issue({ names: ["issuer.test"], authority: true, by: root });
  });
  const by = (names: string[], authority = issuer) => issue({ names, by: authority });
  const chained = ({ cert, key }: Issued, ...more: Issued[]) => ({
    cert: [cert, ...more.map((one) => one.cert)].join(""),
    key,
  });

  it("the last valid pair is presented with a warning until the renewed chain is complete", async () => {
    write(chained(by(["a.example"]), issuer));
    const { names, warnings, gateway } = await filesGateway();
    const renewed = by(["a.example", "second.example"]);
    write(renewed);
    const [warning] = await until(async () => {
      const all = await warnings();
      return all.length > 0 && all;
    });
    expect(warning?.message).toMatch(/cert_file \S+: the issuer's certificate is missing/);
    expect(warning?.message).toMatch(/; the last valid pair is presented$/);
    expect(await gateway.reload()).toBe(true);
    expect(await names()).toBe(OLD);
    write(chained(renewed, issuer));
    await until(async () => (await names()) === NEW);
    expect(await warnings()).toEqual([]);
  });

  it.each<[string, () => Issued, () => Issued]>([
    [
      "whose issuer is another",
      () => chained(by(["a.example"]), issuer),
      () => by(["a.example", "second.example"], root),
    ],
    [
      "whose issuer is signed by itself, as clients know it",
      () => chained(by(["a.example"], root), root),
      () => by(["a.example", "second.example"], root),
    ],
    ["that is signed by itself", () => chained(by(["a.example"]), issuer), () => second],
    ["like that before", () => by(["a.example"]), () => by(["a.example", "second.example"])],
  ])("a renewal to a single certificate replaces one %s", async (_what, before, renewed) => {
    write(before());
    const { names, warnings } = await filesGateway();
    expect(await names()).toBe(OLD);
    write(renewed());
    await until(async () => (await names()) === NEW);
    expect(await warnings()).toEqual([]);
  });
});
