import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";

const LAUNCH = fileURLToPath(new URL("./fixtures/launch.mjs", import.meta.url));
const started: ChildProcess[] = [];

/** Launcher with fixtures for control and workers. */
class Launch {
  readonly process: ChildProcess;
  output = "";

  constructor(port = 0) {
    this.process = spawn(process.execPath, [LAUNCH, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
    this.process.stdout?.on("data", (text: Buffer) => (this.output += text));
    started.push(this.process);
  }

  async says(pattern: RegExp): Promise<string> {
    return await until(() => pattern.exec(this.output)?.[1]);
  }
}

/** Process id that the worker on the port sends; undefined if the port refuses connections. */
function worker(port: number, send?: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(2000, () => socket.destroy());
    socket.on("data", (data) => {
      resolve(Number(data));
      if (send === undefined) socket.destroy();
      else socket.end(send);
    });
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(undefined));
  });
}

const alive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const gone = (pid: number) => until(() => !alive(pid));

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }
});

describe("the launcher", () => {
  it("the launcher starts workers that accept on the port it bound", async () => {
    const launch = new Launch();
    const port = Number(await launch.says(/port (\d+)/));
    expect(await until(() => worker(port))).not.toBe(launch.process.pid);
  });

  it("the launcher replaces a worker that dies, so that two other workers accept", async () => {
    const port = Number(await new Launch().says(/port (\d+)/));
    const first = await until(() => worker(port, "crash"));
    await gone(first);
    const others = new Set<number>();
    await until(async () => {
      const pid = await worker(port);
      if (pid !== undefined) others.add(pid);
      return others.size === 2 || undefined;
    });
    expect(others.has(first)).toBe(false);
  });

  it("the launcher restarts control after kill -9 and leaves workers alone", async () => {
    const launch = new Launch();
    const port = Number(await launch.says(/port (\d+)/));
    const control = Number(await launch.says(/control (\d+)/));
    const pid = await until(() => worker(port));
    process.kill(control, "SIGKILL");
    await launch.says(/control \d+[\s\S]*control (\d+)/);
    expect(alive(pid)).toBe(true);
  });

  it("the launcher passes SIGHUP to control as a reload", async () => {
    const launch = new Launch();
    await launch.says(/(control)/);
    await until(() => worker(Number(/port (\d+)/.exec(launch.output)?.[1])));
    launch.process.kill("SIGHUP");
    expect(await launch.says(/heard (reload)/)).toBe("reload");
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "the launcher stops its children on %s and ends with 0",
    async (signal) => {
      const launch = new Launch();
      const port = Number(await launch.says(/port (\d+)/));
      const pid = await until(() => worker(port));
      launch.process.kill(signal);
      const [code] = await once(launch.process, "exit");
      expect(code).toBe(0);
      expect(alive(pid)).toBe(false);
      expect(await worker(port)).toBeUndefined();
    },
  );

  it("no worker outlives a killed launcher", async () => {
    const launch = new Launch();
    const port = Number(await launch.says(/port (\d+)/));
    const pid = await until(() => worker(port));
    launch.process.kill("SIGKILL");
    await gone(pid);
    await until(async () => (await worker(port)) === undefined);
  });

  it("the launcher names the setting of a port in use and the process that uses it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const launch = new Launch(port);
    const [code] = await once(launch.process, "exit");
    taken.close();
    expect(code).toBe(1);
    expect(launch.output).toMatch(
      new RegExp(
        `^port ${port} is already in use by .+ \\(process ${process.pid}\\): choose another gw.node_listen$`,
        "m",
      ),
    );
  });
});
