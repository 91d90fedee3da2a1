import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

/** Routes that each delay a live stream until its end, numerous enough for a build to use its cache. */
function write(routes: number, version = 1): void {
  const all = Array.from({ length: routes }, (_, i) => ({
    id: `r${i}`,
    uri: `/r${i}`,
    upstream: { nodes: { "127.0.0.1:8080": 1 } },
    plugins: {
      "response-rewrite": {
        headers: { set: { "X-Version": i === 0 ? `${version}` : "1", "X-Filler": "x".repeat(200) } },
        filters: [{ regex: `<b${i}[^>]*>`, replace: "" }],
      },
    },
  }));
  writeFileSync(join(directory.path, "gateway.yaml"), JSON.stringify({ routes: all }));
}

it("gwc check prints the first 100 notes of a kind and the number of the others, and all of them as JSON", () => {
  write(130);
  const { status, stderr } = gwc(directory.path, ["check"]);
  expect(status).toBe(0);
  expect(stderr.match(/ note GW4205: /g)).toHaveLength(100);
  expect(stderr).toMatch(/\n\nnote GW4205: 30 more like these, which `--format json` prints\n130 notes\n$/);
  const { stdout } = gwc(directory.path, ["check", "--format", "json"]);
  expect(stdout.match(/"GW4205"/g)).toHaveLength(130);
});

it("gwc check prints every warning and error, even if many are alike", () => {
  const routes = Array.from({ length: 130 }, (_, i) => ({ id: `r${i}`, uri: `/r${i}`, nonsense: 1 }));
  writeFileSync(join(directory.path, "gateway.yaml"), JSON.stringify({ routes }));
  const { status, stderr } = gwc(directory.path, ["check"]);
  expect(status).toBe(1);
  expect(stderr.match(/ error GW2101: /g)).toHaveLength(130);
  expect(stderr).not.toContain("more like these");
});

it("gwc build prints no note on live streams and makes the same bytes with and without a previous build", () => {
  write(240);
  const built = (out: string) => gwc(directory.path, ["build", "--out", out]);
  const first = built("again");
  expect([first.status, first.stderr]).toEqual([0, expect.not.stringContaining("GW4205")]);
  write(240, 2);
  const again = built("again");
  expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining("GW4205")]);
  expect(again.stdout).toMatch(/ unchanged/);
  expect(built("clean").status).toBe(0);
  const filesOf = (out: string) =>
    readdirSync(join(directory.path, out), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(directory.path, out).length))
      .sort();
  expect(filesOf("again")).toEqual(filesOf("clean"));
  for (const file of filesOf("clean"))
    expect(readFileSync(join(directory.path, "again", file), "utf8")).toBe(
      readFileSync(join(directory.path, "clean", file), "utf8"),
    );
});
