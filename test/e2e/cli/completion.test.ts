import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const run = (...args: string[]) => gwc(directory.path, args);

/** Completions that bash offers for the last of these words. */
function offered(...words: string[]): string[] {
  const { stdout: script } = run("completion", "bash");
  const asked = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _gwc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `${script}\n${asked}`], {
    cwd: directory.path,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

describe("gwc completion bash", () => {
  it.each([
    [["gwc", "bu"], ["build"]],
    [
      ["gwc", "explain"],
      ["explain-route", "explain"],
    ],
    [["gwc", "build", "--ou"], ["--out"]],
    [
      ["gwc", "check", "--format", ""],
      ["text", "json", "sarif", "github"],
    ],
    [["gwc", "spool", "d"], ["drain"]],
    [["gwc", "spool", "show", "--format", "j"], ["json"]],
    [["gwc", "completion", "f"], ["fish"]],
    [["gwc", "check", "--strict", "--qu"], ["--quiet"]],
  ])("bash completion of %j offers %j", (words, expected) => {
    expect(offered(...words).sort()).toEqual([...expected].sort());
  });

  it("bash completion offers every command of the help", () => {
    const shown = [...run("--help").stdout.matchAll(/^ {2}([a-z-]+)(?: |$)/gm)].map(([, name]) => name);
    const commands = shown.filter((name) => name !== "gwc");
    expect(commands.length).toBeGreaterThan(15);
    expect(offered("gwc", "")).toEqual(expect.arrayContaining(commands));
  });
});

describe("gwc completion fish", () => {
  it("fish completion offers commands first and then the options of a command", () => {
    const lines = run("completion", "fish").stdout.split("\n");
    expect(lines).toContainEqual(
      expect.stringMatching(/^complete -c gwc -n '__fish_use_subcommand' -f -a build -d '/),
    );
    const behind =
      "complete -c gwc -n '__fish_seen_subcommand_from spool; and __fish_seen_subcommand_from show'";
    expect(lines).toContainEqual(expect.stringContaining(`${behind} -l format -x -a 'text json'`));
  });
});

describe("gwc completion man", () => {
  it("gwc completion man prints a page with commands, options and the exit status", () => {
    const page = run("completion", "man").stdout;
    expect(page).toMatch(/^\.TH GWC 1 /);
    expect(page).toContain(".SS gwc spool drain [options]");
    expect(page).toContain(".B \\-o, \\-\\-out <directory>");
    expect(page).toContain(".SH EXIT STATUS");
    expect(page.split("\n").filter((line) => /^\.(?!TH|SH|SS|TP|B )/.test(line))).toEqual([]);
  });
});

describe("a password in the address of an admin API", () => {
  const ADDRESS = "http://user:pass-that-nobody-may-see@127.0.0.1:1";
  it.each([
    [["adopt", "routes/1", "--admin", ADDRESS]],
    [["diff", ADDRESS, "gateway.yaml"]],
    [["captcha", "rotate", "--admin", ADDRESS]],
  ])("an admin address with a password is refused and not printed: %j", (args) => {
    const { status, stdout, stderr } = run(...args);
    expect(status).not.toBe(0);
    expect(stderr).toContain("--key");
    expect(stdout + stderr).not.toContain("nobody-may-see");
  });
});

describe("a key in the environment", () => {
  it.each(["adopt", "diff"])("a key in the environment is not printed by gwc %s --help", (command) => {
    const env = { GWC_ADMIN_KEY: "key-that-nobody-may-see" };
    const { status, stdout } = gwc(directory.path, [command, "--help"], env);
    expect(status).toBe(0);
    expect(stdout).toContain("GWC_ADMIN_KEY");
    expect(stdout).not.toContain("key-that-nobody-may-see");
  });
});
