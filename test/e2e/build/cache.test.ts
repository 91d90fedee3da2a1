import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";

const root = mkdtempSync(join(tmpdir(), "gwc-cache-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const configuration = (value: string) => `upstreams:
  - { id: u, nodes: { "10.0.0.1:80": 1 } }
routes:
  - { id: a, uri: /a, upstream_id: u, plugins: { proxy-rewrite: { headers: { set: { X-A: "${value}" } } } } }
  - { id: b, uri: /b, upstream_id: u, plugins: { proxy-rewrite: { host: b.test } } }
`;

function build(value: string, ...more: string[]): string {
  writeFileSync(join(root, "gateway.yaml"), configuration(value));
  const { status, stderr } = gwc(root, ["build", ...more]);
  expect(status, stderr).toBe(0);
  return stderr;
}

const checked = (out = "dist") =>
  (JSON.parse(readFileSync(join(root, out, "manifest.json"), "utf8")) as { checked?: string }).checked;
const cached = () =>
  readFileSync(join(root, "cache", `passed-${checked()}`), "utf8")
    .split("\n")
    .slice(1);

it("a build's manifest has a key of checked modules unless the type check was off", () => {
  build("one");
  expect(checked()).toMatch(/^[0-9a-f]{64}$/);
  build("one", "--no-type-check");
  expect(checked()).toBeUndefined();
});

it("a shared check cache grows with other builds, and a damaged one does not change their code", () => {
  build("one", "--cache", "cache");
  expect(cached()).toHaveLength(2);
  const files = readdirSync(join(root, "cache"));
  build("two", "--cache", "cache", "--out", "other");
  expect(cached()).toHaveLength(3);
  const code = readFileSync(join(root, "other/routes/a.ts"), "utf8");
  for (const file of files) writeFileSync(join(root, "cache", file), "0".repeat(64));
  build("two", "--cache", "cache", "--out", "third");
  expect(readFileSync(join(root, "third/routes/a.ts"), "utf8")).toBe(code);
  expect(cached()).toHaveLength(2);
});

it("a build with an unwritable cache succeeds with a message", () => {
  writeFileSync(join(root, "a-file"), "");
  expect(build("three", "--cache", "a-file/below")).toMatch(/cannot write the cache a-file\/below/);
});
