import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT } from "../../architecture/sources.js";

const directory = mkdtempSync(join(tmpdir(), "gwc-commit-msg-"));
afterAll(() => rmSync(directory, { recursive: true }));

function runHook(message: string): { status: number | null; stderr: string } {
  const file = join(directory, "COMMIT_EDITMSG");
  writeFileSync(file, message);
  const hook = join(ROOT, "packaging/hooks/commit-msg");
  const { status, stderr } = spawnSync(hook, [file], { encoding: "utf8" });
  return { status, stderr };
}

const SCISSORS = "# ------------------------ >8 ------------------------";

const GOOD = [
  "http: send a closing response whole to a slow client",
  "docs, test: Read the version from package.json",
  "access-log: escape quotes\n\nThe reason is in the body, and a line of it may be as long as its author wants it to be.",
  "tls: feed the parser once\n\n# A comment of git",
  "# A comment of git\n\ncli: list commands\n# Another one\n",
  `cli: list commands\n\n${SCISSORS}\ndiff --git a/a.ts b/a.ts`,
  `regex: ${"é".repeat(65)}`.replace("é", "x"),
  "Merge branch 'h-docs'",
  'Revert "cli: list commands"',
  "fixup! Anything that the first commit was called.",
  "squash! cli: list commands",
];

const BAD: readonly (readonly [string, string])[] = [
  ["list commands", "the subject has no area"],
  ["CLI: list commands", "an area consists of lower-case letters"],
  ["cli,docs: list commands", "an area consists of lower-case letters"],
  ["cli:list commands", "the subject has no area"],
  ["cli: 20 commands", "the text begins with a verb"],
  ["cli: added commands", 'the text begins with an imperative: "add", not "added"'],
  ["cli: Applies a policy", 'the text begins with an imperative: "apply", not "Applies"'],
  ["cli: dropping commands", 'the text begins with an imperative: "drop", not "dropping"'],
  ["cli: making commands", 'the text begins with an imperative: "make", not "making"'],
  ["cli: wrote commands", 'the text begins with an imperative: "write", not "wrote"'],
  [`cli: list ${"x".repeat(63)}`, "the subject has 73 characters, at most 72"],
  ["cli: list commands.", "the subject ends without a full stop"],
  ["cli: list commands\nand their options", "the line after the subject is empty"],
];

describe("packaging/hooks/commit-msg", () => {
  it.each(GOOD)("the commit-msg hook accepts the message %j", (message) => {
    expect(runHook(message)).toEqual({ status: 0, stderr: "" });
  });

  it.each(BAD)("the commit-msg hook rejects the message %j because %s", (message, reason) => {
    const { status, stderr } = runHook(message);
    expect(stderr).toContain(reason);
    expect(status).toBe(1);
  });

  it("the commit-msg hook names every broken rule at once", () => {
    const { stderr } = runHook("Cli: Added commands.\nmore");
    expect(stderr.trim().split("\n")).toHaveLength(5);
  });
});
