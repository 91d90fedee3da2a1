import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { type AdminAnswer, exchange } from "../control/admin.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

export interface WorkerSummary {
  worker: number;
  pid: number;
  generation: number;
  connections: number;
  requests: number;
}

export interface RunWith {
  paths?: string[];
  writable?: boolean;
  watch?: boolean;
  verify?: string[];
  policy?: string;
  workers?: number;
  root?: string;
}

/** Part of the command line that identifies each child of the launcher. */
const CHILDREN = {
  captcha: "/plugins-captcha-service-main.js",
  control: "/runtime-control-main.js",
  worker: "/cli-worker.js",
};

/** Reports whether readiness warns of a control or of workers that are missing or late. */
const isIncomplete = ({ warnings = [] }: { warnings?: unknown }): boolean =>
  (warnings as { code: string }[]).some(({ code }) =>
    /^(?:control_|workers_|starting|not_listening)/.test(code),
  );

/** Gateways that this file has started and that ran at the end of the last test. */
const started = new Set<ProcessGateway>();

/** Log lines of a gateway that are printed if a test fails. */
const LOG_LINES = 60;

// A failed test without the log of its gateway cannot be explained afterwards.
afterEach(({ task }) => {
  for (const gateway of started) {
    if (task.result?.state === "fail")
      process.stderr.write(`log of the gateway of "${task.name}":\n${gateway.tail(LOG_LINES)}\n`);
    if (gateway.hasEnded) started.delete(gateway);
  }
});

/** Gateway of launcher, control and workers, run from the bundle. */
export class ProcessGateway {
  static readonly KEY = "key-of-the-process-tests";
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-processes-"));
  process!: ChildProcess;
  port = 0;
  adminPort = 0;
  statusPort = 0;
  metricsPort = 0;
  /** Standard error, which has the log lines. */
  errors = "";
  output = "";

  /** @param resources of the file, as JSON; @param gw further keys of `gw` */
  static async start(resources: object, gw: Record<string, unknown> = {}): Promise<ProcessGateway> {
    const gateway = await ProcessGateway.prepare(resources, gw);
    await gateway.open();
    return gateway;
  }

  /** Writes the configuration without starting the gateway. */
  static async prepare(resources: object, gw: Record<string, unknown> = {}): Promise<ProcessGateway> {
    const gateway = new ProcessGateway();
    [gateway.port, gateway.adminPort, gateway.statusPort, gateway.metricsPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    gateway.write(resources, gw);
    return gateway;
  }

  write(resources: object, gw: Record<string, unknown> = {}): void {
    const local = (port: number) => ({ ip: "127.0.0.1", port });
    const keys = {
      gw: { node_listen: [local(this.port)], status: local(this.statusPort), workers: 2, ...gw },
      deployment: {
        admin: {
          admin_listen: local(this.adminPort),
          admin_key: [{ name: "test", key: "${{GW_TEST_KEY}}", role: "admin" }],
        },
        store: { type: "lmdb", path: "store" },
      },
      plugin_attr: { prometheus: { export_addr: local(this.metricsPort) } },
    };
    writeFileSync(join(this.directory, "gateway.json"), JSON.stringify({ ...keys, ...resources }));
  }

  /**
   * Starts the gateway with the files in its directory. Resolves when it serves.
   * @param options of `gwc run`; `root`: the installation to run, default this one
   * @param limits `ulimit` options, such as "-f 64"
   */
  async open(options: RunWith = {}, limits?: string): Promise<void> {
    this.launch(options, limits);
    await until(() => {
      if (this.process.exitCode !== null) throw new Error(`the gateway ended: ${this.errors}`);
      return /status {3}http/.test(this.output);
    });
  }

  /**
   * Starts the gateway as `open` does, without waiting. @param out file for both streams, in place of
   * `output` and `errors`
   */
  launch({ root = ROOT, ...options }: RunWith = {}, limits?: string, out: number | "pipe" = "pipe"): void {
    const command = [process.execPath, join(root, ".build/bundle/gwc.js"), "run", ...argumentsOf(options)];
    const limited = ["sh", "-c", `ulimit ${limits}; exec "$@"`, "sh", ...command];
    const [file = "", ...args] = limits === undefined ? command : limited;
    this.output = "";
    this.errors = "";
    const env = { ...process.env, GW_TEST_KEY: ProcessGateway.KEY };
    this.process = spawn(file, args, { cwd: this.directory, stdio: ["ignore", out, out], env });
    started.add(this);
    this.process.stderr?.on("data", (text: Buffer) => (this.errors += text));
    this.process.stdout?.on("data", (text: Buffer) => (this.output += text));
  }

  get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** Last lines of standard output and of the log. */
  tail(lines: number): string {
    return `${this.output}${this.errors}`.split("\n").slice(-lines).join("\n");
  }

  async stop(): Promise<number | null> {
    if (!this.hasEnded) {
      this.process.kill("SIGTERM");
      await once(this.process, "exit");
    }
    return this.process.exitCode;
  }

  async end(): Promise<void> {
    await this.stop();
    // Children of a killed launcher may still write.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 30 });
  }

  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return exchange(this.adminPort, method, `/gw/admin${path}`, text, { "X-API-KEY": ProcessGateway.KEY });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<AdminAnswer> {
    return exchange(this.port, "GET", path, undefined, headers);
  }

  async workers(): Promise<WorkerSummary[]> {
    const { json } = await exchange(this.statusPort, "GET", "/status/ready");
    return (json["workers"] as WorkerSummary[] | undefined) ?? [];
  }

  /** Reports whether the gateway serves, with control and all of its workers. */
  async ready(): Promise<boolean> {
    const { status, json } = await exchange(this.statusPort, "GET", "/status/ready");
    return status === 200 && !isIncomplete(json);
  }

  /** Process id of a child of the launcher; 0 if there is none, which must not be sent a signal. */
  child(name: keyof typeof CHILDREN): number {
    const runs = (pid: number) => commandOf(pid).includes(CHILDREN[name]);
    return childrenOf(this.process.pid ?? 0).find(runs) ?? 0;
  }

  /** Text of the log for people: plain lines, and `reason` and `text` of JSON lines without escapes. */
  get said(): string {
    const texts = this.errors.split("\n").flatMap((line) => {
      if (!line.startsWith("{")) return [line];
      const { reason, text } = JSON.parse(line) as { reason?: unknown; text?: unknown };
      return [reason, text].filter((said) => typeof said === "string");
    });
    return texts.join("\n");
  }

  log(event: string): Record<string, unknown>[] {
    return this.errors
      .split("\n")
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

function argumentsOf({ paths = ["gateway.json"], writable, watch, workers, policy, verify = [] }: RunWith) {
  return [
    ...paths,
    ...(writable === true ? ["--writable"] : []),
    ...(watch === true ? ["--watch"] : []),
    ...(workers === undefined ? [] : ["--workers", String(workers)]),
    ...(policy === undefined ? [] : ["--policy", policy]),
    ...verify.flatMap((key) => ["--verify", key]),
  ];
}

/** Command line of a process; "" if it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
}

/** Sends a signal; 0 sends none, as in kill(2). @returns true if the process exists */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

export const isAlive = (pid: number): boolean => signal(pid, 0);
