import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { readBuild } from "../../../runtime/proxy/host/build-reader.js";
import { CLI, gwc } from "../../support/cli.js";

const ROUTES = 20;
const root = mkdtempSync(join(tmpdir(), "gwc-placed-"));
const dist = join(root, "dist");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const configuration = (first: string, count = ROUTES) =>
  `upstreams:\n  - { id: u, nodes: { "10.0.0.1:80": 1 } }\nroutes:\n${Array.from(
    { length: count },
    (_, i) => `  - id: r${i}
    uri: /r${i}
    upstream_id: u
    plugins: { proxy-rewrite: { headers: { set: { X-A: "${i === 0 ? first : "same"}" } } } }
`,
  ).join("")}`;

function build(text: string): string {
  writeFileSync(join(root, "gateway.yaml"), text);
  const { status, stdout, stderr } = gwc(root, ["build", "--no-type-check"]);
  expect(stderr).not.toMatch(/error/);
  expect(status).toBe(0);
  return stdout;
}

/** Inode and modification time of every file. */
function files(): Map<string, string> {
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const { ino, mtimeMs } = statSync(join(entry.parentPath, entry.name));
      return [join(entry.parentPath, entry.name).slice(dist.length + 1), `${ino} ${mtimeMs}`];
    }),
  );
}

const others = (before: Map<string, string>, after: Map<string, string>) =>
  [...after.keys()].filter((name) => before.get(name) !== after.get(name)).sort();

beforeEach(() => rmSync(dist, { recursive: true, force: true }));

it("a build writes only the files that changed and prints their number", () => {
  expect(build(configuration("one"))).toContain(`${2 * ROUTES + 4} files written,`);
  const before = files();
  expect(build(configuration("two"))).toContain(`4 files written, ${2 * ROUTES} unchanged`);
  const after = files();
  expect(others(before, after)).toEqual(["gateway.json", "manifest.json", "resources.json", "routes/r0.ts"]);
  expect(build(configuration("two"))).toContain(`0 files written, ${2 * ROUTES + 4} unchanged`);
  expect(files()).toEqual(after);
  build(configuration("two", ROUTES - 1));
  expect([...files().keys()].filter((name) => name.includes(`r${ROUTES - 1}`))).toEqual([]);
  expect(readBuild(dist).artifact.routes).toHaveLength(ROUTES - 1);
});

it("a build repairs damaged, missing and linked files", () => {
  build(configuration("one"));
  const file = (name: string) => join(dist, "routes", name);
  const good = readFileSync(file("r1.ts"), "utf8");
  writeFileSync(file("r1.ts"), good.replace("same", "evil"));
  writeFileSync(join(root, "elsewhere.ts"), readFileSync(file("r2.ts")));
  rmSync(file("r2.ts"));
  symlinkSync(join(root, "elsewhere.ts"), file("r2.ts"));
  rmSync(file("r3.ts"));
  writeFileSync(file("added.ts"), "");
  build(configuration("one"));
  expect(readFileSync(file("r1.ts"), "utf8")).toBe(good);
  writeFileSync(join(root, "elsewhere.ts"), "");
  expect(readBuild(dist).artifact.modules).toHaveLength(ROUTES);
});

it("a build removes no file outside of its directory, whatever the old manifest lists", () => {
  // A configuration of this size is linked instead of written if it is the same (cli/build.ts).
  const build = (first: string) => {
    writeFileSync(join(root, "gateway.yaml"), `${configuration(first)}# ${"x".repeat(100_000)}\n`);
    expect(gwc(root, ["build", "--no-type-check"], { HOME: root })).toMatchObject({ status: 0 });
  };
  build("one");
  const manifest = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8"));
  manifest.files = { "../victim": "0".repeat(64), ...manifest.files };
  writeFileSync(join(dist, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "victim"), "precious");
  build("two");
  expect(readFileSync(join(root, "victim"), "utf8")).toBe("precious");
  expect(Object.keys(JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8")).files)).not.toContain(
    "../victim",
  );
});

it("a killed build leaves the old or the new directory, and the next build cleans up", async () => {
  mkdirSync(root, { recursive: true });
  build(configuration("one", 200));
  writeFileSync(join(root, "gateway.yaml"), configuration("two", 400));
  for (const after of ["next", "previous"]) {
    const child = spawn(process.execPath, [CLI, "build", "--no-type-check"], { cwd: root, stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const watch = setInterval(() => {
      if (readdirSync(root).some((name) => name.startsWith(`dist.${after}-`))) child.kill("SIGKILL");
    }, 1);
    await ended;
    clearInterval(watch);
    const left = readdirSync(root).filter((name) => name.startsWith("dist.previous-"));
    if (!readdirSync(root).includes("dist")) expect(left).toHaveLength(1);
    else expect([200, 400]).toContain(readBuild(dist).artifact.routes.length);
  }
  for (const name of readdirSync(root)) if (name.startsWith("dist.")) utimesSync(join(root, name), 1, 1);
  build(configuration("three", 400));
  expect(readBuild(dist).artifact.routes).toHaveLength(400);
  expect(readdirSync(root).filter((name) => name.startsWith("dist"))).toEqual(["dist"]);
});
