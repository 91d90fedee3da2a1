import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ENVIRONMENT } from "../../../runtime/process/launch-plan.js";
import { CLI } from "../../support/cli.js";
import { compileLibrary, hasCompiler } from "../../support/compiled-library.js";
import { Load } from "../../support/load.js";
import { until } from "../../support/patience.js";
import { childrenOf, commandOf, isAlive, ProcessGateway } from "./gateway.js";

// `gwc run` as process 1 of a PID namespace, as in a container, and as the child of tini, as in the image of
// gwc and with `--init`.

const FAILING_FORK = fileURLToPath(new URL("./fixtures/failing-fork.c", import.meta.url));
const NAMESPACE = ["--pid", "--fork", "--kill-child", "--mount-proc"];

function refusal(): string | undefined {
  try {
    execFileSync("unshare", [...NAMESPACE, "true"], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
const refused = refusal();
if (refused !== undefined) console.warn(`no PID namespace can be made here, so none is tested: ${refused}`);

const TINI = (process.env["PATH"] ?? "")
  .split(":")
  .map((directory) => `${directory}/tini`)
  .find((path) => existsSync(path));
if (TINI === undefined)
  console.warn("tini is not there (apt-get install tini), so no gateway is tested under it");

/** Read-only root, no capabilities, and no writable directory but the gateway's own. */
const READ_ONLY = [
  'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro / && cd "$PWD" && mkdir tmp && export TMPDIR="$PWD/tmp"',
  'if touch /read-only 2> /dev/null; then echo "the root can be written" >&2; exit 9; fi',
  'exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all "$@"',
].join("\n");

/** Gateway in a PID namespace: `process` is the program that makes the namespace, process 1 is its child. */
class Container {
  readonly outside: ChildProcess;
  readonly gateway: ProcessGateway;

  /**
   * @param before command that starts the program
   * @param runner program that makes or enters the namespace
   */
  constructor(
    gateway: ProcessGateway,
    before: readonly string[] = [],
    runner: readonly [string, ...string[]] = ["unshare", ...NAMESPACE],
  ) {
    this.gateway = gateway;
    const command = [...before, process.execPath, CLI, "run", "gateway.json"];
    const [program, ...args] = runner;
    this.outside = spawn(program, [...args, ...command], {
      cwd: gateway.directory,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, GW_TEST_KEY: ProcessGateway.KEY, GWC_LOG_FORMAT: "json" },
    });
    gateway.process = this.outside;
    this.outside.stderr?.on("data", (text: Buffer) => (gateway.errors += text));
    this.outside.stdout?.on("data", (text: Buffer) => (gateway.output += text));
  }

  /** Process id of process 1 outside of the namespace. */
  get one(): number {
    return childrenOf(this.outside.pid ?? 0)[0] ?? 0;
  }

  signal(name: NodeJS.Signals): void {
    process.kill(this.one, name);
  }

  /** Waits until that many starts have served. */
  async served(times: number): Promise<void> {
    await until(() => this.gateway.log("ready").length >= times || undefined);
    await until(async () => (await this.gateway.ready().catch(() => false)) || undefined);
  }
}

const DELAYS: Record<string, number> = { "/slow": 1_500, "/slower": 9_000 };
/** Paths that the upstream received. */
const asked = new Set<string>();
const upstream = createServer((request, response) => {
  asked.add(request.url ?? "");
  setTimeout(() => response.end("ok"), DELAYS[request.url ?? ""] ?? 0);
});
let container: Container;

beforeAll(async () => {
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
});
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
});

const routes = () => {
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  return { routes: [{ id: "r", uri: "/*", upstream: { nodes } }] };
};

async function start(): Promise<void> {
  asked.clear();
  container = new Container(await ProcessGateway.prepare(routes()));
  await container.served(1);
}

/**
 * Reports whether the process has a handler for the signal. gwc installs SIGUSR2 last; until then Node's
 * handler of SIGTERM ends a process by sending SIGTERM again without a handler, which the kernel drops for
 * process 1.
 */
const hears = (pid: number, signal: NodeJS.Signals) => {
  const caught = /^SigCgt:\s+(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
};

const environmentOf = (pid: number) => readFileSync(`/proc/${pid}/environ`, "utf8");
const stateOf = (pid: number) => /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];

describe.skipIf(refused !== undefined)("a gateway as process 1 of a container", () => {
  afterEach(async () => {
    const { outside, gateway } = container;
    if (outside.exitCode === null && outside.signalCode === null) {
      outside.kill("SIGKILL");
      await once(outside, "exit");
    }
    await gateway.end();
  });

  it("a gateway as process 1 stays through three handovers, fails no request and leaves no process behind", async () => {
    await start();
    const { one, gateway } = container;
    const load = new Load({ port: gateway.port });
    for (const times of [2, 3, 4]) {
      const before = childrenOf(one);
      container.signal("SIGUSR2");
      await container.served(times);
      await until(() => !before.some(isAlive) || undefined);
    }
    const { requests, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(100);
    expect(container.one).toBe(one);
    expect(gateway.log("handed_over")).toHaveLength(3);
    // One child that is no zombie: it may be running, asleep or waiting for a disk.
    expect(childrenOf(one).map(stateOf)).toEqual([expect.stringMatching(/^[SRD]$/)]);
  });

  it("a gateway on a read-only root needs only its own directory and no capability", async () => {
    const gateway = await ProcessGateway.prepare(routes());
    container = new Container(gateway, ["sh", "-ec", READ_ONLY, "sh"]);
    await container.served(1);
    expect((await gateway.get("/")).status).toBe(200);
    const written = await gateway.admin("PUT", "/routes/new", {
      ...routes().routes[0],
      id: "new",
      uri: "/new",
    });
    expect(written.status).toBe(201);
  });

  it("a gateway as process 1 continues to serve if the successor cannot start", async () => {
    await start();
    const { gateway, one } = container;
    gateway.write(routes(), { workers: "many" });
    container.signal("SIGUSR2");
    await until(() => gateway.log("successor_failed").length > 0 || undefined);
    expect((await gateway.get("/")).status).toBe(200);
    await until(async () => {
      const answer = await gateway.admin("GET", "/routes").catch(() => undefined);
      return answer?.status === 200 || undefined;
    });
    expect(childrenOf(one)).toHaveLength(1);
  });

  it("SIGTERM during a handover ends process 1 with 0", async () => {
    await start();
    const ended = once(container.outside, "exit");
    container.signal("SIGUSR2");
    await until(() => childrenOf(container.one).length > 1 || undefined);
    container.signal("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("a gateway as process 1 ends with the code of the serving launcher, even if a successor ends later", async () => {
    await start();
    const { one } = container;
    const [serving = 0] = childrenOf(one);
    const ended = once(container.outside, "exit");
    container.signal("SIGUSR2");
    // Waits for exec: between fork and exec the parent waits for the successor.
    const successor = await until(() =>
      childrenOf(one).find(
        (pid) => environmentOf(pid).includes(`${ENVIRONMENT.inherit}=`) && pid !== serving,
      ),
    );
    process.kill(successor, "SIGSTOP");
    // SIGCONT follows only when the stop has taken effect, because a pending SIGTERM would be delivered
    // first.
    await until(() => stateOf(successor) === "T" || undefined);
    container.signal("SIGTERM");
    await until(() => !childrenOf(one).includes(serving) || undefined);
    process.kill(successor, "SIGCONT");
    expect(await ended).toEqual([0, null]);
  });

  it("SIGTERM after a handover lets the replaced launcher finish its requests, then ends process 1", async () => {
    await start();
    const slow = container.gateway.get("/slower");
    container.signal("SIGUSR2");
    await until(() => container.gateway.log("handed_over").length > 0 || undefined);
    const ended = once(container.outside, "exit");
    container.signal("SIGTERM");
    expect((await slow).text).toBe("ok");
    expect(await ended).toEqual([0, null]);
  });

  it("SIGTERM ends process 1 before the gateway has read its settings", async () => {
    container = new Container(await ProcessGateway.prepare(routes()));
    await until(() => (container.one > 0 && hears(container.one, "SIGUSR2")) || undefined);
    const ended = once(container.outside, "exit");
    container.signal("SIGTERM");
    const [code] = await ended;
    expect([0, 143]).toContain(code);
  });

  it("SIGTERM lets requests in flight finish, then process 1 ends with 0", async () => {
    await start();
    const slow = container.gateway.get("/slow");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const ended = once(container.outside, "exit");
    container.signal("SIGTERM");
    expect((await slow).text).toBe("ok");
    expect(await ended).toEqual([0, null]);
  });

  it("a gateway as process 1 ends with the exit code of a gateway that cannot start", async () => {
    const gateway = await ProcessGateway.prepare(routes(), { workers: "many" });
    container = new Container(gateway);
    const [code] = await once(container.outside, "exit");
    expect(code).toBe(1);
    expect(gateway.errors).toContain("workers");
  });

  it("a gateway as process 1 warns once that it does not reap orphans", async () => {
    await start();
    container.signal("SIGUSR2");
    await container.served(2);
    expect(container.gateway.log("init_missing")).toEqual([
      expect.objectContaining({
        level: "warn",
        pid: 1,
        reason: expect.stringContaining("run it under an init"),
      }),
    ]);
  });

  it.skipIf(TINI === undefined)(
    "under tini, which reaps orphans, a gateway stays through a handover and ends at SIGTERM",
    async () => {
      asked.clear();
      container = new Container(await ProcessGateway.prepare(routes()), [TINI ?? "", "--"]);
      await container.served(1);
      const { one, gateway } = container;
      const main = childrenOf(one);
      expect(main).toHaveLength(1);
      container.signal("SIGUSR2");
      await container.served(2);
      expect(childrenOf(one)).toEqual(main);
      expect(gateway.log("handed_over")).toHaveLength(1);
      execFileSync("nsenter", ["--target", `${one}`, "--pid", "sh", "-c", "(sleep 600 > /dev/null 2>&1 &)"]);
      const orphan = await until(() => childrenOf(one).find((pid) => !main.includes(pid)));
      process.kill(orphan, "SIGKILL");
      await until(() => childrenOf(one).length === 1 || undefined);
      expect(gateway.log("init_missing")).toEqual([]);
      const slow = gateway.get("/slow");
      await until(() => asked.has("/slow") || undefined);
      const ended = once(container.outside, "exit");
      container.signal("SIGTERM");
      expect((await slow).text).toBe("ok");
      expect(await ended).toEqual([0, null]);
    },
  );

  it.each(["containerd-shim-runc-v2", "conmon"])(
    "a gateway whose parent is %s, as with --pid=host, stays through a handover",
    async (name) => {
      const gateway = await ProcessGateway.prepare(routes());
      const engine = join(gateway.directory, name);
      copyFileSync("/bin/bash", engine);
      container = new Container(gateway, [], [engine, "-c", '"$@"; exit $?', name]);
      await container.served(1);
      const main = container.one;
      const launcher = childrenOf(main);
      expect(launcher).toHaveLength(1);
      container.signal("SIGUSR2");
      await container.served(2);
      await until(() => !launcher.some(isAlive) || undefined);
      expect(container.one).toBe(main);
      expect((await gateway.get("/")).status).toBe(200);
      const ended = once(container.outside, "exit");
      container.signal("SIGTERM");
      expect(await ended).toEqual([0, null]);
    },
  );

  it.runIf(hasCompiler("a system that starts no successor in a container"))(
    "a gateway as process 1 continues to serve if the system cannot start a successor",
    async () => {
      const gateway = await ProcessGateway.prepare(routes());
      const flag = join(gateway.directory, "failing");
      const library = join(gateway.directory, "failing-fork.so");
      compileLibrary(FAILING_FORK, library);
      vi.stubEnv("LD_PRELOAD", library);
      vi.stubEnv("FAILING_FORK", flag);
      onTestFinished(() => void vi.unstubAllEnvs());
      container = new Container(gateway);
      await container.served(1);
      const [launcher] = childrenOf(container.one);
      writeFileSync(flag, String(constants.errno.ENOMEM));
      container.signal("SIGUSR2");
      await until(() => gateway.log("successor_failed").length > 0 || undefined);
      rmSync(flag);
      await until(() => gateway.ready().catch(() => false));
      expect((await gateway.get("/")).status).toBe(200);
      expect(childrenOf(container.one)).toEqual([launcher]);
    },
  );

  it("a gateway in a pod with a shared PID namespace stays through a handover", async () => {
    const pause = spawn("unshare", [...NAMESPACE, "sleep", "600"], { stdio: "ignore" });
    onTestFinished(() => void pause.kill("SIGKILL"));
    const one = await until(() => childrenOf(pause.pid ?? 0)[0]);
    // /proc has an entry before the program runs, and only the program is killed with its parent.
    await until(() => commandOf(one).startsWith("sleep"));
    const gateway = await ProcessGateway.prepare(routes());
    container = new Container(gateway, [], ["nsenter", "--target", `${one}`, "--pid", "--mount", "--wd=."]);
    await container.served(1);
    const main = container.one;
    const [launcher = 0, ...others] = childrenOf(main);
    expect(others).toEqual([]);
    container.signal("SIGUSR2");
    await container.served(2);
    await until(() => !isAlive(launcher));
    expect(container.one).toBe(main);
    expect((await gateway.get("/")).status).toBe(200);
    expect(gateway.log("init_missing")).toEqual([]);
    const ended = once(container.outside, "exit");
    container.signal("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("a gateway as process 1 ends with 137 if the launcher is killed, so that the container is restarted", async () => {
    await start();
    const ended = once(container.outside, "exit");
    process.kill(childrenOf(container.one)[0] ?? 0, "SIGKILL");
    expect((await ended)[0]).toBe(137);
  });
});
