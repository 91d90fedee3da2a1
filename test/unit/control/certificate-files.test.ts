import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { filesKey } from "../../../runtime/abi/certificates.js";
import { DEFAULT_POLICY, type TlsPolicy } from "../../../runtime/abi/tls-policy.js";
import { CertificateFiles } from "../../../runtime/control/certificate-files.js";
import { type Issued, issue } from "../../support/certificates.js";

const PATHS = { cert: "cert.pem", key: "key.pem" };
const TABLES = {
  ssls: { certificates: [{ id: "shop", snis: ["a.example"], chains: [{ files: PATHS }] }] },
};

let directory: string;
let files: CertificateFiles;
let told: number;
/** Certificates that workers received last. */
let ofWorkers: string[];
let policy: TlsPolicy;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-certificates-"));
  told = 0;
  ofWorkers = [];
  policy = DEFAULT_POLICY;
  files = new CertificateFiles(
    directory,
    () => {
      told += 1;
      ofWorkers = Object.values(files.texts).map(({ cert }) => cert);
    },
    () => policy,
  );
  onTestFinished(() => {
    files.close();
    vi.useRealTimers();
    rmSync(directory, { recursive: true, force: true });
  });
});

const write = ({ cert, key }: Issued) => {
  writeFileSync(join(directory, PATHS.cert), cert);
  writeFileSync(join(directory, PATHS.key), key);
};
/** Starts at a moment with one certificate and replaces its files by another. */
const renewAt = (now: string, first: Issued, second: Issued) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: Date.parse(now) });
  write(first);
  files.keep(TABLES);
  write(second);
  files.look();
};
const presented = () => files.texts[filesKey(PATHS)]?.cert;
const reasons = () => files.faults.map(({ reason }) => reason);

it("a renewed certificate is presented from the start of its validity, without a change of its files", () => {
  const first = issue({ names: ["a.example"], dates: ["20300101000000Z", "20310101000000Z"] });
  const second = issue({ names: ["a.example"], dates: ["20300601000000Z", "20310601000000Z"] });
  renewAt("2030-05-30T00:00:00Z", first, second);
  expect(reasons()).toEqual(["the certificate is not valid before Jun  1 00:00:00 2030 GMT"]);
  vi.advanceTimersByTime(2 * 86_400_000 - 1_000);
  expect([presented(), told]).toEqual([first.cert, 0]);
  vi.advanceTimersByTime(1_500);
  expect([presented(), told, reasons()]).toEqual([second.cert, 1, []]);
  expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
});

it("a renewed certificate that is not valid yet is presented once the clock is set", () => {
  const first = issue({ names: ["a.example"], dates: ["20300101000000Z", "20310101000000Z"] });
  const second = issue({ names: ["a.example"], dates: ["20300601000000Z", "20310601000000Z"] });
  renewAt("2030-02-01T00:00:00Z", first, second);
  vi.setSystemTime(Date.parse("2030-06-01T00:00:01Z"));
  vi.advanceTimersByTime(3_600_000);
  expect([presented(), reasons()]).toEqual([second.cert, []]);
});

it("a renewed certificate that is not valid yet is presented once the last good one has expired", () => {
  const first = issue({ names: ["a.example"], dates: ["20300101000000Z", "20300201000000Z"] });
  const second = issue({ names: ["a.example"], dates: ["20300601000000Z", "20310601000000Z"] });
  renewAt("2030-01-31T23:59:00Z", first, second);
  expect(presented()).toBe(first.cert);
  vi.advanceTimersByTime(62_000);
  expect([presented(), reasons()]).toEqual([second.cert, []]);
});

it("a certificate between lines of five hyphens is presented without them", () => {
  const { cert, key } = issue({ names: ["a.example"] });
  write({ cert: `-----\n${cert}-----\n${cert}-----\n`, key });
  files.keep(TABLES);
  expect([presented(), reasons()]).toEqual([cert + cert, []]);
});

it("a pair that only the ciphers of a rejected reload allow stays as faulty as it was", () => {
  const weak = issue({ names: ["a.example"], kind: "short rsa" });
  write(weak);
  policy = { ...DEFAULT_POLICY, ciphers: "DEFAULT@SECLEVEL=2" };
  files.keep(TABLES);
  expect([files.isLacking, files.faults.length]).toEqual([true, 1]);
  const before = files.faults;
  expect(files.prepare(TABLES, { ...DEFAULT_POLICY, ciphers: "DEFAULT@SECLEVEL=0" })).toBeUndefined();
  expect(ofWorkers).toEqual([weak.cert]);
  files.keep(TABLES, false);
  expect([files.isLacking, files.faults, ofWorkers]).toEqual([true, before, []]);
});

it("a pair that the ciphers of a reload allow is presented once the reload is applied", () => {
  const weak = issue({ names: ["a.example"], kind: "short rsa" });
  write(weak);
  policy = { ...DEFAULT_POLICY, ciphers: "DEFAULT@SECLEVEL=2" };
  files.keep(TABLES);
  const next = { ...DEFAULT_POLICY, ciphers: "DEFAULT@SECLEVEL=0" };
  files.prepare(TABLES, next);
  files.keep(TABLES);
  policy = next;
  files.look();
  expect([files.isLacking, files.faults, ofWorkers]).toEqual([false, [], [weak.cert]]);
});

it("workers hold no pair of a rejected change, nor of a change that removed its resource", () => {
  const pair = issue({ names: ["a.example"] });
  write(pair);
  files.prepare(TABLES);
  expect(ofWorkers).toEqual([pair.cert]);
  files.keep({}, false);
  expect(ofWorkers).toEqual([]);
  files.prepare(TABLES);
  files.keep(TABLES);
  expect(ofWorkers).toEqual([pair.cert]);
  files.keep({});
  expect(ofWorkers).toEqual([]);
});
