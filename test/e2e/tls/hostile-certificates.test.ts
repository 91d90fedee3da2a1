// Certificates that an operator may write by mistake, or somebody else on purpose.
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { AdminGateway } from "../control/admin.js";

let gateway: AdminGateway;
let issued: Issued;
beforeAll(async () => {
  issued = issue({ names: ["a.example"] });
  gateway = await AdminGateway.start();
});
afterAll(() => gateway.stop());

const pemOf = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;

/** The certificate with month 99 in its end date; OpenSSL reads and serves it. */
function withoutEnd(pem: string): string {
  const { raw, validTo } = new X509Certificate(pem);
  const date = new Date(validTo).toISOString().replace(/\D/g, "");
  const at = raw.lastIndexOf(date.slice(2, 12));
  raw.write("99", at + 2, "latin1");
  return pemOf(raw);
}

describe("a certificate", () => {
  it("a certificate with its key appended is rejected, and no response holds the key", async () => {
    const { cert, key } = issued;
    const body = key.split("\n")[1] ?? "";
    for (const wrong of [
      { cert: cert + key, key },
      { cert, key, certs: [cert + key], keys: [key] },
      { cert, key, client: { ca: cert + key } },
    ]) {
      const { status, text } = await gateway.call("PUT", "/ssls/1", { sni: "a.example", ...wrong });
      expect([status, text]).toEqual([400, expect.stringContaining("GW3069")]);
      expect(text).not.toContain(body);
    }
    expect((await gateway.call("GET", "/ssls/1")).status).toBe(404);
  });

  it("a certificate with an invalid end date is rejected, and the overview and lists of certificates respond", async () => {
    const { cert, key } = issued;
    const written = { sni: "a.example", cert: withoutEnd(cert), key };
    const refused = await gateway.call("PUT", "/ssls/1", written);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("GW3061")]);
    expect((await gateway.call("PUT", "/ssls/1", { ...written, cert })).status).toBe(201);
    for (const path of ["/overview", "/certificates", "/certificates/1"])
      expect([path, (await gateway.call("GET", path)).status]).toEqual([path, 200]);
  });
});
