import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { writeSigningKeys } from "../../support/signing-keys.js";

const directory = useTemporaryDirectory();
const at = (...names: string[]) => join(directory.path, ...names);
const run = (args: string, environment: Record<string, string> = {}) =>
  gwc(directory.path, args.split(" "), environment);

beforeEach(() => {
  writeSigningKeys(directory.path, "ours");
  const route = {
    ...{ id: "shop", uri: "/shop", upstream: { nodes: { "127.0.0.1:1980": 1 } } },
    plugins: { "response-rewrite": { headers: { set: { A: "b" } } } },
  };
  writeFileSync(at("gateway.yaml"), JSON.stringify({ routes: [route] }));
});

const build = (more = "") =>
  gwc(directory.path, ["build", "--no-type-check", "-q", ...more.split(" ").filter(Boolean)]);

describe("gwc build --sign", () => {
  it.each(["ed25519", "ec", "rsa"] as const)(
    "gwc build --sign signs with %s, and gwc verify names the key",
    (type) => {
      writeSigningKeys(directory.path, "one", type);
      expect(build("--sign one.key")).toMatchObject({ status: 0 });
      const { status, stdout } = run("verify dist --key ours.pub --key one.pub");
      expect({ status, stdout }).toEqual({
        status: 0,
        stdout: expect.stringMatching(
          /^dist: \d+ files as built by gwc \S+, signed by [0-9a-f]{16} \(one\.pub\)\nmanifest sha256:[0-9a-f]{64}\n$/,
        ),
      });
    },
  );

  it("gwc build --sign makes the same signature for the same configuration", () => {
    build("--sign ours.key");
    const before = readFileSync(at("dist/manifest.sig"));
    rmSync(at("dist"), { recursive: true });
    build("--sign ours.key");
    expect(readFileSync(at("dist/manifest.sig"))).toEqual(before);
  });

  it("gwc build --sign takes the passphrase of an encrypted key only from the environment", () => {
    writeSigningKeys(directory.path, "locked", "ed25519", "open sesame");
    const signing = "build --no-type-check --sign locked.key";
    expect(run(signing)).toMatchObject({ status: 2, stderr: expect.stringContaining("GWC_SIGN_PASSPHRASE") });
    const wrong = run(`${signing} --sign-passphrase MINE`, { MINE: "shut" });
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringMatching(/passphrase in MINE/) });
    expect(wrong.stderr).not.toContain("shut");
    expect(run(signing, { GWC_SIGN_PASSPHRASE: "open sesame" })).toMatchObject({ status: 0 });
    expect(run("verify --key locked.pub")).toMatchObject({ status: 0 });
  });

  it("gwc build --sign refuses an unsupported, public or missing key before it compiles", () => {
    writeSigningKeys(directory.path, "odd", "p384");
    for (const key of ["odd.key", "ours.pub", "none.key", "gateway.yaml"])
      expect(run(`build --sign ${key}`)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(key),
        stdout: "",
      });
  });

  it.each([
    ["raw", "openssl pkeyutl -sign -rawin -inkey ours.key -in /dev/stdin"],
    ["in base64", "sh -c 'openssl pkeyutl -sign -rawin -inkey ours.key -in /dev/stdin | base64 -w 20'"],
  ])("gwc build --sign-with takes a signature of another program %s", (_, command) => {
    expect(
      gwc(directory.path, ["build", "--no-type-check", "--sign-with", command], { HOME: "/" }),
    ).toMatchObject({
      status: 0,
    });
    expect(run("verify --key ours.pub")).toMatchObject({ status: 0 });
  });

  it.each([
    ["fails", "sh -c 'echo the token is locked >&2; exit 3'", "GW6115", "exit code 3: the token is locked"],
    ["is not there", "no-such-signer --key x", "GW6115", "no-such-signer is not installed"],
    ["prints nothing", "true", "GW6115", "printed 0 bytes"],
    ["is no command", "'unclosed", "", "takes a command"],
  ])("gwc build --sign-with writes nothing if the program %s", (_, command, code, why) => {
    build("--sign ours.key");
    const before = readFileSync(at("dist/manifest.sig"));
    writeFileSync(at("gateway.yaml"), readFileSync(at("gateway.yaml"), "utf8").replace("/shop", "/other"));
    const { status, stderr } = gwc(directory.path, ["build", "--no-type-check", "--sign-with", command]);
    expect([1, 2]).toContain(status);
    expect(stderr).toContain(code);
    expect(stderr).toContain(why);
    expect(readFileSync(at("dist/manifest.sig"))).toEqual(before);
  });

  it("gwc build --sign makes signatures that OpenSSL verifies over the DSSE encoding of the manifest", () => {
    build("--sign ours.key");
    const manifest = readFileSync(at("dist/manifest.json"));
    const head = `DSSEv1 33 application/vnd.gwc.manifest+json ${manifest.length} `;
    writeFileSync(at("signed"), Buffer.concat([Buffer.from(head), manifest]));
    const { signatures } = JSON.parse(readFileSync(at("dist/manifest.sig"), "utf8"));
    writeFileSync(at("sig"), Buffer.from(signatures[0].sig, "base64"));
    const args = "pkeyutl -verify -rawin -pubin -inkey ours.pub -sigfile sig -in signed";
    expect(String(execFileSync("openssl", args.split(" "), { cwd: directory.path }))).toContain(
      "Successfully",
    );
  });
});

describe("gwc verify", () => {
  it("gwc verify reports every fault of a build at once, also as JSON", () => {
    build("--sign ours.key");
    writeFileSync(at("dist/routes/shop.ts"), "//");
    writeFileSync(at("dist/routes/shop.js.map"), "{}");
    rmSync(at("dist/resources.json"));
    writeFileSync(at("dist/new.js"), "//");
    symlinkSync("/etc", at("dist/etc"));
    const { status, stdout } = run("verify --key ours.pub --format json");
    expect(status).toBe(1);
    const { ok, signed_by, faults } = JSON.parse(stdout);
    expect({ ok, signed_by }).toMatchObject({ ok: false, signed_by: { file: "ours.pub" } });
    expect(faults.map(({ code, file }: { code: string; file: string }) => `${code} ${file}`).sort()).toEqual([
      "GW6105 routes/shop.js.map",
      "GW6105 routes/shop.ts",
      "GW6106 resources.json",
      "GW6107 etc",
      "GW6107 new.js",
    ]);
    expect(run("verify --key ours.pub").stderr).toMatch(/invalid, 5 faults; signed by/);
  });

  it("gwc verify refuses a build that is unsigned, of another key or manifest, or has no manifest", () => {
    const fault = () => run("verify --key ours.pub").stderr.match(/GW\d{4}/)?.[0];
    writeSigningKeys(directory.path, "theirs");
    build();
    expect(fault()).toBe("GW6110");
    build("--sign theirs.key");
    expect(fault()).toBe("GW6111");
    build("--sign ours.key");
    const manifest = readFileSync(at("dist/manifest.json"), "utf8");
    writeFileSync(at("dist/manifest.json"), manifest.replace(/"planHash": "./, '"planHash": "x'));
    expect(fault()).toBe("GW6112");
    renameSync(at("dist/manifest.json"), at("elsewhere"));
    expect(fault()).toBe("GW6103");
  });

  it("gwc verify refuses a signature of the bare manifest", () => {
    build();
    execFileSync(
      "openssl",
      "pkeyutl -sign -rawin -inkey ours.key -in dist/manifest.json -out sig".split(" "),
      {
        cwd: directory.path,
      },
    );
    const sig = readFileSync(at("sig")).toString("base64");
    writeFileSync(at("dist/manifest.sig"), JSON.stringify({ signatures: [{ sig }] }));
    expect(run("verify --key ours.pub")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("GW6111"),
    });
  });

  it("gwc verify without a key checks the files of an unsigned build", () => {
    build();
    const whole = run("verify");
    expect(whole).toMatchObject({ status: 0, stderr: "" });
    expect(whole.stdout).toMatch(/^dist: \d+ files as built by gwc \S+, not signed\nmanifest sha256:/);
    expect(JSON.parse(run("verify --format json").stdout)).toMatchObject({ ok: true, signature: "none" });
    writeFileSync(at("dist/resources.json"), "{}");
    expect(run("verify")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("GW6105") });
  });

  it("gwc verify without a key does not pass a signed build and still reports its faults", () => {
    build("--sign ours.key");
    expect(run("verify")).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("signature not checked"),
      stderr: expect.stringContaining("--key"),
    });
    expect(JSON.parse(run("verify --format json").stdout)).toMatchObject({ signature: "unchecked" });
    rmSync(at("dist/resources.json"));
    expect(run("verify")).toMatchObject({ status: 1, stderr: expect.stringContaining("GW6106") });
  });

  it("gwc verify requires a valid public key, from --key or GWC_VERIFY_KEY", () => {
    build("--sign ours.key");
    writeSigningKeys(directory.path, "odd", "p384");
    expect(run("verify")).toMatchObject({ status: 2, stderr: expect.stringContaining("--key") });
    for (const key of ["ours.key", "odd.pub", "none.pub", "gateway.yaml"])
      expect(run(`verify --key ${key}`)).toMatchObject({ status: 2, stderr: expect.stringContaining(key) });
    expect(run("verify", { GWC_VERIFY_KEY: "" })).toMatchObject({ status: 2 });
    cpSync(at("ours.pub"), at("second.pub"));
    expect(run("verify", { GWC_VERIFY_KEY: "odd.pub:second.pub" })).toMatchObject({ status: 2 });
    expect(run("verify", { GWC_VERIFY_KEY: "second.pub" })).toMatchObject({ status: 0 });
  });
});

describe("gwc build --sbom --provenance", () => {
  const all = "--sign ours.key --sbom --provenance";
  const json = (file: string) => JSON.parse(readFileSync(at("dist", file), "utf8"));

  it("gwc build --sbom writes the components of the build to a file that the manifest lists", () => {
    expect(build(all)).toMatchObject({ status: 0 });
    const { bomFormat, specVersion, components, dependencies } = json("sbom.json");
    expect({ bomFormat, specVersion }).toEqual({ bomFormat: "CycloneDX", specVersion: "1.5" });
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["gwc", "ajv", "fast-deep-equal"]));
    const refs = new Set(components.map((one: Record<string, string>) => one["bom-ref"]));
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
    expect(json("manifest.json").files).toHaveProperty(["sbom.json"]);
    expect(run("verify --key ours.pub")).toMatchObject({ status: 0 });
  });

  it("gwc build --provenance states inputs and commit, which are the same in another checkout", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], {
        cwd: directory.path,
        encoding: "utf8",
      });
    git("init", "-q", "-b", "main");
    git("add", "gateway.yaml");
    git("commit", "-q", "-m", "first");
    build(all);
    const statement = json("provenance.json");
    const manifest = readFileSync(at("dist/manifest.json"));
    const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
    expect(statement.subject).toEqual([{ name: "manifest.json", digest: { sha256: digest(manifest) } }]);
    const { buildDefinition } = statement.predicate;
    const commit = git("rev-parse", "HEAD").trim();
    expect(buildDefinition.resolvedDependencies).toEqual([
      { name: "gateway.yaml", digest: { sha256: digest(readFileSync(at("gateway.yaml"))) } },
      { name: "git", digest: { gitCommit: commit } },
    ]);
    expect(JSON.stringify(statement)).not.toContain(directory.path);
    const written = readFileSync(at("gateway.yaml"), "utf8");
    writeFileSync(at("gateway.yaml"), `${written}\n`);
    build(all);
    const [, changed] = json("provenance.json").predicate.buildDefinition.resolvedDependencies;
    expect(changed).toEqual({ name: "git", digest: { gitCommit: commit }, annotations: { changed: true } });
    const other = at("elsewhere");
    git("clone", "-q", ".", other);
    const args = ["build", join(other, "gateway.yaml"), "--no-type-check", "-q", "--sign", "ours.key"];
    gwc(directory.path, [...args, "--provenance", "--sbom", "--out", "second"]);
    const { predicate } = JSON.parse(readFileSync(at("second/provenance.json"), "utf8"));
    expect(predicate.buildDefinition.externalParameters).toEqual({ configuration: ["gateway.yaml"] });
    expect(predicate.buildDefinition.resolvedDependencies[1]).toEqual({
      name: "git",
      digest: { gitCommit: commit },
    });
  });

  it("gwc verify refuses a provenance statement of another build, a changed one and an unsigned one", () => {
    const fault = () => run("verify --key ours.pub").stderr;
    build(all);
    const [statement, signature] = ["provenance.json", "provenance.sig"].map((file) =>
      readFileSync(at("dist", file)),
    );
    writeFileSync(at("dist/provenance.json"), `${statement} `);
    expect(fault()).toMatch(/"?GW6116"?.*not signed by a trusted key/);
    rmSync(at("dist/provenance.sig"));
    expect(fault()).toContain("is not signed");
    writeFileSync(at("gateway.yaml"), readFileSync(at("gateway.yaml"), "utf8").replace("/shop", "/other"));
    build(all);
    writeFileSync(at("dist/provenance.json"), statement ?? "");
    writeFileSync(at("dist/provenance.sig"), signature ?? "");
    const { faults } = JSON.parse(run("verify --key ours.pub --format json").stdout);
    expect(faults).toMatchObject([{ code: "GW6116", message: expect.stringContaining("another manifest") }]);
  });
});

describe("gwc diff --verify", () => {
  const differ = (args: string, environment?: Record<string, string>) => run(`diff -q ${args}`, environment);

  it("gwc diff --verify compares only builds that a given key has signed", () => {
    writeSigningKeys(directory.path, "others");
    build("--sign ours.key");
    expect(differ("dist gateway.yaml --verify ours.pub")).toMatchObject({ status: 0, stderr: "" });
    expect(differ("gateway.yaml dist --verify others.pub --verify ours.pub")).toMatchObject({ status: 0 });
    const foreign = differ("dist gateway.yaml --verify others.pub");
    expect(foreign).toMatchObject({ status: 2, stdout: "" });
    expect(foreign.stderr).toMatch(/^gwc: .*signed by/);
    expect(differ("dist gateway.yaml", { GWC_VERIFY_KEY: at("others.pub") })).toMatchObject({ status: 2 });
  });

  it("gwc diff --verify refuses an unsigned build, which is compared without a key", () => {
    build();
    expect(differ("dist gateway.yaml")).toMatchObject({ status: 0, stderr: "" });
    expect(differ("dist gateway.yaml --verify ours.pub").stderr).toContain("is not signed");
  });

  it("gwc diff --verify reports a key without a build to verify and a key that cannot be read", () => {
    const idle = differ("gateway.yaml gateway.yaml --verify ours.pub");
    expect([idle.status, idle.stderr]).toEqual([
      2,
      "gwc: neither gateway.yaml nor gateway.yaml is a build, so --verify has nothing to verify\n",
    ]);
    build("--sign ours.key");
    const missing = differ("dist gateway.yaml --verify nowhere.pub");
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain("nowhere.pub");
  });
});
