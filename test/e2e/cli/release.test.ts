// `npm run release` as a dry run, in a clone of this tree: some minutes, since it installs and builds in a further one.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash, createPublicKey, verify } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../support/cli.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const VERSION = "99.0.0";
/** A release installs and builds once more: 46 s of CPU, six minutes beside other work on two processors. */
const TIME_LIMIT = 1_800_000;
const ENTRY = "- A fix of a test.";

let site: ReturnType<typeof temporaryDirectory>;
const at = (...path: string[]) => join(site.path, ...path);
const released = (name: string) => at("tree/release", VERSION, name);
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], {
    cwd: at("tree"),
    encoding: "utf8",
  });

function release(...args: string[]) {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "release", "--", ...args], {
    cwd: at("tree"),
    encoding: "utf8",
    maxBuffer: 100_000_000,
  });
  return { status, stderr };
}

/** Clones the repository, and commits the files as they are in the checkout. */
function cloneCheckout(): void {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).split("\0");
  execFileSync("git", ["clone", "--quiet", "--shared", ROOT, at("tree")]);
  for (const file of files.filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(at("tree", file)), { recursive: true });
    copyFileSync(join(ROOT, file), at("tree", file));
  }
  const changelog = readFileSync(at("tree/CHANGELOG.md"), "utf8");
  const entry = `## [Unreleased]\n\n### Fixed\n\n${ENTRY}\n`;
  writeFileSync(at("tree/CHANGELOG.md"), changelog.replace("## [Unreleased]\n", entry));
  git("add", "--all");
  git("commit", "--quiet", "--message", "test: commit the checkout");
}

describe.skipIf(!existsSync(join(ROOT, ".git")))("npm run release", () => {
  beforeAll(() => {
    site = temporaryDirectory();
    cloneCheckout();
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", at("release.key")], {
      stdio: "ignore",
    });
  });
  afterAll(() => site.remove());

  it("a checkout with changes that are not committed is not released", () => {
    writeFileSync(at("tree/other"), "");
    const { status, stderr } = release();
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^release: the checkout has changes.*\n\?\? other/),
    ]);
    git("clean", "--force", "--quiet");
  });

  it("a release that is neither signed nor tested is not published", () => {
    const { status, stderr } = release("--publish", "--release", VERSION);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/signed.*\nnpm test has not passed/)]);
  });

  it(
    "a dry run writes package, SBOM, notes, checksums and signature, and changes nothing else",
    () => {
      const head = git("rev-parse", "HEAD");
      const { status, stderr } = release("--skip-check", "--release", VERSION, "--sign", at("release.key"));
      expect(status, stderr).toBe(0);
      expect([
        git("rev-parse", "HEAD"),
        git("status", "--porcelain"),
        git("tag", "--list", `v${VERSION}`),
      ]).toEqual([head, "", ""]);

      const names = [`gwc-${VERSION}.sbom.json`, `gwc-${VERSION}.tgz`, "NOTES.md"];
      expect(readdirSync(released("")).sort()).toEqual([...names, "SHA256SUMS", "SHA256SUMS.sig"].sort());
      const sums = readFileSync(released("SHA256SUMS"));
      const sha256 = (name: string) =>
        createHash("sha256")
          .update(readFileSync(released(name)))
          .digest("hex");
      expect(sums.toString().split("\n").filter(Boolean).sort()).toEqual(
        names.map((name) => `${sha256(name)}  ${name}`).sort(),
      );
      const key = createPublicKey(readFileSync(at("release.key")));
      expect(verify(null, sums, key, readFileSync(released("SHA256SUMS.sig")))).toBe(true);
      expect(readFileSync(released("NOTES.md"), "utf8")).toMatch(
        `# gwc ${VERSION}\n\n### Fixed\n\n${ENTRY}\n`,
      );
      const { metadata } = JSON.parse(readFileSync(released(`gwc-${VERSION}.sbom.json`), "utf8"));
      expect(metadata.component).toMatchObject({ name: "gwc", version: VERSION });
    },
    TIME_LIMIT,
  );

  it("the package of a release is built with its version, and has neither tests nor the release script", () => {
    execFileSync("tar", ["-xzf", released(`gwc-${VERSION}.tgz`)], { cwd: site.path });
    const read = (path: string) => readFileSync(at("package", path), "utf8");
    expect(JSON.parse(read("package.json"))).toMatchObject({ name: "gwc", version: VERSION });
    expect(JSON.parse(read("npm-shrinkwrap.json"))).toMatchObject({ version: VERSION });
    expect(read(".build/runtime/abi/version.js")).toContain(`VERSION = "${VERSION}"`);
    expect(existsSync(at("package/.build/bundle/gwc.js"))).toBe(true);
    for (const absent of [".build/test", "packaging/release", "packaging/hooks"])
      expect(existsSync(at("package", absent)), absent).toBe(false);
  });
});
