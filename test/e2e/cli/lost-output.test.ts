import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { isLost } from "../../../cli/output.js";
import { CLI, gwc, useTemporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";

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

/** Runs a command with one or both output streams on a full disk. */
function onFullDisk(args: readonly string[], { stdout = false, stderr = false }) {
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" };
  const ended = spawnSync(process.execPath, [CLI, ...args], {
    ...{ cwd: directory.path, env, encoding: "utf8" },
    stdio: ["ignore", stdout ? full : "pipe", stderr ? full : "pipe"],
  });
  closeSync(full);
  return ended;
}

describe("a command whose output cannot be written", () => {
  beforeEach(() => {
    writeFileSync(join(directory.path, "a.yaml"), route("/a", FAILS));
    writeFileSync(join(directory.path, "b.yaml"), route("/b", ""));
    writeFileSync(join(directory.path, "broken.yaml"), route("b", ""));
    const warned = route("/a", "").replace("uri:", 'vars: [[http_te, "==", a]]\n    uri:');
    writeFileSync(join(directory.path, "warned.yaml"), warned);
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
  ])(
    "a command that cannot write its output ends with 2 instead of its verdict: $args",
    ({ args, verdict }) => {
      expect(gwc(directory.path, args).status).toBe(verdict);
      const lost = onFullDisk(args, { stdout: true });
      expect(lost.status).toBe(2);
      if (verdict !== 2) expect(lost.stderr).toContain("gwc: standard output: ENOSPC");
    },
  );

  it.each([
    { args: ["check", "broken.yaml"], verdict: 1 },
    { args: ["check", "warned.yaml"], verdict: 0 },
    { args: ["check", "a.yaml"], verdict: 0 },
    { args: ["check", "nowhere.yaml"], verdict: 1 },
    { args: ["verify", "dist"], verdict: 1 },
    { args: ["plan", "broken.yaml"], verdict: 1 },
    { args: ["init", "a.yaml"], verdict: 1 },
    { args: ["schema", "nothing"], verdict: 2 },
  ])("a command that cannot write its diagnostics ends with 2: $args", ({ args, verdict }) => {
    const told = gwc(directory.path, args);
    expect(told).toMatchObject({ status: verdict, stdout: "" });
    expect(told.stderr).not.toBe("");
    expect(onFullDisk(args, { stderr: true })).toMatchObject({ status: 2, stdout: "" });
    expect(onFullDisk(args, { stdout: true, stderr: true }).status).toBe(2);
  });

  it("a command without output keeps its verdict on a full disk", () => {
    expect(onFullDisk(["check", "-q", "a.yaml"], { stdout: true, stderr: true }).status).toBe(0);
    expect(onFullDisk(["check", "--format", "json", "broken.yaml"], { stderr: true }).status).toBe(1);
  });

  it("a command whose reader stops early keeps its verdict", () => {
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

describe("lost output", () => {
  it("output is lost on a full or failing disk, but not at a closed pipe or a closed terminal", () => {
    for (const code of ["ENOSPC", "EDQUOT", "EFBIG", "EIO"]) expect(isLost(code, false)).toBe(true);
    expect(isLost("EIO", true)).toBe(false);
    expect(isLost("EPIPE", false)).toBe(false);
  });

  it("a gateway that cannot write its log ends with 0 at a stop", async () => {
    const gateway = await ProcessGateway.prepare({});
    try {
      const full = openSync("/dev/full", "w");
      gateway.launch({}, undefined, full);
      closeSync(full);
      await until(() => gateway.ready().catch(() => false));
      expect(await gateway.stop()).toBe(0);
    } finally {
      await gateway.end();
    }
  });
});
