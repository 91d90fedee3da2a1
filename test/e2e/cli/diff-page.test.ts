import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../../docs/diff.md", import.meta.url)), "utf8");
const CONFIGURATIONS = Array.from(PAGE.matchAll(/^```yaml\n(.*?)^```$/gms), ([, text = ""]) => text);
const [, COMMAND = "", SHOWN = ""] = /^```\n\$ gwc ([^\n]+)\n(.*?)^```$/ms.exec(PAGE) ?? [];

const directory = useTemporaryDirectory();

it("the page docs/diff.md shows the output of gwc diff for the two configurations of the page", () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=n", "-c", "user.email=n@example.com", ...args], {
      cwd: directory.path,
    });
  const [before = "", after = ""] = CONFIGURATIONS;
  const file = join(directory.path, "gateway/shop.yaml");
  mkdirSync(join(directory.path, "gateway"));
  writeFileSync(file, before);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  writeFileSync(file, after);
  expect(COMMAND).toBe("diff main:gateway/ gateway/");
  const { status, stdout, stderr } = gwc(directory.path, [...COMMAND.split(" "), "-q"]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  expect(stdout).toBe(SHOWN);
});
