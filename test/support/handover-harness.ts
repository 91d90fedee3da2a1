import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { issue } from "./certificates.js";
import { Load } from "./load.js";
import { PATIENCE_MS } from "./patience.js";
import { freePort } from "./ports.js";

const KEY = "handover-key-0123456789abcdef";

export interface HandoverResult {
  handovers: number;
  reloads: number;
  plain: number;
  secure: number;
  /** One entry for each failed request. */
  failures: string[];
}

/**
 * A gateway that runs a build, with clients that send requests, plain and over TLS, on idle connections and
 * new ones.
 */
export class HandoverHarness {
  readonly result: HandoverResult = { handovers: 0, reloads: 0, plain: 0, secure: 0, failures: [] };
  readonly #directory = mkdtempSync(join(tmpdir(), "gwc-handover-"));
  readonly #cli: string;
  readonly #upstream: Server;
  #ports = { plain: 0, secure: 0, admin: 0, status: 0, metrics: 0 };
  #environment: NodeJS.ProcessEnv = {};
  #child!: ChildProcess;
  /** The serving launcher; after a handover it is no child of this process. */
  #launcher = 0;
  #log = "";
  #loads: { plain: Load[]; secure: Load[] } = { plain: [], secure: [] };

  /** @param cli path of `gwc.js` */
  constructor(cli: string) {
    this.#cli = cli;
    this.#upstream = createServer((_, response) => response.end("ok"));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#upstream.listen(0, "127.0.0.1", resolve));
    this.#ports = {
      plain: await freePort(),
      secure: await freePort(),
      admin: await freePort(),
      status: await freePort(),
      metrics: await freePort(),
    };
    const { cert, key } = issue({ names: ["a.example"] });
    this.#environment = { ...process.env, HANDOVER_KEY: KEY, HANDOVER_TLS_KEY: key };
    for (const version of ["1", "2"]) this.#build(version, cert);
    renameSync(this.#at("dist-1"), this.#at("dist"));
    this.#child = spawn(process.execPath, [this.#cli, "run", "dist"], {
      cwd: this.#directory,
      env: this.#environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#log += text;
    });
    this.#launcher = this.#child.pid ?? 0;
    await this.#until(async () => (await this.#workers()).length === 2);
    const { plain, secure } = this.#ports;
    const loads = (over: { port: number; servername?: string }) => [
      new Load({ ...over, connections: 2 }),
      new Load({ ...over, connections: 1, keepAlive: false }),
    ];
    this.#loads = { plain: loads({ port: plain }), secure: loads({ port: secure, servername: "a.example" }) };
  }

  #at = (name: string) => join(this.#directory, name);

  #build(version: string, cert: string): void {
    const { plain, secure, admin, status, metrics } = this.#ports;
    const local = (port: number) => ({ ip: "127.0.0.1", port });
    const { port } = this.#upstream.address() as AddressInfo;
    const configuration = {
      gw: {
        node_listen: [local(plain)],
        ssl: { listen: [local(secure)] },
        status: local(status),
        workers: 2,
      },
      deployment: {
        admin: {
          admin_listen: local(admin),
          admin_key: [{ name: "handover", key: "${{HANDOVER_KEY}}", role: "admin" }],
        },
      },
      plugin_attr: { prometheus: { export_addr: local(metrics) } },
      ssls: [{ id: "a", sni: "a.example", cert, key: "${{HANDOVER_TLS_KEY}}" }],
      routes: [
        {
          id: "r",
          uri: "/*",
          upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } },
          plugins: { "response-rewrite": { headers: { set: { "X-Version": version } } } },
        },
      ],
    };
    writeFileSync(this.#at("gateway.json"), JSON.stringify(configuration));
    const args = [this.#cli, "build", "gateway.json", "--no-type-check", "--out", `dist-${version}`];
    execFileSync(process.execPath, args, { cwd: this.#directory, env: this.#environment, stdio: "pipe" });
    rmSync(this.#at("gateway.json"));
  }

  /**
   * Replaces the build by the other one and reloads.
   * @throws Error if the gateway does not reload
   */
  async reload(): Promise<void> {
    const loaded = () => this.#log.split('"event":"reloaded"').length;
    const before = loaded();
    const [was, next] = this.result.reloads % 2 === 0 ? ["1", "2"] : ["2", "1"];
    renameSync(this.#at("dist"), this.#at(`dist-${was}`));
    renameSync(this.#at(`dist-${next}`), this.#at("dist"));
    process.kill(this.#launcher, "SIGHUP");
    await this.#until(async () => loaded() > before);
    this.result.reloads += 1;
  }

  /** Starts a handover to a successor, and waits until the old launcher is gone. */
  async handOver(): Promise<void> {
    const before = this.#launcher;
    process.kill(before, "SIGUSR2");
    await this.#until(async () => {
      const [worker] = await this.#workers();
      const parent = worker === undefined ? 0 : parentOf(worker);
      if (parent === 0 || parent === before || isAlive(before)) return false;
      this.#launcher = parent;
      return true;
    });
    this.result.handovers += 1;
  }

  async stop(): Promise<HandoverResult> {
    for (const kind of ["plain", "secure"] as const)
      for (const { requests, failures } of await Promise.all(this.#loads[kind].map((load) => load.stop()))) {
        this.result[kind] += requests;
        this.result.failures.push(...failures.map((failure) => `${kind}: ${failure}`));
      }
    if (isAlive(this.#launcher)) process.kill(this.#launcher, "SIGTERM");
    await this.#until(async () => !isAlive(this.#launcher));
    this.#upstream.close();
    this.#upstream.closeAllConnections();
    rmSync(this.#directory, { recursive: true, force: true });
    return this.result;
  }

  async #workers(): Promise<number[]> {
    const { status } = this.#ports;
    const answer = await fetch(`http://127.0.0.1:${status}/status/ready`).catch(() => undefined);
    if (answer?.status !== 200) return [];
    const { workers = [] } = (await answer.json()) as { workers?: { pid: number }[] };
    return workers.map(({ pid }) => pid);
  }

  async #until(holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !(await holds()); await wait(25))
      if (Date.now() > end) throw new Error(`waited too long; the log ends: ${this.#log.slice(-2_000)}`);
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Reports whether a process runs; a zombie counts as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
