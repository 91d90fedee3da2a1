import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { CLI, useTemporaryDirectory } from "../../support/cli.js";

// Commands of the CI templates, in a repository with a branch that changes a route.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const directory = useTemporaryDirectory();

const configuration = (host: string) => `upstreams:
  - { id: shop, nodes: { "127.0.0.1:9": 1 } }
routes:
  - { id: shop, uri: /*, hosts: [${host}], upstream_id: shop }
tests:
  - name: the shop answers
    request: { target: /, host: ${host} }
    expect: { route: shop }
`;

/** Runs gwc for `npx gwc …` and `npx --no gwc …`. */
const NPX = `#!/bin/sh\n[ "$1" != --no ] || shift\nshift\nexec ${process.execPath} ${CLI} "$@"\n`;

type Hook = { entry: string; language: string };

function repository(): void {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: directory.path });
  mkdirSync(join(directory.path, "bin"));
  writeFileSync(join(directory.path, "bin/npx"), NPX, { mode: 0o755 });
  git("init", "-q", "-b", "main");
  writeFileSync(join(directory.path, "gateway.yaml"), configuration("shop.example"));
  git("add", "gateway.yaml");
  git("commit", "-qm", "one");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  writeFileSync(join(directory.path, "gateway.yaml"), configuration("store.example"));
}

function run(command: string) {
  const env = { PATH: `${directory.path}/bin:${process.env["PATH"]}`, BASE: "origin/main" };
  return spawnSync("sh", ["-ec", command], { cwd: directory.path, env, encoding: "utf8" });
}

const written = (file: string) => parse(readFileSync(join(ROOT, file), "utf8")) as unknown;

const COMMANDS: [template: string, commands: () => string[]][] = [
  [
    "packaging/ci/github-workflow.yaml",
    () => {
      const { jobs } = written("packaging/ci/github-workflow.yaml") as {
        jobs: { gateway: { steps: { run?: string }[] } };
      };
      return jobs.gateway.steps.flatMap((step) => step.run ?? []);
    },
  ],
  [
    "packaging/ci/gitlab-ci.yaml",
    () => (written("packaging/ci/gitlab-ci.yaml") as { gateway: { script: string[] } }).gateway.script,
  ],
  [".pre-commit-hooks.yaml", () => (written(".pre-commit-hooks.yaml") as Hook[]).map(({ entry }) => entry)],
];

it.each(COMMANDS)(
  "%s: each of its commands succeeds, and the diff contains the change",
  (template, commands) => {
    repository();
    const ours = commands().filter((command) => /^npx (?:--no )?gwc/.test(command));
    expect(ours.length).toBeGreaterThanOrEqual(2);
    for (const command of ours) {
      const { status, stderr } = run(command);
      expect([command, status, stderr.includes("error")]).toEqual([command, 0, false]);
    }
    if (template === ".pre-commit-hooks.yaml") return;
    expect(readFileSync(join(directory.path, "gwc-diff.md"), "utf8")).toContain("store.example");
    expect(readFileSync(join(directory.path, "gwc-tests.xml"), "utf8")).toContain("the shop answers");
    expect(JSON.parse(readFileSync(join(directory.path, "dist/manifest.json"), "utf8"))).toHaveProperty(
      "planHash",
    );
  },
);

it("pre-commit hooks run the gwc of the project, because a clone of the repository contains no program", () => {
  for (const { entry, language } of written(".pre-commit-hooks.yaml") as Hook[])
    expect([entry, language]).toEqual([expect.stringMatching(/^npx --no gwc /), "system"]);
});
