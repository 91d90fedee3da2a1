// `gwc top` with a running gateway, in a terminal and without one.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as immediate, setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CLI } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { Terminal } from "../../support/terminal.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

const ENVIRONMENT = { ...process.env, GWC_ADMIN_KEY: ProcessGateway.KEY };

const upstream = useUpstream();
let gateway: ProcessGateway;
let address: string;
beforeAll(async () => {
  const dead = { [`127.0.0.1:${await freePort()}`]: 1 };
  gateway = await ProcessGateway.start({
    upstreams: [{ id: "pool", nodes: upstream.nodes }],
    routes: [
      { id: "orders", uri: "/orders", upstream_id: "pool" },
      { id: "basket", uri: "/basket", upstream_id: "pool" },
      { id: "broken", uri: "/broken", upstream: { nodes: dead } },
    ],
  });
  address = `http://127.0.0.1:${gateway.adminPort}`;
  const paths = [
    ...Array(12).fill("/orders"),
    ...Array(4).fill("/basket"),
    ...Array(8).fill("/broken"),
    "/nowhere",
  ];
  for (const path of paths) await exchange(gateway.port, "GET", path);
  await until(async () => {
    const { json } = await gateway.admin("GET", "/overview?seconds=900");
    return (json["total"] as { requests: number }).requests === paths.length;
  });
});
afterAll(() => gateway.end());

const run = (args: string[], env: NodeJS.ProcessEnv = ENVIRONMENT) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [CLI, "top", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

/** Names of the rows of a table, in their order. */
const namesIn = (text: string) =>
  text
    .split("\n")
    .flatMap((line) => /^(?:> | {2})?(orders|basket|broken|pool|route:broken)\s+[\d<]/.exec(line)?.[1] ?? []);

describe("without a terminal, top", () => {
  const once = ["--window", "900", "--admin"];

  it("gwc top without a terminal prints the state, the traffic and the busiest routes once", async () => {
    const { code, stdout, stderr } = await run([...once, address]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/no terminal: printing once/)]);
    expect((await run([...once, address, "--once"])).stderr).toBe("");
    const [state, total] = stdout.split("\n");
    expect(state).toMatch(/^ready, generation 1, 2 of 2 workers$/);
    expect(total).toMatch(
      /^last 900 s: \d[\d.]* requests\/s, 36 % errors, p50\/p95\/p99 \S+ ms, in \S+ k?B\/s, out \S+ k?B\/s$/,
    );
    // The rate counts the time since the start, not all 900 s: 25 requests would be 0.028 a second.
    expect(Number(/[\d.]+(?= requests)/.exec(total ?? "")?.[0])).toBeGreaterThan(25 / 300);
    expect(namesIn(stdout)).toEqual(["orders", "broken", "basket"]);
    expect(stdout).toMatch(
      /^error: \d[\d.]*% of the responses of the last 5 minutes .*; look at the routes/m,
    );
  });

  it("gwc top sorts, filters and shows upstreams", async () => {
    const names = async (...args: string[]) => namesIn((await run([...once, address, ...args])).stdout);
    expect(await names("--sort", "errors")).toEqual(["broken", "basket", "orders"]);
    expect(await names("--sort", "name")).toEqual(["basket", "broken", "orders"]);
    expect(await names("--filter", "BR")).toEqual(["broken"]);
    expect(await names("--view", "upstreams")).toEqual(["pool", "route:broken"]);
  });

  it("gwc top --format json prints the reply of the admin API", async () => {
    const { stdout } = await run([...once, address, "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      seconds: 900,
      counted_seconds: expect.any(Number),
      total: { requests: 25, errors_5xx: 8 },
    });
  });

  it("gwc top reports a wrong key, address or option, and never prints a key", async () => {
    const file = join(gateway.directory, "two-keys");
    writeFileSync(file, "one-key\nanother-key\n");
    const { GWC_ADMIN_KEY: _, ...without } = ENVIRONMENT;
    const told = await Promise.all([
      run(["--admin", address], without),
      run(["--admin", address], { ...without, GWC_ADMIN_KEY: "wrong-key-of-somebody" }),
      run(["--admin", `http://127.0.0.1:${await freePort()}`]),
      run(["--admin", `http://127.0.0.1:${gateway.port}`]),
      run(["--admin", "127.0.0.1:9180"]),
      run(["--admin", "http://somebody:secret@127.0.0.1:9180"]),
      run(["--key-file", file]),
      run(["--key", "key-of-a-hurry"]),
      run(["--every", "0"]),
      run(["--window", "61"]),
    ]);
    expect(told.map(({ code }) => code)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
    const words = [
      /GWC_ADMIN_KEY/,
      /401/,
      /ECONNREFUSED/,
      /404/,
      /must be a URL/,
      /user|password/,
      /one key/,
      /--key is visible to other users/,
      /0\.5 to 60/,
      /10, 60/,
    ];
    for (const [at, one] of told.entries()) expect(one.stderr).toMatch(words[at] ?? /./);
    const all = told.map(({ stdout, stderr }) => stdout + stderr).join("");
    for (const secret of ["wrong-key-of-somebody", "one-key", "another-key", "key-of-a-hurry", ":secret"])
      expect(all).not.toContain(secret);
  });
});

describe("in a terminal, top", () => {
  let terminal: Terminal | undefined;
  afterEach(() => terminal?.process.kill());
  const opened = async (
    args = "--window 900",
    env: NodeJS.ProcessEnv = ENVIRONMENT,
    size?: [number, number],
  ) => {
    terminal = new Terminal(`'${process.execPath}' '${CLI}' top --admin ${address} ${args}`, env, size);
    return terminal;
  };

  it("gwc top in a terminal sorts, filters, opens a row, changes the view and restores the terminal", async () => {
    const screen = await opened();
    await screen.shows(/> orders .*\n.*broken .*\n.*basket/);
    screen.type("e");
    await screen.shows(/> broken .*\n.*basket .*\n.*orders/);
    screen.type("\x1b[B");
    await screen.shows(/> basket /);
    screen.type("j");
    await screen.shows(/> orders /);
    screen.type("\r");
    await screen.shows(/routes\/orders/);
    await screen.shows(/requests +[ ▁-█]+\n/);
    screen.type("\x1b");
    await screen.shows(/basket .*\n> orders/);
    screen.type("/BAS");
    await screen.shows(/\/BAS/);
    screen.type("\r");
    await screen.shows(/with "BAS"\s.*\n> basket/);
    screen.type("\x1b");
    await screen.shows(/orders/);
    screen.type("\t");
    await screen.shows(/upstreams, last 900 s/);
    screen.type("r");
    await screen.shows(/> pool/);
    screen.type("\r");
    await screen.shows(/127\.0\.0\.1:\d+ +1 +0 {2}healthy/);
    screen.type("q");
    expect(await screen.ended()).toBe(0);
    expect(screen.raw).toContain("\x1b[?1049h");
    expect(screen.raw.trimEnd()).toMatch(/\x1b\[\?1049l(?:\x1b\[\?25h)*$/);
  });

  it("gwc top applies each key to the state after the previous key, however fast keys arrive", async () => {
    const screen = await opened();
    await screen.shows(/> orders .*\n.*broken .*\n.*basket/);
    for (let round = 0; round < 20; round++) {
      for (const key of round % 2 === 0 ? "jj" : "kk") {
        screen.type(key);
        await pause(round % 5);
      }
      await screen.shows(round % 2 === 0 ? /> basket/ : /> orders/);
    }
    screen.type("q");
    expect(await screen.ended()).toBe(0);
  });

  it("gwc top accepts a key that arrives with the first rows", async () => {
    for (let round = 0; round < 8; round++) {
      const screen = await opened();
      while (!screen.raw.includes("orders")) await immediate();
      screen.type("j");
      await screen.shows(/> broken/);
      screen.type("q");
      expect(await screen.ended()).toBe(0);
    }
  });

  it("gwc top accepts Enter, Tab and Backspace within keys that arrive together", async () => {
    const screen = await opened();
    await screen.shows(/> orders/);
    screen.type("/bax\x7f\r");
    await screen.shows(/> basket[\s\S]*q quit/);
    screen.type("/\x7f\x7f\r\t");
    await screen.shows(/> (?:pool|route:broken)/);
    screen.type("q");
    expect(await screen.ended()).toBe(0);
  });

  it.each<[number, number]>([
    [80, 24],
    [120, 40],
    [200, 60],
    [40, 24],
    [40, 10],
    [80, 6],
  ])("gwc top never exceeds the terminal: %i columns, %i lines", async (columns, lines) => {
    const screen = await opened("--window 900", ENVIRONMENT, [columns, lines]);
    const seen = async (pattern: RegExp) => {
      await screen.shows(pattern);
      for (const line of screen.since.split("\n"))
        expect(Array.from(line.trimEnd()).length).toBeLessThanOrEqual(columns);
    };
    await seen(/> orders +[\d<]/);
    screen.type("?");
    await seen(/any key: go back/);
    if (lines > 20) expect(screen.since).toMatch(/Space +pause/);
    screen.type(" ");
    await seen(/> orders/);
    screen.type("e\r");
    await seen(/routes\/broken/);
    if (lines > 20) await seen(/127\.0\.0\.1:\d+ +1 /);
    screen.type("\x1b");
    await seen(/> broken/);
    screen.type("/none of them\r");
    await seen(/none of the busiest/);
    screen.type("q");
    expect(await screen.ended()).toBe(0);
    // Ink clears the screen if its output is higher than the terminal.
    expect(screen.raw).not.toContain("\x1b[2J");
  });

  it("gwc top prompts for a missing key without showing it", async () => {
    const { GWC_ADMIN_KEY: key, ...without } = ENVIRONMENT;
    const screen = await opened("--window 900", without);
    await screen.shows(/key of the admin API at .* \(not shown\)/);
    screen.type(`x\x7f${key}\r`);
    await screen.shows(/> orders/);
    expect(screen.raw).not.toContain(key);
    screen.type("q");
    expect(await screen.ended()).toBe(0);
    const interrupted = await opened("", without);
    await interrupted.shows(/not shown/);
    interrupted.type("\x03");
    expect(await interrupted.ended()).toBe(1);
  });

  /** Process id of the program in the terminal. */
  const programOf = (screen: Terminal) =>
    Number(execFileSync("pgrep", ["-P", String(screen.process.pid)], { encoding: "utf8" }));

  it("gwc top restores the terminal on SIGTERM", async () => {
    const screen = await opened();
    await screen.shows(/> orders/);
    process.kill(programOf(screen), "SIGTERM");
    expect(await screen.ended()).toBe(0);
    expect(screen.raw.trimEnd()).toMatch(/\x1b\[\?1049l(?:\x1b\[\?25h)+$/);
  });

  it("gwc top ends with its terminal", async () => {
    const screen = await opened();
    await screen.shows(/> orders/);
    const program = programOf(screen);
    screen.process.kill("SIGKILL");
    await until(() => !existsSync(`/proc/${program}`));
  });

  it("gwc top keeps its rows while no gateway responds, retries, and then shows new ones", async () => {
    const screen = await opened("--window 900 --every 0.5");
    await screen.shows(/> orders/);
    const { adminPort } = gateway;
    await gateway.stop();
    await screen.shows(/! no gateway responds at .*; retrying[\s\S]*orders/);
    await gateway.open();
    expect(gateway.adminPort).toBe(adminPort);
    screen.type(" ");
    await screen.shows(/paused/);
    screen.type(" ");
    await screen.shows(/no requests in the last 900 s/);
    screen.type("\x03");
    expect(await screen.ended()).toBe(0);
  });

  it("gwc top ends with the reason if its key is refused, and fits 60 columns", async () => {
    const refused = await opened("", { ...ENVIRONMENT, GWC_ADMIN_KEY: "wrong" }, [60, 16]);
    expect(await refused.ended()).toBe(1);
    expect(refused.since).toMatch(/replied 401/);
    const narrow = await opened("", ENVIRONMENT, [60, 16]);
    await narrow.shows(/routes, last 60 s/);
    for (const line of narrow.since.split("\n"))
      expect(Array.from(line.trimEnd()).length).toBeLessThanOrEqual(60);
    narrow.type("q");
    expect(await narrow.ended()).toBe(0);
  });
});
