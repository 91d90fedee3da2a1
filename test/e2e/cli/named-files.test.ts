import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";

const GATEWAY = 'upstreams:\n  - { id: shop, nodes: { "127.0.0.1:8080": 1 } }\n';
const ROUTES = `routes:
  - { id: shop, uri: /shop, upstream_id: shop }
tests:
  - { name: shop, request: { target: /shop }, upstream: { status: 200 }, expect: { response: { status: 200 } } }
`;

/** Arguments of each command before its files. */
const COMMANDS: readonly [name: string, args: readonly string[]][] = [
  ["check", ["check"]],
  ["build", ["build", "--out", "dist", "--no-type-check"]],
  ["test", ["test"]],
  ["plan", ["plan"]],
  ["route", ["route", "GET", "/shop"]],
  ["explain-route", ["explain-route", "shop"]],
  ["diff", ["diff", "whole/gateway.yaml,whole/conf.d"]],
];
const WAYS: readonly [name: string, args: readonly string[]][] = [
  ["files at the end", ["whole/gateway.yaml", "whole/conf.d/routes.yaml"]],
  ["a file and a folder at the end", ["whole/gateway.yaml", "whole/conf.d"]],
  ["a directory with conf.d at the end", ["whole"]],
  ["files by --config", ["--config", "whole/gateway.yaml", "whole/conf.d/routes.yaml"]],
  ["a directory by -c", ["-c", "whole"]],
];

let directory: ReturnType<typeof temporaryDirectory>;
const run = (...args: string[]) => gwc(directory.path, args);
beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory.path, "whole", "conf.d"), { recursive: true });
  writeFileSync(join(directory.path, "whole", "gateway.yaml"), GATEWAY);
  writeFileSync(join(directory.path, "whole", "conf.d", "routes.yaml"), ROUTES);
});
afterEach(() => directory.remove());

describe.each(COMMANDS)("gwc %s", (name, args) => {
  it.each(WAYS)("a command with a configuration takes %s", (_, files) => {
    // The second configuration of a diff is one argument, with its paths joined by commas.
    const named = name === "diff" && files[0] !== "-c" && files[0] !== "--config" ? [files.join(",")] : files;
    expect(run(...args, ...named)).toMatchObject({ status: 0 });
  });

  it("a command without a configuration names the ways to give one", () => {
    const { status, stderr } = run(...args);
    expect(status).toBe(2);
    // The second configuration of a diff is one argument.
    const files = name === "diff" ? "FILE,…" : "FILE…";
    expect(stderr).toContain(`(${files} at the end, or --config FILE…)`);
  });
});

it.each(["show", "drain", "purge"])(
  "gwc spool %s without a configuration names only the option, since it takes no files at the end",
  (command) => {
    const { status, stderr } = run("spool", command);
    expect(status).toBe(2);
    expect(stderr).toContain("name the configuration (--config FILE…), or");
    const yes = command === "purge" ? ["--yes"] : [];
    expect(run("spool", command, ...yes, "--config", "whole/gateway.yaml")).toMatchObject({ status: 0 });
  },
);

describe("a directory that is named", () => {
  it("gwc check of a directory reads gateway.yaml and conf.d as it does inside of it", () => {
    const inside = gwc(join(directory.path, "whole"), ["check"]);
    const dot = gwc(join(directory.path, "whole"), ["check", "."]);
    expect(dot).toEqual(inside);
    expect(dot).toMatchObject({ status: 0, stderr: "1 route, nothing to report\n" });
    writeFileSync(join(directory.path, "whole", "conf.d", "more.yaml"), "routes: [{ id: shop, uri: /x }]\n");
    expect(gwc(join(directory.path, "whole"), ["check", "."])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^conf\.d\/\w+\.yaml:\d+:\d+ error GW3001/m),
    });
  });

  it("gwc build of a directory makes the same build as with its files", () => {
    run("build", "--out", "a", "--no-type-check", "whole");
    run("build", "--out", "b", "--no-type-check", "whole/gateway.yaml", "whole/conf.d");
    expect(readdirSync(join(directory.path, "a")).sort()).toEqual(
      readdirSync(join(directory.path, "b")).sort(),
    );
    expect(run("diff", "a", "b")).toMatchObject({ status: 0 });
  });
});

describe("--no-notes", () => {
  const STANDALONE = `${ROUTES.slice(0, ROUTES.indexOf("tests:"))}${GATEWAY}#END\n`;

  it.each(["check", "build"])("gwc %s --no-notes prints no notes, but still warnings", (command) => {
    const file = join(directory.path, "apisix.yaml");
    writeFileSync(file, STANDALONE);
    expect(run(command, "apisix.yaml").stderr).toContain("note GW3073");
    const quiet = run(command, "--no-notes", "apisix.yaml");
    expect([quiet.status, quiet.stderr]).toEqual([0, expect.not.stringContaining("GW3073")]);
    writeFileSync(file, STANDALONE.replace("/shop", "/shop/:id.json"));
    expect(run(command, "--no-notes", "apisix.yaml").stderr).toContain("warning GW3035");
    const json = run("check", "--no-notes", "--format", "json", "apisix.yaml");
    expect(json.stdout).not.toContain("GW3073");
  });
});

describe("an excerpt", () => {
  it("gwc check shows the names of variables in an excerpt and no secret next to them", () => {
    const text = `consumers:
  - { username: a, plugins: { key-auth: { key: "\${{SHOP_KEY}}", hide: 1 } } }
  - { username: b, plugins: { key-auth: { key: "in-the-open", hide: 1 } } }
  - { username: c, plugins: { key-auth: { key: "x-\${{SHOP_KEY}}-y", hide: 1 } } }
  - { username: d, plugins: { key-auth: { key: "\${{SHOP_KEY:=otherwise}}", hide: 1 } } }
`;
    writeFileSync(join(directory.path, "gateway.yaml"), text);
    const { stderr } = gwc(directory.path, ["check"], { SHOP_KEY: "the-value" });
    expect(stderr).toContain('{ key: "${{SHOP_KEY}}", hide: 1 }');
    expect(stderr).toContain("***${{SHOP_KEY}}***");
    for (const secret of ["in-the-open", "otherwise", "the-value", "x-", "-y"])
      expect(
        stderr
          .split("\n")
          .filter((line) => line.includes("key-auth:"))
          .join("\n"),
      ).not.toContain(`${secret}"`);
  });
});
