import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { childrenOf, isAlive, ProcessGateway } from "./gateway.js";

const UNIT = fileURLToPath(new URL("../../../packaging/gwc.service", import.meta.url));
const ROUTES = { routes: [{ id: "own", uri: "/own", plugins: { "response-rewrite": { body: "own" } } }] };

/** Fixture for systemd's notification socket, in Python because Node has no UNIX datagram sockets. */
const DOUBLE = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("bound", flush=True)
while True: print(s.recv(4096).decode().replace(chr(10), " "), flush=True)
`;

/** Time between two WATCHDOG notifications, in ms. */
const PERIOD_MS = 300;

const isZombie = (pid: number) => readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");

const has = (command: string) => {
  try {
    execFileSync("which", [command]);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!has("systemd-notify") || !has("python3"))("a gateway that systemd starts", () => {
  let gateway: ProcessGateway;
  let double: ChildProcess | undefined;
  afterEach(async () => {
    delete process.env["NOTIFY_SOCKET"];
    delete process.env["WATCHDOG_USEC"];
    double?.kill();
    await gateway.end();
  });

  /** Starts a gateway and the fixture. @returns all that the fixture has received so far */
  async function start(): Promise<() => string> {
    gateway = await ProcessGateway.prepare(ROUTES);
    const socket = join(gateway.directory, "notify");
    double = spawn("python3", ["-c", DOUBLE, socket], { stdio: ["ignore", "pipe", "inherit"] });
    let heard = "";
    double.stdout?.on("data", (data: Buffer) => (heard += data));
    await until(() => heard.includes("bound"));
    process.env["NOTIFY_SOCKET"] = socket;
    gateway.launch();
    await until(() => heard.includes("READY=1"));
    return () => heard;
  }

  it("systemd receives RELOADING and READY for each reload, accepted or refused", async () => {
    const heard = await start();
    const notices = () => heard().match(/RELOADING=1|READY=1/g) ?? [];
    gateway.process.kill("SIGHUP");
    await until(() => notices().length === 3);
    expect(notices()).toEqual(["READY=1", "RELOADING=1", "READY=1"]);
    expect(heard()).toMatch(/RELOADING=1 MONOTONIC_USEC=\d+/);
    expect(gateway.log("reloaded")).toHaveLength(1);
    gateway.write({ routes: [{ id: "broken" }] });
    gateway.process.kill("SIGHUP");
    await until(() => notices().length === 5);
    expect(notices().slice(3)).toEqual(["RELOADING=1", "READY=1"]);
    expect(gateway.log("reload_refused")).toHaveLength(1);
  });

  it("the status for systemd names a refused reload until the next succeeds", async () => {
    const heard = await start();
    const statuses = () => [...heard().matchAll(/READY=1 STATUS=(.+?) MAINPID=/g)].map(([, text]) => text);
    for (const [times, resources] of [{ routes: [{ id: "broken" }] }, ROUTES].entries()) {
      gateway.write(resources);
      gateway.process.kill("SIGHUP");
      await until(() => statuses().length === times + 2);
    }
    expect(statuses()).toEqual([
      "serving",
      "serving the previous configuration: the reload was rejected",
      "serving",
    ]);
  });

  it("the status for systemd is serving after an adoption applies the files without a signal", async () => {
    const heard = await start();
    const statuses = () => [...heard().matchAll(/READY=1 STATUS=(.+?) MAINPID=/g)].map(([, text]) => text);
    expect(
      (await gateway.admin("PUT", "/routes/late", { ...ROUTES.routes[0], id: "late", uri: "/late" })).status,
    ).toBe(201);
    gateway.write({ routes: [{ id: "broken" }] });
    const control = gateway.child("control");
    process.kill(control, "SIGKILL");
    await until(() => statuses().length === 2);
    gateway.process.kill("SIGHUP");
    await until(() => statuses().length === 3);
    gateway.write({ routes: [...ROUTES.routes, { ...ROUTES.routes[0], id: "late", uri: "/late" }] });
    expect((await gateway.admin("POST", "/adopt/routes/late")).status).toBe(200);
    await until(() => statuses().length === 4);
    const stale = "serving the last known good generation: the configuration cannot run";
    expect(statuses()).toEqual(["serving", stale, stale, "serving"]);
  });

  it("systemd receives the successor of a handover as main process, which then reloads and stops", async () => {
    const heard = await start();
    const first = gateway.process.pid ?? 0;
    gateway.process.kill("SIGHUP");
    gateway.process.kill("SIGUSR2");
    await until(() => gateway.log("handed_over").length === 1 || undefined);
    if (gateway.process.exitCode === null) await once(gateway.process, "exit");
    const mains = () => [...heard().matchAll(/MAINPID=(\d+)/g)].map(([, pid]) => Number(pid));
    await until(() => new Set(mains()).size === 2 || undefined);
    const successor = mains().at(-1) ?? 0;
    expect(successor).not.toBe(first);
    expect(heard()).not.toContain("STOPPING=1");
    const readies = () => heard().match(/RELOADING=1|READY=1/g) ?? [];
    await until(() => readies().at(-1) === "READY=1" || undefined);
    const before = readies().length;
    // A SIGHUP during the handover reaches the successor, so from now on each reload must be refused.
    gateway.write({ routes: [{ id: "broken" }] });
    process.kill(successor, "SIGHUP");
    await until(() => heard().includes(`the reload was rejected MAINPID=${successor}`) || undefined);
    expect(readies().slice(before)).toContain("RELOADING=1");
    await until(() => readies().at(-1) === "READY=1" || undefined);
    process.kill(successor, "SIGTERM");
    await until(() => heard().includes("STOPPING=1") || undefined);
    await until(() => !isAlive(successor) || undefined);
    expect(gateway.log("systemd_notify_failed")).toEqual([]);
  });

  it("systemd receives READY, WATCHDOG only while the launcher runs, and STOPPING at a stop", async () => {
    process.env["WATCHDOG_USEC"] = String(2 * PERIOD_MS * 1_000);
    const heard = await start();
    expect(heard()).toContain(`MAINPID=${gateway.process.pid}`);
    expect((await gateway.get("/own")).text).toBe("own");
    expect(heard()).not.toContain("STOPPING=1");
    await until(() => (heard().match(/WATCHDOG=1/g)?.length ?? 0) >= 3 || undefined);
    const launcher = gateway.process.pid ?? 0;
    const workers = await gateway.workers();
    const staying = new Set([gateway.child("control"), ...workers.map(({ pid }) => pid)]);
    gateway.process.kill("SIGSTOP");
    // Notifications in flight end with their processes and are read when a later one is.
    await until(() => childrenOf(launcher).every((pid) => staying.has(pid) || isZombie(pid)));
    const marked = (mark: string) => {
      execFileSync("systemd-notify", [`STATUS=${mark}`], { env: process.env });
      return until(() => heard().includes(`STATUS=${mark}`));
    };
    await marked("stopped");
    const told = heard().match(/WATCHDOG=1/g)?.length;
    for (const began = performance.now(); performance.now() - began < 3 * PERIOD_MS; )
      expect((await gateway.get("/own")).text).toBe("own");
    await marked("served");
    expect(heard().match(/WATCHDOG=1/g)?.length).toBe(told);
    gateway.process.kill("SIGCONT");
    gateway.process.kill("SIGTERM");
    await until(() => heard().includes("STOPPING=1"));
    if (gateway.process.exitCode === null) await once(gateway.process, "exit");
    expect(gateway.log("systemd_notify_failed")).toEqual([]);
  });
});

describe.skipIf(!has("systemd-analyze"))("the unit file", () => {
  it("the unit file has only settings that systemd knows", () => {
    let said = "";
    try {
      execFileSync("systemd-analyze", ["verify", UNIT], { stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      said = String((error as { stderr?: unknown }).stderr);
    }
    expect(said).not.toMatch(/Unknown (?:key|lvalue|section)|Failed to parse|Invalid/i);
  });
});
