import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./patience.js";
import { freePort } from "./ports.js";

/** An expiry in the past deletes a key. The accounts of states have times as scores. */
const AGE = [
  "local keys = redis.call('keys', '*')",
  "for _, key in ipairs(keys) do",
  "  local left = redis.call('pttl', key)",
  "  if left >= 0 then redis.call('pexpire', key, left - ARGV[1]) end",
  "  if string.find(key, 'ends:') or string.find(key, 'order:') then",
  "    for _, name in ipairs(redis.call('zrange', key, 0, -1)) do",
  "      redis.call('zincrby', key, -ARGV[1], name)",
  "    end",
  "  end",
  "end",
  "return #keys",
].join(" ");

/** A real redis-server on a free loopback port with a temporary directory. */
export class RedisServer {
  readonly port: number;
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-redis-"));
  readonly #settings: string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, settings: string[]) {
    this.port = port;
    this.#settings = settings;
  }

  /** @param settings options of the redis-server command: ["--appendonly", "yes"] */
  static async start(settings: string[] = []): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), settings);
    await server.up();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /**
   * Settings of a captcha that uses this store. Default: a timeout that only a missing response would reach.
   */
  store(timeoutMs = 600_000): { type: "redis"; url: string; timeoutMs: number } {
    return { type: "redis", url: this.url, timeoutMs };
  }

  /** Starts it; after a stop, on the same port. */
  async up(): Promise<void> {
    const options = [
      "--bind",
      "127.0.0.1",
      "--port",
      String(this.port),
      "--dir",
      this.directory,
      "--save",
      "",
      // The process title would overwrite its environment, by which the suite finds leftover processes.
      "--set-proc-title",
      "no",
    ];
    this.#process = spawn("redis-server", [...options, ...this.#settings], { stdio: "ignore" });
    await until(async () => (await this.command("PING").catch(() => "")) === "+PONG");
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await ended;
  }

  /** SIGSTOP: connections stay, but it no longer responds. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** First line of the response to an inline command. */
  async command(text: string): Promise<string> {
    const socket = connect(this.port, "127.0.0.1");
    try {
      socket.write(`${text}\r\n`);
      const [bytes] = (await once(socket, "data")) as [Buffer];
      return bytes.toString().split("\r\n")[0] ?? "";
    } finally {
      socket.destroy();
    }
  }

  /** Makes everything expire `ms` earlier, as if that time had passed. */
  async age(ms: number): Promise<void> {
    const answer = await this.command(`EVAL "${AGE}" 0 ${Math.round(ms)}`);
    if (!answer.startsWith(":")) throw new Error(`redis-server: ${answer}`);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
