import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gwc-determinism-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Script of a build process with the given clock, time zone and working directory. */
const BUILD = `
const [compiler, dist, files, now] = process.argv.slice(2);
const shift = Date.parse(now) - Date.now();
const real = Date.now;
Date.now = () => real() + shift;
const { compile } = await import(compiler);
const { writeBuild } = await import(dist);
const { readSources } = await import(files);
const { sources } = readSources(["conf.d"]);
const result = compile({ sources, environment: { STAGE: "test" } });
if (!result.artifact) throw new Error(JSON.stringify(result.diagnostics));
const { diagnostics: findings } = writeBuild("dist", result);
if (findings.length > 0) throw new Error(JSON.stringify(findings));
`;

function configuration(): Record<string, string> {
  const routes = Array.from(
    { length: 60 },
    (_, i) => `  - id: r${i}
    uri: /r${i}/*
    service_id: shop
    vars: [[arg_v, "==", "v${i}"]]
    plugins:
      proxy-rewrite: { headers: { set: { X-Route: "\${{STAGE}}-${i} é" } } }
      response-rewrite: { filters: [{ regex: '\\d{${i + 1}}', replace: "x" }] }
`,
  );
  return {
    "a.yaml": `upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
services:
  - { id: shop, upstream_id: orders }
`,
    "b.yaml": `routes:\n${routes.join("")}`,
  };
}

function build(name: string, now: string, environment: Record<string, string>): Map<string, string> {
  const directory = join(folder, name);
  mkdirSync(join(directory, "conf.d"), { recursive: true });
  for (const [file, text] of Object.entries(configuration()))
    writeFileSync(join(directory, "conf.d", file), text);
  writeFileSync(join(directory, "build.mjs"), BUILD);
  const module = (path: string) => pathToFileURL(join(ROOT, ".build", path)).href;
  execFileSync(
    process.execPath,
    [
      "build.mjs",
      module("cli/compiler.js"),
      module("compiler/7-build/write.js"),
      module("compiler/1-parse/files.js"),
      now,
    ],
    { cwd: directory, env: { ...process.env, ...environment }, stdio: "pipe" },
  );
  const dist = join(directory, "dist");
  return new Map(
    readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path): [string, string] => [path.slice(dist.length + 1), readFileSync(path, "latin1")])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

it("a build has the same bytes in another directory, at another time, and in another zone and locale", () => {
  const first = build("here", "2026-01-02T03:04:05Z", { TZ: "UTC", LANG: "C" });
  const second = build("some where/else", "2031-12-31T23:59:59Z", {
    TZ: "Asia/Tokyo",
    LANG: "de_DE.UTF-8",
    LC_ALL: "tr_TR.UTF-8",
  });
  expect(first.size).toBe(2 * 60 + 4);
  expect([...second.keys()]).toEqual([...first.keys()]);
  for (const [file, text] of first) expect(second.get(file), file).toBe(text);
  for (const [file, text] of first) expect(text, file).not.toContain(folder);
});
