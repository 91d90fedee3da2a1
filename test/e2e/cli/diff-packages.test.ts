import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { packageFiles } from "../../support/plugin-package.js";

const directory = useTemporaryDirectory();

function write(path: string, text: string): void {
  const file = join(directory.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], {
    cwd: directory.path,
  });

const configuration = (value: string) => `plugins: [./plugins/hello]
routes:
  - id: r
    uri: /r
    upstream: { nodes: { "127.0.0.1:1980": 1 } }
    plugins: { hello: { value: ${value} } }
`;

const diff = (...args: string[]) => gwc(directory.path, ["diff", "-q", ...args]);

describe("gwc diff of a revision with plugins of packages", () => {
  beforeEach(() => {
    for (const [path, text] of Object.entries(packageFiles("hello"))) write(`plugins/hello/${path}`, text);
    write("gateway.yaml", configuration("a"));
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("commit", "-q", "-m", "first");
    write("gateway.yaml", configuration("b"));
  });

  it("gwc diff notes that packages of a revision come from the working tree", () => {
    const note =
      "plugins of packages (hello) come from the working tree for main: too, so changes in their code are not compared";
    const { status, stdout } = diff("main:");
    expect([status, stdout.split("\n")[1]]).toEqual([1, `note: ${note}`]);
    expect(JSON.parse(diff("--format", "json", "main:").stdout)).toMatchObject({ notes: [note] });
    expect(diff("--format", "markdown", "main:").stdout).toContain(
      "\nNote: plugins of packages (hello) come from the working tree",
    );
  });

  it("gwc diff prints no note on packages for two files or without packages", () => {
    write("other.yaml", configuration("a"));
    expect(diff("other.yaml", "gateway.yaml").stdout).not.toContain("note:");
    write("gateway.yaml", 'routes:\n  - { id: r, uri: /r, upstream: { nodes: { "127.0.0.1:1980": 1 } } }\n');
    git("commit", "-q", "-a", "-m", "second");
    expect(JSON.parse(diff("--format", "json", "main:").stdout)).toMatchObject({ notes: [] });
  });
});

describe("gwc diff of builds with plugins of packages", () => {
  it("a build with plugins of packages has its plan, and builds are compared without the packages", () => {
    for (const [path, text] of Object.entries(packageFiles("hello"))) write(`plugins/hello/${path}`, text);
    for (const [dist, value] of Object.entries({ one: "a", two: "a", three: "b" })) {
      write("gateway.yaml", configuration(value));
      expect(gwc(directory.path, ["build", "--no-type-check", "--out", dist]).status).toBe(0);
    }
    rmSync(join(directory.path, "plugins"), { recursive: true });
    expect(existsSync(join(directory.path, "one/plan.json"))).toBe(true);
    expect(diff("one", "two")).toMatchObject({ status: 0, stdout: expect.not.stringContaining("note:") });
    expect(diff("one", "three").status).toBe(1);
  });
});

describe("gwc diff of a build of another version", () => {
  it("gwc diff notes that changes of gwc are not compared, unless the plans have the same hash", () => {
    write("gateway.yaml", 'routes: [{ id: r, uri: /r, upstream: { nodes: { "127.0.0.1:1980": 1 } } }]\n');
    expect(gwc(directory.path, ["build", "--no-type-check", "--out", "dist"]).status).toBe(0);
    const manifest = JSON.parse(readFileSync(join(directory.path, "dist/manifest.json"), "utf8"));
    write("dist/manifest.json", JSON.stringify({ ...manifest, version: "0.0.1" }));
    expect(diff("dist", "gateway.yaml").stdout).not.toContain("note:");
    write("gateway.yaml", 'routes: [{ id: r, uri: /s, upstream: { nodes: { "127.0.0.1:1980": 1 } } }]\n');
    const { status, stdout } = diff("dist", "gateway.yaml");
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(
        /note: dist was built by gwc 0\.0\.1 and is planned by gwc \S+, so changes of gwc/,
      ),
    ]);
  });
});
