import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";

const root = mkdtempSync(join(tmpdir(), "gwc-maps-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const CONFIGURATION = `upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
services:
  - id: shop
    upstream_id: orders
    plugins:
      syslog: { host: 10.0.0.9, port: 514 }
routes:
  - id: .hidden
    uri: /a/*
    service_id: shop
    vars: [[http_x, "~~", "^v"]]
    plugins:
      proxy-rewrite:
        regex_uri: ["^/a/(.*)", "/$1"]
      response-rewrite:
        headers: { set: { X-A: "1" } }
`;
const MODULE = "routes/%2Ehidden.ts";
const MAP = "routes/%2Ehidden.js.map";

const read = (name: string) => readFileSync(join(root, "dist", name), "utf8");
const lines = CONFIGURATION.split("\n");

interface Manifest {
  planHash: string;
  files: Record<string, string>;
  maps: Record<string, string>;
}

const manifest = (): Manifest => JSON.parse(read("manifest.json"));

function build(text: string): void {
  mkdirSync(join(root, "conf.d"), { recursive: true });
  writeFileSync(join(root, "conf.d/shop.yaml"), text);
  const { status, stderr } = gwc(root, ["build", "conf.d", "--out", "dist"]);
  expect(stderr).not.toMatch(/error/);
  expect(status).toBe(0);
}

/** The line of the configuration for a statement of the module, by Node's reader of source maps. */
function lineOf(statement: string): string | undefined {
  const code = read(MODULE).split("\n");
  const line = code.findIndex((text) => text.includes(statement));
  const map = new SourceMap(JSON.parse(read(MAP)));
  const entry = map.findEntry(line, code[line]?.search(/\S/) ?? 0);
  if (!("originalSource" in entry)) return undefined;
  expect(resolve(root, "dist", dirname(MODULE), entry.originalSource)).toBe(join(root, "conf.d/shop.yaml"));
  return lines[entry.originalLine]?.slice(entry.originalColumn);
}

describe("the source map of a module", () => {
  beforeAll(() => build(CONFIGURATION));

  it("a source map leads from each statement to its setting, also to one of a service", () => {
    expect(lineOf("const uriPattern")).toMatch(/^"\^\/a/);
    expect(lineOf("const found")).toMatch(/^"\^\/a/);
    expect(lineOf("x.captures = found")).toMatch(/^proxy-rewrite:/);
    expect(lineOf('"X-A"')).toMatch(/^X-A:/);
    expect(lineOf(".log(x)")).toMatch(/^syslog:/);
    expect(lineOf("return matches(")).toMatch(/^\[http_x/);
    expect(lineOf("export default")).toMatch(/^id: \.hidden/);
  });

  it("a module names its source map, and the manifest lists maps apart from files", () => {
    expect(read(MODULE)).toMatch(/\n\/\/# sourceMappingURL=%252Ehidden\.js\.map\n$/);
    const { files, maps } = manifest();
    expect(Object.keys(files)).toContain(MODULE);
    expect(Object.keys(files).filter((name) => name.endsWith(".map"))).toEqual([]);
    expect(Object.keys(maps).filter((name) => name !== "locations.json")).toEqual(
      readdirSync(join(root, "dist/routes"))
        .filter((name) => name.endsWith(".map"))
        .map((name) => `routes/${name}`),
    );
  });

  it("a comment changes source maps, but neither files nor plan hash of the manifest", () => {
    const before = manifest();
    build(`# a comment\n\n${CONFIGURATION}`);
    const after = manifest();
    expect(after.files).toEqual(before.files);
    expect(after.planHash).toBe(before.planHash);
    expect(after.maps).not.toEqual(before.maps);
  });
});
