import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packageSbomText } from "../../../compiler/7-build/sbom.js";
import { VERSION } from "../../../runtime/abi/version.js";
import { ROOT, read } from "../../architecture/sources.js";

interface Release {
  version: string;
  commit: string;
  edits: ReadonlyMap<string, string>;
  notes: string;
  files: readonly string[];
}

interface Modules {
  changelog: {
    cutChangelog(text: string, version: string, date: string): { text: string; notes: string };
    nextVersion(version: string, changelog: string): string;
  };
  publish: {
    checkPublishable(root: string, state: { isSigned: boolean; passedTree: string | undefined }): void;
    publish(root: string, release: Release): void;
  };
  version: { versionEdits(root: string, from: string, to: string): Map<string, string> };
}

const load = async <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
  import(pathToFileURL(join(ROOT, "packaging/release", `${name}.mjs`)).href);

const { cutChangelog, nextVersion } = await load("changelog");
const { checkPublishable, publish } = await load("publish");
const { versionEdits } = await load("version");

const changelog = (entries: string) =>
  `# Changelog\n\n## [Unreleased]\n\n${entries}\n## [1.2.3] - 2026-01-02\n\n- An old entry.\n`;
const FIX = "### Fixed\n\n- A fix.\n";
const ADDITION = "### Added\n\n- `$&`, an option.\n\n";

describe("the changelog of a release", () => {
  it("the entries under Unreleased become the version, and the release notes", () => {
    const { text, notes } = cutChangelog(changelog(ADDITION + FIX), "1.3.0", "2026-03-04");
    expect(text).toBe(
      `# Changelog\n\n## [Unreleased]\n\n## [1.3.0] - 2026-03-04\n\n${ADDITION}${FIX}\n## [1.2.3] - 2026-01-02\n\n- An old entry.\n`,
    );
    expect(notes).toBe(`# gwc 1.3.0\n\n${ADDITION}${FIX}`);
  });

  it("a release without entries, or of a version that the changelog has, is refused", () => {
    const day = "2026-03-04";
    expect(() => cutChangelog(changelog(""), "1.3.0", day)).toThrow('no entries under "Unreleased"');
    expect(() => cutChangelog(changelog(FIX), "1.2.3", day)).toThrow("has version 1.2.3 already");
    expect(() => cutChangelog("# Changelog\n", "1.3.0", day)).toThrow('no part "Unreleased"');
  });

  it("the next version is a patch if there are only fixes, otherwise a minor version", () => {
    expect(nextVersion("1.2.3", changelog(FIX))).toBe("1.2.4");
    expect(nextVersion("1.2.3", changelog(`${FIX}\n### Security\n\n- A limit.\n`))).toBe("1.2.4");
    expect(nextVersion("1.2.3", changelog(ADDITION + FIX))).toBe("1.3.0");
    expect(nextVersion("0.9.1", changelog("### Changed\n\n- A field.\n"))).toBe("0.10.0");
  });
});

it.skipIf(!existsSync(join(ROOT, ".git")))(
  "a release changes every place that names the version of gwc, and no address or other version",
  () => {
    const edits = versionEdits(ROOT, VERSION, "7.8.9");
    expect([...edits.keys()]).toEqual(
      expect.arrayContaining(["package.json", "package-lock.json", "SECURITY.md", "runtime/abi/version.ts"]),
    );
    for (const [path, text] of edits) {
      expect(text, path).toContain("7.8");
      if (path === "SECURITY.md") expect(text).toMatch(/^\| 7\.8 +\| yes +\|\n\| \d+\.\d+ +\| no +\|$/m);
      else expect(text.replaceAll("7.8.9", VERSION), path).toBe(read(path));
    }
    expect(edits.get("runtime/abi/version.ts")).toContain('VERSION = "7.8.9"');
  },
);

it("the SBOM of the package has gwc at its root, and each component that another one needs", () => {
  const { metadata, components, dependencies } = JSON.parse(packageSbomText());
  expect(metadata.component).toMatchObject({ name: "gwc", version: VERSION });
  const refs = [metadata.component, ...components].map((component) => component["bom-ref"]);
  expect(new Set(refs).size).toBe(refs.length);
  expect(components.map(({ name }: { name: string }) => name)).toContain("ajv");
  for (const { dependsOn } of dependencies) expect(refs).toEqual(expect.arrayContaining(dependsOn));
});

describe("a publication", () => {
  let directory: string;
  const at = (...path: string[]) => join(directory, ...path);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: at("tree"), encoding: "utf8", stdio: "pipe" }).trim();
  const path = process.env["PATH"];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gwc-publish-"));
    mkdirSync(at("tree"));
    execFileSync("git", ["init", "--quiet", "--bare", at("remote")]);
    git("init", "--quiet", "--initial-branch", "main");
    git("config", "user.name", "n");
    git("config", "user.email", "n@example.com");
    writeFileSync(at("tree/version"), "1.2.3\n");
    git("add", "version");
    git("commit", "--quiet", "--message", "build: begin");
    git("remote", "add", "origin", at("remote"));
    git("push", "--quiet", "--set-upstream", "origin", "main");
    writeFileSync(at("gh"), `#!/bin/sh\n[ "$1" = auth ] || echo "$@" > ${at("gh.arguments")}\n`);
    chmodSync(at("gh"), 0o755);
    process.env["PATH"] = `${directory}:${path}`;
  });
  afterEach(() => {
    process.env["PATH"] = path;
    rmSync(directory, { recursive: true });
  });

  const release = (): Release => ({
    version: "1.3.0",
    commit: git("rev-parse", "HEAD"),
    edits: new Map([["version", "1.3.0\n"]]),
    notes: "NOTES.md",
    files: ["gwc-1.3.0.tgz", "SHA256SUMS"],
  });

  it("a publication commits and tags the version, pushes both, and makes a page with the files", () => {
    publish(at("tree"), release());
    const remote = (...args: string[]) => git(`--git-dir=${at("remote")}`, ...args);
    expect(remote("log", "-1", "--format=%s", "main")).toBe("build: release 1.3.0");
    expect(remote("rev-parse", "v1.3.0^{commit}")).toBe(git("rev-parse", "HEAD"));
    expect(remote("show", "v1.3.0:version")).toBe("1.3.0");
    expect(readFileSync(at("gh.arguments"), "utf8")).toBe(
      "release create v1.3.0 gwc-1.3.0.tgz SHA256SUMS --verify-tag --title gwc 1.3.0 --notes-file NOTES.md\n",
    );
  });

  it("a checkout that has changed since the start of the release is not published", () => {
    const made = release();
    writeFileSync(at("tree/other"), "");
    expect(() => publish(at("tree"), made)).toThrow("the checkout has changed during the release");
    expect(git("log", "--format=%s")).toBe("build: begin");
  });

  it("a release that is unsigned or untested is not published, and each reason is named", () => {
    const passedTree = git("rev-parse", "HEAD^{tree}");
    expect(() => checkPublishable(at("tree"), { isSigned: true, passedTree })).not.toThrow();
    git("checkout", "--quiet", "--detach");
    expect(() => checkPublishable(at("tree"), { isSigned: false, passedTree: undefined })).toThrow(
      /signed: add --sign.*\nnpm test has not passed.*\nthe branch has no upstream/,
    );
  });
});
