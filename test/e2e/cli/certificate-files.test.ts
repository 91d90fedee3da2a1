import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { issue } from "../../support/certificates.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

// Certificate files on the machine that checks a configuration.

const FILE = `gw: { ssl: { listen: [9443] } }
routes: [{ id: r, uri: /*, upstream: { nodes: { "127.0.0.1:1": 1 } } }]
ssls:
  - { id: shop, sni: upstream.test, cert_file: cert.pem, key_file: key.pem }
`;

const directory = useTemporaryDirectory();
const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
const check = (...options: string[]) =>
  gwc(directory.path, ["check", "--strict", ...options, "gateway.yaml"]);
const found = (stderr: string) => stderr.match(/^\S+ (?:error|note|warning) .*$/gm) ?? [];

beforeEach(() => {
  write("gateway.yaml", FILE);
  write("cert.pem", TEST_CERTIFICATE.cert);
  write("key.pem", TEST_CERTIFICATE.key);
});

const note = (column: number, field: string, reason: string) =>
  `gateway.yaml:4:${column} note GW3074: ssl "shop": "${field}" ${field.replace("_file", ".pem")} cannot be used here, and is needed when the gateway runs: ${reason}`;

describe("gwc check", () => {
  it("gwc check prints nothing about certificate files that a gateway can use", () => {
    const { status, stderr } = check();
    expect([status, found(stderr)]).toEqual([0, []]);
  });

  it.each([
    [
      "another's key",
      () => write("key.pem", issue({ names: ["a.example"] }).key),
      note(68, "key_file", "the private key does not fit the certificate"),
    ],
    ["no file", () => rmSync(join(directory.path, "cert.pem")), note(48, "cert_file", "ENOENT")],
    [
      "no certificate",
      () => write("cert.pem", TEST_CERTIFICATE.key),
      note(48, "cert_file", "there is no certificate in PEM that can be read"),
    ],
    [
      "a large file",
      () => write("key.pem", "x".repeat(70_000)),
      note(68, "key_file", "it has 70000 bytes; the limit is 65536"),
    ],
  ])("gwc check --strict reports %s of a certificate in a note and passes", (_what, damage, expected) => {
    damage();
    const { status, stderr } = check();
    expect([status, found(stderr)]).toEqual([0, [expected]]);
    expect(stderr).not.toContain("-----BEGIN");
    expect(found(check("--no-notes").stderr)).toEqual([]);
  });

  it("gwc check reports a key that is too short for ssl_ciphers in a note", () => {
    const { cert, key } = issue({ names: ["upstream.test"], kind: "short rsa" });
    write("cert.pem", cert);
    write("key.pem", key);
    expect(found(check().stderr)).toEqual([]);
    const ciphers = "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=2";
    write("gateway.yaml", FILE.replace("listen: [9443]", `listen: [9443], ssl_ciphers: "${ciphers}"`));
    const { status, stderr } = check();
    expect([status, found(stderr)]).toEqual([
      0,
      [expect.stringMatching(/note GW3074: .*cert_file.*ee key too small/)],
    ]);
  });

  it.each<[string, string, () => void, string[]]>([
    ["beside good files, without a word of them", FILE, () => {}, []],
    [
      "beside files that cannot be presented, which are judged by the default",
      FILE,
      () => write("key.pem", issue({ names: ["a.example"] }).key),
      [note(68, "key_file", "the private key does not fit the certificate")],
    ],
    ["where no file is named", FILE.slice(0, FILE.indexOf("ssls:")), () => {}, []],
  ])("gwc check and gwc build report unknown ssl_ciphers as an error %s", (_where, text, damage, notes) => {
    damage();
    const ciphers = "ECDHE-RSA-AES128-GCM-SHA265:@SECLEVEL=2";
    write("gateway.yaml", text.replace("listen: [9443]", `listen: [9443], ssl_ciphers: "${ciphers}"`));
    const { status, stderr } = check();
    const error =
      "gateway.yaml:1:43 error GW2137: gw.ssl.ssl_ciphers contains no cipher suite that this gateway supports";
    expect([status, found(stderr)]).toEqual([1, [error, ...notes]]);
    const built = gwc(directory.path, ["build", "gateway.yaml", "--out", "out"]);
    expect([built.status, built.stderr]).toEqual([1, expect.stringContaining("error GW2137: ")]);
  });

  it("gwc check --format json contains the note on a missing key file", () => {
    rmSync(join(directory.path, "key.pem"));
    const { stdout } = check("--format", "json");
    const told = JSON.parse(stdout) as { diagnostics?: unknown[] };
    expect(told.diagnostics ?? told).toContainEqual(
      expect.objectContaining({ code: "GW3074", severity: "note" }),
    );
  });

  it("gwc check warns of an expired certificate and of a name that it does not cover", () => {
    const { cert, key } = issue({ names: ["b.example"], expired: true });
    write("cert.pem", cert);
    write("key.pem", key);
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain('warning GW3065: ssl "shop"');
    expect(stderr).toContain('warning GW3066: ssl "shop": the certificate does not cover "upstream.test"');
  });

  it("gwc check warns of a certificate that is not valid yet", () => {
    const { cert, key } = issue({ names: ["upstream.test"], dates: ["20900101000000Z", "20910101000000Z"] });
    write("cert.pem", cert);
    write("key.pem", key);
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(found(stderr)).toEqual([
      'gateway.yaml:4:48 warning GW3070: ssl "shop": the certificate is not valid before Jan  1 00:00:00 2090 GMT',
    ]);
  });

  it("gwc check reads no file of a disabled resource", () => {
    write("gateway.yaml", FILE.replace("key.pem }", "none.pem, status: 0 }"));
    expect(found(check().stderr)).toEqual([]);
  });

  it("gwc check reports an unset variable in the path of a certificate file in a note", () => {
    write("gateway.yaml", FILE.replace("cert.pem", '"${{GWC_NO_FOLDER}}/cert.pem"'));
    const { status, stderr } = check();
    expect(status).toBe(0);
    expect(found(stderr)).toEqual([
      expect.stringContaining(
        'note GW3072: the environment variable GWC_NO_FOLDER is not set here, and "cert_file" of ssl "shop"',
      ),
    ]);
  });
});

describe("gwc build", () => {
  it("gwc build reads no certificate file", () => {
    for (const name of ["cert.pem", "key.pem"]) rmSync(join(directory.path, name));
    const { status, stderr } = gwc(directory.path, ["build", "gateway.yaml", "--out", "out"]);
    expect([status, found(stderr)]).toEqual([0, []]);
  });
});
