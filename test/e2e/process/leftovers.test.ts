import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { childrenOf, isAlive, ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const launcher = () => gateway.process.pid ?? 0;

/** Run directory, from the environment of any child that has it. */
function runDirectory(): string {
  const environment = childrenOf(launcher()).flatMap((child) =>
    textOf(`/proc/${child}/environ`, "utf8").split("\0"),
  );
  return environment.find((entry) => entry.startsWith("GWC_RUN_DIRECTORY="))?.split("=")[1] ?? "";
}

/**
 * Content of a file; "" if it has been removed since it was listed, as processes and files of a run come and
 * go.
 */
function textOf(file: string, encoding: "utf8" | "latin1"): string {
  try {
    return readFileSync(file, encoding);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("SIGUSR1", () => {
  it("SIGUSR1 opens the inspector of no process and ends none, and the launcher logs logs_reopened", async () => {
    const captcha = { listen: { ip: "127.0.0.1", port: await freePort() } };
    gateway = await ProcessGateway.start({ captcha }, { workers: 1 });
    const all = [launcher(), ...childrenOf(launcher())];
    expect(all).toHaveLength(4);
    for (const pid of all) process.kill(pid, "SIGUSR1");
    await until(() => gateway.log("logs_reopened").length > 0);
    await wait(500);
    // Node reports an inspector on standard error, also one whose port is taken; its threads have no name.
    expect(gateway.errors).not.toMatch(/debugger|inspector/i);
    expect([launcher(), ...childrenOf(launcher())]).toEqual(all);
  });
});

describe("the files of a run", () => {
  it("the files of a run contain no admin key and are removed with the gateway", async () => {
    gateway = await ProcessGateway.start({}, { workers: 1 });
    const directory = runDirectory();
    expect(existsSync(directory)).toBe(true);
    // The counters of an ended worker are in a file of the run.
    process.kill(gateway.child("worker"), "SIGKILL");
    await until(() => filesIn(directory).length > 0);
    for (const file of filesIn(directory))
      expect(textOf(file, "latin1"), file).not.toContain(ProcessGateway.KEY);
    await gateway.stop();
    expect(existsSync(directory)).toBe(false);
  });

  it("a start removes the run directory of killed processes, but not that of a running gateway", async () => {
    gateway = await ProcessGateway.start({}, { workers: 1 });
    const abandoned = runDirectory();
    const all = [launcher(), ...childrenOf(launcher())];
    const ended = once(gateway.process, "exit");
    for (const pid of all) process.kill(pid, "SIGKILL");
    await ended;
    await until(() => !all.some(isAlive));
    expect(existsSync(abandoned)).toBe(true);
    await gateway.open();
    expect(existsSync(abandoned)).toBe(false);
    const own = runDirectory();
    const other = await ProcessGateway.start({}, { workers: 1 });
    expect(existsSync(own)).toBe(true);
    await other.end();
    expect((await gateway.admin("GET", "/routes")).status).toBe(200);
  });
});

describe("unfinished files of a killed process in the store", () => {
  it("unfinished files in the store are removed by the next start of control and of the gateway", async () => {
    gateway = await ProcessGateway.start({}, { workers: 1 });
    const generations = join(gateway.directory, "store/generations");
    const unfinished = ["generation-1000.jsonl.new", "trial.jsonl"].map((name) => join(generations, name));
    const left = () => unfinished.filter((file) => existsSync(file));
    const leave = () => {
      for (const file of unfinished) writeFileSync(file, "");
      expect(left()).toHaveLength(2);
    };
    leave();
    process.kill(gateway.child("control"), "SIGKILL");
    await until(() => left().length === 0);
    await until(() => gateway.ready());
    await gateway.stop();
    leave();
    await gateway.open();
    expect(left()).toEqual([]);
  });
});

describe("a log whose reader has gone", () => {
  it("a closed standard error ends no process", async () => {
    const nodes = { [`127.0.0.1:${await freePort()}`]: 1 };
    gateway = await ProcessGateway.start({ routes: [{ id: "dead", uri: "/*", upstream: { nodes } }] });
    const before = childrenOf(launcher());
    gateway.process.stderr?.destroy();
    for (let n = 0; n < 8; n += 1) expect((await gateway.get(`/${n}`)).status).toBe(502);
    expect((await gateway.admin("PUT", "/routes/r", { uri: "/r", upstream: { nodes } })).status).toBe(201);
    const [worker] = await gateway.workers();
    process.kill(worker?.pid ?? 0, "SIGKILL");
    await until(async () => {
      const pids = (await gateway.workers()).map(({ pid }) => pid);
      return pids.length === 2 && !pids.includes(worker?.pid ?? 0);
    });
    expect(childrenOf(launcher()).filter((pid) => before.includes(pid))).toHaveLength(2);
  });
});
