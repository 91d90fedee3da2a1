import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { gwc } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { isAlive, ProcessGateway } from "../process/gateway.js";
import { atLevel, fetchOver, handshake } from "./harness.js";

// Certificates of files in a gateway of several processes.

let first: Issued;
let second: Issued;
beforeAll(() => {
  first = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second.example"] });
});

let gateway: ProcessGateway;
let port: number;
const resources = (more: object = {}) => ({
  routes: [{ id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:1": 1 } } }],
  ssls: [{ id: "shop", sni: "a.example", cert_file: "tls/cert.pem", key_file: "tls/key.pem", ...more }],
});
beforeEach(async () => {
  port = await freePort();
  gateway = await ProcessGateway.prepare(resources(), { ssl: { listen: [{ ip: "127.0.0.1", port }] } });
  onTestFinished(() => gateway.end());
  write(first);
});

const write = ({ cert, key }: Issued) => {
  mkdirSync(join(gateway.directory, "tls"), { recursive: true });
  writeFileSync(join(gateway.directory, "tls/cert.pem"), cert);
  writeFileSync(join(gateway.directory, "tls/key.pem"), key);
};
const names = async () => {
  const socket = await handshake(port, { servername: "a.example" });
  socket.end();
  return String(socket.getPeerCertificate().subjectaltname);
};
const OLD = "DNS:a.example";
const NEW = "DNS:a.example, DNS:second.example";
const metrics = async () => (await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics")).text;
const expiry = async () =>
  Number(/^gw_ssl_expiry_timestamp_seconds\{ssl="shop"\} (\d+)/m.exec(await metrics())?.[1]);

/** Files below the folder of the gateway, without those of the certificate, that hold a line of a key. */
function filesWith({ key }: Issued): string[] {
  const line = key.split("\n")[1] ?? "";
  expect(line.length).toBeGreaterThan(30);
  return readdirSync(gateway.directory, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.startsWith("tls"))
    .map((name) => join(gateway.directory, name))
    .filter((path) => statSync(path).isFile())
    .filter((path) => readFileSync(path).includes(line));
}

/** Leaves a last known good generation and starts from it after the key is removed. */
async function startAgainWithoutKey() {
  write(first);
  await gateway.open();
  await until(() => gateway.ready());
  await gateway.stop();
  rmSync(join(gateway.directory, "tls/key.pem"));
  await gateway.open();
  await until(async () => (await gateway.workers()).length === 2);
}

describe("a certificate of files", () => {
  it("all workers renew a certificate of files, and its key is in no other file, log, metric or response", async () => {
    await gateway.open();
    await until(() => gateway.ready());
    expect(await expiry()).toBeGreaterThan(Date.now() / 1_000);
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
    write(second);
    await until(async () => (await names()) === NEW);
    for (let count = 0; count < 12; count++) expect(await names()).toBe(NEW);
    expect(gateway.log("certificate_renewed")).toEqual([
      expect.objectContaining({ ssl: "shop", cert_file: "tls/cert.pem" }),
    ]);
    const shown = await gateway.admin("GET", "/ssls/shop");
    expect(shown.json["value"]).toMatchObject({ cert_file: "tls/cert.pem", key_file: "tls/key.pem" });
    const chains = await gateway.admin("GET", "/certificates/shop");
    expect(chains.json).toMatchObject({
      in_use: true,
      chains: [[{ names: ["a.example", "second.example"] }]],
    });
    const told = [gateway.errors, gateway.output, shown.text, chains.text, await metrics()].join("\n");
    expect(told).not.toContain("-----BEGIN");
    for (const issued of [first, second]) {
      expect(filesWith(issued)).toEqual([]);
      expect(told).not.toContain(issued.key.split("\n")[1]);
    }
  });

  it("workers that start later present the last good pair, also after control was restarted", async () => {
    await gateway.open();
    await until(() => gateway.ready());
    const [worker] = await gateway.workers();
    process.kill(worker?.pid ?? 0, "SIGKILL");
    await until(async () => {
      const workers = await gateway.workers();
      return (
        workers.length === 2 && workers.every(({ pid }) => pid !== worker?.pid) && (await gateway.ready())
      );
    });
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
    writeFileSync(join(gateway.directory, "tls/key.pem"), second.key);
    await until(async () => (await metrics()).includes('gw_warnings{code="certificate_file"} 1'));
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    // The new control does not know the last good pair; the workers do.
    await until(async () => !isAlive(control) && (await gateway.ready()));
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
    write(second);
    await until(async () => (await names()) === NEW);
    for (let count = 0; count < 6; count++) expect(await names()).toBe(NEW);
  });

  it("a missing key file stops a first start, but not one with a last known good generation", async () => {
    rmSync(join(gateway.directory, "tls/key.pem"));
    gateway.launch();
    await until(() => gateway.hasEnded);
    expect(gateway.said).toContain(
      'error GW6008: ssl "shop" cannot be presented: key_file tls/key.pem: ENOENT',
    );
    await startAgainWithoutKey();
    expect((await gateway.get("/")).status).toBe(502);
    await expect(names()).rejects.toThrow(/unrecognized name/i);
    const codes = async () => {
      const { json } = await exchange(gateway.statusPort, "GET", "/status/ready");
      return (json["warnings"] as { code: string }[]).map(({ code }) => code).sort();
    };
    expect(await codes()).toEqual(["certificate_file", "last_known_good"]);
    write(second);
    await until(async () => (await names().catch(() => "")) === NEW);
    gateway.process.kill("SIGHUP");
    await until(async () => (await codes()).length === 0);
  });

  it("a certificate that a start left out does not prevent reloads and is presented when its files are valid", async () => {
    await startAgainWithoutKey();
    const other = { id: "other", sni: "b.example", ...issue({ names: ["b.example"] }) };
    const { ssls, ...rest } = resources();
    const configure = (all: object[]) =>
      gateway.write({ ...rest, ssls: all }, { ssl: { listen: [{ ip: "127.0.0.1", port }] } });
    configure([...ssls, other, { id: "new", sni: "c.example", cert_file: "none.pem", key_file: "none.pem" }]);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reload_refused").length === 1);
    expect(gateway.log("reload_refused")[0]).toMatchObject({
      reason: expect.stringContaining('ssl "new" cannot be presented: cert_file none.pem'),
    });
    configure([...ssls, other]);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length === 1);
    const b = await handshake(port, { servername: "b.example" });
    expect(b.getPeerCertificate().subjectaltname).toBe("DNS:b.example");
    await expect(names()).rejects.toThrow(/unrecognized name/i);
    const put = await gateway.admin("PUT", "/ssls/d", { sni: "d.example", ...second });
    expect(put.status).toBe(201);
    write(second);
    await until(async () => (await names().catch(() => "")) === NEW);
  });

  it("the host of a certificate with client authentication stays closed if it cannot be presented at a start", async () => {
    const authority = issue({ names: ["authority.test"], authority: true });
    const { ssls, ...rest } = resources({ client: { ca: authority.cert, depth: 1 } });
    const open = { id: "open", sni: "open.example", ...issue({ names: ["open.example"] }) };
    gateway = await ProcessGateway.prepare(
      { ...rest, ssls: [...ssls, open] },
      { ssl: { listen: [{ ip: "127.0.0.1", port }] } },
    );
    onTestFinished(() => gateway.end());
    await startAgainWithoutKey();
    const answered = async (host: string) =>
      (await fetchOver(await handshake(port, { servername: "open.example" }), "/", host)).slice(0, 12);
    expect(await answered("open.example")).toBe("HTTP/1.1 502");
    expect(await answered("a.example")).toBe("HTTP/1.1 421");
    await expect(names()).rejects.toThrow(/unrecognized name/i);
    write(second);
    await until(async () => (await names().catch(() => "")) === NEW);
    expect(await answered("a.example")).toBe("HTTP/1.1 421");
  });

  it("a worker logs at most once that ssl_ciphers of a reload reject a certificate which a client requests", async () => {
    write(issue({ names: ["a.example"], kind: "short rsa" }));
    await gateway.open();
    await until(() => gateway.ready());
    expect(await names()).toBe(OLD);
    const ssl_ciphers = "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=2";
    gateway.write(resources(), { ssl: { listen: [{ ip: "127.0.0.1", port }], ssl_ciphers } });
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("certificate_file_unusable").length === 1);
    const workers = (await gateway.workers()).map(({ worker }) => worker);
    for (let count = 0; count < 12; count++) await expect(names()).rejects.toThrow(/unrecognized name/i);
    const told = gateway.log("certificate_unusable");
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(workers.length);
    expect(told[0]).toMatchObject({ ssl: "shop", reason: expect.stringContaining("ee key too small") });
  });

  it("a restarted control checks certificates of files by the ssl_ciphers of the same files", async () => {
    write(issue({ names: ["a.example"], kind: "short rsa" }));
    const rewrite = (files: object, level: number) =>
      gateway.write(files, { ssl: { listen: [{ ip: "127.0.0.1", port }], ...atLevel(level) } });
    const killControl = async () => {
      const { length } = gateway.log("ready");
      process.kill(gateway.child("control"), "SIGKILL");
      await until(() => gateway.log("ready").length > length);
    };
    const { routes } = resources();
    const own = { id: "own", sni: "own.example", ...second };
    rewrite({ routes, ssls: [own] }, 2);
    await gateway.open();
    await until(() => gateway.ready());
    rewrite({ ...resources(), routes: [] }, 2);
    await killControl();
    const [{ reason } = {}] = gateway.log("last_known_good");
    expect(reason).toContain('ssl "shop" cannot be presented');
    expect((await gateway.get("/")).status).toBe(502);
    await expect(names()).rejects.toThrow();
    rewrite(resources(), 0);
    await killControl();
    expect(gateway.log("last_known_good")).toHaveLength(1);
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
    rewrite({ ...resources(), routes: [] }, 2);
    await killControl();
    expect(gateway.log("last_known_good")).toHaveLength(2);
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
  });

  it("a renewal in two writes logs one unusable pair, and a touch of the files renews nothing", async () => {
    await gateway.open();
    await until(() => gateway.ready());
    writeFileSync(join(gateway.directory, "tls/cert.pem"), second.cert);
    await until(() => gateway.log("certificate_file_unusable").length > 0);
    for (let count = 0; count < 6; count++) expect(await names()).toBe(OLD);
    writeFileSync(join(gateway.directory, "tls/key.pem"), second.key);
    await until(async () => (await names()) === NEW);
    utimesSync(join(gateway.directory, "tls/key.pem"), 1, 1);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length === 1);
    expect(gateway.log("certificate_renewed")).toHaveLength(1);
    expect(gateway.log("certificate_file_unusable")).toEqual([
      expect.objectContaining({ field: "key_file", path: "tls/key.pem", last_good: true }),
    ]);
  });

  it("all workers present cert_file and certs after one SIGHUP that swaps their kinds of key", async () => {
    const rsa = (names: string[]) => issue({ names, kind: "rsa" });
    const tls = { ssl: { listen: [{ ip: "127.0.0.1", port }] } };
    const seen = async (kind: "ECDSA" | "RSA") => {
      const ciphers = `ECDHE-${kind}-AES128-GCM-SHA256`;
      const socket = await handshake(port, { servername: "a.example", maxVersion: "TLSv1.2", ciphers });
      socket.end();
      return String(socket.getPeerCertificate().subjectaltname);
    };
    const before = rsa(["a.example"]);
    gateway.write(resources({ certs: [before.cert], keys: [before.key] }), tls);
    await gateway.open();
    await until(() => gateway.ready());
    expect([await seen("ECDSA"), await seen("RSA")]).toEqual([OLD, OLD]);
    write(rsa(["a.example", "second.example"]));
    gateway.write(resources({ certs: [second.cert], keys: [second.key] }), tls);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length === 1);
    for (let count = 0; count < 6; count++)
      expect([await seen("ECDSA"), await seen("RSA")]).toEqual([NEW, NEW]);
    expect(gateway.log("certificate_renewed")).toHaveLength(1);
    expect(gateway.log("certificate_unusable")).toEqual([]);
  });

  it("a certificate of files is read again at SIGHUP", async () => {
    await gateway.open();
    await until(() => gateway.ready());
    write(second);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length === 1);
    await until(async () => (await names()) === NEW);
  });
});

describe("a build", () => {
  it("a build holds the paths of certificate files without their content, and a gateway running it renews them", async () => {
    const build = (out: string) => gwc(gateway.directory, ["build", "gateway.json", "--out", out]);
    expect(build("dist").status).toBe(0);
    rmSync(join(gateway.directory, "tls"), { recursive: true });
    expect(build("again")).toMatchObject({ status: 0, stderr: expect.not.stringContaining("GW3074") });
    const contents = (out: string) =>
      readdirSync(join(gateway.directory, out), { recursive: true, encoding: "utf8" })
        .sort()
        .filter((name) => statSync(join(gateway.directory, out, name)).isFile())
        .map((name) => [name, readFileSync(join(gateway.directory, out, name), "utf8")]);
    expect(contents("again")).toEqual(contents("dist"));
    expect(JSON.stringify(contents("dist"))).not.toContain("BEGIN CERTIFICATE");
    write(first);
    await gateway.open({ paths: ["dist"] });
    await until(() => gateway.ready());
    expect(await names()).toBe(OLD);
    write(second);
    await until(async () => (await names()) === NEW);
  });
});

describe("the admin API", () => {
  it("the admin API rejects certificate files in a resource and reveals nothing about the files", async () => {
    await gateway.open();
    const value = { sni: "b.example", cert_file: "tls/cert.pem", key_file: "/etc/hostname" };
    const put = await gateway.admin("PUT", "/ssls/other", value);
    expect([put.status, put.json["diagnostics"]]).toEqual([
      400,
      [expect.objectContaining({ code: "GW3075" })],
    ]);
    const post = await gateway.admin("POST", "/ssls", value);
    expect([post.status, post.text]).toEqual([400, expect.stringContaining("cannot refer to files")]);
    const dry = await gateway.admin("PUT", "/ssls/other?dry_run=true", { ...value, key_file: "/nowhere" });
    expect([dry.status, dry.text]).toEqual([400, expect.not.stringMatching(/ENOENT|regular/)]);
    const own = { snis: ["c.example"], ...issue({ names: ["c.example"] }) };
    expect((await gateway.admin("PUT", "/ssls/own", own)).status).toBe(201);
    const patch = { cert: null, key: null, cert_file: "tls/cert.pem", key_file: "tls/key.pem" };
    expect((await gateway.admin("PATCH", "/ssls/own", patch)).json["diagnostics"]).toContainEqual(
      expect.objectContaining({ code: "GW3075" }),
    );
    const file = await gateway.admin("PATCH", "/ssls/shop", { key_file: "/etc/hostname" });
    expect(file.status).toBeGreaterThanOrEqual(400);
    expect(await names()).toBe(OLD);
  });
});

describe("gwc diff", () => {
  it("gwc diff compares certificate files of a running gateway with its files by their paths", async () => {
    await gateway.open();
    const admin = `http://127.0.0.1:${gateway.adminPort}`;
    const environment = { GWC_ADMIN_KEY: ProcessGateway.KEY, GW_TEST_KEY: ProcessGateway.KEY };
    const diff = () => gwc(gateway.directory, ["diff", "--quiet", admin, "gateway.json"], environment);
    const same = diff();
    expect([same.status, same.stdout]).toEqual([0, expect.not.stringContaining("ssls")]);
    gateway.write(resources({ key_file: "tls/other.pem" }), { ssl: { listen: [{ ip: "127.0.0.1", port }] } });
    const other = diff();
    expect(other.stdout).toContain("another value of certificates[0].chains[0].files.key");
  });
});
