import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Report, ReportedChange } from "../../../compiler/diff/report.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const UPSTREAMS = `upstreams:
  - { id: shop, nodes: { "10.0.0.1:80": 1 } }
  - { id: other, nodes: { "10.0.0.2:80": 1 } }
`;
const ORDERS = "  - { id: orders, uri: /orders/*, host: shop.example.com, upstream_id: shop }\n";

const directory = useTemporaryDirectory();

function write(file: string, text: string): void {
  mkdirSync(join(directory.path, file, ".."), { recursive: true });
  writeFileSync(join(directory.path, file), text);
}

const routes = (file: string, ...lines: string[]) => write(file, `${UPSTREAMS}routes:\n${lines.join("")}`);

/** Report of `gwc diff --format json`. */
function report(...args: string[]): Report & { status: number | null } {
  const { status, stdout, stderr } = gwc(directory.path, ["diff", "--format", "json", ...args]);
  if (stdout === "") throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Report), status };
}

const kinds = ({ changes }: Report) => changes.map(({ kind, subject, to }) => ({ kind, subject, to }));

function only({ changes }: Report, kind: ReportedChange["kind"]): ReportedChange {
  const [first, second] = changes.filter((change) => change.kind === kind);
  if (first === undefined || second !== undefined) throw new Error(JSON.stringify(changes));
  return first;
}

describe("gwc diff without changes", () => {
  beforeEach(() => routes("a/gateway.yaml", ORDERS));

  it("gwc diff finds no change for traffic if unordered parts are reordered and a rule is renamed", () => {
    const side = (turn: <T>(list: T[]) => T[], rule: string) => {
      const map = (...members: string[]) => `{ ${turn(members).join(", ")} }`;
      const format = map("a: $host", `b: ${map("c: $status", "d: $uri")}`);
      const conditions = `[${turn(['[arg_a, "==", "1"]', `[http_b, in, [${turn(["x", "y"])}]]`])}]`;
      const set = map('X-A: "1"', 'X-B: "2"');
      return `upstreams:
  - { id: u, nodes: ${map('"10.0.0.1:80": 1', '"10.0.0.2:80": 2')} }
plugin_metadata:
  - { id: syslog, log_format: ${format} }
global_rules:
  - { id: ${rule}, plugins: { response-rewrite: { headers: { set: ${set} } } } }
routes:
  - id: r
    uris: [${turn(["/a", "/b"])}]
    methods: [${turn(["GET", "POST"])}]
    vars: ${conditions}
    upstream_id: u
    plugins:
      syslog: { host: 127.0.0.1, port: 514, log_format: ${format} }
      response-rewrite: { vars: ${conditions}, headers: { set: ${set} } }
`;
    };
    write(
      "a/gateway.yaml",
      side((list) => list, "one"),
    );
    write(
      "b/gateway.yaml",
      side((list) => list.toReversed(), "two"),
    );
    const found = report("a", "b");
    expect([found.status, found.severity]).toEqual([0, "none"]);
    expect(kinds(found)).toEqual([{ kind: "shared", subject: "global_rules/one", to: "global_rules/two" }]);
  });

  it("gwc diff reports reordered actions if one reads a value that another writes", () => {
    const set = (...pairs: string[]) =>
      ORDERS.replace(
        " }\n",
        `, plugins: { proxy-rewrite: { headers: { set: { ${pairs.join(", ")} } } } } }\n`,
      );
    const pairs = ['X-A: "1"', "X-B: $http_x_a"];
    routes("a/gateway.yaml", set(...pairs));
    routes("b/gateway.yaml", set(...pairs.toReversed()));
    expect(report("a", "b").status).toBe(1);
  });

  it("gwc diff separates operational settings from those that affect responses", () => {
    const settings = (gw: string) => `gw: ${gw}\n${UPSTREAMS}routes:\n${ORDERS}`;
    write("a/gateway.yaml", settings("{ workers: 2 }"));
    write("b/gateway.yaml", settings("{ workers: 4, drain: { timeout: 5 }, access_log: { path: a.log } }"));
    const found = report("a", "b");
    expect([found.status, found.severity]).toEqual([0, "none"]);
    expect(only(found, "operation")).toMatchObject({ severity: "none", removed: ["gw.workers: 2"] });
    write("b/gateway.yaml", settings("{ workers: 2, allow_trace: true }"));
    expect(report("a", "b").status).toBe(1);
  });

  it("gwc diff explains the syntax of a revision if only its name is given", () => {
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: directory.path });
    const commit = [
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b.c",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "one",
    ];
    execFileSync("git", commit, { cwd: directory.path });
    const { status, stderr } = gwc(directory.path, ["diff", "main", "a"]);
    expect([status, stderr]).toEqual([
      2,
      'gwc: file "main" does not exist; to compare with the revision, write "main:a"\n',
    ]);
  });
});
