import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";

const ROUTES = 50;
const root = mkdtempSync(join(tmpdir(), "gwc-stable-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const SHARED = `upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
services:
  - id: shop
    upstream_id: orders
    plugins: { syslog: { host: 10.0.0.9, port: 514 } }
`;
/** The last route by its id, without a tie. */
const INSERTED = route("z", "new");

function route(id: string, value: string): string {
  return `  - id: ${id}
    uri: /${id}/*
    service_id: shop
    vars: [[http_x, "~~", "^${value}"]]
    plugins:
      proxy-rewrite: { headers: { set: { X-Route: "${value}" } }, regex_uri: ["^/${id}/(.*)", "/$1"] }
      response-rewrite: { filters: [{ regex: 'a+', replace: "x" }] }
`;
}

const routes = (before = "") =>
  `routes:\n${before}${Array.from({ length: ROUTES }, (_, i) => route(`r${i}`, `v${i}`)).join("")}`;

function write(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, directory, name, ".."), { recursive: true });
    writeFileSync(join(root, directory, name), text);
  }
}

/** Builds in a directory and returns every file of the build. */
function built(directory: string, ...paths: string[]): Map<string, string> {
  const { status, stderr } = gwc(join(root, directory), [
    "build",
    ...paths,
    "--out",
    "dist",
    "--no-type-check",
  ]);
  expect(stderr).not.toMatch(/error/);
  expect(status).toBe(0);
  const dist = join(root, directory, "dist");
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(dist.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

/** Names of the files that differ or exist on one side only, except those about source locations. */
function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.filter((name) => before.get(name) !== after.get(name) && !isOfPlaces(name));
}

const isOfPlaces = (name: string) =>
  ["manifest.json", "locations.json"].includes(name) || name.endsWith(".map");

function linesChanged(before = "", after = ""): string[] {
  const known = new Set(before.split("\n"));
  return after.split("\n").filter((line) => !known.has(line));
}

describe("a build depends only on the meaning of its configuration", () => {
  const files = { "conf.d/a.yaml": SHARED, "conf.d/b.yaml": routes() };

  it.each([
    ["a comment", { "conf.d/b.yaml": `# a comment\n${routes()}` }],
    ["a blank line", { "conf.d/a.yaml": `\n\n${SHARED}` }],
    [
      "another spelling of the same",
      { "conf.d/b.yaml": routes().replaceAll("    uri: ", '\n    # why\n    "uri" : ') },
    ],
  ])("%s changes no module and no table of a build", (_, edit: Record<string, string>) => {
    write("here", files);
    const before = built("here", "conf.d");
    write("here", edit);
    expect(changed(before, built("here", "conf.d"))).toEqual([]);
  });

  it("renamed or moved files, absolute paths and another checkout change no module and no table of a build", () => {
    write("here", files);
    const before = built("here", "conf.d");
    renameSync(join(root, "here/conf.d/b.yaml"), join(root, "here/conf.d/shop.yaml"));
    expect(changed(before, built("here", "conf.d"))).toEqual([]);
    renameSync(join(root, "here/conf.d/shop.yaml"), join(root, "shop.yaml"));
    const moved = built("here", "conf.d", join(root, "shop.yaml"));
    expect(changed(before, moved)).toEqual([]);
    write("some where/else", files);
    expect(changed(before, built("some where/else", "conf.d"))).toEqual([]);
    for (const [name, text] of moved) expect(text, name).not.toContain(root);
  });

  it("a route that is inserted first changes its module and its own lines of the tables", () => {
    write("here", files);
    const before = built("here", "conf.d");
    write("here", { "conf.d/b.yaml": routes(INSERTED) });
    const after = built("here", "conf.d");
    expect(changed(before, after)).toEqual(["gateway.json", "resources.json", "routes/z.ts"]);
    for (const name of ["gateway.json", "resources.json"]) {
      const row = linesChanged(before.get(name), after.get(name));
      expect(row.length, name).toBeLessThan(30);
      expect(row.join("\n"), name).toContain('"z"');
    }
  });

  it("routes that tie keep the order of the files", () => {
    const tied = (id: string) => `  - { id: ${id}, uri: /r1/*, service_id: shop }\n`;
    write("here", { "conf.d/a.yaml": SHARED, "conf.d/b.yaml": routes(tied("zz") + tied("aa")) });
    const rows = (
      JSON.parse(built("here", "conf.d").get("gateway.json") ?? "") as {
        routes: { id: string; order: number }[];
      }
    ).routes;
    const order = (id: string) => rows.find((row) => row.id === id)?.order;
    expect(["zz", "aa", "r1", "r2"].map(order)).toEqual([0, 1, 2, 0]);
  });
});
