import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

const CONFIGURATION = `upstreams:
  - { id: u, nodes: { "127.0.0.1:8080": 1 } }
routes:
  - id: short
    uri: /short
    upstream_id: u
    plugins: { response-rewrite: { filters: [{ regex: "secret=[0-9]{1,20}", replace: "" }] } }
  - id: both
    uri: /both
    upstream_id: u
    plugins:
      response-rewrite:
        filters:
          - { regex: "secret=[0-9]{1,20}", replace: "" }
          - { regex: "<b[^>]*>", replace: "" }
`;
const STREAMS =
  "streams: a match takes at most 27 bytes; a live stream waits with at most 26 bytes, never past the end of a line; linear: at most 5 steps a byte";
const UNTIL_THE_END = "a live stream waits until it ends";
const TOGETHER = `holds the body: filters[1] holds the body; ${UNTIL_THE_END}; linear: at most 5 steps a byte`;
const HOLDS = `holds the body: [^>]* matches text of any length; ${UNTIL_THE_END}; re2js above 507 bytes`;

let directory: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  directory = temporaryDirectory();
  writeFileSync(join(directory.path, "gateway.yaml"), CONFIGURATION);
});
afterAll(() => directory.remove());

it("gwc check --explain prints the location of each body filter, how it works and why", () => {
  const { status, stdout } = gwc(directory.path, ["check", "--explain"]);
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  const place = (line: number, column: number, route: string, filter: number) =>
    `gateway.yaml:${line}:${column} route "${route}" response-rewrite.filters[${filter}] `;
  // The cost of the pattern follows on each line.
  expect(lines.toSorted()).toEqual([
    `${place(14, 13, "both", 0)}${TOGETHER}`,
    expect.stringContaining(`${place(15, 13, "both", 1)}${HOLDS}`),
    `${place(7, 46, "short", 0)}${STREAMS}`,
  ]);
});

it("gwc route prints how each body filter of the matching route works, as text and as JSON", () => {
  const text = (path: string) => gwc(directory.path, ["route", "GET", `http://x${path}`]).stdout;
  const short = text("/short");
  expect(short).toContain(` filters[0] ${STREAMS}\n`);
  expect(short).not.toContain("holds");
  const both = text("/both");
  expect(both).toContain(` filters[0] ${TOGETHER}\n`);
  expect(both).toContain(` filters[1] ${HOLDS}`);
  expect(both).not.toContain("streams");
  const { plugins } = JSON.parse(
    gwc(directory.path, ["route", "GET", "http://x/short", "--format", "json"]).stdout,
  ) as { plugins: { phase: string; decisions: string[] }[] };
  expect(plugins.map(({ phase, decisions }) => [phase, decisions])).toEqual([
    ["access", []],
    ["headerFilter", [`filters[0] ${STREAMS}`]],
  ]);
});
