import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { CERTIFICATES, type CertificateRow } from "../../../runtime/abi/certificates.js";
import { DEFAULT_POLICY, type TlsPolicy } from "../../../runtime/abi/tls-policy.js";
import { ABI } from "../../../runtime/abi/version.js";
import { CertificateFiles } from "../../../runtime/control/certificate-files.js";
import { GenerationStore } from "../../../runtime/control/generation-store.js";
import { Publication } from "../../../runtime/control/publication.js";
import { Workers } from "../../../runtime/control/workers.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { DEFAULT_ADMISSION } from "../../../runtime/process/messages.js";
import { type Issued, issue } from "../../support/certificates.js";
import { artifact, delta } from "../host/artifacts.js";

// Changes of certificates without a worker that can judge them: control does.

const atLevel = (level: number): TlsPolicy => ({
  ...DEFAULT_POLICY,
  ciphers: `ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=${level}`,
});

let rsa: Issued;
let ecdsa: Issued;
beforeAll(() => {
  rsa = issue({ names: ["a.example"], kind: "rsa" });
  ecdsa = issue({ names: ["a.example"] });
});

/** Current TLS policy. */
let tls: TlsPolicy;
let directory: string;
let certificates: CertificateFiles;
let publication: Publication;
let workers: Workers;
/** Numbers of stored generations. */
let stored: number[];
beforeEach(() => {
  tls = atLevel(3);
  stored = [];
  directory = mkdtempSync(join(tmpdir(), "gwc-unjudged-"));
  const saved = new GenerationStore(directory);
  onTestFinished(() => {
    saved.close();
    rmSync(directory, { recursive: true });
  });
  workers = new Workers(1, () => {
    const settings = { drainMs: 0, limits: DEFAULT_LIMITS, admission: DEFAULT_ADMISSION, tls };
    return publication.committed && { ...publication.committed, settings };
  });
  certificates = new CertificateFiles(
    directory,
    () => {},
    () => tls,
  );
  publication = new Publication(saved, workers, 0, undefined, certificates);
});

const row = (id: string, issued: Issued, more: Partial<CertificateRow> = {}): CertificateRow => ({
  ...{ id, snis: [`${id}.example`], chains: [{ cert: issued.cert, key: `literal:${issued.key}` }] },
  ...more,
});
const tables = (...certificates: CertificateRow[]) => ({ [CERTIFICATES]: { certificates } });
const secretsOf = (...all: Issued[]) => Object.fromEntries(all.map(({ key }) => [`literal:${key}`, key]));
const begin = (...rows: CertificateRow[]) =>
  publication.beginWith({ ...artifact(), tables: tables(...rows) }, secretsOf(rsa, ecdsa), () => {});
const publish = (rows: CertificateRow[], secrets = secretsOf(rsa, ecdsa), policy?: TlsPolicy) =>
  publication.publish(
    { ...delta(), tables: tables(...rows) },
    secrets,
    (number) => stored.push(number),
    policy,
  );

const REFUSED = {
  ok: false,
  code: "GW6008",
  refused: expect.stringMatching(/^ssl "c" cannot be presented: .*ee key too small/),
};

describe("a change that no worker has judged", () => {
  it("a change with a new certificate is rejected if ssl_ciphers exclude it, and stored otherwise", async () => {
    await begin();
    expect(await publish([row("c", rsa)])).toEqual(REFUSED);
    expect(stored).toEqual([]);
    expect(await publish([row("c", ecdsa)])).toMatchObject({ ok: true });
    expect(stored).toHaveLength(1);
  });

  it("a change is rejected for a known weak certificate with another name, and not for an unchanged one", async () => {
    await begin(row("c", rsa));
    expect(await publish([row("c", rsa), row("d", ecdsa)])).toMatchObject({ ok: true });
    expect(await publish([row("c", rsa, { snis: ["moved.example"] }), row("d", ecdsa)])).toEqual(REFUSED);
    expect(await publish([row("d", ecdsa)])).toMatchObject({ ok: true });
  });

  it("a change is judged by its own ssl_ciphers", async () => {
    await begin();
    expect(await publish([row("c", rsa)], undefined, atLevel(2))).toMatchObject({ ok: true });
    tls = atLevel(2);
    expect(await publish([row("c", rsa, { snis: ["moved.example"] })], undefined, atLevel(3))).toEqual(
      REFUSED,
    );
  });

  it("a change is rejected for a key that does not fit, is invalid or is unknown", async () => {
    await begin();
    const other = issue({ names: ["a.example"] });
    const unfit = [row("c", { cert: ecdsa.cert, key: other.key })];
    expect(await publish(unfit, secretsOf(other))).toMatchObject({ ok: false, code: "GW6008" });
    const none = [row("c", { cert: ecdsa.cert, key: "no key" })];
    expect(await publish(none, { "literal:no key": "no key" })).toMatchObject({ ok: false, code: "GW6008" });
    expect(await publish([row("c", ecdsa)], {})).toMatchObject({ ok: false, code: "GW6008" });
    expect(stored).toEqual([]);
  });

  it("a change is judged with the certificate files that it names", async () => {
    await begin();
    const files = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem") };
    writeFileSync(files.cert, ecdsa.cert);
    writeFileSync(files.key, ecdsa.key);
    onTestFinished(() => certificates.close());
    const of = (...more: CertificateRow["chains"]) => [row("c", ecdsa, { chains: [{ files }, ...more] })];
    const written = { cert: rsa.cert, key: `literal:${rsa.key}` };
    expect(await publish(of(written))).toEqual(REFUSED);
    expect(await publish(of())).toMatchObject({ ok: true });
    expect(await publish(of(written), undefined, atLevel(2))).toMatchObject({ ok: true });
  });

  it("a change is judged by control if the only worker ends before it replies", async () => {
    await begin();
    const { number = 0, planHash = "" } = publication.committed ?? {};
    const attached = workers.attach({
      send: ({ type }) => {
        if (type === "prepare") attached.gone();
      },
      replace: () => {},
    });
    const hello = { type: "hello", worker: 0, pid: 1, abi: ABI, accepting: true, plugins: "" } as const;
    attached.hear({ ...hello, generation: number, planHash });
    expect(await publish([row("c", rsa)])).toEqual(REFUSED);
  });

  it("a dry run without a worker is rejected as temporarily impossible, for any certificate", async () => {
    await begin();
    for (const rows of [[row("c", rsa)], [row("c", ecdsa)], []]) {
      const tried = await publication.dryRun({ ...delta(), tables: tables(...rows) }, secretsOf(rsa, ecdsa));
      expect(tried).toEqual({
        ok: false,
        store: "no worker can load it now: no worker serves the live generation",
      });
    }
  });
});
