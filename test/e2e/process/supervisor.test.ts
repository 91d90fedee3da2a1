import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

const UNIT = fileURLToPath(new URL("../../../packaging/gwc.service", import.meta.url));
const ROUTES = { routes: [{ id: "own", uri: "/own", plugins: { "response-rewrite": { body: "own" } } }] };

/** A double of systemd's notification socket: Node has no datagram sockets of UNIX. */
const DOUBLE = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); print("bound", flush=True)
while True: print(s.recv(4096).decode().replace(chr(10), " "), flush=True)
`;

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

  it("says when it serves, twice a period that it lives, and when it stops", async () => {
    gateway = await ProcessGateway.prepare(ROUTES);
    const socket = join(gateway.directory, "notify");
    double = spawn("python3", ["-c", DOUBLE, socket], { stdio: ["ignore", "pipe", "inherit"] });
    let heard = "";
    double.stdout?.on("data", (data: Buffer) => (heard += data));
    await until(() => (heard.includes("bound") ? true : undefined));
    process.env["NOTIFY_SOCKET"] = socket;
    process.env["WATCHDOG_USEC"] = "1000000";
    gateway.launch();
    await until(() => (heard.includes("READY=1") ? true : undefined));
    expect(heard).toContain(`MAINPID=${gateway.process.pid}`);
    expect((await gateway.get("/own")).text).toBe("own");
    expect(heard).not.toContain("STOPPING=1");
    await until(() => (heard.match(/WATCHDOG=1/g)?.length ?? 0) >= 3 || undefined);
    const told = heard.match(/WATCHDOG=1/g)?.length ?? 0;
    gateway.process.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((heard.match(/WATCHDOG=1/g)?.length ?? 0) - told).toBeLessThanOrEqual(1);
    gateway.process.kill("SIGCONT");
    gateway.process.kill("SIGTERM");
    await until(() => (heard.includes("STOPPING=1") ? true : undefined));
    if (gateway.process.exitCode === null) await once(gateway.process, "exit");
    expect(gateway.log("supervisor_not_told")).toEqual([]);
  });
});

describe.skipIf(!has("systemd-analyze"))("the unit file", () => {
  it("has no setting that systemd does not know", () => {
    let said = "";
    try {
      execFileSync("systemd-analyze", ["verify", UNIT], { stdio: ["ignore", "pipe", "pipe"] });
    } catch (error) {
      said = String((error as { stderr?: unknown }).stderr);
    }
    expect(said).not.toMatch(/Unknown (?:key|lvalue|section)|Failed to parse|Invalid/i);
  });
});
