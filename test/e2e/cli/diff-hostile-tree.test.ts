import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { escapeUnseen } from "../../../runtime/abi/text/unseen.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();
const at = (...names: string[]) => join(directory.path, ...names);
const git = (args: readonly string[], input?: Buffer | string) =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@example.com", ...args], {
    cwd: at("repo"),
    input,
    stdio: ["pipe", "pipe", "pipe"],
  })
    .toString()
    .trim();

const ROUTES =
  "upstreams: [{ id: u, nodes: { '10.0.0.1:80': 1 } }]\nroutes: [{ id: r, uri: /r, upstream_id: u }]\n";

type Entry = [mode: "100644" | "120000" | "160000" | "40000", name: string, id: string];

const blob = (text: string) => git(["hash-object", "-w", "--stdin"], text);
/** Writes a tree object with any names, also those that git's own commands refuse. */
const tree = (...entries: Entry[]) =>
  git(
    ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
    Buffer.concat(
      entries.map(([mode, name, id]) =>
        Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
      ),
    ),
  );

const diff = (side: string) =>
  gwc(at("repo"), ["diff", "-q", side, "gateway.yaml"], { TMPDIR: at("tmp"), HOME: directory.path });

beforeEach(() => {
  mkdirSync(at("repo"), { recursive: true });
  mkdirSync(at("tmp"));
  writeFileSync(at("repo/gateway.yaml"), ROUTES);
  git(["init", "-q", "-b", "main"]);
  git(["add", "gateway.yaml"]);
  git(["commit", "-q", "-m", "one"]);
});

describe("gwc diff of a revision", () => {
  it.each([
    ["../../victim.yaml", "gateway.yaml"],
    ["..", "."],
    ["/tmp/victim.yaml", "."],
    [".git", "."],
    [".GIT", "."],
    ["git~1", "."],
    [".git ", "."],
    [".git::$INDEX_ALLOCATION", "."],
    [".g\u200cit", "."],
    ["a\\..\\..\\victim.yaml", "."],
  ])("gwc diff refuses a tree with the entry %j and writes nothing", (name) => {
    writeFileSync(at("victim.yaml"), "precious");
    const inside = tree(["100644", "config", blob("routes: []\n")]);
    const evil: Entry =
      /^(?:\.\.|\.?git|\.g)/i.test(name) && !name.includes("/")
        ? ["40000", name, inside]
        : ["100644", name, blob("routes: []\n")];
    const root = tree(["40000", "conf", tree(evil, ["100644", "x.yaml", blob(ROUTES)])]);
    for (const side of [`${root}:conf`, `${root}:.`]) {
      const { status, stdout, stderr } = diff(side);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain(
        `cannot read the tree of revision "${root}": ${escapeUnseen(JSON.stringify(`conf/${name}`).slice(0, -1))}`,
      );
    }
    expect(readFileSync(at("victim.yaml"), "utf8")).toBe("precious");
    expect(readdirSync(at("tmp"))).toEqual([]);
    expect(existsSync(at("repo/.git/config.yaml"))).toBe(false);
  });

  it("gwc diff refuses a tree with a duplicate entry", () => {
    const root = tree(["100644", "a.yaml", blob(ROUTES)], ["100644", "a.yaml", blob("routes: []\n")]);
    expect(diff(`${root}:.`).stderr).toContain('"a.yaml" appears twice');
  });

  it.each([
    ["120000", "link"],
    ["160000", "submodule"],
  ] as const)(
    "gwc diff refuses an entry of mode %s that it would read, and names the entry",
    (mode, kind) => {
      const id = mode === "120000" ? blob("/etc/passwd") : git(["rev-parse", "HEAD"]);
      const root = tree(
        ["40000", "conf", tree([mode, "README", id], ["100644", "x.yaml", blob(ROUTES)])],
        ["40000", "links", tree([mode, "x.yaml", id])],
        [mode, "other", id],
      );
      expect(diff(`${root}:conf`)).toMatchObject({ status: 0 });
      for (const [side, name] of [
        ["links", "links/x.yaml"],
        ["other", "other"],
        ["other/x.yaml", "other"],
      ] as const) {
        const { status, stderr } = diff(`${root}:${side}`);
        expect(status).toBe(2);
        expect(stderr).toContain(`"${name}" is a ${kind}, which is not followed`);
      }
    },
  );

  it("gwc diff writes no file for a configuration and removes the folder from which it reads a build", () => {
    expect(diff("main:gateway.yaml")).toMatchObject({ status: 0, stderr: "" });
    expect(readdirSync(at("tmp"))).toEqual([]);
    expect(gwc(at("repo"), ["build", "--no-type-check"], { HOME: directory.path })).toMatchObject({
      status: 0,
    });
    git(["add", "-f", "dist"]);
    git(["commit", "-q", "-m", "two"]);
    expect(diff("main:dist")).toMatchObject({ status: 0 });
    expect(readdirSync(at("tmp"))).toEqual([]);
    const dist = git(["rev-parse", "HEAD:dist"]);
    const entries = git(["ls-tree", dist])
      .split("\n")
      .map((line): Entry => {
        const [, mode = "", id = "", name = ""] = /^(\d+) \w+ (\w+)\t(.*)$/.exec(line) ?? [];
        return [mode.replace(/^0/, "") as Entry[0], name, id];
      });
    const root = tree(["40000", "dist", tree(...entries, ["120000", "zz", blob("/etc")])]);
    expect(diff(`${root}:dist`).stderr).toContain('"dist/zz" is a link, which is not followed');
    expect(readdirSync(at("tmp"))).toEqual([]);
  });
});
