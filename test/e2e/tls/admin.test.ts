import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { freePort } from "../../support/ports.js";
import { ProcessGateway } from "../process/gateway.js";
import { fetchOver, handshake } from "./harness.js";

// Certificates written while the gateway runs in several processes.

let gateway: ProcessGateway;
let port: number;
let first: Issued;
let second: Issued;
beforeAll(async () => {
  first = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second"] });
  port = await freePort();
  const upstream = await freePort();
  const route = { id: "r", uri: "/*", upstream: { nodes: { [`127.0.0.1:${upstream}`]: 1 } } };
  gateway = await ProcessGateway.start({ routes: [route] }, { ssl: { listen: [{ ip: "127.0.0.1", port }] } });
});
afterAll(() => gateway.end());

const serial = async () =>
  (await handshake(port, { servername: "a.example" })).getPeerCertificate().subjectaltname;

describe("a certificate of the admin API", () => {
  it("a certificate of the admin API is presented by all workers and replaces the one before", async () => {
    await expect(handshake(port, { servername: "a.example" })).rejects.toThrow(/unrecognized name/i);
    const put = await gateway.admin("PUT", "/ssls/1", { sni: "a.example", ...first });
    expect(put.status).toBe(201);
    expect(put.text).not.toContain("PRIVATE KEY");
    for (let count = 0; count < 6; count++) expect(await serial()).toBe("DNS:a.example");
    const kept = await handshake(port, { servername: "a.example" });
    expect((await gateway.admin("PUT", "/ssls/1", { sni: "a.example", ...second })).status).toBe(200);
    for (let count = 0; count < 6; count++) expect(await serial()).toBe("DNS:a.example, DNS:second");
    // 502: the upstream has no listener; the open connection is still served.
    expect(await fetchOver(kept)).toMatch(/^HTTP\/1\.1 502 /);
  });

  it("no file and no log line holds the key of a certificate in plain text", async () => {
    const line = second.key.split("\n")[1] ?? "";
    expect(line.length).toBeGreaterThan(30);
    const files = readdirSync(gateway.directory, { recursive: true, encoding: "utf8" })
      .map((name) => join(gateway.directory, name))
      .filter((path) => statSync(path).isFile());
    expect(files.filter((path) => readFileSync(path).includes(line))).toEqual([]);
    expect(gateway.errors).not.toContain("PRIVATE KEY");
  });

  it("the admin API rejects a certificate with a wrong key, an expired one and one for a name in use", async () => {
    const mixed = await gateway.admin("PUT", "/ssls/2", {
      sni: "b.example",
      cert: first.cert,
      key: second.key,
    });
    expect([mixed.status, mixed.text]).toEqual([400, expect.stringContaining("does not fit")]);
    expect(mixed.text).not.toContain("PRIVATE KEY");
    const old = issue({ names: ["b.example"], expired: true });
    const expired = await gateway.admin("PUT", "/ssls/2", { sni: "b.example", ...old });
    expect([expired.status, expired.text]).toEqual([
      400,
      expect.stringContaining("the certificate expired on "),
    ]);
    const twice = await gateway.admin("PUT", "/ssls/2", { sni: "A.example", ...first });
    expect([twice.status, twice.text]).toEqual([400, expect.stringContaining("belongs to ssl")]);
    // The value of this variable is no key, which only workers find out.
    const variable = await gateway.admin("PUT", "/ssls/2", {
      sni: "b.example",
      cert: first.cert,
      key: "${{GW_TEST_KEY}}",
    });
    expect(variable.status).toBe(400);
    expect(variable.json["diagnostics"]).toContainEqual(expect.objectContaining({ code: "GW6008" }));
    expect(variable.text).not.toContain(ProcessGateway.KEY);
    expect(await serial()).toBe("DNS:a.example, DNS:second");
  });

  it("a certificate of the admin API survives a restart and is gone after its deletion", async () => {
    await gateway.stop();
    await gateway.open();
    expect(await serial()).toBe("DNS:a.example, DNS:second");
    expect((await gateway.admin("DELETE", "/ssls/1")).status).toBe(200);
    await expect(handshake(port, { servername: "a.example" })).rejects.toThrow(/unrecognized name/i);
  });
});
