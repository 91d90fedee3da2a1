import { X509Certificate } from "node:crypto";
import { mkdirSync } from "node:fs";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { gwc } from "../../support/cli.js";
import { freePort } from "../../support/ports.js";
import { type AdminAnswer, AdminGateway } from "../control/admin.js";
import { ProcessGateway, type RunWith } from "../process/gateway.js";
import { at, ssl, useCertificateFolder, write } from "./certificate-files-harness.js";
import { atLevel, handshake } from "./harness.js";

// Dry runs of writes that concern certificates: each has the same result as the write after it.

let rsa: Issued;
let ecdsa: Issued;
let second: Issued;
let short: Issued;
beforeAll(() => {
  rsa = issue({ names: ["a.example"], kind: "rsa" });
  ecdsa = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second.example"] });
  short = issue({ names: ["a.example"], kind: "short rsa" });
});
useCertificateFolder();

const ADOPTED = { id: "adopted", nodes: { "127.0.0.1:9": 1 } };
const REFUSED = [400, expect.stringContaining("GW6008")];

interface Harness {
  call(method: string, path: string, body?: object): Promise<AdminAnswer>;
  /** Writes other resources and `gw.ssl` to the files without loading them. */
  files(ssls: object[], ssl: object): void;
}

/** A gateway whose workers run in its own process, and one with two worker processes. */
const STANDS: [string, (ssls: object[], ssl: object) => Promise<Harness>][] = [
  [
    "in one process",
    async (ssls, ssl) => {
      const made = (ssls: object[], ssl: object) =>
        JSON.stringify({ gw: { ssl }, ssls, upstreams: [ADOPTED] });
      const gateway = await AdminGateway.start(JSON.stringify({ gw: { ssl }, ssls }));
      onTestFinished(() => gateway.stop());
      return {
        call: (...asked) => gateway.call(...asked),
        files: (...next) => gateway.write(made(...next)),
      };
    },
  ],
  ["with workers", (ssls, ssl) => processes(ssls, ssl)],
];

/** @param run options of `gwc run`; paths: the build to run */
async function processes(ssls: object[], ssl: object, run: RunWith = {}): Promise<Harness> {
  const gateway = await ProcessGateway.prepare({});
  onTestFinished(() => gateway.end());
  const files = (resources: object, ssl: object) => {
    gateway.write(resources, { ssl });
    if (run.paths === undefined) return;
    const built = gwc(gateway.directory, ["build", "gateway.json", "--out", ...run.paths]);
    if (built.status !== 0) throw new Error(built.stderr);
  };
  files({ ssls }, ssl);
  await gateway.open(run);
  return {
    call: (...asked) => gateway.admin(...asked),
    files: (next, ssl) => files({ ssls: next, upstreams: [ADOPTED] }, ssl),
  };
}

/** Runs a write dry, then performs it. @returns the common result of both */
async function triedAndDone(
  { call }: Harness,
  method: string,
  path: string,
  body?: object,
): Promise<[number, string]> {
  const query = path.includes("?") ? "&" : "?";
  const tried = await call(method, `${path}${query}dry_run=true`, body);
  const done = await call(method, path, body);
  expect([tried.status, tried.json["error_msg"]]).toEqual([done.status, done.json["error_msg"]]);
  if (done.status >= 400) expect(tried.text).toBe(done.text);
  return [done.status, done.text];
}

describe.each(STANDS)("a dry run in a gateway %s", (_where, start) => {
  it("a dry run of a certificate that ssl_ciphers reject is rejected like its write, for each method", async () => {
    const harness = await start([], atLevel(3));
    const { call } = harness;
    expect(await triedAndDone(harness, "PUT", "/ssls/c", { sni: "c.example", ...rsa })).toEqual(REFUSED);
    for (const kind of ["effect", "module"]) {
      const asked = await call("PUT", `/ssls/c?dry_run=${kind}`, { sni: "c.example", ...rsa });
      expect([asked.status, asked.text]).toEqual(REFUSED);
    }
    const posted = { sni: "p.example", ...rsa };
    const tried = await call("POST", "/ssls?dry_run=true", posted);
    expect([tried.status, (await call("POST", "/ssls", posted)).status]).toEqual([400, 400]);
    const validated = await call("POST", "/schema/validate/ssls", { id: "c", sni: "c.example", ...rsa });
    expect([validated.status, validated.text]).toEqual(REFUSED);
    const good = { sni: "good.example", ...ecdsa };
    expect((await triedAndDone(harness, "PUT", "/ssls/good", good))[0]).toBe(201);
    expect(await triedAndDone(harness, "PUT", "/ssls/good", { sni: "good.example", ...rsa })).toEqual(
      REFUSED,
    );
    expect(await triedAndDone(harness, "PATCH", "/ssls/good", rsa)).toEqual(REFUSED);
    const moved = { sni: "moved.example" };
    expect((await triedAndDone(harness, "PATCH", "/ssls/good", moved))[0]).toBe(200);
    expect((await triedAndDone(harness, "DELETE", "/ssls/good"))[0]).toBe(200);
  });

  it("a dry run with an environment variable that holds no key is rejected like its write", async () => {
    process.env["GW_TEST_KEY"] = ProcessGateway.KEY;
    onTestFinished(() => {
      delete process.env["GW_TEST_KEY"];
    });
    const harness = await start([], {});
    const value = { sni: "b.example", cert: ecdsa.cert, key: "${{GW_TEST_KEY}}" };
    expect(await triedAndDone(harness, "PUT", "/ssls/b", value)).toEqual(REFUSED);
  });

  it("a dry run of a revert to a certificate that current ssl_ciphers reject is rejected like the revert", async () => {
    const harness = await start([], atLevel(1));
    const { call } = harness;
    expect((await call("PUT", "/upstreams/adopted", ADOPTED)).status).toBe(201);
    expect((await call("PUT", "/ssls/c", { sni: "c.example", ...short })).status).toBe(201);
    expect((await call("PUT", "/ssls/c", { sni: "c.example", ...ecdsa })).status).toBe(200);
    const { json } = await call("GET", "/history?kind=ssls&id=c");
    const [newest] = json["list"] as { number: number }[];
    harness.files([], atLevel(2));
    expect((await call("POST", "/adopt/upstreams/adopted")).status).toBe(200);
    expect(await triedAndDone(harness, "POST", `/history/${newest?.number}/revert`)).toEqual(REFUSED);
  });

  it.each<[string, () => object[]]>([
    ["written out", () => [{ id: "n", sni: "a.example", ...short }]],
    ["of files", () => [ssl()]],
    ["of files beside one that is written out", () => [ssl({ certs: [ecdsa.cert], keys: [ecdsa.key] })]],
  ])(
    "a dry run of an adoption checks a certificate %s by the ssl_ciphers of its files",
    async (_what, made) => {
      write(short);
      const harness = await start([], atLevel(0));
      expect((await harness.call("PUT", "/upstreams/adopted", ADOPTED)).status).toBe(201);
      harness.files(made(), atLevel(2));
      const [status, text] = await triedAndDone(harness, "POST", "/adopt/upstreams/adopted");
      expect([status, text]).toEqual([400, expect.stringMatching(/cannot be presented: .*key too small/)]);
      harness.files(made(), atLevel(0));
      expect((await triedAndDone(harness, "POST", "/adopt/upstreams/adopted"))[0]).toBe(200);
    },
  );

  it("a dry run of an adoption accepts a swap of the kinds of cert_file and certs like the adoption", async () => {
    write(ecdsa);
    const harness = await start([ssl({ certs: [rsa.cert], keys: [rsa.key] })], {});
    expect((await harness.call("PUT", "/upstreams/adopted", ADOPTED)).status).toBe(201);
    harness.files([ssl({ certs: [second.cert], keys: [second.key] })], {});
    expect((await triedAndDone(harness, "POST", "/adopt/upstreams/adopted"))[0]).toBe(400);
    write(issue({ names: ["a.example"], kind: "rsa" }));
    expect((await triedAndDone(harness, "POST", "/adopt/upstreams/adopted"))[0]).toBe(200);
  });
});

describe("a dry run of an adoption by a build", () => {
  it("a dry run of an adoption checks certificates of a build by its own ssl_ciphers", async () => {
    const name = "GW_TEST_TRIAL_TLS_KEY";
    process.env[name] = short.key;
    onTestFinished(() => {
      delete process.env[name];
    });
    const harness = await processes([], atLevel(2), { paths: ["dist"], writable: true });
    expect((await harness.call("PUT", "/upstreams/adopted", ADOPTED)).status).toBe(201);
    expect((await harness.call("PUT", "/ssls/own", { sni: "own.example", ...ecdsa })).status).toBe(201);
    const ssls = [{ id: "n", sni: "a.example", cert: short.cert, key: `\${{${name}}}` }];
    harness.files(ssls, atLevel(2));
    const [status, text] = await triedAndDone(harness, "POST", "/adopt/upstreams/adopted");
    expect([status, text]).toEqual([400, expect.stringMatching(/cannot be presented: .*key too small/)]);
    harness.files(ssls, atLevel(0));
    expect((await triedAndDone(harness, "POST", "/adopt/upstreams/adopted"))[0]).toBe(200);
  });
});

it("dry runs of certificates do not change the presented ones", async () => {
  write(ecdsa);
  const port = await freePort();
  const settings = (level: number) => ({ listen: [{ ip: "127.0.0.1", port }], ...atLevel(level) });
  const harness = await processes([ssl()], settings(2));
  const fingerprintOf = async (servername: string) => {
    const socket = await handshake(port, { servername });
    socket.end();
    return socket.getPeerCertificate().fingerprint256;
  };
  const presented = new X509Certificate(ecdsa.cert).fingerprint256;
  expect((await harness.call("PUT", "/ssls/own", { sni: "own.example", ...ecdsa })).status).toBe(201);
  expect((await harness.call("PUT", "/upstreams/adopted", ADOPTED)).status).toBe(201);
  const other = { sni: "own.example", ...second };
  expect((await harness.call("PUT", "/ssls/own?dry_run=true", other)).status).toBe(200);
  const added = { sni: "new.example", ...second };
  expect((await harness.call("PUT", "/ssls/new?dry_run=true", added)).status).toBe(201);
  expect((await harness.call("DELETE", "/ssls/own?dry_run=true")).status).toBe(200);
  mkdirSync(at("next"));
  write(second, "next");
  const next = [
    { id: "other", sni: "other.example", ...second },
    ssl({ id: "files", snis: ["files.example"] }, "next"),
  ];
  harness.files([ssl(), ...next], settings(1));
  expect((await harness.call("POST", "/adopt/upstreams/adopted?dry_run=true")).status).toBe(200);
  for (let count = 0; count < 4; count++) {
    for (const name of ["a.example", "own.example"]) expect(await fingerprintOf(name)).toBe(presented);
    for (const name of ["new.example", "other.example", "files.example"])
      await expect(fingerprintOf(name)).rejects.toThrow(/unrecognized name/i);
  }
});
