import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PATIENCE_MS } from "./patience.js";
import { accepts, freePort } from "./ports.js";
import { rsyslogConfiguration, syslogNgConfiguration } from "./syslog-configuration.js";

/**
 * Folder in which test/provision.mjs unpacks syslog-ng, which Debian cannot install together with rsyslog.
 */
const UNPACKED = fileURLToPath(new URL("../../node_modules/.cache/gwc/syslog-ng", import.meta.url));

export type Program = "rsyslog" | "syslog-ng";

/** A message as the server parsed it. */
export interface ReceivedMessage {
  pri: string;
  timestamp: string;
  host: string;
  app: string;
  pid: string;
  msgid: string;
  sd: string;
  msg: string;
}

export interface SyslogPorts {
  /** Port for lines; rsyslog accepts octet counting here too. */
  tcp: number;
  octets: number;
  udp: number;
  tls: number;
}

export interface SyslogServerOptions {
  /** PEM files for the TLS port; without them there is no TLS port. */
  tls?: { ca: string; cert: string; key: string };
}

/** Reason why this program cannot run here; undefined if it can. */
export function absent(program: Program): string | undefined {
  const found = program === "rsyslog" ? "/usr/sbin/rsyslogd" : join(UNPACKED, "usr/sbin/syslog-ng");
  return existsSync(found) ? undefined : `${program} is absent (${found}): run node test/provision.mjs`;
}

/** A real syslog server on free loopback ports with all its files in a temporary directory. */
export class SyslogServer {
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-syslog-"));
  /** File of received messages, one JSON line for each. */
  readonly messages = join(this.directory, "messages.json");
  readonly program: Program;
  readonly ports: SyslogPorts;
  #process: ChildProcess | undefined;
  #errors = "";

  private constructor(program: Program, ports: SyslogPorts) {
    this.program = program;
    this.ports = ports;
  }

  static async start(program: Program, options: SyslogServerOptions = {}): Promise<SyslogServer> {
    const ports = {
      tcp: await freePort(),
      octets: await freePort(),
      udp: await freePort(),
      tls: await freePort(),
    };
    const server = new SyslogServer(program, ports);
    const write = program === "rsyslog" ? rsyslogConfiguration : syslogNgConfiguration;
    writeFileSync(join(server.directory, "server.conf"), write(server.directory, ports, options.tls));
    try {
      await server.open();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Starts it, or restarts it on the same ports; resolves when it accepts. */
  async open(): Promise<void> {
    this.#dropPiece();
    const { command, args, env } = this.#command();
    const child = spawn(command, args, { env, cwd: this.directory, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => (this.#errors += piece));
    for (const end = Date.now() + PATIENCE_MS; !(await accepts(this.ports.tcp)); ) {
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`${this.program} does not start: ${this.#errors}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends it with a signal, SIGKILL by default, and waits until it is gone. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /**
   * SIGSTOP: it accepts nothing and reads nothing, but its connections stay. Resolves when every thread has
   * stopped.
   */
  async freeze(): Promise<void> {
    this.#process?.kill("SIGSTOP");
    const tasks = `/proc/${this.pid}/task`;
    const stopped = (task: string) => /\) T/.test(readFileSync(`${tasks}/${task}/stat`, "latin1"));
    while (!readdirSync(tasks).every(stopped)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** All messages stored so far, without an incomplete last line. */
  received(): ReceivedMessage[] {
    if (!existsSync(this.messages)) return [];
    const lines = readFileSync(this.messages, "utf8").split("\n");
    lines.pop();
    return lines.map((line) => JSON.parse(line) as ReceivedMessage);
  }

  /** Waits until it has stored that many messages. */
  async receives(count: number, ms = PATIENCE_MS): Promise<ReceivedMessage[]> {
    for (const end = Date.now() + ms; ; ) {
      const found = this.received();
      if (found.length >= count) return found;
      if (Date.now() > end) throw new Error(`${found.length} of ${count} messages\n${this.#errors}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /**
   * Removes an incomplete last line. SIGKILL may end a write in the middle of a line, and the next process
   * would append to it.
   */
  #dropPiece(): void {
    if (!existsSync(this.messages)) return;
    truncateSync(this.messages, readFileSync(this.messages).lastIndexOf("\n") + 1);
  }

  #command(): { command: string; args: string[]; env: NodeJS.ProcessEnv } {
    const file = (name: string) => join(this.directory, name);
    if (this.program === "rsyslog") {
      const args = ["-n", "-f", file("server.conf"), "-i", file("pid")];
      return { command: "/usr/sbin/rsyslogd", args, env: process.env };
    }
    const multiarch = ["x86_64-linux-gnu", "aarch64-linux-gnu"];
    const libraries = [
      "usr/lib/syslog-ng",
      ...multiarch.flatMap((name) => [`usr/lib/${name}`, `lib/${name}`]),
    ];
    const LD_LIBRARY_PATH = libraries.map((library) => join(UNPACKED, library)).join(":");
    const args = [
      ...["--foreground", "--no-caps", "--module-path", join(UNPACKED, "usr/lib/syslog-ng/3.38")],
      ...["--cfgfile", file("server.conf"), "--persist-file", file("persist"), "--pidfile", file("pid")],
      ...["--control", file("control")],
    ];
    const command = join(UNPACKED, "usr/sbin/syslog-ng");
    return { command, args, env: { ...process.env, LD_LIBRARY_PATH } };
  }
}
