import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";

/** As many as are worth a memory (`cli/build-memory.ts`). */
const ROUTES = 480;
const root = mkdtempSync(join(tmpdir(), "gwc-memory-"));
const cache = join(root, "cache/gwc/builds");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const route = (i: number, value: string) => `  - id: r${i}
    uri: /r${i}
    service_id: s
    methods: [GET, POST]
    plugins:
      proxy-rewrite: { headers: { set: { X-A: "${value}", X-Client-Ip: $remote_addr } } }
      response-rewrite:
        vars: [[status, "==", 200]]
        filters: [{ regex: "node-${i}-[0-9]+", replace: node, scope: global }]
`;

function configure(value: string, service = "one", before = ""): void {
  const list = (from: number) => Array.from({ length: ROUTES / 2 }, (_, i) => from + i);
  writeFileSync(
    join(root, "conf.d/a.yaml"),
    `${before}upstreams:\n  - { id: u, nodes: { "10.0.0.1:80": 1 } }
services:\n  - { id: s, upstream_id: u, plugins: { key-auth: { header: ${service} } } }
consumers:\n  - { username: ann, plugins: { key-auth: { key: "\${{ANN}}" } } }\n`,
  );
  const written = (from: number, first: string) =>
    list(from)
      .map((i) => route(i, i === from ? first : "same"))
      .join("");
  writeFileSync(join(root, "conf.d/b.yaml"), `routes:\n${written(0, value)}`);
  writeFileSync(join(root, "conf.d/c.yaml"), `routes:\n${written(ROUTES / 2, "last")}`);
}

const variables = (home: string) => ({
  ...{ XDG_CACHE_HOME: join(home, "cache"), XDG_CONFIG_HOME: join(home, "config"), ANN: "k-1" },
});

/** @param home where the memory of builds and its key are */
function build(out: string, home = root): string {
  const { status, stdout, stderr } = gwc(
    root,
    ["build", "conf.d", "--out", out, "--no-type-check"],
    variables(home),
  );
  expect(stderr).not.toMatch(/error/);
  expect(status).toBe(0);
  return stdout;
}

function files(out: string): Record<string, string> {
  const entries = readdirSync(join(root, out), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(join(root, out).length + 1), readFileSync(path, "utf8")]),
  );
}

/** The same built by nobody who remembers anything. */
function builtAnew(): Record<string, string> {
  rmSync(join(root, "anew"), { recursive: true, force: true });
  build("anew", mkdtempSync(join(root, "home-")));
  return files("anew");
}

const remembered = () => readdirSync(cache).map((name) => join(cache, name));

beforeEach(() => {
  for (const name of ["conf.d", "dist", "cache", "config"])
    rmSync(join(root, name), { recursive: true, force: true });
  mkdirSync(join(root, "conf.d"));
  configure("one");
  build("dist");
});

it("has the bytes of a build from nothing, whatever has changed", () => {
  const changes = [
    () => configure("two"),
    () => configure("two", "two"),
    () => configure("two", "two", "# a comment\n\n"),
  ];
  for (const change of changes) {
    change();
    build("dist");
    expect(files("dist")).toEqual(builtAnew());
  }
});

it("makes again what is gone or damaged, though it remembers it", () => {
  const [gone, damaged] = ["r5.ts", "r6.ts"].map((name) => join(root, "dist/routes", name));
  if (!gone || !damaged) throw new Error();
  rmSync(gone);
  writeFileSync(damaged, readFileSync(damaged, "utf8").replace("same", "evil"));
  rmSync(join(root, "dist/plan.json"));
  expect(build("dist")).toContain("3 files written");
  expect(files("dist")).toEqual(builtAnew());
});

it("believes no memory that somebody else has written, nor one whose key others can read", () => {
  const [path = ""] = remembered();
  const text = readFileSync(path, "utf8");
  const poisoned = text.replaceAll(/"pipeline":"[0-9a-f]{64}"/g, `"pipeline":"${"0".repeat(64)}"`);
  expect(poisoned).not.toBe(text);
  writeFileSync(path, poisoned);
  expect(build("dist")).toContain("0 files written");
  expect(readFileSync(path, "utf8")).toBe(text);
  chmodSync(join(root, "config/gwc/build.key"), 0o644);
  utimesSync(path, 1, 1);
  build("dist");
  expect(statSync(path).mtimeMs).toBe(1_000);
});

it("leaves nothing beside the directory, whether it is replaced, refused or what it stands on is gone", () => {
  const beside = () => readdirSync(root).filter((name) => name.startsWith("dist"));
  configure("two");
  build("dist");
  expect(beside()).toEqual(["dist"]);
  const before = files("dist");
  configure("two", "no header name");
  expect(gwc(root, ["build", "conf.d", "--out", "dist"], variables(root)).status).toBe(1);
  expect(files("dist")).toEqual(before);
  expect(beside()).toEqual(["dist"]);
  rmSync(join(root, "dist"), { recursive: true });
  configure("three");
  build("dist");
  expect(files("dist")).toEqual(builtAnew());
  expect(beside()).toEqual(["dist"]);
});

it("never writes through a link that somebody has to a file of the last build", () => {
  const name = Object.keys(files("dist")).find((path) => path.endsWith("/r0.ts")) ?? "";
  linkSync(join(root, "dist", name), join(root, "mine"));
  const before = readFileSync(join(root, "mine"), "utf8");
  configure("two");
  build("dist");
  expect(readFileSync(join(root, "mine"), "utf8")).toBe(before);
  expect(files("dist")[name]).not.toBe(before);
  expect(files("dist")).toEqual(builtAnew());
});

it("keeps it to the user", () => {
  for (const path of [...remembered(), join(root, "config/gwc/build.key")])
    expect(statSync(path).mode & 0o777).toBe(0o600);
});
