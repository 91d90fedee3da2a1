import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { gwc } from "./cli.js";

/** Enough routes for the build cache (`cli/build.ts`). */
const ROUTES = 480;
export const root = mkdtempSync(join(tmpdir(), "gwc-memory-"));
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

export function configure(value: string, service = "one", before = ""): void {
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

export const variables = (home: string) => ({
  ...{ XDG_CACHE_HOME: join(home, "cache"), XDG_CONFIG_HOME: join(home, "config"), ANN: "k-1" },
});

/** @param home home of the build cache and its key */
export function build(out: string, home = root): string {
  const { status, stdout, stderr } = gwc(
    root,
    ["build", "conf.d", "--out", out, "--no-type-check"],
    variables(home),
  );
  expect(stderr).not.toMatch(/error/);
  expect(status).toBe(0);
  return stdout;
}

export function files(out: string): Record<string, string> {
  const entries = readdirSync(join(root, out), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(join(root, out).length + 1), readFileSync(path, "utf8")]),
  );
}

/** Builds the same without a cache. */
export function builtWithoutCache(): Record<string, string> {
  rmSync(join(root, "anew"), { recursive: true, force: true });
  build("anew", mkdtempSync(join(root, "home-")));
  return files("anew");
}

const remembered = () => readdirSync(cache).map((name) => join(cache, name));

export function expectPrivate(): void {
  for (const path of [...remembered(), join(root, "config/gwc/build.key")])
    expect(statSync(path).mode & 0o777).toBe(0o600);
}

/**
 * Writes wrong hashes into the cache, and expects the next build to rewrite the cache but no module.
 * @returns the path of the cache
 */
export function expectNoTrustInPoisoned(): string {
  const [path = ""] = remembered();
  const text = readFileSync(path, "utf8");
  const poisoned = text.replaceAll(/"pipeline":"[0-9a-f]{64}"/g, `"pipeline":"${"0".repeat(64)}"`);
  expect(poisoned).not.toBe(text);
  writeFileSync(path, poisoned);
  expect(build("dist")).toContain("0 files written");
  expect(readFileSync(path, "utf8")).toBe(text);
  return path;
}
