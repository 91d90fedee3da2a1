import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CLI } from "./cli.js";
import { freePort } from "./ports.js";

const ADMIN_KEY = "key-of-the-durable-stand";

export interface HarnessOptions {
  plugins: (settings: { ack: "log" | "response" }) => object;
  ack: "log" | "response";
  /** `deployment.log.spool`. */
  spool?: object;
  workers?: number;
  /** Runs the gateway under a command, such as ["prlimit", "--fsize=65536"]. */
  under?: readonly string[];
}

/** A gateway with several processes and a small upstream; its directory survives the processes. */
export class DurableHarness {
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-durable-"));
  port = 0;
  errors = "";
  readonly #options: HarnessOptions;
  readonly #upstream: Server;
  #adminPort = 0;
  #statusPort = 0;
  #process: ChildProcess | undefined = undefined;

  private constructor(options: HarnessOptions) {
    this.#options = options;
    this.#upstream = createServer((_, response) => response.end("hello"));
  }

  static async start(options: HarnessOptions): Promise<DurableHarness> {
    const harness = new DurableHarness(options);
    harness.#upstream.listen(0, "127.0.0.1");
    await once(harness.#upstream, "listening");
    harness.port = await freePort();
    harness.#adminPort = await freePort();
    harness.#statusPort = await freePort();
    harness.configure();
    await harness.open();
    return harness;
  }

  get spoolDirectory(): string {
    return join(this.directory, "store", "spool");
  }

  get configuration(): string {
    return join(this.directory, "gateway.json");
  }

  configure(): void {
    const { ack, plugins, workers = 2, spool } = this.#options;
    const local = (port: number) => ({ ip: "127.0.0.1", port });
    const admin = {
      admin_listen: local(this.#adminPort),
      admin_key: [{ name: "test", key: ADMIN_KEY, role: "admin" }],
    };
    const configuration = {
      gw: { node_listen: [local(this.port)], status: local(this.#statusPort), workers },
      deployment: {
        admin,
        store: { path: join(this.directory, "store") },
        ...(spool && { log: { spool } }),
      },
      plugin_attr: { prometheus: { enable_export_server: false } },
      routes: [{ id: "all", uri: "/r/*", plugins: plugins({ ack }), upstream: this.upstream }],
    };
    writeFileSync(this.configuration, JSON.stringify(configuration));
  }

  get upstream(): object {
    return { nodes: { [`127.0.0.1:${(this.#upstream.address() as AddressInfo).port}`]: 1 } };
  }

  /**
   * Starts the gateway; resolves when it is ready.
   * @throws if it exits instead
   */
  async open(): Promise<void> {
    const [file = "", ...args] = [
      ...(this.#options.under ?? []),
      process.execPath,
      CLI,
      "run",
      this.configuration,
    ];
    const child = spawn(file, args, { cwd: this.directory, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (text: Buffer) => (this.errors += text));
    this.#process = child;
    for (let tries = 0; !(await this.#isReady()); tries++) {
      if (child.exitCode !== null || tries > 600)
        throw new Error(`the gateway did not start: ${this.errors}`);
      await pause(50);
    }
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.#statusPort}/status/ready`).catch(() => undefined);
    if (answer?.status !== 200) return false;
    const { warnings } = (await answer.json()) as { warnings: { code: string }[] };
    return !warnings.some(({ code }) => /^(?:control|workers)_/.test(code));
  }

  async ready(): Promise<void> {
    for (let tries = 0; !(await this.#isReady()); tries++) {
      if (tries > 600) throw new Error(`the gateway is not ready: ${this.errors}`);
      await pause(50);
    }
  }

  async put(path: string, body: object): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.#adminPort}/gw/admin${path}`, {
      method: "PUT",
      headers: { "X-API-KEY": ADMIN_KEY },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }

  async workers(): Promise<number[]> {
    const answer = await fetch(`http://127.0.0.1:${this.#statusPort}/status/ready`);
    const { workers } = (await answer.json()) as { workers?: { pid: number }[] };
    return (workers ?? []).map(({ pid }) => pid);
  }

  /** @returns the time of the kill */
  async killWorkers(): Promise<number> {
    return kill(await this.workers());
  }

  /** @returns the time of the kill */
  async killControl(): Promise<number> {
    const workers = await this.workers();
    return kill(childrenOf(this.#process?.pid ?? 0).filter((pid) => !workers.includes(pid)));
  }

  /**
   * Kills every process of the gateway at once.
   * @returns the time of the kill
   */
  async killAll(): Promise<number> {
    const child = this.#process;
    if (child?.pid === undefined) return Date.now();
    const all = [child.pid, ...childrenOf(child.pid)];
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    const at = kill(all);
    await ended;
    for (const pid of all) while (isRunning(pid)) await pause(10);
    return at;
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  }

  async end(): Promise<void> {
    await this.stop();
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** @returns the time in ms since 1970; a busy client may read responses later that were sent before */
function kill(pids: readonly number[]): number {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has exited by itself.
    }
  }
  return Date.now();
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return children.trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
