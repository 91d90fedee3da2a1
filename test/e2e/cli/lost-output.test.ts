import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CLI, gwc, useTemporaryDirectory } from "../../support/cli.js";

const route = (uri: string, tests: string) => `routes:
  - id: own
    uri: ${uri}
    plugins: { response-rewrite: { body: own } }
${tests}`;
const FAILS = `tests:
  - name: fails
    request: { target: /a }
    expect: { response: { status: 404 } }
`;

const directory = useTemporaryDirectory();

/** Runs a command whose standard output cannot be written. */
function onFullDisk(args: readonly string[]) {
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" };
  const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    ...{ cwd: directory.path, env, encoding: "utf8", stdio: ["ignore", full, "pipe"] },
  });
  closeSync(full);
  return { status, stderr };
}

describe("a command whose output cannot be written", () => {
  beforeEach(() => {
    writeFileSync(join(directory.path, "a.yaml"), route("/a", FAILS));
    writeFileSync(join(directory.path, "b.yaml"), route("/b", ""));
    writeFileSync(join(directory.path, "broken.yaml"), route("b", ""));
    mkdirSync(join(directory.path, "dist"));
  });

  it.each([
    { args: ["diff", "a.yaml", "b.yaml"], verdict: 1 },
    { args: ["diff", "--format", "json", "a.yaml", "a.yaml"], verdict: 0 },
    { args: ["check", "--format", "json", "broken.yaml"], verdict: 1 },
    { args: ["check", "--format", "sarif", "a.yaml"], verdict: 0 },
    { args: ["test", "a.yaml"], verdict: 1 },
    { args: ["verify", "--format", "json", "dist"], verdict: 1 },
    { args: ["test-plugin", "."], verdict: 2 },
    { args: ["route", "GET", "/nowhere", "a.yaml"], verdict: 1 },
    { args: ["plan", "a.yaml"], verdict: 0 },
    { args: ["--help"], verdict: 0 },
  ])("ends with 2, not with its verdict: $args", ({ args, verdict }) => {
    expect(gwc(directory.path, args).status).toBe(verdict);
    const lost = onFullDisk(args);
    expect(lost.status).toBe(2);
    if (verdict !== 2) expect(lost.stderr).toContain("gwc: standard output: ENOSPC");
  });

  it("keeps its verdict when nobody reads on", () => {
    const pipe = '"$0" "$@" 2>/dev/null; echo "code $?" >&2';
    const ended = spawnSync(
      "sh",
      ["-c", `{ ${pipe}; } | true`, process.execPath, CLI, "diff", "a.yaml", "b.yaml"],
      {
        cwd: directory.path,
        encoding: "utf8",
      },
    );
    expect(ended.stderr).toBe("code 1\n");
  });
});
