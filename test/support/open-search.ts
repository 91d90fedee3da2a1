import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./ports.js";

const DIRECTORY = fileURLToPath(new URL("../../node_modules/.cache/gwc/opensearch", import.meta.url));

/** Reason why tests with OpenSearch cannot run here; undefined if they can. */
export const openSearchAbsent = (): string | undefined =>
  existsSync(join(DIRECTORY, "complete")) ? undefined : "node test/provision-opensearch.mjs has not run";

/** One node of OpenSearch on a loopback port; it starts in ten seconds. */
export class OpenSearch {
  readonly port: number;
  readonly #home = mkdtempSync(join(tmpdir(), "gwc-opensearch-"));
  readonly #process: ChildProcess;

  private constructor(port: number, transport: number) {
    this.port = port;
    mkdirSync(join(this.#home, "config"));
    const classes = [join(DIRECTORY, "classes"), join(DIRECTORY, "jars/*")].join(":");
    const args = ["-Xms512m", "-Xmx512m", "-cp", classes, "TestNode", this.#home, `${port}`, `${transport}`];
    this.#process = spawn("java", args, { cwd: this.#home, stdio: "ignore" });
  }

  static async start(): Promise<OpenSearch> {
    const server = new OpenSearch(await freePort(), await freePort());
    for (const end = Date.now() + 60_000; ; await pause(100)) {
      const answer = await fetch(`http://127.0.0.1:${server.port}/`).catch(() => undefined);
      if (answer?.ok) return server;
      if (Date.now() > end || server.#process.exitCode !== null) {
        await server.stop();
        throw new Error("OpenSearch does not start");
      }
    }
  }

  /** @throws Error if the response is no success */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text);
  }

  /** All documents of an index or data stream, by their ids. */
  async documents(index: string): Promise<Map<string, Record<string, unknown>>> {
    await this.ask("POST", `/${index}/_refresh`);
    const { hits } = (await this.ask("GET", `/${index}/_search?size=10000`)) as {
      hits: { hits: { _id: string; _source: Record<string, unknown> }[] };
    };
    return new Map(hits.hits.map(({ _id, _source }) => [_id, _source]));
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const ended = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await ended;
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}
