import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { gwc } from "../../support/cli.js";

// Certificates in environment variables that are not set.

const FILE = `gw: { ssl: { listen: [9443] } }
routes: [{ id: r, uri: /*, upstream: { nodes: { "127.0.0.1:1": 1 } } }]
ssls:
  - id: shop
    sni: shop.example
    cert: "\${{GWC_NO_CERT}}"
    key: "\${{GWC_NO_KEY}}"
    certs: ["\${{GWC_NO_RSA}}"]
    keys: ["\${{GWC_NO_KEY}}"]
    client: { ca: "\${{GWC_NO_CA}}" }
`;

function folder(text: string): string {
  const directory = mkdtempSync(join(tmpdir(), "gwc-unset-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, "gateway.yaml"), text);
  return directory;
}

const found = (stderr: string) => stderr.match(/^\S+ (?:error|note|warning) .*$/gm)?.sort();

describe("variables of certificates that are not set", () => {
  it("gwc check --strict notes unset variables of certificates and passes", () => {
    const { status, stderr } = gwc(folder(FILE), ["check", "--strict", "gateway.yaml"]);
    const note = (at: string, name: string, field: string) =>
      `gateway.yaml:${at} note GW3072: the environment variable ${name} is not set here, and "${field}" of ssl "shop" needs it for a build or a run`;
    expect(status).toBe(0);
    expect(found(stderr)?.filter((line) => !line.includes("GW3017"))).toEqual([
      note("10:19", "GWC_NO_CA", "client.ca"),
      note("6:11", "GWC_NO_CERT", "cert"),
      note("8:13", "GWC_NO_RSA", "certs.0"),
    ]);
  });

  it("gwc build reports an unset variable of a certificate as an error", () => {
    const { status, stderr } = gwc(folder(FILE), ["build", "gateway.yaml", "--out", "out"]);
    expect(status).toBe(1);
    expect(stderr).toContain("error GW1020: the environment variable GWC_NO_CERT is not set");
    expect(stderr).not.toContain("GW3072");
  });

  it("gwc check reports other mistakes and other unset variables as errors next to those of certificates", () => {
    const wrong = `${FILE.replace("sni: shop.example", "sni: ${{GWC_NO_NAME}}")}  - { id: other, sni: a.example, cert: text, key: k }\n`;
    const { status, stderr } = gwc(folder(wrong), ["check", "gateway.yaml"]);
    expect(status).toBe(1);
    expect(stderr).toContain("error GW1020: the environment variable GWC_NO_NAME is not set");
    expect(stderr).toMatch(/gateway\.yaml:11:\d+ error GW\d{4}: /);
  });
});
