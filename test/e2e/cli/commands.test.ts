import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CLI, gwc, temporaryDirectory } from "../../support/cli.js";

let directory: ReturnType<typeof temporaryDirectory>;
const file = (name: string) => join(directory.path, name);
const run = (...args: string[]) => gwc(directory.path, args);

beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

describe("gwc init", () => {
  it("gwc init writes a file that passes gwc check and never overwrites one", () => {
    expect(run("init").status).toBe(0);
    expect(run("check")).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringMatching(/^\d+ routes?, nothing to report\n$/),
    });
    expect(run("check", "--quiet")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const before = readFileSync(file("gateway.yaml"), "utf8");
    expect(run("init")).toMatchObject({ status: 1 });
    expect(readFileSync(file("gateway.yaml"), "utf8")).toBe(before);
  });
});

describe("a new user who breaks the starter file", () => {
  const mistakes: [what: string, from: string, to: string, said: RegExp][] = [
    ["a tab as indentation", "  node_listen", "\tnode_listen", /gateway\.yaml:4:1 error GW1/],
    ["a misspelled field", "upstream_id", "upstream_idd", /unknown field "upstream_idd"[\s\S]*upstream_id/],
    ["an unknown plugin", "proxy-rewrite:", "proxy-rewrte:", /proxy-rewrite/],
    ["a wrong type", "node_listen: 9080", "node_listen: soon", /node_listen/],
    ["a dangling reference", "upstream_id: backend", "upstream_id: backnd", /backnd[\s\S]*backend/],
    ["a duplicate key", "    uri: /api/*", "    uri: /api/*\n    uri: /app/*", /uri/],
    ["neither uri nor uris", "    uri: /api/*\n", "", /uri/],
    ["a bad port", "127.0.0.1:8080", "127.0.0.1:80800", /80800/],
    ["an unknown variable", "gateway }", "$remot_addr }", /remot_addr[\s\S]*remote_addr/],
    ["Host among the headers to set", "X-Request-Source: gateway", "Host: gateway", /Host/],
  ];

  let starter: string;
  beforeAll(() => {
    const made = temporaryDirectory();
    gwc(made.path, ["init"]);
    starter = readFileSync(join(made.path, "gateway.yaml"), "utf8");
    made.remove();
  });

  it.each(mistakes)("gwc check reports %s in the starter file with its location", (_, from, to, said) => {
    expect(starter).toContain(from);
    writeFileSync(file("gateway.yaml"), starter.replace(from, to));
    const { status, stdout, stderr } = run("check", "--strict");
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(said);
    expect(stderr).toMatch(/gateway\.yaml:\d+:\d+ (error|warning) GW\d{4}: /);
  });
});

describe("exit codes and streams", () => {
  it.each([
    ["stdout", "schema", ""],
    ["stderr", "check", "2>&1 >/dev/null"],
  ])("gwc ends with 0 if the reader of %s stops early, as head does", (_, command, redirected) => {
    // More output than a pipe holds, so that the rest has no reader: one warning for each upstream.
    const unused = Array.from({ length: 2_000 }, (_, i) => `  - { id: u${i}, nodes: { "127.0.0.1:9": 1 } }`);
    writeFileSync(file("gateway.yaml"), `upstreams:\n${unused.join("\n")}\n`);
    const line = `{ "$NODE" "$CLI" ${command} ${redirected}; echo $? > status; } 2> said | head -c 9`;
    const env = { ...process.env, NODE: process.execPath, CLI };
    const { stdout } = spawnSync("sh", ["-c", line], { cwd: directory.path, env, encoding: "utf8" });
    expect(stdout).toHaveLength(9);
    expect([readFileSync(file("status"), "utf8"), readFileSync(file("said"), "utf8")]).toEqual(["0\n", ""]);
  });

  it("gwc ends with 2 and a hint on wrong usage", () => {
    expect(run("chek")).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining("check") });
    expect(run("check", "--format", "xml").status).toBe(2);
    expect(run("check")).toMatchObject({ status: 2, stderr: expect.stringContaining("gwc init") });
  });

  it("gwc ends with 0 for --help and --version", () => {
    expect(run("--help").status).toBe(0);
    expect(run("--version").stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each(["json", "sarif"])(
    "gwc check prints %s as one document on standard output, also without diagnostics",
    (format) => {
      run("init");
      const clean = run("check", "--format", format);
      expect(clean.status).toBe(0);
      expect(() => JSON.parse(clean.stdout)).not.toThrow();
      writeFileSync(file("gateway.yaml"), "routes: 5\n");
      const broken = run("check", "--format", format);
      expect(broken.status).toBe(1);
      expect(broken.stderr).toBe("");
      expect(JSON.stringify(JSON.parse(broken.stdout))).toMatch(/GW2\d{3}/);
    },
  );

  it("gwc check prints GitHub annotations with file and line", () => {
    writeFileSync(file("gateway.yaml"), "routes: 5\n");
    expect(run("check", "--format", "github").stdout).toMatch(/^::error file=gateway\.yaml,line=1,/m);
  });
});

describe("gwc plan, explain and schema", () => {
  it("gwc plan prints the plan of all routes or of one", () => {
    run("init");
    const plan = JSON.parse(run("plan").stdout) as { routes: { row: { id: string } }[] };
    expect(plan.routes.map(({ row }) => row.id)).toEqual(["api"]);
    expect(JSON.parse(run("plan", "--route", "api").stdout)).toEqual(plan.routes[0]);
    expect(run("plan", "--route", "nope").status).toBe(1);
  });

  it("gwc explain explains a code, lists all codes and refuses an unknown one", () => {
    expect(run("explain", "gw2107").stdout).toContain("filters");
    expect(run("explain").stdout.split("\n").length).toBeGreaterThan(40);
    expect(run("explain", "GW9999").status).toBe(2);
  });

  it("gwc schema prints the schema of a configuration or of one kind", () => {
    expect(JSON.parse(run("schema").stdout)).toHaveProperty("properties.routes");
    expect(JSON.parse(run("schema", "route").stdout)).toHaveProperty("properties.uri");
    expect(run("schema", "nope").status).toBe(2);
  });

  it("gwc schema --openapi prints the document of the admin API and takes no kind", () => {
    const document = JSON.parse(run("schema", "--openapi").stdout) as object;
    expect(document).toHaveProperty(["paths", "/gw/admin/routes/{id}", "put"]);
    expect(run("schema", "--openapi", "route")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("remove the kind"),
    });
  });
});

describe("gwc route", () => {
  it("gwc route prints the matching route and its plugins in order", () => {
    writeFileSync(
      file("gateway.yaml"),
      `upstreams: [{ id: u, nodes: { "127.0.0.1:8080": 1 } }]
routes:
  - { id: beta, uri: /a, priority: 5, upstream_id: u, vars: [[http_x_beta, "==", "1"]] }
  - { id: plain, uri: /a, upstream_id: u, methods: [GET], plugins: { proxy-rewrite: { host: a.internal }, response-rewrite: { status_code: 201 } } }
  - { id: other, uri: /b, upstream_id: u }
`,
    );
    const plain = run("route", "GET", "/a?x=1");
    expect(plain.status).toBe(0);
    expect(plain.stdout).toMatch(/plain[\s\S]*matched/);
    expect(plain.stdout.indexOf("proxy-rewrite")).toBeLessThan(plain.stdout.indexOf("response-rewrite"));
    expect(run("route", "GET", "/a", "-H", "X-Beta: 1").stdout).toMatch(/beta[\s\S]*matched/);
    const json = JSON.parse(run("route", "POST", "/a", "--format", "json").stdout) as {
      matched: string | null;
    };
    expect(json.matched).toBeNull();
    expect(run("route", "POST", "/a").status).toBe(1);
  });
});
