import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { at, filesGateway, NEW, OLD, ssl, useCertificateFolder, write } from "./certificate-files-harness.js";
import { fetchOver, handshake } from "./harness.js";

// Certificates of files under a running gateway, renewed as certbot, Kubernetes and people do it.

let first: Issued;
let second: Issued;
let other: Issued;
beforeAll(() => {
  first = issue({ names: ["a.example"] });
  second = issue({ names: ["a.example", "second.example"] });
  other = issue({ names: ["b.example"] });
});
useCertificateFolder();

describe("a certificate of files", () => {
  it("a certificate of files is presented from the start, along with an inline one", async () => {
    write(first);
    const { names, port } = await filesGateway([
      ssl(),
      { id: "other", sni: "b.example", cert: other.cert, key: other.key },
    ]);
    expect(await names()).toBe(OLD);
    const b = await handshake(port, { servername: "b.example" });
    expect(b.getPeerCertificate().subjectaltname).toBe("DNS:b.example");
  });

  it.each<[string, () => void, () => void]>([
    [
      "a rename of new files over those before",
      () => write(first),
      () => {
        mkdirSync(at("new"));
        write(second, "new");
        for (const name of ["cert.pem", "key.pem"]) renameSync(at(join("new", name)), at(name));
      },
    ],
    [
      "a write into the files, and a touch",
      () => write(first),
      () => {
        write(second);
        const now = new Date();
        for (const name of ["cert.pem", "key.pem"]) utimesSync(at(name), now, now);
      },
    ],
    [
      "links that lead to other files, as certbot renews",
      () => {
        for (const name of ["archive1", "archive2"]) mkdirSync(at(name));
        write(first, "archive1");
        write(second, "archive2");
        for (const name of ["cert.pem", "key.pem"]) symlinkSync(at(join("archive1", name)), at(name));
      },
      () => {
        for (const name of ["cert.pem", "key.pem"]) {
          unlinkSync(at(name));
          symlinkSync(at(join("archive2", name)), at(name));
        }
      },
    ],
    [
      "a link of the folder that is swapped, as Kubernetes mounts secrets",
      () => {
        for (const name of ["..1", "..2"]) mkdirSync(at(name));
        write(first, "..1");
        write(second, "..2");
        symlinkSync("..1", at("..data"));
        for (const name of ["cert.pem", "key.pem"]) symlinkSync(join("..data", name), at(name));
      },
      () => {
        symlinkSync("..2", at("..data_tmp"));
        renameSync(at("..data_tmp"), at("..data"));
      },
    ],
  ])("a certificate of files is renewed by %s, without a signal", async (_how, before, renew) => {
    before();
    const { names, warnings } = await filesGateway();
    expect(await names()).toBe(OLD);
    renew();
    await until(async () => (await names()) === NEW);
    expect(await warnings()).toEqual([]);
  });

  it("a certificate is renewed while its files and those of another are touched continuously", async () => {
    mkdirSync(at("other"));
    write(first);
    write(other, "other");
    const { names } = await filesGateway([ssl(), ssl({ id: "other", snis: ["b.example"] }, "other")]);
    expect(await names()).toBe(OLD);
    let moment = 1;
    const touching = setInterval(() => {
      for (const path of ["cert.pem", "other/key.pem"]) utimesSync(at(path), ++moment, moment);
    }, 10);
    onTestFinished(() => clearInterval(touching));
    // The check that follows the start may see the first write.
    write(second);
    await until(async () => (await names()) === NEW);
    write(first);
    await until(async () => (await names()) === OLD);
  });

  it("a renewal fails no request, closes no connection and ends the sessions of the old certificate", async () => {
    write(first);
    const { names, port } = await filesGateway();
    const open = await handshake(port, { servername: "a.example", maxVersion: "TLSv1.2" });
    const session = open.getSession();
    const answers: string[] = [];
    for (let round = 0; round < 3; round++) {
      const wanted = round % 2 === 0 ? second : first;
      write(wanted);
      await until(async () => {
        const socket = await handshake(port, { servername: "a.example" });
        answers.push((await fetchOver(socket)).slice(0, 12));
        return (await names()) === (wanted === second ? NEW : OLD);
      });
    }
    expect(answers.filter((answer) => answer !== "HTTP/1.1 200")).toEqual([]);
    expect(await fetchOver(open)).toMatch(/^HTTP\/1\.1 200 /);
    const again = await handshake(port, {
      servername: "a.example",
      maxVersion: "TLSv1.2",
      ...(session && { session }),
    });
    expect(again.isSessionReused()).toBe(false);
  });

  it.each<[string, () => void, string, RegExp]>([
    ["a key of another", () => writeFileSync(at("key.pem"), other.key), "key_file", /does not fit/],
    [
      "a key that is cut",
      () => writeFileSync(at("key.pem"), other.key.slice(0, 60)),
      "key_file",
      /no private key/,
    ],
    [
      "a certificate that is cut",
      () => writeFileSync(at("cert.pem"), second.cert.slice(0, 90)),
      "cert_file",
      /a certificate is truncated or damaged/,
    ],
    [
      "a chain that is cut behind its first certificate",
      () => {
        write(second);
        writeFileSync(at("cert.pem"), second.cert + other.cert.slice(0, 200));
      },
      "cert_file",
      /a certificate is truncated or damaged/,
    ],
    [
      "a chain that is cut in the first line of its second certificate",
      () => {
        write(second);
        writeFileSync(at("cert.pem"), second.cert + other.cert.slice(0, 18));
      },
      "cert_file",
      /a certificate is truncated or damaged/,
    ],
    [
      "a chain with a damaged certificate",
      () => {
        write(second);
        writeFileSync(at("cert.pem"), second.cert + other.cert.replace("M", "-"));
      },
      "cert_file",
      /a certificate is truncated or damaged/,
    ],
    ["an empty file", () => writeFileSync(at("cert.pem"), ""), "cert_file", /no certificate/],
    ["a file that is gone", () => unlinkSync(at("key.pem")), "key_file", /ENOENT/],
    [
      "a file that is too large",
      () => writeFileSync(at("cert.pem"), Buffer.alloc(65_537)),
      "cert_file",
      /the limit is 65536/,
    ],
    [
      "a pipe in its place",
      () => {
        unlinkSync(at("key.pem"));
        execFileSync("mkfifo", [at("key.pem")]);
      },
      "key_file",
      /not a regular file/,
    ],
    [
      "an endless device in its place",
      () => {
        unlinkSync(at("cert.pem"));
        symlinkSync("/dev/zero", at("cert.pem"));
      },
      "cert_file",
      /not a regular file/,
    ],
  ])(
    "the last valid pair is presented with a warning after %s, until the files are repaired",
    async (_what, damage, field, reason) => {
      write(first);
      const { names, warnings, gateway } = await filesGateway();
      damage();
      const [warning] = await until(async () => {
        const all = await warnings();
        return all.length > 0 && all;
      });
      expect(warning).toMatchObject({ code: "certificate_file", ssl: "shop" });
      expect(warning?.message).toMatch(new RegExp(`^ssl "shop": ${field} ${at()}/(?:cert|key)\\.pem: `));
      expect(warning?.message).toMatch(reason);
      expect(await names()).toBe(OLD);
      expect(await gateway.reload()).toBe(true);
      expect(await names()).toBe(OLD);
      for (const name of ["cert.pem", "key.pem"]) rmSync(at(name), { force: true });
      write(second);
      await until(async () => (await names()) === NEW);
      expect(await warnings()).toEqual([]);
    },
  );

  it("a reload reads certificate files at once, also one that is refused for another reason", async () => {
    write(first);
    const { names, rewrite, resources } = await filesGateway();
    write(second);
    expect(await rewrite({ ...resources([ssl()]), routes: [{ id: "r", uri: 7 }] })).toBe(false);
    expect(await names()).toBe(NEW);
    write(first);
    expect(await rewrite(resources([ssl()]))).toBe(true);
    expect(await names()).toBe(OLD);
  });

  it("cert_file and key_file may be one file, and the resource may have further inline certificates", async () => {
    const rsa = issue({ names: ["a.example"], kind: "rsa" });
    writeFileSync(at("both.pem"), `${first.key}${first.cert}`);
    const files = { cert_file: at("both.pem"), key_file: at("both.pem") };
    const { names, port } = await filesGateway([ssl({ ...files, certs: [rsa.cert], keys: [rsa.key] })]);
    expect(await names()).toBe(OLD);
    const ciphers = "ECDHE-RSA-AES128-GCM-SHA256";
    const socket = await handshake(port, { servername: "a.example", ciphers, maxVersion: "TLSv1.2" });
    expect(socket.getCipher().name).toBe(ciphers);
  });

  it("a renewed certificate keeps its client authentication and its open connections", async () => {
    const authority = issue({ names: ["authority.test"], authority: true });
    const client = issue({ names: ["client.test"], by: authority });
    write(first);
    const { port, names } = await filesGateway([ssl({ client: { ca: authority.cert } })]);
    const known = await handshake(port, { servername: "a.example", ...client });
    write(second);
    await until(async () => (await names()) === NEW);
    expect(await fetchOver(known)).toMatch(/^HTTP\/1\.1 200 /);
    const unknown = await handshake(port, { servername: "a.example" });
    expect(await fetchOver(unknown)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("files that cannot be presented", () => {
  const fault = (field: string, name: string, reason: string) =>
    new RegExp(`GW6008: ssl "shop" cannot be presented: ${field} ${at()}/${name}: ${reason}`);

  it("a gateway does not start with invalid certificate files and names field, path and reason", async () => {
    await expect(filesGateway()).rejects.toThrow(fault("cert_file", "cert.pem", "ENOENT"));
    write({ cert: first.cert, key: second.key });
    await expect(filesGateway()).rejects.toThrow(
      fault("key_file", "key.pem", "the private key does not fit"),
    );
    writeFileSync(at("key.pem"), first.key);
    mkdirSync(at("folder"));
    await expect(filesGateway([ssl({ cert_file: at("folder") })])).rejects.toThrow(
      fault("cert_file", "folder", "it is not a regular file"),
    );
  });

  it("a reload to unreadable certificate files is refused, and one to other files follows only these", async () => {
    write(first);
    const { names, rewrite, resources, warnings } = await filesGateway();
    expect(await rewrite(resources([ssl({ key_file: at("none.pem") })]))).toBe(false);
    expect((await warnings()).map(({ code }) => code)).toEqual(["reload_refused"]);
    expect(await names()).toBe(OLD);
    mkdirSync(at("moved"));
    write(second, "moved");
    expect(await rewrite(resources([ssl({}, "moved")]))).toBe(true);
    expect(await names()).toBe(NEW);
    // The former files are no longer watched.
    rmSync(at("cert.pem"));
    expect(await rewrite(resources([ssl({}, "moved")]))).toBe(true);
    expect(await warnings()).toEqual([]);
    expect(await rewrite(resources([ssl({ status: 0 })]))).toBe(true);
    await expect(names()).rejects.toThrow(/unrecognized name/i);
  });
});
