import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./ports.js";

const PLACES = (process.env["PATH"] ?? "").split(":");
const isThere = (program: string) => PLACES.some((place) => existsSync(join(place, program)));

/** Reason for skipping tests with Prometheus; undefined if they run. */
export const WITHOUT_PROMETHEUS: string | undefined =
  isThere("prometheus") && isThere("promtool")
    ? undefined
    : "tests with Prometheus are left out: prometheus and promtool are not there (apt-get install prometheus)";
if (WITHOUT_PROMETHEUS) process.stderr.write(`${WITHOUT_PROMETHEUS}\n`);

/**
 * Runs `promtool` in a directory.
 * @returns its output and exit status
 */
export async function promtool(
  directory: string,
  ...args: string[]
): Promise<{ code: number; text: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)("promtool", args, { cwd: directory });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code: number; stdout?: string; stderr?: string };
    return { code, text: stdout + stderr };
  }
}

/** An alert as the API of Prometheus returns it. */
export interface ActiveAlert {
  labels: Record<string, string>;
  state: string;
}

/** A real Prometheus on a free loopback port with a scrape interval of one second. */
export class PrometheusServer {
  readonly directory: string = mkdtempSync(join(tmpdir(), "gwc-prometheus-"));
  readonly port: number;
  readonly #process: ChildProcess;
  log = "";

  private constructor(port: number, targets: readonly string[], rules: string) {
    this.port = port;
    writeFileSync(join(this.directory, "alerts.yaml"), rules);
    const configuration = {
      global: { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" },
      rule_files: ["alerts.yaml"],
      scrape_configs: [
        { job_name: "gwc", metrics_path: "/gw/prometheus/metrics", static_configs: [{ targets }] },
      ],
    };
    // JSON is YAML.
    writeFileSync(join(this.directory, "prometheus.yml"), JSON.stringify(configuration));
    const options = [
      ...["--config.file", "prometheus.yml", "--storage.tsdb.path", "data"],
      ...["--web.listen-address", `127.0.0.1:${port}`, "--log.level", "warn"],
    ];
    this.#process = spawn("prometheus", options, {
      cwd: this.directory,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process.stderr?.on("data", (text: Buffer) => (this.log += text));
  }

  /**
   * @param targets `host:port` of pages
   * @param rules text of a rules file
   */
  static async start(targets: readonly string[], rules: string): Promise<PrometheusServer> {
    const server = new PrometheusServer(await freePort(), targets, rules);
    for (let tries = 0; tries < 1_200; tries++) {
      if (server.#process.exitCode !== null) break;
      const answer = await fetch(`http://127.0.0.1:${server.port}/-/ready`).catch(() => undefined);
      if (answer?.status === 200) return server;
      await wait(50);
    }
    await server.end();
    throw new Error(`prometheus does not answer: ${server.log}`);
  }

  /** Firing and pending alerts. */
  async alerts(): Promise<ActiveAlert[]> {
    return (await this.#ask<{ alerts: ActiveAlert[] }>("/api/v1/alerts")).alerts;
  }

  /**
   * Number of series that an expression yields now.
   * @throws Error with the message of Prometheus
   */
  async query(expression: string): Promise<number> {
    const { result } = await this.#ask<{ result: unknown[] }>(
      `/api/v1/query?query=${encodeURIComponent(expression)}`,
    );
    return result.length;
  }

  async #ask<Data>(path: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGTERM");
      await ended;
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 30 });
  }
}
