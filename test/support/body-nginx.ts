import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { accepts, freePort } from "./ports.js";

const PROGRAM = "/usr/sbin/nginx";

/** Reason why tests with nginx cannot run here; undefined if they can. */
export const nginxAbsent = (): string | undefined =>
  existsSync(PROGRAM) ? undefined : "nginx is not installed";

/**
 * nginx that stores the body of each request in a file before it responds: every acknowledged body survives a
 * kill. An incomplete body also stays as a file.
 */
export class BodyNginx {
  readonly port: number;
  readonly #directory = mkdtempSync(join(tmpdir(), "gwc-nginx-"));
  #process: ChildProcess | undefined = undefined;

  private constructor(port: number, inner: number) {
    this.port = port;
    mkdirSync(join(this.#directory, "bodies"));
    writeFileSync(join(this.#directory, "nginx.conf"), configuration(port, inner));
  }

  static async start(): Promise<BodyNginx> {
    const server = new BodyNginx(await freePort(), await freePort());
    await server.open();
    return server;
  }

  async open(): Promise<void> {
    const args = ["-p", this.#directory, "-c", "nginx.conf", "-e", "stderr", "-g", "daemon off;"];
    this.#process = spawn(PROGRAM, args, { stdio: "ignore" });
    for (let tries = 0; !(await accepts(this.port)); tries++) {
      if (tries > 500) throw new Error("nginx does not start");
      await pause(10);
    }
  }

  /** Kills its only process. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  get isUp(): boolean {
    return this.#process !== undefined;
  }

  /** All complete bodies, decoded. */
  bodies(): string[] {
    const folder = join(this.#directory, "bodies");
    return readdirSync(folder).flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      try {
        return [(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8")];
      } catch {
        return [];
      }
    });
  }

  /**
   * Number of lines of all bodies, which are compressed with gzip. Other processes count them, because there
   * may be gigabytes.
   */
  async lines(): Promise<number> {
    const count = "find bodies -type f -exec cat {} + | gunzip -c | wc -l";
    const { stdout } = await promisify(execFile)("sh", ["-c", count], { cwd: this.#directory });
    return Number.parseInt(stdout, 10) || 0;
  }

  async end(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/**
 * `master_process off`: a kill leaves no worker behind. The body is in its file before nginx calls the inner
 * server.
 */
const configuration = (port: number, inner: number) => `
user root;
master_process off;
pid nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path bodies;
  client_max_body_size 1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      client_body_in_file_only on;
      proxy_pass http://127.0.0.1:${inner};
      proxy_set_body "";
    }
  }
  server {
    listen 127.0.0.1:${inner};
    return 204;
  }
}
`;
