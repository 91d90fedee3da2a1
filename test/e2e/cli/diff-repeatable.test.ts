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
  ])(
    "gwc diff prints the same bytes again for values of clocks, random numbers and the process: %s, %s",
    (before, after) => {
      write("a", headers(before), NODES);
      write("b", headers(after), NODES);
      for (const format of ["text", "json", "markdown"])
        expect(new Set([printed(format), printed(format), printed(format)]).size, format).toBe(1);
      expect(example()).toMatchObject({ differs: [{ name: "response header x-a" }] });
    },
  );

  it("gwc diff reports a header with a time, with the same fixed time on both sides", () => {
    write("a", headers("none"));
    write("b", headers("$msec"));
    expect(example()?.differs).toEqual([
      { name: "response header x-a", before: "none", after: String(Date.UTC(2026, 0, 1) / 1_000) },
    ]);
  });

  it("gwc diff reports no random value that both sides have in common, even if one side draws more numbers", () => {
    const logged = (sample: number) =>
      `{ syslog: { host: 127.0.0.1, port: 514, sample: ${sample} }, response-rewrite: { headers: { set: { X-A: $request_id } } } }`;
    write("a", logged(1), NODES);
    write("b", logged(0.4), NODES);
    const names = example()?.differs.map(({ name }) => name);
    expect(names?.every((name) => name.startsWith("syslog record"))).toBe(true);
  });

  it("gwc diff finds a changed sample rate by a random number between the rates and prints the number", () => {
    const logged = (sample: number) => `{ syslog: { host: 127.0.0.1, port: 514, sample: ${sample} } }`;
    write("a", logged(0.25));
    write("b", logged(0.75));
    expect(example()).toMatchObject({ chance: null });
    write("b", logged(0.375));
    expect(example()).toMatchObject({ chance: 0.3125 });
    expect(printed("text")).toContain("when chance gives 0.3125");
  });
});
