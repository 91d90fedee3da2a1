// Package as an operator installs it, from `npm pack` with its locked versions; each command runs once.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const KEY = "key-of-the-installed-gateway";

let site: ReturnType<typeof temporaryDirectory>;
beforeAll(() => {
  site = temporaryDirectory();
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", site.path], {
    cwd: ROOT,
    stdio: "ignore",
  });
  const [tarball = ""] = readdirSync(site.path);
  execFileSync("tar", ["-xzf", tarball], { cwd: site.path });
  cpSync(join(ROOT, "package-lock.json"), installed("package-lock.json"));
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  execFileSync("npm", ["ci", "--omit=dev", ...quiet], { cwd: installed(), stdio: "ignore" });
  mkdirSync(work());
});
afterAll(() => site.remove());

const work = (...path: string[]) => join(site.path, "work", ...path);
const installed = (...path: string[]) => join(site.path, "package", ...path);

const words = (line: string) => line.split(" ").filter((word) => word !== "");
const surroundings = () => ({
  cwd: work(),
  env: { PATH: process.env["PATH"] ?? "", HOME: site.path, NO_COLOR: "1", GWC_ADMIN_KEY: KEY },
});

function gwc(line: string) {
  const args = [installed(".build/bundle/gwc.js"), ...words(line)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...surroundings(),
    encoding: "utf8",
  });
  return { status, output: `${stdout}${stderr}` };
}

/** Commands with subcommands. */
const GROUPS = ["captcha", "spool", "new"];

/** Every command that `--help` lists, level by level. */
function commands(group = ""): string[] {
  const [, list = ""] = gwc(`${group} --help`).output.split("\nCommands:\n");
  const [table = ""] = list.split("\n\n");
  const names = [...table.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => `${group} ${name}`.trim());
  return names
    .filter((name) => !/\bhelp$/.test(name))
    .flatMap((name) => (GROUPS.includes(name) ? commands(name) : [name]));
}

type Line = [command: string, args: string, output: RegExp];

/** Ordered so that each command finds the files that it needs. */
const WITHOUT_A_GATEWAY: Line[] = [
  ["init", "", /wrote .*gateway\.yaml/],
  ["check", "", /1 route, nothing to report/],
  ["build", "--out dist", /dist: 1 module for 1 route/],
  ["verify", "dist", /not signed/],
  ["plan", "", /"origin": "routes\/api"/],
  ["route", "GET /api/orders", /route "api"/],
  ["diff", "gateway.yaml dist", /Nothing changes for traffic/],
  ["explain-route", "api", /upstream backend/],
  ["explain", "GW2107", /GW2107/],
  ["schema", "route", /"definitions"/],
  ["test", "gateway.yaml api.test.yaml", /1 test passed/],
  ["captcha init", "--out captcha.yaml", /<script /],
  ["captcha script", "--url https://captcha.example.com", /integrity="sha/],
  ["spool show", "", /no destination has a spool/],
  ["spool drain", "", /all records delivered/],
  ["spool purge", "--yes", /0 records/],
  ["new plugin", "hello", /wrote gwc-plugin-hello\/package\.json/],
  ["test-plugin", "EXAMPLES/request-id", /passes/],
  ["completion", "bash", /gwc completion bash/],
];
const WITH_A_GATEWAY: Line[] = [
  ["export", "--admin ADMIN", /uri: \/api\/\*/],
  ["top", "--once --admin ADMIN", /requests/],
  ["captcha rotate", "--admin ADMIN", /key/],
];
/** Commands that serve until a signal, with the line that reports it. */
const SERVERS: Line[] = [
  ["run", "running.json", /status {3}http/],
  ["ui", "--port 0 --open never --admin ADMIN", /http:\/\/127\.0\.0\.1:\d+\/gw\/ui/],
];

const TEST_OF_THE_STARTER = `tests:
  - name: the route takes what is below /api
    request: { target: /api/orders }
    expect: { route: api }
`;

const route = (id: string, uri: string) => ({ id, uri, upstream: { nodes: { "127.0.0.1:9": 1 } } });

/** Configuration with an admin API, a captcha and a store. */
async function configuration() {
  const local = async () => ({ ip: "127.0.0.1", port: await freePort() });
  const admin = await local();
  return {
    gw: { node_listen: [await local()], status: await local(), workers: 1 },
    captcha: { listen: await local() },
    deployment: {
      admin: { admin_listen: admin, admin_key: [{ name: "test", key: "${{GWC_ADMIN_KEY}}", role: "admin" }] },
    },
    plugin_attr: { prometheus: { export_addr: await local() } },
  };
}

/** Starts a command that serves; resolves once it reports so. */
async function serve([command, args, output]: Line): Promise<ChildProcess> {
  const program = [installed(".build/bundle/gwc.js"), command, ...words(args)];
  const child = spawn(process.execPath, program, surroundings());
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text: Buffer) => (said += text));
  await until(() => {
    if (child.exitCode !== null) throw new Error(`gwc ${command} ended: ${said}`);
    return output.test(said);
  });
  return child;
}

function expectEach(lines: Line[], replaced: Record<string, string>): void {
  for (const [command, args, output] of lines) {
    const filled = Object.entries(replaced).reduce((text, [from, to]) => text.replace(from, to), args);
    expect({ command, ...gwc(`${command} ${filled}`) }).toEqual({
      command,
      status: 0,
      output: expect.stringMatching(output),
    });
  }
}

type Lock = { packages: Record<string, { version?: string; dev?: boolean }> };
const read = <T>(file: string) => JSON.parse(readFileSync(file, "utf8")) as T;

it("the package installs the versions that this tree was tested with, and none for development", () => {
  const script = join(ROOT, "packaging/shrinkwrap.mjs");
  execFileSync(process.execPath, [script, join(site.path, "npm-shrinkwrap.json")]);
  const { packages } = read<Lock>(join(site.path, "npm-shrinkwrap.json"));
  const { packages: tested } = read<Lock>(join(ROOT, "package-lock.json"));
  const { packages: present } = read<Lock>(installed("node_modules/.package-lock.json"));
  expect(Object.keys(present)).toContain("node_modules/yaml");
  for (const [path, { version }] of Object.entries(present)) {
    expect([path, packages[path]?.version]).toEqual([path, version]);
    expect([path, tested[path]?.version]).toEqual([path, version]);
  }
  expect(Object.values(packages).filter(({ dev }) => dev)).toEqual([]);
});

it("npm ci installs the locked versions in the unpacked tarball, and packing changes no file", () => {
  const tree = join(site.path, "tree");
  const names = ["package.json", "package-lock.json", "packaging"];
  for (const name of names) cpSync(join(ROOT, name), join(tree, name), { recursive: true });
  const npm = (cwd: string, ...args: string[]) => spawnSync("npm", args, { cwd, encoding: "utf8" });
  expect(npm(tree, "pack").status).toBe(0);
  expect(readdirSync(tree).filter((name) => !name.endsWith(".tgz"))).toEqual(names.toSorted());
  expect(readFileSync(join(tree, "package.json"), "utf8")).toBe(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const [tarball = ""] = readdirSync(tree).filter((name) => name.endsWith(".tgz"));
  execFileSync("tar", ["-xzf", tarball], { cwd: tree });
  const options = ["--omit=dev", "--ignore-scripts", "--prefer-offline", "--no-audit", "--dry-run"];
  expect(npm(join(tree, "package"), "ci", ...options)).toMatchObject({ status: 0 });
});

it("package.json names exact versions, because npm ignores the shrinkwrap of a tarball", () => {
  const { dependencies, scripts, files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(scripts.prepack).toBe("node packaging/shrinkwrap.mjs && node packaging/manifest.mjs published");
  expect(files).toContain("npm-shrinkwrap.json");
});

it("this test has a line for every command of the help", () => {
  // The test with a gateway repeats `adopt` until control has read the files.
  const tried = [["adopt"], ...WITHOUT_A_GATEWAY, ...WITH_A_GATEWAY, ...SERVERS].map(([command]) => command);
  expect(commands().sort()).toEqual(tried.sort());
});

it("every command that needs no gateway runs from the installed package", () => {
  writeFileSync(work("api.test.yaml"), TEST_OF_THE_STARTER);
  expectEach(WITHOUT_A_GATEWAY, { EXAMPLES: installed("examples/plugins") });
});

it("a gateway and every command that calls it run from the installed package", async () => {
  const running = await configuration();
  const write = (routes: object[]) =>
    writeFileSync(work("running.json"), JSON.stringify({ ...running, routes }));
  const [api, stored] = [route("api", "/api/*"), route("stored", "/stored")];
  write([api]);
  const admin = `http://127.0.0.1:${running.deployment.admin.admin_listen.port}`;
  const [run, ui] = SERVERS as [Line, Line];
  const gateway = await serve(run);
  const pages = await serve([ui[0], ui[1].replace("ADMIN", admin), ui[2]]);
  const put = { method: "PUT", headers: { "X-API-KEY": KEY }, body: JSON.stringify(stored) };
  expect((await fetch(`${admin}/gw/admin/routes/stored`, put)).status).toBe(201);
  write([api, stored]);
  gateway.kill("SIGHUP");
  await until(() => gwc(`adopt routes/stored --admin ${admin}`).status === 0);
  expectEach(WITH_A_GATEWAY, { ADMIN: admin });
  for (const child of [pages, gateway]) {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  }
});
