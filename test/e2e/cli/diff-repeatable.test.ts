import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../../compiler/diff/report.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

function write(side: string, plugins: string, nodes = '"10.0.0.1:80": 1'): void {
  mkdirSync(join(directory.path, side), { recursive: true });
  writeFileSync(
    join(directory.path, side, "gateway.yaml"),
    `routes:\n  - id: r\n    uri: /r\n    upstream: { type: ewma, nodes: { ${nodes} } }\n    plugins: ${plugins}\n`,
  );
}

const headers = (value: string) => `{ response-rewrite: { headers: { set: { X-A: "${value}" } } } }`;
const NODES = '"10.0.0.1:80": 1, "10.0.0.2:80": 1, "10.0.0.3:80": 1';

const printed = (format: string) => gwc(directory.path, ["diff", "-q", "--format", format, "a", "b"]).stdout;
const example = () => (JSON.parse(printed("json")) as Report).changes[0]?.example;

describe("gwc diff, run again", () => {
  it.each([
    ["$request_time", "$msec"],
    ["took $request_time", "$upstream_addr $upstream_header_time"],
    ["$request_id", "$pid"],
    ["$time_iso8601", "$time_local"],
  ])("prints the same bytes for values that clocks, chance and the process give: %s, %s", (before, after) => {
    write("a", headers(before), NODES);
    write("b", headers(after), NODES);
    for (const format of ["text", "json", "markdown"])
      expect(new Set([printed(format), printed(format), printed(format)]).size, format).toBe(1);
    expect(example()).toMatchObject({ differs: [{ name: "response header x-a" }] });
  });

  it("finds a header that a clock fills, at the moment at which both sides are asked", () => {
    write("a", headers("none"));
    write("b", headers("$msec"));
    expect(example()?.differs).toEqual([
      { name: "response header x-a", before: "none", after: String(Date.UTC(2026, 0, 1) / 1_000) },
    ]);
  });

  it("says nothing of values by chance that both sides have alike, whatever else asks for chance", () => {
    const logged = (sample: number) =>
      `{ syslog: { host: 127.0.0.1, port: 514, sample: ${sample} }, response-rewrite: { headers: { set: { X-A: $request_id } } } }`;
    write("a", logged(1), NODES);
    write("b", logged(0.4), NODES);
    const names = example()?.differs.map(({ name }) => name);
    expect(names?.every((name) => name.startsWith("syslog record"))).toBe(true);
  });

  it("finds another sample by the chance that lies between the rates, and says which", () => {
    const logged = (sample: number) => `{ syslog: { host: 127.0.0.1, port: 514, sample: ${sample} } }`;
    write("a", logged(0.25));
    write("b", logged(0.75));
    expect(example()).toMatchObject({ chance: null });
    write("b", logged(0.375));
    expect(example()).toMatchObject({ chance: 0.3125 });
    expect(printed("text")).toContain("when chance gives 0.3125");
  });
});
